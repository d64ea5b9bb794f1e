"""A file outside the working folder, which nobody has named."""

import os
from pathlib import Path

MINE = "a file of somebody"


def is_kept(clone: Path) -> bool:
    """Whether what lies outside is as it was."""
    outside = clone.parent / "outside"
    return os.listdir(outside) == ["mine"] and (outside / "mine").read_text() == MINE
