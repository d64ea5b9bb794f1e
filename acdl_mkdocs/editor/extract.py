"""Some lines as a fragment of their own, and its use in their place."""

from collections.abc import Container, Iterator

from acdl_mkdocs.editor.rewriting import Put, UnmovableError, inside, normal_lines, replaced, unused_name
from acdl_mkdocs.foundation.diagnostics import TextEdit
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.outline import Outline, outline, places
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import indent_of
from acdl_mkdocs.language.syntax.format import Selection, select
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Break,
    Comment,
    Continue,
    ForEach,
    Fragment,
    Identifier,
    NameDef,
    NameRef,
    Node,
    Path,
    Prompt,
    Symbol,
    TimeIndex,
)

_STEP = "    "


def extracted(resolved: Resolved, start: int, end: int, taken: Container[str]) -> tuple[TextEdit, ...]:
    """The edits that make a fragment of the statements on the lines of a part of a text.

    Parameters:
        resolved: The text.
        start: Where the part begins.
        end: Where it ends.
        taken: The names that the fragment cannot have.

    Raises:
        UnmovableError: There are none, or they cannot stand elsewhere; the text says why.
    """
    source = resolved.source
    last = end - 1 if end > start and source.text[end - 1 : end] == "\n" else end
    chosen = select(source, resolved.parsed.file, source.line_index(start), source.line_index(last))
    if chosen is None or not [item for item in chosen.items if not isinstance(item, Comment)]:
        raise UnmovableError("nothing stands there")
    nodes = inside(chosen.items)
    _check(chosen, nodes, resolved)
    bound = _bound_outside(nodes, resolved)
    keyword = _keyword(chosen, resolved)
    name = unused_name("Extracted", taken)
    parameters, arguments, puts = _signature(bound, resolved)
    body = normal_lines(replaced(source, chosen.span, puts))
    given = f"[{', '.join(parameters)}]" if parameters else ""
    fragment = "\n".join([f"{keyword} {name}{given}: {{", *(_STEP + line if line else "" for line in body), "}"])
    use = f"Frag {name}[{', '.join(arguments)}]" if arguments else f"Frag {name}"
    indent = indent_of(source, chosen.span.start)
    at = _after_definition(chosen.items[0], resolved)
    lead = "\n\n" if not source.text[:at].endswith("\n") else "\n"
    trail = "" if at == len(source.text) or source.text[at - 1 : at] == "\n" else "\n"  # a title on the same line
    return (TextEdit(chosen.span, indent + use), TextEdit(Span(at, at), f"{lead}{fragment}\n{trail}"))


def _check(chosen: Selection, nodes: list[Node], resolved: Resolved) -> None:
    """Refuse what says something else in a fragment."""
    if any(isinstance(item, Arm | Prompt | Fragment) for item in chosen.items):
        raise UnmovableError("alternatives and definitions cannot stand in a fragment")
    loops = [node.span for node in nodes if isinstance(node, ForEach)]
    for node in nodes:
        if isinstance(node, Break | Continue) and not any(_holds(span, node.span) for span in loops):
            raise UnmovableError("`break` would leave its loop")
    targets = {target for node in nodes if isinstance(node, NameDef) for target in node.targets}
    moved = set(nodes)
    if any(binder in targets and use not in moved for use, binder in resolved.bindings.items()):
        raise UnmovableError("a `Name` is used after it")
    names = {target.name for target in targets if isinstance(target, Path | TimeIndex)}
    tree = outline(resolved.parsed.file)
    around = tree.definition(chosen.items[0])
    others = (target for each in tree.of(NameDef) if each not in moved for target in _targets_in(each, tree, around))
    if names & set(others):
        raise UnmovableError("a `Name` is defined outside, too")


def _targets_in(node: NameDef, tree: Outline, around: Prompt | Fragment | None) -> Iterator[str]:
    """The names that a `Name` defines, if it stands in a definition."""
    if tree.definition(node) is around:
        yield from (target.name for target in node.targets if isinstance(target, Path | TimeIndex))


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _bound_outside(nodes: list[Node], resolved: Resolved) -> list[Node]:
    """The uses of names that are bound outside, in source order."""
    moved = set(nodes)
    found = [node for node in nodes if (to := resolved.bindings.get(node)) is not None and to not in moved]
    return sorted((each for each in found if not isinstance(resolved.bindings[each], Fragment)), key=_start)


def _start(node: Node) -> int:
    return node.span.start


def _keyword(chosen: Selection, resolved: Resolved) -> str:
    """What kind of fragment it is: one of messages between messages, of pieces inside."""
    first = next(item for item in chosen.items if not isinstance(item, Comment))
    place = next(each for each in places(resolved.parsed.file) if each.node is first)
    return "StrFrag" if place.is_text else "RolesFrag"


def _signature(bound: list[Node], resolved: Resolved) -> tuple[list[str], list[str], list[Put]]:
    """Parameters, arguments, and what becomes of names: `$x` is `x` inside."""
    _check_alike(bound, resolved)
    parameters: dict[str, str] = {}
    puts: list[Put] = []
    for use in bound:
        binder = resolved.bindings[use]
        if isinstance(use, NameRef):
            parameters[use.name] = f"${use.name}"
            puts.append(Put(Span(use.span.start, use.span.start + 1 + len(use.name)), use.name))
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
    return list(parameters), list(parameters.values()), puts


def _check_alike(bound: list[Node], resolved: Resolved) -> None:
    """Refuse names that are written alike and stand for different things: `$d` and the `d` of a loop."""
    kinds: dict[str, Node | str] = {}
    for use in bound:
        if isinstance(use, NameRef | Symbol | TimeIndex):
            kind = "name" if isinstance(use, NameRef) else resolved.bindings[use]
            if kinds.setdefault(use.name, kind) != kind:
                raise UnmovableError("two names would be the same parameter")


def _after_definition(item: Node, resolved: Resolved) -> int:
    """Where the fragment goes: behind the definition that the lines stand in."""
    source, tree = resolved.source, outline(resolved.parsed.file)
    around: Node | None = tree.definition(item)
    outermost = around
    while outermost is not None and (outer := tree.definition(outermost)) is not None:
        outermost = outer
    if outermost is None:
        return len(source.text)
    end = source.text.find("\n", outermost.span.end)
    end = len(source.text) if end < 0 else end + 1
    rest = source.text[outermost.span.end : end].strip()
    return end if not rest or rest.startswith("//") else outermost.span.end
