"""Extract lines to a fragment, and inline a fragment at its use."""

from collections.abc import Container, Iterable, Iterator, Sequence

from acdl_mkdocs.foundation.diagnostics import TextEdit
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.names.library import LibraryEntry
from acdl_mkdocs.language.names.outline import Outline, build_outline, find_positions
from acdl_mkdocs.language.names.resolve import Resolved, binding_part
from acdl_mkdocs.language.syntax.edits import indent_of
from acdl_mkdocs.language.syntax.format import Selection, select_statements
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Arm,
    Break,
    Comment,
    Comprehension,
    Content,
    ContextVar,
    Continue,
    Expression,
    ForEach,
    Fragment,
    FragUse,
    Identifier,
    Index,
    NameDef,
    NameRef,
    Node,
    Operation,
    Path,
    Prompt,
    RoleMessage,
    Symbol,
    TimeIndex,
    Unary,
    children,
)
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.printer import end_of, print_items
from acdl_mkdocs.language.syntax.words import WRITTEN


class UnmovableError(Exception):
    """Statements cannot be moved without changing their meaning."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A text that replaces a name."""

    span: Span
    text: str


def walk_statements(nodes: Iterable[Node]) -> list[Node]:
    """Return all nodes of some statements, each with its parents."""
    stack, statements = list(nodes), []
    while stack:
        node = stack.pop()
        statements.append(node)
        stack.extend(children(node))
    return statements


def replace_names(source: Source, span: Span, replacements: Sequence[Replacement]) -> str:
    """Return the text of a span with names replaced."""
    parts: list[str] = []
    at = span.start
    for replacement in sorted(replacements, key=lambda each: each.span.start):
        parts += [source.text[at : replacement.span.start], replacement.text]
        at = replacement.span.end
    return "".join(parts) + source.text[at : span.end]


def parenthesize_if_needed(value: Expression, text: str, parent: Node | None) -> str:
    """Return an expression as it replaces a name: in parentheses where operators surround it."""
    is_sum = isinstance(value, (Operation, Unary))
    return f"({text})" if is_sum and isinstance(parent, (Operation, Unary)) else text


def normal_lines(body: str) -> list[str]:
    """Format statements in their normal form, from the beginning of the line.

    Raises:
        UnmovableError: They are not understood alone.
    """
    parsed = parse(Source(body))
    if parsed.diagnostics:
        raise UnmovableError("it is not understood alone")
    return print_items(parsed.file.items, body, WRITTEN)


def unused_name(name: str, taken: Container[str]) -> str:
    """Return a name that is not used: with a number if it is taken."""
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}{number}", number + 1
    return candidate


_STEP = "    "


def extract_fragment(resolved: Resolved, start: int, end: int, taken: Container[str]) -> tuple[TextEdit, ...]:
    """Return the edits that extract the statements on the selected lines to a fragment.

    Parameters:
        resolved: The text.
        start: Where the part begins.
        end: Where it ends.
        taken: The names that the fragment cannot have.

    Raises:
        UnmovableError: There are none, or they cannot be moved; the text says why.
    """
    source = resolved.source
    last = end - 1 if end > start and source.text[end - 1 : end] == "\n" else end
    chosen = select_statements(source, resolved.parsed.file, source.line_index(start), source.line_index(last))
    if chosen is None or not [item for item in chosen.items if not isinstance(item, Comment)]:
        raise UnmovableError("nothing stands there")
    nodes = walk_statements(chosen.items)
    _check_selection(chosen, nodes, resolved)
    bound = _find_outer_names(nodes, resolved)
    keyword = _choose_keyword(chosen, resolved)
    name = unused_name("Extracted", taken)
    parameters, arguments, replacements = _collect_signature(bound, resolved)
    body = normal_lines(replace_names(source, chosen.span, replacements))
    parameter_list = f"[{', '.join(parameters)}]" if parameters else ""
    fragment = "\n".join(
        [f"{keyword} {name}{parameter_list}: {{", *(_STEP + line if line else "" for line in body), "}"]
    )
    use = f"Frag {name}[{', '.join(arguments)}]" if arguments else f"Frag {name}"
    indent = indent_of(source, chosen.span.start)
    at = _after_definition(chosen.items[0], resolved)
    lead = "\n\n" if not source.text[:at].endswith("\n") else "\n"
    trail = "" if at == len(source.text) or source.text[at - 1 : at] == "\n" else "\n"  # a title on the same line
    return (TextEdit(chosen.span, indent + use), TextEdit(Span(at, at), f"{lead}{fragment}\n{trail}"))


def _check_selection(chosen: Selection, nodes: list[Node], resolved: Resolved) -> None:
    """Refuse a selection that would mean something else in a fragment."""
    if any(isinstance(item, (Arm, Prompt, Fragment)) for item in chosen.items):
        raise UnmovableError("alternatives and definitions cannot stand in a fragment")
    loops = [node.span for node in nodes if isinstance(node, ForEach)]
    for node in nodes:
        if isinstance(node, (Break, Continue)) and not any(_is_inside(span, node.span) for span in loops):
            raise UnmovableError("`break` would leave its loop")
    targets = {target for node in nodes if isinstance(node, NameDef) for target in node.targets}
    moved = set(nodes)
    if any(binder in targets and use not in moved for use, binder in resolved.bindings.items()):
        raise UnmovableError("a `Name` is used after it")
    names = {target.name for target in targets if isinstance(target, (Path, TimeIndex))}
    tree = build_outline(resolved.parsed.file)
    around = tree.definition_of(chosen.items[0])
    others = (
        target for each in tree.nodes_of(NameDef) if each not in moved for target in _targets_in(each, tree, around)
    )
    if names & set(others):
        raise UnmovableError("a `Name` is defined outside, too")


def _targets_in(node: NameDef, outline: Outline, around: Prompt | Fragment | None) -> Iterator[str]:
    """Yield the names that a `Name` defines, if it is in a definition."""
    if outline.definition_of(node) is around:
        yield from (target.name for target in node.targets if isinstance(target, (Path, TimeIndex)))


def _is_inside(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _find_outer_names(nodes: list[Node], resolved: Resolved) -> list[Node]:
    """Return the uses of names that are bound outside, in source order."""
    moved = set(nodes)
    names = [node for node in nodes if (to := resolved.bindings.get(node)) is not None and to not in moved]
    return sorted((each for each in names if not isinstance(resolved.bindings[each], Fragment)), key=_start_of)


def _start_of(node: Node) -> int:
    return node.span.start


def _choose_keyword(chosen: Selection, resolved: Resolved) -> str:
    """Choose the keyword of the fragment: one of messages between messages, one of pieces inside."""
    first = next(item for item in chosen.items if not isinstance(item, Comment))
    position = next(each for each in find_positions(resolved.parsed.file) if each.node is first)
    return "StrFrag" if position.is_text else "RolesFrag"


def _collect_signature(bound: list[Node], resolved: Resolved) -> tuple[list[str], list[str], list[Replacement]]:
    """Return parameters, arguments, and the replacements of names: `$x` is `x` inside."""
    _check_alike(bound, resolved)
    parameters: dict[str, str] = {}
    replacements: list[Replacement] = []
    for use in bound:
        binder = resolved.bindings[use]
        if isinstance(use, NameRef):
            parameters[use.name] = f"${use.name}"
            replacements.append(Replacement(Span(use.span.start, use.span.start + 1 + len(use.name)), use.name))
        elif isinstance(use, TimeIndex):
            if use.is_reference:
                raise UnmovableError("a time that a `Name` holds cannot be given to a fragment")
            name = use.name
            if isinstance(binder, TimeIndex) and binder.name != name:  # the `I` of `[@T.I]`
                raise UnmovableError("it asks for a part of the time that the title names")
            parameters[f"@{name}"] = f"@{name}"
        elif isinstance(use, Symbol):
            is_time = isinstance(binder, TimeIndex) or (isinstance(binder, Identifier) and binder.is_time)
            if is_time:
                raise UnmovableError("it uses a time as a number")
            parameters[use.name] = use.name
    names = [each.lstrip("@") for each in parameters]
    if len(names) != len(set(names)):
        raise UnmovableError("two names would be the same parameter")
    return list(parameters), list(parameters.values()), replacements


def _check_alike(bound: list[Node], resolved: Resolved) -> None:
    """Refuse names that are written alike but refer to different things: `$d` and the `d` of a loop."""
    kinds: dict[str, Node | str] = {}
    for use in bound:
        if isinstance(use, (NameRef, Symbol, TimeIndex)):
            kind = "name" if isinstance(use, NameRef) else resolved.bindings[use]
            if kinds.setdefault(use.name, kind) != kind:
                raise UnmovableError("two names would be the same parameter")


def _after_definition(item: Node, resolved: Resolved) -> int:
    """Return the offset where the fragment is inserted: after the definition that contains the lines."""
    source, tree = resolved.source, build_outline(resolved.parsed.file)
    around: Node | None = tree.definition_of(item)
    outermost = around
    while outermost is not None and (outer := tree.definition_of(outermost)) is not None:
        outermost = outer
    if outermost is None:
        return len(source.text)
    end = source.text.find("\n", outermost.span.end)
    end = len(source.text) if end < 0 else end + 1
    rest = source.text[outermost.span.end : end].strip()
    return end if not rest or rest.startswith("//") else outermost.span.end


def inline_use(
    resolved: Resolved, content: Content, use: FragUse, entry: LibraryEntry, of_fragment: Resolved
) -> TextEdit:
    """Return the edit that replaces the use of a fragment by its body.

    Parameters:
        resolved: The text with the use.
        content: The statement that is the use.
        use: It.
        entry: The fragment.
        of_fragment: The text that defines it.

    Raises:
        UnmovableError: It cannot be done without changing the meaning; the text says why.
    """
    body = entry.node.body
    if not body:
        raise UnmovableError("the fragment is empty")
    arguments = [value for part in use.parts if isinstance(part, (Index, Arguments)) for value in part.values]
    if len(arguments) != len(entry.node.parameters):
        raise UnmovableError("it has another number of arguments than parameters")
    values = dict(zip(entry.node.parameters, arguments, strict=True))
    nodes = walk_statements(body)
    _check_names(nodes, arguments, resolved, content)
    _check_free(nodes, of_fragment)
    replacements = _replace_parameters(nodes, values, of_fragment, resolved)
    span = Span(min(each.span.start for each in body), max(map(end_of, body)))
    lines = normal_lines(replace_names(entry.source, span, replacements))
    text = _at_use(lines, resolved, content, is_one=len(body) == 1)
    return TextEdit(_with_blanks(resolved.source, content.span) if text[:1] == "\n" else content.span, text)


def _with_blanks(source: Source, span: Span) -> Span:
    """Extend a span by the blanks around it on its lines."""
    before, after = source.text[: span.start].rstrip(" \t"), source.text[span.end :]
    return Span(len(before), span.end + len(after) - len(after.lstrip(" \t")))


def _check_names(nodes: list[Node], arguments: list[Expression], resolved: Resolved, content: Content) -> None:
    """Refuse names that would mean something else at the use."""
    loops = {
        node.variable.name for node in nodes if isinstance(node, (ForEach, Comprehension)) and node.variable is not None
    }
    argument_names = {node.name for node in walk_statements(arguments) if isinstance(node, (Path, TimeIndex))}
    if loops & argument_names:
        raise UnmovableError(
            f"the loop variable `{min(loops & argument_names)}` of the fragment has the name of an argument"
        )
    tree = build_outline(resolved.parsed.file)
    around = tree.definition_of(content)
    defined = _names_of(node for node in nodes if isinstance(node, NameDef))
    outer_names = _names_of(node for node in tree.nodes_of(NameDef) if tree.definition_of(node) is around)
    if defined & outer_names:
        raise UnmovableError(f"both define the name `{min(defined & outer_names)}`")


def _check_free(nodes: list[Node], of_fragment: Resolved) -> None:
    """Refuse names and times that the fragment does not bind itself: at the use, something else may bind them."""
    for node in nodes:
        is_name = isinstance(node, NameRef) or (isinstance(node, TimeIndex) and node.name)
        if is_name and isinstance(node, (NameRef, TimeIndex)) and node not in of_fragment.bindings:
            raise UnmovableError(f"the fragment does not say what `{node.name}` is")


def _names_of(nodes: Iterable[NameDef]) -> set[str]:
    """Return the names that `Name`s define."""
    return {target.name for node in nodes for target in node.targets if isinstance(target, (Path, TimeIndex))}


def _replace_parameters(
    nodes: list[Node], values: dict[Expression, Expression], of_fragment: Resolved, resolved: Resolved
) -> list[Replacement]:
    """Return the replacement for each use of a parameter."""
    tree = build_outline(of_fragment.parsed.file)
    parents = dict(tree.parents)
    replacements: list[Replacement] = []
    for node in nodes:
        parameter = of_fragment.bindings.get(node)
        if parameter is None or parameter not in values or isinstance(parameter, Identifier):
            continue
        value = values[parameter]
        text = resolved.source.text[value.span.start : value.span.end]
        replacements.append(_replace_parameter(node, binding_part(parameter), value, text, parents.get(node)))
    return replacements


def _replace_parameter(
    node: Node, parameter: Expression, value: Expression, text: str, parent: Node | None
) -> Replacement:
    if not isinstance(parameter, (Symbol, TimeIndex)) or parameter.parts:
        raise UnmovableError("a parameter is more than one name")
    if isinstance(node, TimeIndex):
        end = node.span.start + 1 + len(node.name)
        if node.parts and not (isinstance(value, TimeIndex) and not value.parts):
            raise UnmovableError("a part of a time is asked for that is calculated")
    elif isinstance(node, Symbol):
        end = node.name_end
        if node.parts and not isinstance(value, (ContextVar, Path)):
            raise UnmovableError("a field is asked for of something that is calculated")
    else:
        raise UnmovableError("a parameter is used in a way that is not understood")
    return Replacement(Span(node.span.start, end), parenthesize_if_needed(value, text, parent))


def _at_use(lines: list[str], resolved: Resolved, content: Content, *, is_one: bool) -> str:
    """Return the lines with the indentation of the use."""
    source = resolved.source
    indent = indent_of(source, content.span.start)
    parent = build_outline(resolved.parsed.file).parents.get(content)
    if isinstance(parent, RoleMessage) and not parent.is_braced:
        if is_one and len(lines) == 1:
            return lines[0]
        return "\n".join(["{", *(indent + _STEP + line if line else "" for line in lines), indent + "}"])
    line_start = source.line_starts[source.line_index(content.span.start)]
    if len(lines) > 1 and source.text[line_start : content.span.start].strip():  # a block on one line becomes several
        return "\n".join(["", *(indent + _STEP + line if line else "" for line in lines), indent])
    return ("\n" + indent).join(lines).replace(f"\n{indent}\n", "\n\n")
