"""What is said of names: variables, templates, functions, fragments, loop variables, parameters, specs."""

import os
from collections.abc import Callable, Iterator
from pathlib import PurePath

from acdl_mkdocs.editor.documents import Piece
from acdl_mkdocs.editor.lens import uses_of
from acdl_mkdocs.editor.time_words import bounds_in_words
from acdl_mkdocs.editor.vocabulary import comment_above, vocabulary
from acdl_mkdocs.editor.words_about import KEYWORDS, NAMESPACES
from acdl_mkdocs.editor.workspace import Workspace
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.language.names.outline import outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import loop_of
from acdl_mkdocs.language.syntax.edits import written
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Call,
    ContextVar,
    Expression,
    Field,
    Fragment,
    FragUse,
    Identifier,
    Index,
    NameDef,
    NameRef,
    Node,
    Prompt,
    Range,
    Symbol,
    Template,
)

Link = Callable[[str], list[str]]
"""Gives a line with a link to a section of the language reference, or none."""
_MOST_LINES = 12
"""Of a definition that is shown."""


def variable_lines(node: ContextVar, workspace: Workspace, link: Link) -> Iterator[str]:
    """A variable: whose it is, by what it is indexed, where else it is used."""
    path = (node.namespace, *(part.name for part in node.parts if isinstance(part, Field)))
    indices = [written(value) for part in node.parts if isinstance(part, Index) for value in part.values]
    about = NAMESPACES.get(node.namespace)
    yield f"**{'.'.join(path)}**: variable of `{node.namespace}`" + (f", {about.sentence}" if about else "")
    by = ", ".join(f"`{each}`" for each in indices)
    uses = _counted_uses(workspace, lambda text: sum(vocabulary(text).fields.get(path, {}).values()), path[-1])
    where = f"; {uses}" if uses else ""
    yield f"indexed by {by}{where}" if by else f"the same at all times{where}"
    yield from link("variables")


def word_lines(node: Template | Call, workspace: Workspace, link: Link) -> Iterator[str]:
    """A template or a function."""
    n_arguments = sum(len(part.values) for part in node.parts if isinstance(part, Arguments))
    if isinstance(node, Template):
        uses = _counted_uses(workspace, lambda text: vocabulary(text).templates[node.name], node.name)
        filled = f", with {counted(n_arguments, 'text')} filled in" if n_arguments else ""
        yield f"**{node.name}**: template, wording that is kept elsewhere{filled}"
        if uses:
            yield uses
        yield from link("templates")
        return
    if node.name in KEYWORDS:
        yield f"**{node.name}**: {KEYWORDS[node.name].sentence}"
        return
    uses = _counted_uses(workspace, lambda text: vocabulary(text).functions[node.name], node.name)
    yield f"**{node.name}**: function, something computed from {counted(n_arguments, 'argument')}"
    if uses:
        yield uses
    yield from link("functions")


def _counted_uses(workspace: Workspace, count: Callable[[str], int], word: str) -> str:
    """In how many places and documents a word is used."""
    counts = [count(each.text) for each in workspace.documents.values() if word in each.text]
    total, n_documents = sum(counts), sum(map(bool, counts))
    if total < 2:
        return ""
    inside = f" in {counted(n_documents, 'document')}" if n_documents > 1 else ""
    return f"used in {counted(total, 'place')}{inside}"


def fragment_lines(use: FragUse, resolved: Resolved, link: Link) -> Iterator[str]:
    """The use of a fragment: its definition, what it is about, what its parameters are here."""
    entry = resolved.fragment_of(use, resolved.source)
    if entry is None:
        yield f"**{use.name.name}**: fragment that nothing defines"
        return
    yield f"```acdl\n{excerpt(entry.node, entry.source)}\n```"
    about = comment_above(entry.source.text, _line_start(entry.source, entry.node))
    if about:
        yield about
    arguments = [value for part in use.parts if isinstance(part, Index | Arguments) for value in part.values]
    bound = [
        f"`{written(parameter)}` is `{written(value)}`"
        for parameter, value in zip(entry.node.parameters, arguments, strict=False)
        if written(parameter) != written(value)
    ]
    if bound:
        yield f"here {', '.join(bound)}"
    if entry.source is not resolved.source:
        place = entry.source.place(entry.node.span.start)
        yield f"defined in `{place_name(entry.source, resolved.source)}`, line {place.line}"
    yield from link("fragments")


def name_lines(node: Symbol | NameRef | Identifier, resolved: Resolved, mode: RangeMode) -> Iterator[str]:
    """A loop variable, a parameter or what a `Name` defines."""
    tree = outline(resolved.parsed.file)
    binder = resolved.bindings.get(node, node)
    outer = tree.parents.get(binder)
    loop = loop_of(binder, tree)
    if loop is not None and loop.iterable is not None and loop.variable is not None:
        over = loop.iterable
        each = bounds_in_words(over, mode) if isinstance(over, Range) else f"each of `{written(over)}`"
        yield f"**{written_name(loop.variable)}**: variable of the loop, {each}"
    elif isinstance(outer, NameDef):
        yield f"```acdl\nName {_text(binder, resolved.source)} := {written(outer.value)}\n```"
        about = outer.comment.text if outer.comment is not None else ""
        if about:
            yield about
    elif binder is not node:
        owner = tree.definition(binder)
        kind = "fragment" if isinstance(owner, Fragment) else "spec"
        called = f" of the {kind} `{owner.name.name}`" if owner is not None else ""
        yield f"**{node.name}**: parameter{called}"


def written_name(variable: Identifier) -> str:
    """The variable of a loop as it is spelled."""
    return f"@{variable.name}" if variable.is_time else variable.name


def spec_lines(node: Prompt | Fragment, piece: Piece, workspace: Workspace) -> Iterator[str]:
    """A definition at its own title."""
    kind = (
        "spec" if isinstance(node, Prompt) else "fragment with " + ("pieces" if node.kind == "string" else "messages")
    )
    yield f"**{node.name.name}**: {kind}"
    about = comment_above(piece.source.text, _line_start(piece.source, node))
    if about:
        yield about
    if isinstance(node, Fragment):
        n_uses = len(uses_of(workspace, piece, node))
        yield f"used in {counted(n_uses, 'place')}" if n_uses else "not used"


def place_name(source: Source, other: Source) -> str:
    """The file of a text as a person finds it from that of another one."""
    path, folder = PurePath(source.name), PurePath(other.name).parent
    if path.is_absolute() != folder.is_absolute() or path.anchor != folder.anchor:
        return path.name
    return PurePath(os.path.relpath(path, folder)).as_posix()


def excerpt(node: Node, source: Source) -> str:
    """A definition as it is written, cut where it is long."""
    lines = source.text[node.span.start : node.span.end].split("\n")
    return "\n".join(lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 2], "    // …", "}"])


def _line_start(source: Source, node: Node) -> int:
    return source.line_starts[source.line_index(node.span.start)]


def _text(node: Node, source: Source) -> str:
    return written(node) if isinstance(node, Expression) else source.text[node.span.start : node.span.end]
