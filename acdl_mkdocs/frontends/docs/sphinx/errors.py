"""Errors of the system as Sphinx shows them."""

from collections.abc import Iterator
from contextlib import contextmanager

from sphinx.errors import SphinxError


@contextmanager
def report_write_errors() -> Iterator[None]:
    """Within a block, end Sphinx with a sentence if a file of the output cannot be written.

    Raises:
        SphinxError: A file cannot be written; the message names it.
    """
    try:
        yield
    except OSError as reason:
        why = (reason.strerror or str(reason)).lower()
        raise SphinxError(f"{reason.filename}: cannot be written: {why}") from None
