"""Record the requests of an agent, or answer them from a recording or a script, on this machine alone.

`recording()` is for tests and programs; the command uses `Session`.
"""

from acdl_mkdocs.runs.record.session import recording

__all__ = ("recording",)
