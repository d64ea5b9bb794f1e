"""What of a tree a drawing shows, as plain tuples that can be compared."""

from typing import TypeAlias

from acdl_mkdocs.drawing.figure.describe import number_marks
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.language.syntax.nodes import (
    Comment,
    Declaration,
    File,
    Group,
    Mark,
    NameRef,
    Node,
    Number,
    Path,
    Range,
    Skipped,
    TimeIndex,
    field_names,
)
from acdl_mkdocs.language.syntax.pragmas import is_for_tools, read_settings

Shape: TypeAlias = object


def drawn_shape(file: File, mode: RangeMode = "half-open", *, has_signs: bool = True) -> Shape:
    """The tree without what is never drawn: spelling, parentheses, comments for tools and above definitions.

    Parameters:
        file: The tree.
        mode: How `range(a, b)` is read where the text does not say it.
        has_signs: Whether `$x` and `x` are different.
    """
    return _Shapes(file, read_settings(file).get("range", mode) == "inclusive", has_signs).of(file)


class _Shapes:
    def __init__(self, file: File, is_inclusive: bool, has_signs: bool) -> None:
        self.numbers = number_marks(file)
        self.is_snippet = file.is_snippet
        self.is_inclusive = is_inclusive
        self.has_signs = has_signs

    def of(self, value: object, *, is_top: bool = False) -> Shape:
        if isinstance(value, tuple):
            kept = (each for each in value if not self.is_left_out(each, is_top=is_top))
            return tuple(self.of(each) for each in kept)
        while isinstance(value, Group):
            value = value.value
        if isinstance(value, Comment):
            words = " ".join(make_visible(value.text).strip("/ ").split())
            return ("Comment", words) if words else None
        if isinstance(value, Mark) and value.number is None:
            number: Shape = ("Number", str(self.numbers[value]))
            return ("Mark", number, self.of(value.body), self.of(value.comment))
        if isinstance(value, Skipped):
            return ("Skipped", " ".join(value.text.split()))
        if isinstance(value, Number):
            return ("Number", value.text)
        if isinstance(value, Range):
            is_closed = value.includes_stop or self.is_inclusive
            return ("Range", self.of(value.start), self.of(value.stop), self.of(value.step), is_closed)
        return self.node(value) if isinstance(value, Node) else value

    def node(self, node: Node) -> Shape:
        names = [name for name in field_names(type(node)) if name != "is_braced"]
        kind = type(node).__name__
        if not self.has_signs and isinstance(node, NameRef | Path):
            kind = "Word"
        if not self.has_signs and isinstance(node, TimeIndex):
            names.remove("is_reference")
        is_top = isinstance(node, File) and not self.is_snippet
        return (kind, *(self.of(getattr(node, name), is_top=is_top) for name in names))

    def is_left_out(self, value: object, *, is_top: bool) -> bool:
        if isinstance(value, Comment):
            return is_top or is_for_tools(value)
        return isinstance(value, Declaration)
