"""`blamed()`: which line of a spec is wrong where a request does not agree with it. Knows nothing of other requests."""

from collections.abc import Sequence
from itertools import groupby

from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.nodes import Arm, ForEach, FragUse, Node, RoleMessage, walk
from acdl_mkdocs.traces.match import NAMED, Match, Step
from acdl_mkdocs.traces.pattern import Around, Item, Passing
from acdl_mkdocs.traces.units import Unit


@dataclass(frozen=True, slots=True)
class Blame:
    """A line that is wrong, and the message that shows it."""

    origin: Origin
    """In the spec."""
    reason: str
    unit: Unit | None
    """In the request; `None` where it ends before."""


def blamed(match: Match, title: Origin) -> list[Blame]:
    """The lines that are wrong, in the order of the request; the title where no other line is."""
    return _Blaming(match.steps, title).all()


class _Blaming:
    """One request that does not agree."""

    def __init__(self, steps: Sequence[Step | Passing], title: Origin) -> None:
        self.steps = steps
        self.title = title
        self.moved: set[int] = set()
        """Steps of which it is told that the message stands in another place."""
        self.whole: dict[tuple[Around, ...], bool] = {}
        """Whether all messages of a round or an alternative are missing."""
        for step in steps:
            if isinstance(step, Step) and step.item is not None:
                for size in range(1, len(step.item.around) + 1):
                    key = step.item.around[:size]
                    self.whole[key] = self.whole.get(key, True) and step.kind == "missing"

    def all(self) -> list[Blame]:
        """One for each message or group of messages that does not agree."""
        found = self._moved()
        numbered = list(enumerate(self.steps))
        steps = [(idx, step) for idx, step in numbered if isinstance(step, Step) and id(step) not in self.moved]
        for kind, group in groupby(steps, key=lambda each: each[1].kind):
            held = list(group)
            if kind == "missing":
                found += [self._missing(idx, step) for idx, step in held]
            elif kind == "extra":
                found.append(self._extra(held[0][0], held[-1][0], [step.unit for _, step in held if step.unit]))
            elif kind == "system":
                found += [Blame(self.title, step.reason, step.unit) for _, step in held]
            elif kind != "agrees":
                found += [_of_message(step) for _, step in held]
        return found

    def _moved(self) -> list[Blame]:
        """Instructions that the spec sends at one place, and the request has at another: their line alone is wrong."""
        found: list[Blame] = []
        extra = [step for step in self.steps if isinstance(step, Step) and step.kind == "extra"]
        for step in self.steps:
            item = _item_of(step)
            if not isinstance(step, Step) or step.kind != "missing" or item is None or item.role != "system":
                continue
            there = next((each for each in extra if each.unit is not None and each.unit.role == item.role), None)
            if there is not None and there.unit is not None:
                extra.remove(there)
                self.moved.update((id(step), id(there)))
                reason = f"{step.reason.partition(',')[0]}, and the request has it in another place"
                found.append(Blame(item.origin, reason, there.unit))
        return found

    # --------------------------------------------------------------------------------------------------------- missing

    def _missing(self, idx: int, step: Step) -> Blame:
        """The spec sends a message that the request does not have."""
        item, after = step.item, self._unit_after(idx)
        assert item is not None  # noqa: S101  # a message of the spec is missing
        for size in range(1, len(item.around) + 1):
            outer = item.around[size - 1]
            if self.whole[item.around[:size]]:
                return Blame(outer.origin, _of_block(outer, step), after)
        passed = self._end_before(idx)
        if passed is not None and after is None:
            return Blame(passed.origin, "the prompt goes on behind this end, and the request stops there", None)
        return Blame(item.origin, step.reason, after)

    def _unit_after(self, idx: int) -> Unit | None:
        later = (step for step in self.steps[idx:] if isinstance(step, Step) and step.unit is not None)
        return next((step.unit for step in later), None)

    def _end_before(self, idx: int) -> Passing | None:
        """The end of the prompt that stands right before what is missing, and was not taken."""
        for step in reversed(self.steps[:idx]):
            if isinstance(step, Step):
                if step.kind != "missing":
                    return None
            elif step.kind == "go-on":
                return step
        return None

    # ----------------------------------------------------------------------------------------------------------- extra

    def _extra(self, first: int, last: int, units: Sequence[Unit]) -> Blame:
        """The request has messages that the spec does not send."""
        before, after, gap = self._gap(first, last)
        unit, roles = units[0], [each.role for each in units]
        end = next((each for each in gap if each.kind == "end"), None)
        if end is not None:
            return Blame(end.origin, "the prompt ends here, and the request goes on", unit)
        for loop in (self._longer(before, roles), self._longer(after, roles), self._turned(first, roles)):
            if loop is not None:
                return Blame(loop.origin, "the request has more rounds than this loop makes", unit)
        for each in gap:
            is_left_out = (each.kind == "skip" and not each.is_free) or (each.kind == "loop" and each.count == 0)
            if is_left_out and _can_send(each.node, roles):
                what = "alternative is not taken" if each.kind == "skip" else "loop makes no round"
                return Blame(each.origin, f"this {what}, and the request has {_count(units)} here", unit)
        neighbour = before or after
        if neighbour is None:
            return Blame(self.title, f"the request has {_count(units)} that the spec does not send", unit)
        where = "after" if before is not None else "before"
        return Blame(
            neighbour.origin, f"{where} this message the request has {_count(units)} that the spec does not send", unit
        )

    def _gap(self, first: int, last: int) -> tuple[Item | None, Item | None, list[Passing]]:
        """The messages of the spec around additional ones, and what is gone through between them."""
        begin, end = first, last
        while begin > 0 and not _item_of(self.steps[begin - 1]):
            begin -= 1
        while end + 1 < len(self.steps) and not _item_of(self.steps[end + 1]):
            end += 1
        before = _item_of(self.steps[begin - 1]) if begin else None
        after = _item_of(self.steps[end + 1]) if end + 1 < len(self.steps) else None
        return before, after, [step for step in self.steps[begin : end + 1] if isinstance(step, Passing)]

    def _longer(self, item: Item | None, roles: Sequence[str]) -> Around | None:
        """The loop of which additional messages are more rounds."""
        for size in range(len(item.around) if item is not None else 0, 0, -1):
            key = item.around[:size] if item is not None else ()
            if not isinstance(key[-1].node, ForEach):
                continue
            if _is_repeated(self._roles(key), list(roles), []):
                return key[-1]
        return None

    def _turned(self, first: int, roles: Sequence[str]) -> Around | None:
        """The loop of which additional messages are more rounds, where what follows it looks like its beginning."""
        between: list[str] = []
        for step in reversed(self.steps[:first]):
            item = _item_of(step)
            loops = [each for each in item.around if isinstance(each.node, ForEach)] if item is not None else []
            if item is not None and loops:
                key = item.around[: item.around.index(loops[0]) + 1]
                return loops[0] if _is_repeated(self._roles(key), list(roles), between) else None
            if item is not None:
                between.insert(0, item.role)
        return None

    def _roles(self, key: tuple[Around, ...]) -> list[str]:
        """The roles of the messages in a round."""
        items = (_item_of(step) for step in self.steps)
        return [item.role for item in items if item is not None and item.around[: len(key)] == key]


def _is_repeated(of_round: list[str], roles: list[str], between: list[str]) -> bool:
    """Whether roles are those of whole rounds, perhaps beginning behind some messages that begin a round, too."""
    times, rest = divmod(len(roles), len(of_round)) if of_round else (0, 1)
    return rest == 0 and between + roles == of_round * times + between


def _can_send(node: Node, roles: Sequence[str]) -> bool:
    """Whether messages of these roles may come out of a construct; of a fragment that is not known."""
    inside = list(walk(node))
    if any(isinstance(each, FragUse) for each in inside):
        return True
    return {*roles} <= {each.role for each in inside if isinstance(each, RoleMessage)}


def _item_of(step: Step | Passing) -> Item | None:
    return step.item if isinstance(step, Step) else None


def _of_message(step: Step) -> Blame:
    """A message that is another one than the spec says."""
    assert step.item is not None  # noqa: S101  # it stands beside one of the spec
    said = step.misfit.said if step.misfit is not None else None
    return Blame(step.item.origin if said is None else said.origin, step.reason, step.unit)


def _of_block(outer: Around, step: Step) -> str:
    if isinstance(outer.node, Arm):
        return f"this alternative is taken, and nothing of it is in the request: {step.reason}"
    return f"the loop makes round {outer.number}, and nothing of it is in the request"


def _count(units: Sequence[Unit]) -> str:
    return NAMED[units[0].role] if len(units) == 1 else f"{len(units)} messages"
