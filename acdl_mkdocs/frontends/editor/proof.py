"""Check whether a rewritten text still sends the same: both are evaluated, and their messages compared.

The evaluation uses names in place of all values, with two elements in each list, at several points; with every
condition false, with every condition true, with each alternative that contains or follows the rewritten statements;
and with the sample state of the document, if it has one. Nothing is proven unless all of those statements were reached,
in both texts.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from itertools import islice

from acdl_mkdocs.evaluation.context import Limits
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.point import list_points
from acdl_mkdocs.evaluation.state.sample_state import Assumption, Records, State
from acdl_mkdocs.evaluation.values import Value
from acdl_mkdocs.foundation.diagnostics import Fix, TextEdit, apply_fixes
from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.editor.documents import Piece
from acdl_mkdocs.frontends.editor.sampled import state_of
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.analyse import Analysis, analyse
from acdl_mkdocs.language.names.outline import Outline, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import format_expression
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Break,
    Comprehension,
    Content,
    Continue,
    EndsHere,
    Expression,
    ForEach,
    Fragment,
    FragUse,
    Group,
    If,
    NameDef,
    Node,
    Number,
    Prompt,
    Range,
    RoleMessage,
    String,
    Switch,
    Symbol,
    children,
)

_EFFECT_NODES = (Content, RoleMessage, NameDef, EndsHere, Break, Continue)
_NO_CASE = "no case"
_MOST_DIGITS = 16
_MOST_REACHABLE = 2_000
"""Limit on reachable statements: fragments that use others can lead to too many."""


@dataclass(frozen=True, slots=True)
class Reachable:
    """A statement or alternative that is reachable from a part of a text."""

    node: Node
    chosen_arms: tuple[tuple[Node, int], ...]
    """The enclosing `If`s and `Switch`es, each with the number of the alternative that leads there."""


def reachable_from(resolved: Resolved, spans: Sequence[Span]) -> list[Reachable]:
    """Return the statements in parts of a text and in the fragments used there, in the order they are reached."""
    tree = build_outline(resolved.parsed.file)
    statements: list[Reachable] = []
    for node in _select_outermost(tree, spans):
        statements += islice(
            _walk_reachable(node, resolved, resolved.source, _enclosing_arms(tree, node), ()), _MOST_REACHABLE
        )
    return statements[:_MOST_REACHABLE]


def is_all_reached(met: Sequence[Reachable]) -> bool:
    """Return whether all reachable statements are within the limit."""
    return len(met) < _MOST_REACHABLE


def statements_of(met: Iterable[Reachable]) -> list[Node]:
    """Return the statements whose evaluation the proof has to observe."""
    return [each.node for each in met if isinstance(each.node, _EFFECT_NODES)]


def arms_of(met: Iterable[Reachable]) -> list[Reachable]:
    """Return the alternatives among them."""
    return [each for each in met if isinstance(each.node, Arm)]


def assumptions_for(chosen: Iterable[tuple[Node, int]]) -> Iterator[Assumption]:
    """Yield the assumptions that make each `If` and `Switch` take one given alternative."""
    for node, number in chosen:
        if isinstance(node, (If, Switch)):
            arms = [each for each in node.arms if isinstance(each, Arm)]
            yield from _assume_switch(node, arms, number) if isinstance(node, Switch) else _assume_if(arms, number)


def all_assumptions_for(resolved: Resolved, number: int) -> Iterator[Assumption]:
    """Yield the assumptions that make every `If` and `Switch` of a text take the alternative of that number."""
    tree = build_outline(resolved.parsed.file)
    for node in (*tree.nodes_of(If), *tree.nodes_of(Switch)):
        yield from assumptions_for([(node, number)])


def most_arms(resolved: Resolved) -> int:
    """Return the number of alternatives of the longest `If` or `Switch` of a text."""
    tree = build_outline(resolved.parsed.file)
    chains: list[If | Switch] = [*tree.nodes_of(If), *tree.nodes_of(Switch)]
    return max((len(each.arms) for each in chains), default=0)


def _select_outermost(outline: Outline, spans: Sequence[Span]) -> list[Node]:
    """Return the statements inside spans, without those nested in each other."""
    inside = {
        node
        for kind in outline.kinds
        for node in outline.kinds[kind]
        if any(span.start <= node.span.start and node.span.end <= span.end for span in spans)
    }
    statements = [node for node in inside if outline.parents.get(node) not in inside]
    return sorted(statements, key=lambda each: each.span.start)


def _enclosing_arms(outline: Outline, node: Node) -> tuple[tuple[Node, int], ...]:
    """Return the alternatives that contain a statement, outermost first."""
    arms: list[tuple[Node, int]] = []
    outer = outline.parents.get(node)
    while outer is not None:
        parent = outline.parents.get(outer)
        if isinstance(outer, Arm) and isinstance(parent, (If, Switch)):
            arms.insert(0, (parent, _index_of_arm(parent, outer)))
        outer = parent
    return tuple(arms)


def _index_of_arm(chain: If | Switch, arm: Arm) -> int:
    return [each for each in chain.arms if isinstance(each, Arm)].index(arm)


def _walk_reachable(
    node: Node, resolved: Resolved, source: Source, chosen: tuple[tuple[Node, int], ...], within: tuple[Node, ...]
) -> Iterator[Reachable]:
    """Yield a node and everything reachable from it."""
    yield Reachable(node, chosen)
    entry = resolved.fragment_of(node, source) if isinstance(node, FragUse) else None
    if entry is not None and isinstance(entry.node, Fragment) and entry.node not in within:
        for each in entry.node.body:
            yield from _walk_reachable(each, resolved, entry.source, chosen, (*within, entry.node))
    for child in children(node):
        if isinstance(child, Arm) and isinstance(node, (If, Switch)):
            yield from _walk_reachable(child, resolved, source, (*chosen, (node, _index_of_arm(node, child))), within)
        else:
            yield from _walk_reachable(child, resolved, source, chosen, within)


def _assume_if(arms: Sequence[Arm], number: int) -> Iterator[Assumption]:
    for index, arm in enumerate(arms[: number + 1]):
        if arm.test is not None:
            yield from _assume_value(arm.test, index == number)


def _assume_switch(node: Switch, arms: Sequence[Arm], number: int) -> Iterator[Assumption]:
    test = arms[number].test if number < len(arms) else None
    value = _NO_CASE if test is None else _choose_value(test)
    if node.subject is not None:
        yield from _assume_value(node.subject, value)
    if test is not None:
        yield from _assume_value(test, value)


def _assume_value(node: Expression, value: Value) -> Iterator[Assumption]:
    """Yield the assumption that an expression has a value, in parentheses or not."""
    yield Assumption(format_expression(node), value)
    if isinstance(node, Group):
        yield Assumption(format_expression(node.value), value)


def _choose_value(test: Expression) -> Value:
    """Return the value of the subject that a case tests for."""
    if isinstance(test, Number) and len(test.text) < _MOST_DIGITS:
        digits = test.text.replace("_", "")
        return float(digits) if "." in digits else int(digits)
    if isinstance(test, String):
        return test.value
    return test.name if isinstance(test, Symbol) and not test.parts else format_expression(test)


_POINTS = ("1", "3", "2.1", "3.2")
_MOST_POINTS = 12
_MOST_NUMBERS, _MOST_ARMS = 6, 24
"""Limits on alternatives taken everywhere at once, and on those taken one by one."""
_LIMITS = Limits(iterations=5_000, statements=20_000, messages=1_000, characters=1_000_000)
_SUBSTEPS = Records(counts={(1,): 2, (2,): 2})
_PROOF_PREFIX = "AcdlProof"
"""Prefix of the names of added specs, which make fragments that no spec of the text uses evaluated too."""


@dataclass(slots=True)
class _ProvedText:
    """One of the two texts."""

    analysis: Analysis
    specs: tuple[str | None, ...]
    reachable: list[Reachable] = field(default_factory=list)
    """The statements reachable from its rewritten statements."""
    reached: set[Node] = field(default_factory=set)

    def is_reached(self) -> bool:
        """Return whether all of the rewritten statements were evaluated."""
        return is_all_reached(self.reachable) and self.reached.issuperset(statements_of(self.reachable))


def sends_the_same(workspace: Workspace, piece: Piece, edits: Sequence[TextEdit]) -> bool:
    """Return whether a piece surely sends the same after edits of statements.

    It is not sure if one of the statements was never evaluated, or if an error is new.

    Parameters:
        workspace: The documents.
        piece: Of one of them.
        edits: What is done to its text; statements that are only added count where they are used.
    """
    text = apply_fixes(piece.source.text, [Fix("", tuple(edits))]).text
    before, after = (_text_of(workspace, piece, each) for each in (piece.source.text, text))
    if _n_errors(after) > _n_errors(before) or before.analysis.resolved.parsed.diagnostics:
        return False
    before.reachable = reachable_from(
        before.analysis.resolved, [each.span for each in edits if each.span.start < each.span.end]
    )
    after.reachable = reachable_from(after.analysis.resolved, list(_spans_after(edits)))
    arms = list(zip(arms_of(before.reachable), arms_of(after.reachable), strict=False))
    if not before.reachable or len(arms) != len(arms_of(before.reachable)) or len(arms) > _MOST_ARMS:
        return False
    forced = [
        _build_state(before, after, [*_assume_same_arms(one, other)])
        for one, other in [*_pair_rewritten_statements(before, after), *arms]
    ]
    states = (*forced, *_build_states(before, after), *_find_sample_state(workspace, piece))
    return _are_equal(before, after, states) and before.is_reached() and after.is_reached()


def sends_alike(workspace: Workspace, piece: Piece, text: str, at: int, names: tuple[str, str]) -> bool:
    """Return whether a definition sends the same with a name replaced by another, as far as it is evaluated.

    What has no value is sent by its name; there the two names count as one.

    Parameters:
        workspace: The documents.
        piece: Of one of them.
        text: The changed text.
        at: Where in the piece the definition is.
        names: The name before and after.
    """
    before, after = (_text_of(workspace, piece, each) for each in (piece.source.text, text))
    for each in piece.parsed.file.items:
        if isinstance(each, (Prompt, Fragment)) and each.span.start <= at <= each.span.end:
            concerned = each.name.name if isinstance(each, Prompt) else f"{_PROOF_PREFIX}{each.name.name}"
            before.specs = after.specs = (concerned,)
    old = re.compile(rf"\b{re.escape(names[0])}\b")
    states = (*_build_states(before, after), *_find_sample_state(workspace, piece))
    return _are_equal(before, after, states, lambda word: old.sub(names[1], word))


def _are_equal(
    before: _ProvedText, after: _ProvedText, states: Iterable[State], read: Callable[[str], str] = lambda word: word
) -> bool:
    """Return whether two texts send the same in all states, each word as it is read."""
    return all(
        _collect_messages(before, one, state, point, read) == _collect_messages(after, other, state, point, read)
        for state in states
        for point in _list_points(state)
        for one, other in zip(before.specs, after.specs, strict=False)
    )


# -------------------------------------------------------------------------------------------------------------- texts


def _text_of(workspace: Workspace, piece: Piece, text: str) -> _ProvedText:
    """Return a text with specs that use its fragments, each alone."""
    library = workspace.resolve_for_figure(piece).library
    config = workspace.config_of(piece)
    own = tuple(item.name.name for item in piece.parsed.file.items if isinstance(item, Prompt))
    uses = dict(_write_fragment_specs(piece.parsed.file.items))
    added = "".join(uses.values())
    analysis = analyse(Source(f"{text}\n{added}" if added else text, piece.source.name), config, library)
    names = [item.name.name for item in analysis.resolved.parsed.file.items if isinstance(item, Prompt)]
    is_same = len(names) == len(own) + len(uses)
    return _ProvedText(analysis, tuple(names) if names and is_same else (*(own or (None,)), *uses))


def _write_fragment_specs(items: tuple[object, ...]) -> Iterator[tuple[str, str]]:
    """Yield a spec for each fragment, with names as its arguments, and the name of the spec."""
    for item in items:
        if isinstance(item, Fragment):
            arguments = ", ".join(format_expression(each) for each in item.parameters)
            use = f"Frag {item.name.name}[{arguments}]" if arguments else f"Frag {item.name.name}"
            body = use if item.kind == "roles" else f"U: {{ {use} }}"
            name = f"{_PROOF_PREFIX}{item.name.name}"
            yield name, f"{name}[{arguments or '@T'}]: {{ {body} }}\n"


def _n_errors(text: _ProvedText) -> int:
    return sum(each.severity == "error" for each in text.analysis.diagnostics)


def _spans_after(edits: Sequence[TextEdit]) -> Iterator[Span]:
    """Yield the spans of the replacements after edits."""
    longer = 0
    for edit in sorted(edits, key=lambda each: each.span.start):
        start = edit.span.start + longer
        if edit.span.start < edit.span.end:
            yield Span(start, start + len(edit.text))
        longer += len(edit.text) - (edit.span.end - edit.span.start)


# ------------------------------------------------------------------------------------------------------------- states


def _pair_rewritten_statements(before: _ProvedText, after: _ProvedText) -> list[tuple[Reachable, Reachable]]:
    """Return the first rewritten statement of each text, paired: the path to it must be taken."""
    return list(zip(before.reachable[:1], after.reachable[:1], strict=False))


def _assume_same_arms(one: Reachable, other: Reachable) -> Iterator[Assumption]:
    """Yield the assumptions under which both texts take the same alternative."""
    for met in (one, other):
        yield from assumptions_for(met.chosen_arms)


def _build_states(before: _ProvedText, after: _ProvedText) -> Iterator[State]:
    """Yield states in which all alternatives are taken: none, those whose condition is true, each by number."""
    yield _build_state(before, after, [])
    yield _build_state(before, after, list(_all_true(before, after)))
    texts = [each.analysis.resolved for each in (before, after)]
    for number in range(min(max(map(most_arms, texts)), _MOST_NUMBERS)):
        yield _build_state(before, after, [each for text in texts for each in all_assumptions_for(text, number)])


def _build_state(before: _ProvedText, after: _ProvedText, assumed: Sequence[Assumption]) -> State:
    """Return a state without values: lists have two elements, and assumptions come first."""
    lists: dict[str, None] = {}
    for text in (before, after):
        tree = build_outline(text.analysis.resolved.parsed.file)
        loops: list[ForEach | Comprehension] = [*tree.nodes_of(ForEach), *tree.nodes_of(Comprehension)]
        for loop in loops:
            if loop.iterable is not None and not isinstance(loop.iterable, Range):
                lists[format_expression(loop.iterable)] = None
    return State(assume=(*assumed, *(Assumption(each, ["one", "two"]) for each in lists)), records=_SUBSTEPS)


def _all_true(before: _ProvedText, after: _ProvedText) -> Iterator[Assumption]:
    for text in (before, after):
        for arm in build_outline(text.analysis.resolved.parsed.file).nodes_of(Arm):
            if arm.test is not None and arm.kind in ("if", "elseif"):
                test = arm.test.value if isinstance(arm.test, Group) else arm.test
                yield from (Assumption(format_expression(each), True) for each in (arm.test, test))


def _find_sample_state(workspace: Workspace, piece: Piece) -> Iterator[State]:
    """Yield the sample state of a piece, if it has one."""
    file = state_of(workspace, piece.uri)
    if file is not None and file.state is not None:
        yield file.state


def _list_points(state: State) -> list[str]:
    """Return the points to evaluate: all points of a state that has some."""
    if not state.records.steps and not state.records.base:
        return list(_POINTS)
    return list(map(str, list_points(state, _MOST_POINTS)))


# ---------------------------------------------------------------------------------------------------------- messages


def _collect_messages(
    text: _ProvedText, spec: str | None, state: State, point: str, read: Callable[[str], str]
) -> object:
    """Return the messages of a spec, reduced to what differs when the messages differ."""
    try:
        options = Options(spec=spec, missing="placeholder", limits=_LIMITS)
        transcript = evaluate(text.analysis.resolved, replace(state, spec=None), point, options)
    except AcdlError as reason:
        return read(str(reason))
    text.reached.update(transcript.counts)
    messages = [
        (each.role, [(read(piece.text), piece.status) for piece in each.pieces]) for each in transcript.messages
    ]
    return transcript.ended is not None, messages
