"""What stands at a place, in a few lines of Markdown: what it means, where it comes from, what it is with a sample.

Every kind of thing has a function that gives the lines about it. Looks at texts and trees; reads no file.
"""

from collections.abc import Iterator

from acdl_mkdocs.editor.documents import Piece
from acdl_mkdocs.editor.hover_names import (
    fragment_lines,
    name_lines,
    place_name,
    spec_lines,
    variable_lines,
    word_lines,
)
from acdl_mkdocs.editor.occurrences import names_at
from acdl_mkdocs.editor.sampled import sample_of, spec_around, state_of, values_at
from acdl_mkdocs.editor.time_words import in_words
from acdl_mkdocs.editor.under import nodes_at, word_at
from acdl_mkdocs.editor.why import why
from acdl_mkdocs.editor.words_about import KEYWORDS, ROLES, page_link
from acdl_mkdocs.editor.workspace import Workspace
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.names.outline import outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import range_mode
from acdl_mkdocs.language.syntax.keywords import STATEMENT_WORDS
from acdl_mkdocs.language.syntax.nodes import (
    ROLE_WORDS,
    Call,
    Comment,
    Content,
    ContextVar,
    Expression,
    Fragment,
    FragUse,
    Identifier,
    Label,
    NameRef,
    Node,
    Operation,
    Prompt,
    RoleMessage,
    Symbol,
    Template,
    TimeIndex,
)

_MOST_VALUES = 3
_DOCUMENTED_WORDS = {word.lower(): word for word in KEYWORDS}
_SAME_WORD = {kind: word for word, (kind, _) in STATEMENT_WORDS.items() if word in _DOCUMENTED_WORDS}


@dataclass(frozen=True, slots=True)
class Hover:
    """What is said of a part of a document."""

    markdown: str
    span: Span
    """In code points of the document."""


def hover(workspace: Workspace, uri: str, offset: int, docs_url: str = "") -> Hover | None:
    """What stands at an offset of a document; `None` where nothing can be said.

    Parameters:
        workspace: The documents.
        uri: Of the document.
        offset: In code points of the document.
        docs_url: Address of the documentation, to which words of the language link; no links without it.
    """
    document = workspace.document(uri)
    piece = document.piece_at(offset) if document is not None else None
    at = piece.from_document(offset) if piece is not None else None
    if piece is None or at is None:
        return _of_mention(workspace, uri, offset, docs_url)
    about = _About(workspace, piece, at, docs_url)
    said = about.lines()
    problems = [each for each in workspace.diagnostics(piece) if each.label.span.start <= at < each.label.span.end]
    if not said and not problems:
        return _of_mention(workspace, uri, offset, docs_url)
    lines, span = said or ([], problems[0].label.span)
    lines = [*lines, *_problem_lines(problems)]
    return Hover("\n\n".join(lines), piece.to_document(span))


def _of_mention(workspace: Workspace, uri: str, offset: int, docs_url: str) -> Hover | None:
    """A spec that prose, an opening line or a comment names: what is said of it at its title."""
    named = names_at(workspace, uri, offset)
    if named is None or not named.definitions:
        return None
    place = named.definitions[0]
    document = workspace.document(place.uri)
    piece = document.piece_at(place.span.start) if document is not None else None
    at = piece.from_document(place.span.start) if piece is not None else None
    said = _About(workspace, piece, at, docs_url).lines() if piece is not None and at is not None else None
    if said is None or piece is None:
        return None
    here = workspace.document(uri)
    own = Source("", here.name if here else "")
    where = [f"defined in `{place_name(piece.source, own)}`"] if place.uri != uri else []
    return Hover("\n\n".join([*said[0], *where]), named.span)


def _problem_lines(problems: list[Diagnostic]) -> Iterator[str]:
    """Why what is wrong there matters; what is wrong is shown by the editor."""
    for name in dict.fromkeys(each.rule for each in problems):
        reason = why(name)
        if reason:
            yield f"**{name}**: {reason}"


class _About:
    """One place of a piece."""

    def __init__(self, workspace: Workspace, piece: Piece, at: int, docs_url: str) -> None:
        self.workspace = workspace
        self.piece = piece
        self.at = at
        self.docs_url = docs_url
        self.resolved: Resolved = workspace.resolved(piece)
        self.mode = range_mode(self.resolved, workspace.config_of(piece))

    def lines(self) -> tuple[list[str], Span] | None:
        """What is said, and of what part of the piece."""
        chain = nodes_at(self.resolved.parsed.file, self.at)
        if not chain or isinstance(chain[-1], Comment):
            return None
        word = word_at(self.piece.source.text, self.at)
        for node in (chain[-1], *chain[-2:-1]):
            found = self._of_node(node, chain)
            if found is not None:
                return found
        return self._keyword(chain[-1], word)

    def _of_node(self, node: Node, chain: tuple[Node, ...]) -> tuple[list[str], Span] | None:
        time = self._time(chain)
        if time is not None:
            return time
        match node:
            case ContextVar():
                return [*variable_lines(node, self.workspace, self._link), *self._values(node)], node.span
            case Template() | Call():
                return [*word_lines(node, self.workspace, self._link), *self._values(node)], node.span
            case FragUse():
                is_keyword = self.at < node.name.span.start
                return None if is_keyword else ([*fragment_lines(node, self.resolved, self._link)], node.span)
            case NameRef() | Symbol():
                said = [*name_lines(node, self.resolved, self.mode)]
                return ([*said, *self._values(node)], node.span) if said else None
            case Identifier():
                return self._identifier(node, chain)
            case RoleMessage() if node.marker.start <= self.at <= node.marker.end:
                role = f"**{ROLE_WORDS[node.role]} message**: {ROLES[node.role]}"
                return [role, *self._link("messages")], node.marker
        return None

    def _identifier(self, node: Identifier, chain: tuple[Node, ...]) -> tuple[list[str], Span] | None:
        outer = chain[-2] if len(chain) > 1 else None
        if isinstance(outer, FragUse):
            return [*fragment_lines(outer, self.resolved, self._link)], outer.span
        if isinstance(outer, Prompt | Fragment):
            return [*spec_lines(outer, self.piece, self.workspace)], node.span
        said = [*name_lines(node, self.resolved, self.mode)]
        return (said, node.span) if said else None

    def _time(self, chain: tuple[Node, ...]) -> tuple[list[str], Span] | None:
        """A time in words: the whole sum that it stands in."""
        at = next((n for n in range(len(chain) - 1, -1, -1) if isinstance(chain[n], TimeIndex)), None)
        if at is None:
            if not isinstance(chain[-1], Operation):
                return None
            at = len(chain) - 1
        tree = outline(self.resolved.parsed.file)
        for node in (chain[at - 1], chain[at]) if at else (chain[at],):
            said = in_words(node, self.resolved, tree, self.mode) if isinstance(node, Operation | TimeIndex) else ""
            if said:
                text = self.piece.source.text[node.span.start : node.span.end]
                return [f"`{text}`: {said}", *self._link("turns")], node.span
        return None

    def _keyword(self, node: Node, span: Span) -> tuple[list[str], Span] | None:
        written = self.piece.source.text[span.start : span.end]
        word = _DOCUMENTED_WORDS.get(written.lower())
        if word is None and written.lower() in STATEMENT_WORDS:
            word = _DOCUMENTED_WORDS.get(_SAME_WORD.get(STATEMENT_WORDS[written.lower()][0], ""))
        if word is None or isinstance(node, Label | ContextVar | Symbol):
            return None
        about = KEYWORDS[word]
        example = [f"```acdl\n{about.example}\n```"] if about.example else []
        return [f"**{word}**: {about.sentence}", *example, *self._link(about.anchor)], span

    def _link(self, anchor: str) -> list[str]:
        link = page_link(self.docs_url, anchor, "Language reference")
        return [link] if link else []

    def _values(self, node: Expression) -> Iterator[str]:
        """What it is with the sample state of the document."""
        around = spec_around(self.resolved, node.span.start, None)
        file = state_of(self.workspace, self.piece.uri, around or "")
        if file is None or file.state is None:
            return
        spec = spec_around(self.resolved, node.span.start, file.state)
        sample = sample_of(self.workspace, self.piece, spec)
        if sample is None:
            return
        content = next(
            (each for each in nodes_at(self.resolved.parsed.file, self.at) if isinstance(each, Content)), None
        )
        if content is None or content.value is not node:
            return
        found = list(dict.fromkeys(values_at(sample, self.piece.source, node.span.start, node.span.end)))
        for resolved, text in found[:_MOST_VALUES]:
            yield f"at `@{sample.at}`: `{resolved}` is {_quoted(text)}"
        if len(found) > _MOST_VALUES:
            yield f"… and {len(found) - _MOST_VALUES} more"


def _quoted(text: str) -> str:
    """A value as code, whatever signs it has."""
    ticks = "`" * (1 + max((len(run) for run in text.split("`") if not run), default=0) + text.count("`"))
    return f"{ticks} {text} {ticks}" if "`" in text else f"`{text}`" if text else "empty"
