"""Loops: their rounds, and what steers them."""

from collections.abc import Mapping, Sequence
from itertools import islice

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.expressions import Expressions
from acdl_mkdocs.evaluation.inside import Absent, inside
from acdl_mkdocs.evaluation.machine import Block, Machine, Rounds
from acdl_mkdocs.evaluation.moment import Moment
from acdl_mkdocs.evaluation.ranges import Elements
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.transcript import Round
from acdl_mkdocs.evaluation.values import Time, Unknown, Value, plain, shown
from acdl_mkdocs.language.syntax.nodes import (
    Break,
    Continue,
    EndsHere,
    Expression,
    Field,
    ForEach,
    Fragment,
    FragUse,
    RoleMessage,
    Symbol,
    TimeIndex,
    walk,
)

_MOST_SHOWN, _MOST_KEYS = 80, 4


class Loops:
    """The loops of one evaluation."""

    def __init__(self, moment: Moment, expressions: Expressions, machine: Machine) -> None:
        self.moment = moment
        self.expressions = expressions
        self.machine = machine
        self._over_substeps: dict[ForEach, bool] = {}

    def begin(self, node: ForEach, block: Block) -> None:
        """A loop begins."""
        self.machine.count(node, -1)  # it counts rounds
        if node.variable is None or node.iterable is None:
            return
        elements = self.expressions.ranges.elements(node.iterable, block.here, is_time=node.variable.is_time)
        if isinstance(elements, Unknown):
            self._without_elements(node.iterable, elements, block.here)
            return
        self._check_length(node, elements, block.here)
        rounds = Rounds(node, node.variable, elements.each(), block.here, self._is_over_substeps(node, node.iterable))
        at_end = len(node.body)  # of no round yet: what follows is the first one
        self.machine.blocks.append(Block(node.body, block.here, node, block.message, rounds, at_end))

    def _check_length(self, node: ForEach, elements: Elements, here: Here) -> None:
        """A loop that makes too many rounds and has no way out is not begun."""
        budget = self.moment.budget
        if elements.count > budget.iterations and not any(
            isinstance(each, Break | EndsHere | FragUse) for each in walk(node)
        ):
            budget.turns(here.source, node.span, elements.count)

    def _without_elements(self, iterable: Expression, unknown: Unknown, here: Here) -> None:
        """A loop over something that is not known makes no rounds."""
        findings, text = self.moment.findings, self.moment.written(iterable)
        if unknown.kind in ("function", "template"):
            cure = unknown.problem().help if unknown.problem is not None else ()
            kind = f"what `{unknown.text}` gives, and the state has nothing for it"
            findings.say(here, problems.not_iterable(iterable.span, text, kind, "; ".join(cure)))
        elif unknown.kind == "missing" and findings.missing != "error":
            findings.undecided(here, iterable, text, unknown)
        else:
            findings.need(here, (unknown,))

    def again(self, block: Block, rounds: Rounds) -> bool:
        """Begin the next round; false where there is none."""
        node, outside = rounds.node, rounds.outside
        for value in rounds.elements:
            self.moment.budget.turns(outside.source, node.span)
            here = self.expressions.ranges.round_of(rounds.variable, value, outside)
            if here is None:
                continue
            self.machine.count(node)
            bound = here.scope.variables[rounds.variable.name]
            turn = Round(outside.origin(node.span), "loop", rounds.variable.name, _glimpse(bound))
            block.here = here.turn(turn, _substep(bound, rounds))
            block.at = 0
            return True
        return False

    def _is_over_substeps(self, node: ForEach, iterable: Expression) -> bool:
        """Whether a loop counts sub-steps: `range(1, @t.substeps)`, `range(1, I)`."""
        if node not in self._over_substeps:
            names = self.moment.now.names[1:]
            self._over_substeps[node] = any(
                (isinstance(each, TimeIndex) and any(_is_field(part, "substeps") for part in each.parts))
                or (isinstance(each, Symbol | TimeIndex) and each.name in names)
                for each in walk(iterable)
            )
        return self._over_substeps[node]

    def steer(self, node: Break | Continue, block: Block) -> None:
        """`break` and `continue`: of the nearest loop, never out of a message."""
        word = "break" if isinstance(node, Break) else "continue"
        blocks = self.machine.blocks
        depth, wall = len(blocks) - 1, ""
        while depth >= 0 and blocks[depth].rounds is None:
            around = blocks[depth].node
            if not wall and isinstance(around, RoleMessage | Fragment):
                wall = "message" if isinstance(around, RoleMessage) else "fragment"
            depth -= 1
        if depth < 0 or wall:
            message = f"`{word}` stands in no loop" if depth < 0 else f"`{word}` cannot leave a {wall}"
            place = "messages" if wall == "message" else "`Frag`"
            cure = "put it inside a `ForEach`" if depth < 0 else f"put `{word}` beside the {place}, inside the loop"
            self.moment.findings.say(block.here, problems.misplaced(node.span, message, cure))
            return
        del blocks[depth + 1 :]
        loop = blocks[depth]
        loop.at = len(loop.statements)
        if isinstance(node, Break):
            loop.rounds = None


def _is_field(part: object, name: str) -> bool:
    return isinstance(part, Field) and part.name == name


def _substep(value: Value, rounds: Rounds) -> int | None:
    """The number of the sub-step that a round is about, if it is about one."""
    if isinstance(value, Time) and (len(value.parts) > 1 or rounds.is_over_substeps):
        return value.parts[-1]
    return value if isinstance(value, int) and rounds.is_over_substeps else None


def _glimpse(value: Value) -> str:
    """A value in a few words, without looking at all of it: a map by its `id`, else by its keys."""
    if isinstance(value, str | int | Time):
        return shown(value, _MOST_SHOWN)
    name = inside(value, "id")
    held = plain(value if isinstance(name, Absent) else name)
    if isinstance(held, Mapping):
        return f"{{{', '.join(islice(held, _MOST_KEYS))}{', …' if len(held) > _MOST_KEYS else ''}}}"
    if isinstance(held, Sequence) and not isinstance(held, str):
        return "a list of 1" if len(held) == 1 else f"a list of {len(held)}"
    return shown(held, _MOST_SHOWN)
