"""`files_of()`: the files of recordings that a path names: itself, or those of a folder."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.traces.read_trace import is_cassette

ENDINGS = (".jsonl", ".ndjson", ".json", ".har", ".traj", ".pml.xml")
"""What of a folder is looked at; also with `.gz` behind it. Files that are named are read whatever they are called."""
TEXT_ENDINGS = (".yaml", ".yml", ".csv")
"""What is looked at where the file is named; of a folder, only cassettes."""
STANDARD_INPUT = "-"


def files_of(path: str) -> Iterator[str]:
    """A file, or the files of a folder in their order: numbers in names count as numbers.

    Raises:
        TraceError: The folder has none.
    """
    if path == STANDARD_INPUT or not os.path.isdir(path):
        yield path
        return
    found: list[Path] = []
    for folder, folders, names in os.walk(path):
        folders[:] = [each for each in folders if not each.startswith(".")]
        found += [each for name in names if _is_recording(each := Path(folder, name))]
    if not found:
        endings = ", ".join(f"`{each}`" for each in ENDINGS)
        raise TraceError(f"{path}: the folder has no recorded run; its files end with {endings}, or are named")
    yield from map(str, sorted(found, key=lambda each: [_sorted(part) for part in each.parts]))


def _is_recording(path: Path) -> bool:
    name = path.name.removesuffix(".gz")
    if name.startswith("."):
        return False
    return name.endswith(ENDINGS) or (name.endswith(TEXT_ENDINGS) and is_cassette(path))


def _sorted(name: str) -> list[tuple[int, int, str]]:
    """What names are sorted by: `2.json` stands before `10.json`."""
    return [(0, int(each), "") if each.isdecimal() else (1, 0, each) for each in re.split(r"(\d+)", name) if each]
