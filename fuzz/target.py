"""What a target of fuzzing is, and what targets have in common: texts of bytes, pieces of a text, seeds of files."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from acdl_mkdocs.foundation.errors import AcdlError

ROOT = Path(__file__).parent.parent
SEPARATOR = "\n=====\n"
"""Stands between the parts of an input that has several, such as a spec and a state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One thing that is fuzzed."""

    run: Callable[[bytes], None]
    """Do it with an input. Whatever it raises is a finding: a promise that is broken, or an exception that nobody is
    told of."""
    promise: str
    """What holds for every input, as the end of a sentence that begins with "every input"."""
    seeds: Callable[[], Iterable[bytes]]
    """Inputs to begin with."""
    words: tuple[str, ...]
    """Words that random bytes would not find: those of the language that the input is in."""
    max_bytes: int = 4096
    """Of an input; fewer where each takes long, so that more are tried."""
    max_cpu_s: float = 4.0
    """Processor time that an input may take while its branches are counted, which makes it a few times slower."""


def text_of(data: bytes) -> str:
    """An input as text: UTF-8, halves of characters too, as JSON may have them; of other bytes what files have."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def file_text(data: bytes) -> str:
    """An input as the text of a file, which is UTF-8 and has no halves of characters."""
    return data.decode("utf-8", "replace")


def parts_of(text: str, n_parts: int) -> list[str]:
    """The parts of an input that has several; those that it does not have are empty."""
    found = text.split(SEPARATOR, n_parts - 1)
    return found + [""] * (n_parts - len(found))


def told(reason: AcdlError) -> None:
    """Check that an error that is documented is a sentence that stands in one line of a log."""
    assert str(reason)
    assert "\n" not in str(reason)


def files(*patterns: str, most_bytes: int = 4096) -> list[bytes]:
    """The small files of the repository that patterns name, in order; each pattern has some."""
    paths = _named(patterns, lambda path: path.is_file() and path.stat().st_size <= most_bytes)
    return [path.read_bytes() for path in paths]


def pairs(*patterns: str, suffix: str, most_bytes: int = 4096) -> list[bytes]:
    """The small files that patterns name, each with the file beside it that has another ending; there are some."""

    def pair(path: Path) -> bytes:
        return path.read_bytes() + SEPARATOR.encode() + path.with_suffix(suffix).read_bytes()

    paths = _named(patterns, lambda path: path.with_suffix(suffix).is_file() and len(pair(path)) <= most_bytes)
    return [pair(path) for path in paths]


def lines_of(*patterns: str, most_bytes: int = 4096, most_lines: int = 40) -> list[bytes]:
    """The small lines of files, each as an input of its own; each pattern has files."""
    paths = _named(patterns, Path.is_file)
    lines = (line + b"\n" for path in paths for line in path.read_bytes().splitlines()[:most_lines])
    return [line for line in lines if len(line) <= most_bytes]


def _named(patterns: Iterable[str], is_wanted: Callable[[Path], bool]) -> list[Path]:
    """The files that patterns name, in order; a pattern that gives none is a mistake."""
    found: set[Path] = set()
    for pattern in patterns:
        paths = {path for path in ROOT.glob(pattern) if is_wanted(path)}
        assert paths, f"`{pattern}` gives no input"
        found |= paths
    return sorted(found)
