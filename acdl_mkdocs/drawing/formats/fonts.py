"""The fonts of outputs that cannot take those of a reader's machine: who has which character, and what it looks like.

Three faces of JetBrains Mono are part of the package, without hints and layout tables, so that a picture is the same on
every machine and signs such as `->` stay two characters. Characters that they lack come from files that the caller
names. Knows neither figures nor file formats of pictures.
"""

import os
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from acdl_mkdocs.foundation import extras
from acdl_mkdocs.foundation.errors import FontWarning, UnusableFontError

if TYPE_CHECKING:
    from fontTools.pens.basePen import AbstractPen
    from fontTools.ttLib import TTFont

FAMILY = "JetBrains Mono"
FACES = ("Regular", "Bold", "Italic")
_MAX_NAMED = 5
_MAX_BYTES = 256_000_000
"""Of a font file; the largest collections of fonts have half of it."""
_MAX_PARTS = 1_000
"""Of a glyph that is made of others: a few that are made of each other would be drawn without end."""
_IGNORABLE = frozenset(("Cc", "Cf", "Mn"))
"""Categories of characters that may be invisible."""


class Glyph(NamedTuple):
    """The shape of a character in one font."""

    outline: list[tuple[str, tuple[object, ...]]]
    """Names of methods of a fontTools pen, and what they are called with."""
    advance: float
    units_per_em: int

    def draw_outline(self, pen: "AbstractPen") -> None:
        """Draw the shape with a pen."""
        for method, arguments in self.outline:
            getattr(pen, method)(*arguments)


class Typeface:
    """Fonts in order of preference."""

    def __init__(self, paths: Sequence[Path | str], extra: str) -> None:
        self._fonts = [_load_font(str(path), extra) for path in paths]

    def has_character(self, character: str) -> bool:
        """Return whether one of the fonts has the character, if only as a coloured picture."""
        return any(ord(character) in font.names for font in self._fonts)

    def find_glyph(self, character: str) -> Glyph | None:
        """Return the shape of a character in the first font that can draw it."""
        for font in self._fonts:
            name = font.names.get(ord(character))
            glyph = font.read_glyph(name) if name else None
            if glyph and (glyph.outline or character.isspace()):
                return glyph
        return None

    def missing_glyph(self) -> Glyph:
        """Return the empty box that represents any other character."""
        return self._fonts[0].read_glyph(".notdef")


class _Font:
    """A font file, read once however many figures are drawn with it."""

    def __init__(self, path: str, font: "TTFont", extra: str) -> None:
        self._path = path
        self._pens = extras.import_extra("fontTools.pens.recordingPen", extra)
        self._outlines: dict[str, Glyph] = {}
        with _report_damage(path):
            self._glyphs = font.getGlyphSet()
            self._units_per_em = font["head"].unitsPerEm
            self.names: dict[int, str] = font.getBestCmap() or {}
            """From the number of a character to the name of its glyph."""

    def read_glyph(self, name: str) -> Glyph:
        """Return the shape of that name.

        Raises:
            UnusableFontError: The file is damaged there.
        """
        if name not in self._outlines:
            with _report_damage(self._path):
                pen = self._pens.DecomposingRecordingPen(_GlyphParts(self._glyphs))
                self._glyphs[name].draw(pen)
                self._outlines[name] = Glyph(pen.value, self._glyphs[name].width, self._units_per_em)
        return self._outlines[name]


class _GlyphParts:
    """The glyphs that one is made of, up to a number of them."""

    def __init__(self, glyphs: Mapping[str, Any]) -> None:
        self._glyphs = glyphs
        self._n_left = _MAX_PARTS

    def __getitem__(self, name: str) -> Any:
        self._n_left -= 1
        if self._n_left < 0:
            raise ValueError("a glyph has too many parts")
        return self._glyphs[name]


@contextmanager
def _report_damage(path: str) -> Iterator[None]:
    """Report any failure in a file with wrong data about itself: the reader checks little, and fails in many ways."""
    try:
        yield
    except Exception as fault:
        detail = f"{type(fault).__name__}: {str(fault)[:200]}".rstrip(": ")
        message = f"{path}: is a damaged font ({detail}); copy it again from where it came from, or use another one"
        raise UnusableFontError(message) from None


def font_path(face: str) -> Path:
    """Return the file of a face of the package: one of `FACES`."""
    return Path(str(files("acdl_mkdocs") / "assets" / f"{FAMILY.replace(' ', '')}-{face}.ttf"))


def warn_about_missing(characters: Iterable[str]) -> None:
    """Warn about characters that no font has, if there are any."""
    missing = sorted({each for each in characters if unicodedata.category(each) not in _IGNORABLE})
    if not missing:
        return
    named = [f"{each} (U+{ord(each):04X})" for each in missing[:_MAX_NAMED]]
    rest = f" and {len(missing) - _MAX_NAMED} more" if len(missing) > _MAX_NAMED else ""
    message = (
        f"no font has {', '.join(named)}{rest}; empty boxes are in their place: "
        "name a font file that has them with `--font FILE`, in the option `fonts` of a site, or `OutputOptions.fonts`"
    )
    warnings.warn(FontWarning(message), stacklevel=2)


def warn_about_joined(is_there: bool) -> None:
    """Warn that letters are drawn one by one from left to right, if some need another order or shape."""
    if is_there:
        message = "right-to-left text is drawn letter by letter, from left to right: write this figure as png or svg"
        warnings.warn(FontWarning(message), stacklevel=2)


def _load_font(path: str, extra: str) -> _Font:
    """Return a font, reopened if its file has changed."""
    try:
        changed_ns = os.stat(path).st_mtime_ns
    except OSError:
        changed_ns = 0  # opening it explains why
    return _read_font(path, changed_ns, extra)


@lru_cache(maxsize=16)
def _read_font(path: str, changed_ns: int, extra: str) -> _Font:
    del changed_ns
    return _Font(path, _open_font(path, extra), extra)


def _open_font(path: Path | str, extra: str) -> "TTFont":
    """Open a font, or the first one of a collection.

    Raises:
        UnusableFontError: The file cannot be read or is not a font.
    """
    ttlib = extras.import_extra("fontTools.ttLib", extra)
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise UnusableFontError(f"{path}: cannot be read as a font: {reason}") from None
    if len(data) > _MAX_BYTES:
        raise UnusableFontError(f"{path}: has more than {_MAX_BYTES // 1_000_000} MB; use one with fewer characters")
    try:
        return ttlib.TTFont(BytesIO(data), fontNumber=0, lazy=True)
    except Exception:  # of many kinds
        raise UnusableFontError(f"{path}: is not a font; a TrueType or OpenType file is needed") from None
