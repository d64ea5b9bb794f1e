"""Errors of the system as Sphinx shows them."""

from collections.abc import Iterator
from contextlib import contextmanager

from sphinx.errors import SphinxError


@contextmanager
def writing() -> Iterator[None]:
    """Let Sphinx end with a sentence where a file of the output cannot be written.

    Raises:
        SphinxError: That is so; the message names the file.
    """
    try:
        yield
    except OSError as reason:
        why = (reason.strerror or str(reason)).lower()
        raise SphinxError(f"{reason.filename}: cannot be written: {why}") from None
