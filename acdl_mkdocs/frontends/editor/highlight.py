"""The words of a document for highlighting in an editor: the kind of each, and what its name refers to.

The kinds of words are those of `language/syntax/classify.py`, as everywhere;
what they are called here is what editors know. A
word never goes over the end of a line.
"""

from collections.abc import Iterator

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.documents import Piece
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unbound import unused_names
from acdl_mkdocs.language.syntax.classify import Kind, classify_spans
from acdl_mkdocs.language.syntax.nodes import Fragment, Identifier, Node, Prompt

NAMES: dict[Kind, str] = {
    "comment": "comment",
    "keyword": "keyword",
    "role": "type",
    "title": "class",
    "fragment": "class",
    "template": "macro",
    "function": "function",
    "namespace": "namespace",
    "field": "property",
    "path": "variable",
    "index": "label",
    "reference": "variable",
    "string": "string",
    "number": "number",
    "operator": "operator",
    "word-operator": "keyword",
}
"""The editors' names for the kinds of words; other kinds are not highlighted."""
TYPES = (*dict.fromkeys(NAMES.values()), "parameter")
"""All of these names: the legend."""
MODIFIERS = ("declaration", "defaultLibrary", "unused")
"""Further properties of a word: a name's definition, a function of the language, an unused definition."""
_OF_LANGUAGE = frozenset(("range", "max", "min"))
_COLORED_KINDS = frozenset(("title", "fragment", "path", "index", "reference", "function"))
"""Kinds whose words refer to names."""


@dataclass(frozen=True, slots=True)
class HighlightedToken:
    """A highlighted word of a document."""

    span: Span
    """In code points of the document; within one line."""
    kind: str
    """One of `TYPES`."""
    modifiers: tuple[str, ...] = ()
    """Some of `MODIFIERS`."""


def list_tokens(workspace: Workspace, uri: str, span: Span | None = None) -> tuple[HighlightedToken, ...]:
    """Return the highlighted words of a document, or those that touch a part of it, in order."""
    document = workspace.find_document(uri)
    if document is None:
        return ()
    pieces = (each for each in document.pieces if span is None or _is_touching(each.span, span))
    return tuple(token for piece in pieces for token in _find_tokens(piece, workspace, span))


def _is_touching(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _find_tokens(piece: Piece, workspace: Workspace, wanted: Span | None) -> Iterator[HighlightedToken]:
    text = piece.source.text
    kinds = _classify_names(workspace.resolve_piece(piece))
    is_moved = piece.lines is not None
    for start, end, kind in classify_spans(text):
        name = NAMES.get(kind)
        if name is None:
            continue
        modifiers: tuple[str, ...] = ()
        if kind in _COLORED_KINDS:
            name, modifiers = kinds.get(start, (name, ("declaration",) if kind == "title" else ()))
            if kind == "function" and text[start:end] in _OF_LANGUAGE:
                modifiers = ("defaultLibrary",)
        for line in _split_lines(text, start, end) if kind == "comment" else (Span(start, end),):
            placed = piece.to_document(line) if is_moved else line
            if wanted is None or _is_touching(placed, wanted):
                yield HighlightedToken(placed, name, modifiers)


def _split_lines(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the parts of a comment, one a line."""
    while (line_end := text.find("\n", start, end)) >= 0:
        if line_end > start:
            yield Span(start, line_end)
        start = line_end + 1
        while start < end and text[start] in " \t":
            start += 1
    if end > start:
        yield Span(start, end)


def _classify_names(resolved: Resolved) -> dict[int, tuple[str, tuple[str, ...]]]:
    """Return the kinds of words by what they refer to, keyed by their offset."""
    kinds: dict[int, tuple[str, tuple[str, ...]]] = {}
    binders: set[Node] = set()
    named = set(resolved.defined_names.values())
    for use, binder in resolved.bindings.items():
        if isinstance(binder, Fragment):
            continue
        binders.add(binder)
        kinds[use.span.start] = (_kind_of(binder, named), ())
    for binder in (*binders, *named):
        kinds[binder.span.start] = (_kind_of(binder, named), ("declaration",))
    for span in _find_unused_names(resolved):
        name, modifiers = kinds.get(span.start, ("class", ("declaration",)))
        kinds[span.start] = (name, (*modifiers, "unused"))
    return kinds


def _kind_of(binder: Node, named: set[Node]) -> str:
    """Return the kind of a bound name: a variable if a loop or a `Name` binds it, a parameter if a title does."""
    return "variable" if isinstance(binder, Identifier) or binder in named else "parameter"


def _find_unused_names(resolved: Resolved) -> Iterator[Span]:
    """Yield the names without references; none if the text has syntax errors."""
    if resolved.parsed.diagnostics:
        return
    yield from (each.target.span for each in unused_names(resolved))
    if any(isinstance(item, Prompt) for item in resolved.parsed.file.items):
        used = {*resolved.bindings.values()}
        for name, fragment in resolved.fragments.items():
            if fragment not in used and name not in resolved.library.used_names:
                yield fragment.name.span
