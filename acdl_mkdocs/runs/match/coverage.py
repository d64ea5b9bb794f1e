"""`list_lines()`: lines of a spec that runs can confirm; `Coverage`: the alternatives and loops that were taken."""

from collections.abc import Iterable, Iterator
from dataclasses import field
from itertools import islice
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Content,
    EndsHere,
    ForEach,
    Fragment,
    FragUse,
    Node,
    Prompt,
    RoleMessage,
    children,
)
from acdl_mkdocs.runs.match.match import Match
from acdl_mkdocs.runs.match.pattern import BranchPassing


@dataclass(slots=True)
class LoopCoverage:
    """Counts of requests in which a loop made no round, one, or several."""

    origin: Origin
    n_none: int = 0
    n_one: int = 0
    n_several: int = 0
    is_free: bool = False
    """Whether, at least once, only the request itself determined the number of rounds."""


@dataclass(slots=True)
class BranchCoverage:
    """Counts of requests in which an alternative was taken or the prompt ended, and of those in which not."""

    origin: Origin
    n_taken: int = 0
    n_passed: int = 0
    is_free: bool = False
    """Whether, at least once, only the request itself determined it."""


@dataclass(slots=True)
class Coverage:
    """The loops and branches of the requests that agree with a spec; those that none reached are absent."""

    loops: dict[ForEach, LoopCoverage] = field(default_factory=dict)
    ways: dict[Arm | EndsHere, BranchCoverage] = field(default_factory=dict)

    def add_match(self, match: Match | None) -> None:
        """Add one request: what it took, if it agrees."""
        if match is None or not match.is_agreeing:
            return
        passings = [step for step in match.steps if isinstance(step, BranchPassing)]
        for idx, passing in enumerate(passings):
            node = passing.node
            if not isinstance(node, ForEach):
                way = self.ways.setdefault(node, BranchCoverage(passing.origin))
                way.n_taken += passing.kind in ("arm", "end")
                way.n_passed += passing.kind in ("skip", "go-on")
                way.is_free |= passing.is_free
            elif passing.kind == "loop":
                loop = self.loops.setdefault(node, LoopCoverage(passing.origin))
                _count_loop(loop, passing, _count_rounds(passing, islice(passings, idx + 1, None)))

    def count_branches(self, nodes: Iterable[Node]) -> tuple[int, int]:
        """Count the ways through these nodes: how many were taken, and how many there are.

        A loop has three: no round, one, several. An alternative and an end have two: taken or not; one for all the
            rest, such as `Else`, has one.
        """
        n_gone = n_all = 0
        for node in nodes:
            if isinstance(node, ForEach):
                loop = self.loops.get(node)
                counts = [] if loop is None else [loop.n_none, loop.n_one, loop.n_several]
                n_all += 3
            elif isinstance(node, (Arm, EndsHere)):
                way = self.ways.get(node)
                counts = [] if way is None else [way.n_taken, way.n_passed]
                if is_last(node):
                    counts = counts[:1]
                n_all += 1 if is_last(node) else 2
            else:
                continue
            n_gone += sum(count > 0 for count in counts)
        return n_gone, n_all


def is_last(node: Arm | EndsHere) -> bool:
    """Return whether an alternative or an end has no condition, so that it is never passed."""
    return node.condition is None if isinstance(node, EndsHere) else node.kind in ("else", "default")


def _count_loop(loop: LoopCoverage, passing: BranchPassing, n_rounds: int) -> None:
    loop.n_none += n_rounds == 0
    loop.n_one += n_rounds == 1
    loop.n_several += n_rounds > 1
    loop.is_free |= passing.is_free


def _count_rounds(passing: BranchPassing, later: Iterable[BranchPassing]) -> int:
    """Count the rounds of a loop."""
    if passing.count is not None:
        return passing.count
    n_rounds = 0
    for each in later:
        if each.node is passing.node and each.kind == "loop":
            break
        n_rounds += each.node is passing.node and each.kind == "round"
    return n_rounds


Kind: TypeAlias = Literal["message", "content", "loop", "alternative", "end"]


@dataclass(frozen=True, slots=True)
class SpecLine:
    """A line of a spec, with the kind of what begins it."""

    kind: Kind
    origin: Origin


@dataclass(frozen=True, slots=True)
class Definition:
    """A spec or a fragment, and its source."""

    node: Node
    source: Source


def list_lines(resolved: Resolved, prompt: Prompt | None) -> list[SpecLine]:
    """Return the lines of a spec and of its fragments, each once, in the order of their first use."""
    lines: dict[tuple[str, int], SpecLine] = {}
    for definition in list_definitions(resolved, prompt):
        for node in _walk_definition(definition.node):
            for line in _list_line(node, definition.source):
                lines.setdefault((definition.source.name, line.origin.line), line)
    return list(lines.values())


def list_choices(resolved: Resolved, prompt: Prompt | None) -> list[ForEach | Arm | EndsHere]:
    """Return the loops, alternatives and ends of a spec and of its fragments, also several on a line."""
    nodes = (node for each in list_definitions(resolved, prompt) for node in _walk_definition(each.node))
    return [node for node in nodes if isinstance(node, (ForEach, Arm, EndsHere))]


def list_definitions(resolved: Resolved, prompt: Prompt | None) -> list[Definition]:
    """Return a spec and its fragments, each once, in the order of their first use."""
    definitions: dict[Node, Definition] = {}
    queue = [Definition(prompt or resolved.parsed.file, resolved.source)]
    while queue:
        definition = queue.pop(0)
        if definition.node in definitions:
            continue
        definitions[definition.node] = definition
        for node in _walk_definition(definition.node):
            if isinstance(node, FragUse):
                entry = resolved.fragment_of(node, definition.source)
                queue += [] if entry is None else [Definition(entry.node, entry.source)]
    return list(definitions.values())


def _walk_definition(definition: Node) -> Iterator[Node]:
    """Yield the nodes in a definition, and not in another one."""
    stack = [definition]
    while stack:
        node = stack.pop()
        yield node
        stack += [each for each in reversed(children(node)) if not isinstance(each, (Prompt, Fragment))]


def _list_line(node: Node, source: Source) -> Iterator[SpecLine]:
    match node:
        case RoleMessage():
            yield SpecLine("message", Origin(source, node.span))
        case Content() if not isinstance(node.value, FragUse):
            yield SpecLine("content", Origin(source, node.value.span))
        case ForEach():
            yield SpecLine("loop", Origin(source, node.keyword))
        case Arm():
            yield SpecLine("alternative", Origin(source, node.keyword))
        case EndsHere():
            yield SpecLine("end", Origin(source, node.span))
