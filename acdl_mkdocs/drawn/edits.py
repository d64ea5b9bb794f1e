"""`in_full()`: what a drawing leaves out of expressions, put back where the tree is known.

Names are drawn without `$`; that the end of a range is left out is drawn, that it is taken in is not.
"""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.diagnostics import TextEdit
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Arm,
    Call,
    Comprehension,
    File,
    ForEach,
    Fragment,
    NameDef,
    NameRef,
    Node,
    Prompt,
    Range,
    Symbol,
    Template,
    TimeIndex,
    children,
    walk,
)


def in_full(text: str, file: File, open_ends: set[int], mode: RangeMode) -> str:
    """The text with `$` before names and every range spelled so that it sends what is drawn.

    Parameters:
        text: ACDL made of a drawing.
        file: Its tree.
        open_ends: Where in it a range ends whose end is left out.
        mode: How `range(a, b)` will be read where the text does not say it.
    """
    drawn = [node for node in walk(file) if isinstance(node, Range) and _is_drawn(node)]
    n_open = sum(node.stop.span.end in open_ends for node in drawn)
    has_calls = any(_is_call(node) for node in walk(file))
    wanted: RangeMode = "inclusive" if drawn and not n_open and not has_calls else "half-open" if n_open else mode
    edits = [
        *_names(file),
        *(_sign_of_time(each) for each in bare_times(file)),
        *(edit for node in drawn for edit in _range(node, open_ends)),
    ]
    pragma = f"// acdl: range={wanted}\n\n" if wanted != mode else ""
    made: list[str] = [pragma]
    at = 0
    for edit in sorted(edits, key=lambda each: (each.span.start, each.span.end)):
        made += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join((*made, text[at:]))


def _is_drawn(node: Range) -> bool:
    """Whether a range is spelled `a ... b` or `a, b`, not `range(a, b)`."""
    return node.includes_stop or node.span.start == node.start.span.start


def _is_call(node: Node) -> bool:
    """Whether a range is spelled `range(a, b)`, which is drawn so where it is an argument or content."""
    return (isinstance(node, Range) and not _is_drawn(node)) or (isinstance(node, Call) and node.name == "range")


def _range(node: Range, open_ends: set[int]) -> Iterator[TextEdit]:
    """A range whose end is left out becomes a call; `a, b` becomes `a ... b`."""
    start, stop, step = node.start.span, node.stop.span, node.step.span if node.step is not None else None
    if stop.end in open_ends:
        yield TextEdit(Span(start.start, start.start), "range(")
        yield TextEdit(Span(start.end, stop.start), ", ")
        if step is not None:
            yield TextEdit(Span(stop.end, step.start), ", ")
        end = (step or stop).end
        yield TextEdit(Span(end, end), ")")
    elif not node.includes_stop:
        yield TextEdit(Span(start.end, stop.start), " ... ")
        if step is not None:
            yield TextEdit(Span(stop.end, step.start), " every ")


def bare_times(file: File) -> Iterator[Symbol]:
    """The `T` in a spec of `@T` that nothing else binds: on paper the sign is easily left out."""
    for prompt in file.items:
        if isinstance(prompt, Prompt):
            times = {node.name for node in prompt.parameters if isinstance(node, TimeIndex) and node.name}
            inside = [node for child in prompt.body for node in walk(child)]
            for node in inside:
                if isinstance(node, ForEach | Comprehension) and node.variable is not None:
                    times.discard(node.variable.name)
                elif isinstance(node, NameDef):
                    times -= {target.name for target in node.targets if isinstance(target, Symbol | Template | NameRef)}
            yield from (node for node in inside if isinstance(node, Symbol) and node.name in times and not node.parts)


def unbound_times(file: File) -> Iterator[Symbol]:
    """The `t` in a spec of `@T` that nothing binds: on paper, perhaps a time without its sign."""
    for prompt in file.items:
        if isinstance(prompt, Prompt):
            times = {node.name for node in prompt.parameters if isinstance(node, TimeIndex) and node.name}
            small = {name.lower() for name in times}
            inside = [node for child in prompt.body for node in walk(child)]
            small -= set(_words(prompt.parameters)) | {
                node.variable.name
                for node in inside
                if isinstance(node, ForEach | Comprehension) and node.variable is not None
            }
            small -= {
                target.name
                for node in inside
                if isinstance(node, NameDef)
                for target in node.targets
                if isinstance(target, Symbol | Template | NameRef)
            }
            yield from (node for node in inside if isinstance(node, Symbol) and node.name in small and not node.parts)


def bare_parameters(file: File) -> Iterator[Symbol]:
    """The `T` or `t` in the title of a spec that names no time: on paper, `Chat[t]` and `Chat(T)` mean `@T`."""
    for prompt in file.items:
        if isinstance(prompt, Prompt) and not any(isinstance(node, TimeIndex) for node in prompt.parameters):
            yield from (node for node in prompt.parameters if isinstance(node, Symbol) and node.name in ("t", "T"))


def _sign_of_time(node: Symbol) -> TextEdit:
    return TextEdit(Span(node.span.start, node.span.start), "@")


def _names(file: File) -> Iterator[TextEdit]:
    """A `$` for every word that a `Name` above it defines, unless something nearer binds it."""
    named: set[str] = set()
    waiting: list[tuple[Node | NameDef, frozenset[str], bool]] = [(file, frozenset(), False)]
    while waiting:
        node, bound, is_defined = waiting.pop()
        if isinstance(node, NameDef) and is_defined:
            named |= {target.name for target in node.targets if isinstance(target, Symbol | Template | NameRef)}
            continue
        if isinstance(node, Prompt | Fragment):
            named, bound = set(), frozenset(_words(node.parameters))
            waiting += [(child, bound, False) for child in reversed(node.body)]
            continue
        if isinstance(node, NameDef):
            waiting += [(node, bound, True), (node.value, bound, False)]
            continue
        if isinstance(node, Symbol | Template | TimeIndex) and node.name in named and node.name not in bound:
            yield from _sign(node)
        waiting += [(child, inner, False) for child, inner in reversed([*_inside(node, bound)])]


def _sign(node: Symbol | Template | TimeIndex) -> Iterator[TextEdit]:
    if isinstance(node, TimeIndex):
        if not node.is_reference:
            yield TextEdit(Span(node.span.start + 1, node.span.start + 1), "$")
    elif not (node.parts and isinstance(node.parts[0], Arguments)):
        yield TextEdit(Span(node.span.start, node.span.start), "$")


def _inside(node: Node, bound: frozenset[str]) -> Iterator[tuple[Node, frozenset[str]]]:
    """What is in a node, each with the words that are bound there."""
    if isinstance(node, ForEach | Comprehension) and node.variable is not None:
        inner = bound | {node.variable.name}
        for child in children(node):
            yield child, bound if child is node.iterable else inner
    else:
        test = node.test if isinstance(node, Arm) and node.kind == "case" else None
        for child in children(node):
            if child is not test or not isinstance(child, Symbol):
                yield child, bound


def _words(values: tuple[Node, ...]) -> Iterator[str]:
    for value in values:
        for node in walk(value):
            if isinstance(node, Symbol | Template | TimeIndex):
                yield node.name
