"""Files of JSON lines that only grow, where a kill may have torn the last line. Knows nothing about what is in them."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from acdl_mkdocs.foundation.atomic import naming
from acdl_mkdocs.prompts.prompt import Json


def read_lines(path: Path) -> Iterator[dict[str, Json]]:
    """Every whole line that is a JSON object, up to the first that is none; nothing where there is no file."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            data = _object(line)
            if data is None:
                return
            yield data


def cut_torn(path: Path) -> int:
    """Take away what stands behind the last whole line, so that the next line begins on its own.

    Returns:
        How many bytes were taken away: the rest of one line that was being written.
    """
    if not path.exists():
        return 0
    size = path.stat().st_size
    with path.open("rb") as file:
        whole = sum(len(line) for line in file if line.endswith(b"\n"))
    if whole < size:
        with path.open("r+b") as file:
            file.truncate(whole)
            os.fsync(file.fileno())
    return size - whole


def append_line(path: Path, data: dict[str, Json]) -> None:
    """Add one object to a file without a torn line; it is on the disk when this returns.

    Raises:
        OSError: The disk did not take it.
    """
    line = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False) + "\n"
    with naming(path), path.open("ab") as file:
        file.write(line.encode("ascii"))
        file.flush()
        os.fsync(file.fileno())


def _object(line: bytes) -> dict[str, Json] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None
