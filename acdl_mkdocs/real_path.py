"""`real_path()`: where a path leads. Whoever reads only what is in a folder asks this first."""

import errno
import os
from pathlib import Path


def real_path(path: Path) -> Path:
    """The path without links, whether or not there is a file.

    `Path.resolve` alone does not say that: Python 3.11 and 3.12 follow no link behind one that leads to itself and a
    `..`, so that what it gives may lie elsewhere, and newer ones leave the link to itself as it is.

    Raises:
        OSError: Its links lead to themselves, or may not be followed.
        ValueError: It is no path.
    """
    try:
        found = path.resolve()
    except RuntimeError:  # what `OSError` is in newer versions of Python
        found = path
    if any(map(os.path.islink, (found, *found.parents))):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return found
