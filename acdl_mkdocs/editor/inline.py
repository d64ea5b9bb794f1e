"""The body of a fragment in the place of its use, with arguments in the place of parameters."""

from collections.abc import Iterable

from acdl_mkdocs.editor.rewriting import Put, UnmovableError, in_place, inside, normal_lines, replaced
from acdl_mkdocs.foundation.diagnostics import TextEdit
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.names.library import Entry
from acdl_mkdocs.language.names.outline import outline
from acdl_mkdocs.language.names.resolve import Resolved, bare
from acdl_mkdocs.language.syntax.edits import indent_of
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Comprehension,
    Content,
    ContextVar,
    Expression,
    ForEach,
    FragUse,
    Identifier,
    Index,
    NameDef,
    NameRef,
    Node,
    Path,
    RoleMessage,
    Symbol,
    TimeIndex,
)
from acdl_mkdocs.language.syntax.printer import end_of

_STEP = "    "


def inlined(resolved: Resolved, content: Content, use: FragUse, entry: Entry, of_fragment: Resolved) -> TextEdit:
    """The edit that puts the body of a fragment in the place of its use.

    Parameters:
        resolved: The text with the use.
        content: The statement that is the use.
        use: It.
        entry: The fragment.
        of_fragment: The text that defines it.

    Raises:
        UnmovableError: It cannot be done without changing what is said; the text says why.
    """
    body = entry.node.body
    if not body:
        raise UnmovableError("the fragment is empty")
    arguments = [value for part in use.parts if isinstance(part, Index | Arguments) for value in part.values]
    if len(arguments) != len(entry.node.parameters):
        raise UnmovableError("it has another number of arguments than parameters")
    given = dict(zip(entry.node.parameters, arguments, strict=True))
    nodes = inside(body)
    _check_names(nodes, arguments, resolved, content)
    _check_free(nodes, of_fragment)
    puts = _puts(nodes, given, of_fragment, resolved)
    span = Span(min(each.span.start for each in body), max(map(end_of, body)))
    lines = normal_lines(replaced(entry.source, span, puts))
    text = _at_use(lines, resolved, content, is_one=len(body) == 1)
    return TextEdit(_with_blanks(resolved.source, content.span) if text[:1] == "\n" else content.span, text)


def _with_blanks(source: Source, span: Span) -> Span:
    """A span with the blanks of its lines around it."""
    before, after = source.text[: span.start].rstrip(" \t"), source.text[span.end :]
    return Span(len(before), span.end + len(after) - len(after.lstrip(" \t")))


def _check_names(nodes: list[Node], arguments: list[Expression], resolved: Resolved, content: Content) -> None:
    """Refuse names that would mean something else where they come to stand."""
    loops = {
        node.variable.name for node in nodes if isinstance(node, ForEach | Comprehension) and node.variable is not None
    }
    said = {node.name for node in inside(arguments) if isinstance(node, Path | TimeIndex)}
    if loops & said:
        raise UnmovableError(f"the loop variable `{min(loops & said)}` of the fragment has the name of an argument")
    tree = outline(resolved.parsed.file)
    around = tree.definition(content)
    defined = _names_of(node for node in nodes if isinstance(node, NameDef))
    known = _names_of(node for node in tree.of(NameDef) if tree.definition(node) is around)
    if defined & known:
        raise UnmovableError(f"both define the name `{min(defined & known)}`")


def _check_free(nodes: list[Node], of_fragment: Resolved) -> None:
    """Refuse names and times that the fragment itself does not bind: where they come to stand, something may."""
    for node in nodes:
        is_name = isinstance(node, NameRef) or (isinstance(node, TimeIndex) and node.name)
        if is_name and isinstance(node, NameRef | TimeIndex) and node not in of_fragment.bindings:
            raise UnmovableError(f"the fragment does not say what `{node.name}` is")


def _names_of(nodes: Iterable[NameDef]) -> set[str]:
    """What `Name`s define."""
    return {target.name for node in nodes for target in node.targets if isinstance(target, Path | TimeIndex)}


def _puts(
    nodes: list[Node], given: dict[Expression, Expression], of_fragment: Resolved, resolved: Resolved
) -> list[Put]:
    """What stands in the place of each use of a parameter."""
    tree = outline(of_fragment.parsed.file)
    parents = dict(tree.parents)
    found: list[Put] = []
    for node in nodes:
        parameter = of_fragment.bindings.get(node)
        if parameter is None or parameter not in given or isinstance(parameter, Identifier):
            continue
        value = given[parameter]
        text = resolved.source.text[value.span.start : value.span.end]
        found.append(_put(node, bare(parameter), value, text, parents.get(node)))
    return found


def _put(node: Node, parameter: Expression, value: Expression, text: str, parent: Node | None) -> Put:
    if not isinstance(parameter, Symbol | TimeIndex) or parameter.parts:
        raise UnmovableError("a parameter is more than one name")
    if isinstance(node, TimeIndex):
        end = node.span.start + 1 + len(node.name)
        if node.parts and not (isinstance(value, TimeIndex) and not value.parts):
            raise UnmovableError("a part of a time is asked for that is calculated")
    elif isinstance(node, Symbol):
        end = node.name_end
        if node.parts and not isinstance(value, ContextVar | Path):
            raise UnmovableError("a field is asked for of something that is calculated")
    else:
        raise UnmovableError("a parameter is used in a way that is not understood")
    return Put(Span(node.span.start, end), in_place(value, text, parent))


def _at_use(lines: list[str], resolved: Resolved, content: Content, *, is_one: bool) -> str:
    """The lines as they stand where the use stood."""
    source = resolved.source
    indent = indent_of(source, content.span.start)
    parent = outline(resolved.parsed.file).parents.get(content)
    if isinstance(parent, RoleMessage) and not parent.is_braced:
        if is_one and len(lines) == 1:
            return lines[0]
        return "\n".join(["{", *(indent + _STEP + line if line else "" for line in lines), indent + "}"])
    line_start = source.line_starts[source.line_index(content.span.start)]
    if len(lines) > 1 and source.text[line_start : content.span.start].strip():  # a block on one line becomes several
        return "\n".join(["", *(indent + _STEP + line if line else "" for line in lines), indent])
    return ("\n" + indent).join(lines).replace(f"\n{indent}\n", "\n\n")
