"""Record the requests of an agent, or answer them from a recording or a script, on this machine alone.

`recording()` is for tests and programs; `Session` is what the command is made of.
"""

from acdl_mkdocs.runs.record.session import recording

__all__ = ("recording",)
