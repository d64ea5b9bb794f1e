"""Errors of the system as MkDocs tells them."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mkdocs.exceptions import PluginError


@contextmanager
def writing(folder: str) -> Iterator[None]:
    """Let MkDocs end with a sentence where a file of the site cannot be written, or one for it cannot be read.

    Raises:
        PluginError: That is so; what is said names the file, or the folder where the system names none.
    """
    try:
        yield
    except OSError as reason:
        name, why = str(reason.filename or folder), (reason.strerror or str(reason)).lower()
        is_written = Path(name).absolute().is_relative_to(Path(folder).absolute())
        what, cure = (
            ("written", "free space, or make it writable")
            if is_written
            else ("read", "see that it is there and may be read")
        )
        said = why if reason.errno == errno.ELOOP and is_written else f"{why}; {cure}"  # a link has its own cure
        raise PluginError(f"{name}: cannot be {what}: {said}") from None
