"""Names of specs and fragments outside of the language itself: in prose, in opening lines of blocks, in comments.

That is `[the loop](acdl:React1)`, `[[acdl:React1]]`, `spec=React1`, `src="react.acdl#React1"`, `old=React1` and
`// variant-of: React1`. They are found by the functions that build pages of them.
"""

import re
from collections.abc import Iterator

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.documents import Document, Piece
from acdl_mkdocs.frontends.editor.fenced import PlacedFence
from acdl_mkdocs.language.syntax.letters import normalize_name
from acdl_mkdocs.language.syntax.pragmas import front_words
from acdl_mkdocs.language.syntax.tokenize import tokenize
from acdl_mkdocs.workspace.page_kinds import PageKind, blank_code_in

_REVISION = re.compile(r"[^/#.][^/#]*:")
"""The prefix of an old text from git, whose names cannot be changed."""
_OPTIONS = {"acdl": ("spec", "src"), "acdl-diff": ("old", "new")}
"""The options of each kind of block that name a spec or fragment."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name of a spec or fragment."""

    name: str
    span: Span
    """The span in the document."""
    file: str = ""
    """The file given for it, as written; empty if it may be in any file of the site."""
    block: Piece | None = None
    """The text it belongs to: that of a block, or the text with a comment; `None` in prose."""


def mentions_in(document: Document) -> tuple[Mention, ...]:
    """Return all mentions of a document, in order."""
    mentions = [*_find_in_comments(document)]
    if document.language == "markdown":
        mentions += _find_in_prose(document.text, document.kind) if document.kind != "notebook" else ()
        pieces = iter(document.pieces)
        for fence in document.fences:
            mentions += _find_in_header(fence, document.text, next(pieces) if fence.is_acdl else None)
    text = document.text
    exact = (each for each in mentions if normalize_name(text[each.span.start : each.span.end]) == each.name)
    return tuple(sorted(exact, key=lambda each: each.span.start))


def _find_in_prose(text: str, kind: PageKind) -> Iterator[Mention]:
    if "acdl:" not in text:
        return
    from acdl_mkdocs.frontends.docs.pages.references import PATTERN, find_targets, parse_target

    prose = blank_code_in(text, kind)
    for target, span in find_targets(prose):
        name = parse_target(target).name
        start = span.start + len(target) - len(target.removeprefix("acdl:").lstrip())
        yield Mention(name, Span(start, start + len(name)))
    for match in re.finditer(rf"(?<!\\){PATTERN}", prose):
        name = match[1].strip()
        start = match.start(1) + match[1].index(name)
        yield Mention(normalize_name(name), Span(start, start + len(name)))


def _find_in_header(placed: PlacedFence, text: str, block: Piece | None) -> Iterator[Mention]:
    """Yield the names in the options of a block, after those of files; names of a shown file belong to that file."""
    source_file = placed.options.src.partition("#")[0] if placed.is_block else ""
    options = _OPTIONS.get(placed.fence.language, ())
    for option, span in placed.list_option_values() if options and not placed.fence.is_code else ():
        value = text[span.start : span.end]
        file, mark, name = value.rpartition("#")
        is_file = not mark and (option == "src" or "/" in name or name.lower().endswith(".acdl"))
        if option in options and name and not is_file and not _REVISION.match(value):
            yield Mention(normalize_name(name), Span(span.end - len(name), span.end), file or source_file, block)


def _find_in_comments(document: Document) -> Iterator[Mention]:
    if "variant-of" not in document.text.lower():
        return
    for piece in document.pieces:
        text = piece.source.text
        for each in tokenize(text).comments:
            name = front_words([each]).get("variant-of", "")
            at = text.rfind(name, each.span.start, each.span.end) if name else -1
            if at >= 0:
                yield Mention(normalize_name(name), piece.to_document(Span(at, at + len(name))), block=piece)
