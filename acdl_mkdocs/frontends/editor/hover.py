"""Hover texts: what a word means, where it comes from, and its value with a sample state, in a few lines of Markdown.

Each kind of word has a function that describes it. Looks at texts and trees; reads no file.
"""

import os
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import PurePath

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.explanations import read_explanations
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.editor.documents import Piece
from acdl_mkdocs.frontends.editor.lens import uses_of
from acdl_mkdocs.frontends.editor.occurrences import names_at
from acdl_mkdocs.frontends.editor.sampled import find_spec_around, sample_of, state_of, values_at
from acdl_mkdocs.frontends.editor.time_words import describe_bounds, describe_time
from acdl_mkdocs.frontends.editor.under import nodes_at, word_at
from acdl_mkdocs.frontends.editor.vocabulary import collect_vocabulary, comment_above
from acdl_mkdocs.frontends.editor.words_about import KEYWORDS, NAMESPACES, ROLES, page_link
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import loop_of, range_mode
from acdl_mkdocs.language.rules import RULES, read_documentation
from acdl_mkdocs.language.syntax.edits import format_expression
from acdl_mkdocs.language.syntax.keywords import STATEMENT_WORDS
from acdl_mkdocs.language.syntax.nodes import (
    ROLE_WORDS,
    Arguments,
    Call,
    Comment,
    Content,
    ContextVar,
    Expression,
    Field,
    Fragment,
    FragUse,
    Identifier,
    Index,
    Label,
    NameDef,
    NameRef,
    Node,
    Operation,
    Prompt,
    Range,
    RoleMessage,
    Symbol,
    Template,
    TimeIndex,
)

Link = Callable[[str], list[str]]
"""Function that returns a line with a link to a section of the language reference, or none."""
_MOST_LINES = 12
"""The longest definition that is shown, in lines."""


def variable_lines(node: ContextVar, workspace: Workspace, link: Link) -> Iterator[str]:
    """Describe a variable: its namespace, its index, and its other uses."""
    path = (node.namespace, *(part.name for part in node.parts if isinstance(part, Field)))
    indices = [format_expression(value) for part in node.parts if isinstance(part, Index) for value in part.values]
    about = NAMESPACES.get(node.namespace)
    yield f"**{'.'.join(path)}**: variable of `{node.namespace}`" + (f", {about.sentence}" if about else "")
    by = ", ".join(f"`{each}`" for each in indices)
    uses = _describe_uses(workspace, lambda text: sum(collect_vocabulary(text).fields.get(path, {}).values()), path[-1])
    where = f"; {uses}" if uses else ""
    yield f"indexed by {by}{where}" if by else f"the same at all times{where}"
    yield from link("variables")


def word_lines(node: Template | Call, workspace: Workspace, link: Link) -> Iterator[str]:
    """Describe a template or a function."""
    n_arguments = sum(len(part.values) for part in node.parts if isinstance(part, Arguments))
    if isinstance(node, Template):
        uses = _describe_uses(workspace, lambda text: collect_vocabulary(text).templates[node.name], node.name)
        filled = f", with {format_count(n_arguments, 'text')} filled in" if n_arguments else ""
        yield f"**{node.name}**: template, wording that is kept elsewhere{filled}"
        if uses:
            yield uses
        yield from link("templates")
        return
    if node.name in KEYWORDS:
        yield f"**{node.name}**: {KEYWORDS[node.name].sentence}"
        return
    uses = _describe_uses(workspace, lambda text: collect_vocabulary(text).functions[node.name], node.name)
    yield f"**{node.name}**: function, something computed from {format_count(n_arguments, 'argument')}"
    if uses:
        yield uses
    yield from link("functions")


def _describe_uses(workspace: Workspace, count: Callable[[str], int], word: str) -> str:
    """Count the places and documents that use a word."""
    counts = [count(each.text) for each in workspace.documents.values() if word in each.text]
    total, n_documents = sum(counts), sum(map(bool, counts))
    if total < 2:
        return ""
    inside = f" in {format_count(n_documents, 'document')}" if n_documents > 1 else ""
    return f"used in {format_count(total, 'place')}{inside}"


def fragment_lines(use: FragUse, resolved: Resolved, link: Link) -> Iterator[str]:
    """Describe the use of a fragment: its definition, its comment, and the values of its parameters here."""
    entry = resolved.fragment_of(use, resolved.source)
    if entry is None:
        yield f"**{use.name.name}**: fragment that nothing defines"
        return
    yield f"```acdl\n{excerpt_of(entry.node, entry.source)}\n```"
    about = comment_above(entry.source.text, _line_start(entry.source, entry.node))
    if about:
        yield about
    arguments = [value for part in use.parts if isinstance(part, (Index, Arguments)) for value in part.values]
    bound = [
        f"`{format_expression(parameter)}` is `{format_expression(value)}`"
        for parameter, value in zip(entry.node.parameters, arguments, strict=False)
        if format_expression(parameter) != format_expression(value)
    ]
    if bound:
        yield f"here {', '.join(bound)}"
    if entry.source is not resolved.source:
        place = entry.source.find_place(entry.node.span.start)
        yield f"defined in `{get_relative_name(entry.source, resolved.source)}`, line {place.line}"
    yield from link("fragments")


def name_lines(node: Symbol | NameRef | Identifier, resolved: Resolved, mode: RangeMode) -> Iterator[str]:
    """Describe a loop variable, a parameter or the value of a `Name`."""
    tree = build_outline(resolved.parsed.file)
    binder = resolved.bindings.get(node, node)
    outer = tree.parents.get(binder)
    loop = loop_of(binder, tree)
    if loop is not None and loop.iterable is not None and loop.variable is not None:
        over = loop.iterable
        each = describe_bounds(over, mode) if isinstance(over, Range) else f"each of `{format_expression(over)}`"
        yield f"**{format_loop_variable(loop.variable)}**: variable of the loop, {each}"
    elif isinstance(outer, NameDef):
        yield f"```acdl\nName {_text_of(binder, resolved.source)} := {format_expression(outer.value)}\n```"
        about = outer.comment.text if outer.comment is not None else ""
        if about:
            yield about
    elif binder is not node:
        owner = tree.definition_of(binder)
        kind = "fragment" if isinstance(owner, Fragment) else "spec"
        called = f" of the {kind} `{owner.name.name}`" if owner is not None else ""
        yield f"**{node.name}**: parameter{called}"


def format_loop_variable(variable: Identifier) -> str:
    """Return the variable of a loop as written."""
    return f"@{variable.name}" if variable.is_time else variable.name


def spec_lines(node: Prompt | Fragment, piece: Piece, workspace: Workspace) -> Iterator[str]:
    """Describe a definition at its own title."""
    kind = (
        "spec" if isinstance(node, Prompt) else "fragment with " + ("pieces" if node.kind == "string" else "messages")
    )
    yield f"**{node.name.name}**: {kind}"
    about = comment_above(piece.source.text, _line_start(piece.source, node))
    if about:
        yield about
    if isinstance(node, Fragment):
        n_uses = len(uses_of(workspace, piece, node))
        yield f"used in {format_count(n_uses, 'place')}" if n_uses else "not used"


def get_relative_name(source: Source, other: Source) -> str:
    """Return the path of a text's file relative to that of another text."""
    path, folder = PurePath(source.name), PurePath(other.name).parent
    if path.is_absolute() != folder.is_absolute() or path.anchor != folder.anchor:
        return path.name
    return PurePath(os.path.relpath(path, folder)).as_posix()


def excerpt_of(node: Node, source: Source) -> str:
    """Return a definition as written, shortened if it is long."""
    lines = source.text[node.span.start : node.span.end].split("\n")
    return "\n".join(lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 2], "    // …", "}"])


def _line_start(source: Source, node: Node) -> int:
    return source.line_starts[source.line_index(node.span.start)]


def _text_of(node: Node, source: Source) -> str:
    return format_expression(node) if isinstance(node, Expression) else source.text[node.span.start : node.span.end]


_WHY = re.compile(r"^## Why\n+(.+?)(?=\n\s*\n|\n## |\Z)", re.MULTILINE | re.DOTALL)


@lru_cache(maxsize=256)
def explain_rule_briefly(name: str) -> str:
    """Return the first paragraph of a rule's reason; empty if it has none."""
    if name in RULES:
        _, text = read_documentation(name)
    else:
        explained = read_explanations("text").get(name)
        text = explained.text if explained else ""
    match = _WHY.search(text)
    return " ".join(match[1].split()) if match else ""


_MOST_VALUES = 3
_DOCUMENTED_WORDS = {word.lower(): word for word in KEYWORDS}
_SAME_WORD = {kind: word for word, (kind, _) in STATEMENT_WORDS.items() if word in _DOCUMENTED_WORDS}


@dataclass(frozen=True, slots=True)
class Hover:
    """The hover text of a part of a document."""

    markdown: str
    span: Span
    """In code points of the document."""


def hover_at(workspace: Workspace, uri: str, offset: int, docs_url: str = "") -> Hover | None:
    """Return the hover text at an offset of a document; `None` if there is nothing to say.

    Parameters:
        workspace: The documents.
        uri: Of the document.
        offset: In code points of the document.
        docs_url: Address of the documentation, to which words of the language link; no links without it.
    """
    document = workspace.find_document(uri)
    piece = document.piece_at(offset) if document is not None else None
    at = piece.from_document(offset) if piece is not None else None
    if piece is None or at is None:
        return _describe_mention(workspace, uri, offset, docs_url)
    about = _HoverText(workspace, piece, at, docs_url)
    description = about.describe_position()
    problems = [each for each in workspace.list_diagnostics(piece) if each.label.span.start <= at < each.label.span.end]
    if not description and not problems:
        return _describe_mention(workspace, uri, offset, docs_url)
    lines, span = description or ([], problems[0].label.span)
    lines = [*lines, *_problem_lines(problems)]
    return Hover("\n\n".join(lines), piece.to_document(span))


def _describe_mention(workspace: Workspace, uri: str, offset: int, docs_url: str) -> Hover | None:
    """Describe a spec that prose, an opening line or a comment names, as at its title."""
    named = names_at(workspace, uri, offset)
    if named is None or not named.definitions:
        return None
    location = named.definitions[0]
    document = workspace.find_document(location.uri)
    piece = document.piece_at(location.span.start) if document is not None else None
    at = piece.from_document(location.span.start) if piece is not None else None
    description = (
        _HoverText(workspace, piece, at, docs_url).describe_position() if piece is not None and at is not None else None
    )
    if description is None or piece is None:
        return None
    own_document = workspace.find_document(uri)
    own = Source("", own_document.name if own_document else "")
    where = [f"defined in `{get_relative_name(piece.source, own)}`"] if location.uri != uri else []
    return Hover("\n\n".join([*description[0], *where]), named.span)


def _problem_lines(problems: list[Diagnostic]) -> Iterator[str]:
    """Explain why the problems at an offset matter; the editor shows the problems themselves."""
    for name in dict.fromkeys(each.rule for each in problems):
        reason = explain_rule_briefly(name)
        if reason:
            yield f"**{name}**: {reason}"


class _HoverText:
    """A position in a piece."""

    def __init__(self, workspace: Workspace, piece: Piece, at: int, docs_url: str) -> None:
        self.workspace = workspace
        self.piece = piece
        self.at = at
        self.docs_url = docs_url
        self.resolved: Resolved = workspace.resolve_piece(piece)
        self.mode = range_mode(self.resolved, workspace.config_of(piece))

    def describe_position(self) -> tuple[list[str], Span] | None:
        """Return the lines of the hover text, and the span that they describe."""
        chain = nodes_at(self.resolved.parsed.file, self.at)
        if not chain or isinstance(chain[-1], Comment):
            return None
        word = word_at(self.piece.source.text, self.at)
        for node in (chain[-1], *chain[-2:-1]):
            description = self._of_node(node, chain)
            if description is not None:
                return description
        return self._describe_keyword(chain[-1], word)

    def _of_node(self, node: Node, chain: tuple[Node, ...]) -> tuple[list[str], Span] | None:
        time = self._describe_time(chain)
        if time is not None:
            return time
        match node:
            case ContextVar():
                return [
                    *variable_lines(node, self.workspace, self._link_to_reference),
                    *self._list_values(node),
                ], node.span
            case Template() | Call():
                return [*word_lines(node, self.workspace, self._link_to_reference), *self._list_values(node)], node.span
            case FragUse():
                is_keyword = self.at < node.name.span.start
                return (
                    None if is_keyword else ([*fragment_lines(node, self.resolved, self._link_to_reference)], node.span)
                )
            case NameRef() | Symbol():
                lines = [*name_lines(node, self.resolved, self.mode)]
                return ([*lines, *self._list_values(node)], node.span) if lines else None
            case Identifier():
                return self._describe_identifier(node, chain)
            case RoleMessage() if node.marker.start <= self.at <= node.marker.end:
                role = f"**{ROLE_WORDS[node.role]} message**: {ROLES[node.role]}"
                return [role, *self._link_to_reference("messages")], node.marker
        return None

    def _describe_identifier(self, node: Identifier, chain: tuple[Node, ...]) -> tuple[list[str], Span] | None:
        outer = chain[-2] if len(chain) > 1 else None
        if isinstance(outer, FragUse):
            return [*fragment_lines(outer, self.resolved, self._link_to_reference)], outer.span
        if isinstance(outer, (Prompt, Fragment)):
            return [*spec_lines(outer, self.piece, self.workspace)], node.span
        lines = [*name_lines(node, self.resolved, self.mode)]
        return (lines, node.span) if lines else None

    def _describe_time(self, chain: tuple[Node, ...]) -> tuple[list[str], Span] | None:
        """Describe a time in words: the whole sum that contains it."""
        at = next((n for n in range(len(chain) - 1, -1, -1) if isinstance(chain[n], TimeIndex)), None)
        if at is None:
            if not isinstance(chain[-1], Operation):
                return None
            at = len(chain) - 1
        tree = build_outline(self.resolved.parsed.file)
        for node in (chain[at - 1], chain[at]) if at else (chain[at],):
            words = (
                describe_time(node, self.resolved, tree, self.mode) if isinstance(node, (Operation, TimeIndex)) else ""
            )
            if words:
                text = self.piece.source.text[node.span.start : node.span.end]
                return [f"`{text}`: {words}", *self._link_to_reference("turns")], node.span
        return None

    def _describe_keyword(self, node: Node, span: Span) -> tuple[list[str], Span] | None:
        written = self.piece.source.text[span.start : span.end]
        word = _DOCUMENTED_WORDS.get(written.lower())
        if word is None and written.lower() in STATEMENT_WORDS:
            word = _DOCUMENTED_WORDS.get(_SAME_WORD.get(STATEMENT_WORDS[written.lower()][0], ""))
        if word is None or isinstance(node, (Label, ContextVar, Symbol)):
            return None
        about = KEYWORDS[word]
        example = [f"```acdl\n{about.example}\n```"] if about.example else []
        return [f"**{word}**: {about.sentence}", *example, *self._link_to_reference(about.anchor)], span

    def _link_to_reference(self, anchor: str) -> list[str]:
        link = page_link(self.docs_url, anchor, "Language reference")
        return [link] if link else []

    def _list_values(self, node: Expression) -> Iterator[str]:
        """Yield its values with the sample state of the document."""
        around = find_spec_around(self.resolved, node.span.start, None)
        file = state_of(self.workspace, self.piece.uri, around or "")
        if file is None or file.state is None:
            return
        spec = find_spec_around(self.resolved, node.span.start, file.state)
        sample = sample_of(self.workspace, self.piece, spec)
        if sample is None:
            return
        content = next(
            (each for each in nodes_at(self.resolved.parsed.file, self.at) if isinstance(each, Content)), None
        )
        if content is None or content.value is not node:
            return
        values = list(dict.fromkeys(values_at(sample, self.piece.source, node.span.start, node.span.end)))
        for resolved, text in values[:_MOST_VALUES]:
            yield f"at `@{sample.at}`: `{resolved}` is {_quote_code(text)}"
        if len(values) > _MOST_VALUES:
            yield f"… and {len(values) - _MOST_VALUES} more"


def _quote_code(text: str) -> str:
    """Return a value as inline code, whatever characters it has."""
    ticks = "`" * (1 + max((len(run) for run in text.split("`") if not run), default=0) + text.count("`"))
    return f"{ticks} {text} {ticks}" if "`" in text else f"`{text}`" if text else "empty"
