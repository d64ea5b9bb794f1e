"""Coverage of a spec by one evaluation: how often its loops ran, and which statements were never reached.

Takes the tree of the spec and the counts of a transcript. Fragments of the same text belong to the spec that uses them.
"""

from collections.abc import Iterator

from acdl_mkdocs.evaluation.transcript import Transcript
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Comment,
    Declaration,
    File,
    ForEach,
    Fragment,
    FragUse,
    If,
    Node,
    Prompt,
    Switch,
    walk,
)


@dataclass(frozen=True, slots=True)
class LoopRun:
    """A loop that was reached."""

    span: Span
    variable: str
    rounds: int
    """Of all times that it was reached."""


@dataclass(frozen=True, slots=True)
class StatementCoverage:
    """The coverage of a spec by an evaluation."""

    spec: Span
    """The spec itself."""
    loops: tuple[LoopRun, ...]
    """In the order of the text."""
    untaken: tuple[Arm, ...]
    """Alternatives of a choice that was reached and went another way."""
    unreached: tuple[Span, ...]
    """Statements that were not executed; statements inside one of them are not listed again."""


def find_coverage(resolved: Resolved, transcript: Transcript) -> StatementCoverage:
    """Return the coverage of the spec of a transcript."""
    spec = _find_spec(resolved, transcript.spec)
    counts = transcript.counts
    loops: list[LoopRun] = []
    untaken: list[Arm] = []
    unreached: list[Span] = []
    stack: list[Node] = [spec, *_find_fragments(resolved, spec)]
    while stack:
        for node in _list_statements(stack.pop()):
            count = counts.get(node)
            if isinstance(node, ForEach) and count is not None:
                loops.append(LoopRun(node.span, node.variable.name if node.variable else "", count))
            if count:
                stack.append(node)
                continue
            unreached.append(node.span)
            if isinstance(node, Arm):
                untaken.append(node)
    return StatementCoverage(
        spec.span,
        tuple(sorted(loops, key=lambda each: each.span.start)),
        tuple(sorted(untaken, key=lambda each: each.span.start)),
        tuple(sorted(unreached, key=lambda span: span.start)),
    )


def _find_spec(resolved: Resolved, name: str) -> Prompt | File:
    file = resolved.parsed.file
    return next((item for item in file.items if isinstance(item, Prompt) and item.name.name == name), file)


def _find_fragments(resolved: Resolved, spec: Node) -> Iterator[Node]:
    """Yield the fragments of the same text that a spec uses, directly or not."""
    own = {item.name.name: item for item in resolved.parsed.file.items if isinstance(item, Fragment)}
    stack = [spec] if own else []
    while stack:
        for node in walk(stack.pop()):
            if isinstance(node, FragUse) and node.name.name in own:
                fragment = own.pop(node.name.name)
                stack.append(fragment)
                yield fragment


def _list_statements(node: Node) -> Iterator[Node]:
    """Return the statements directly inside a node."""
    inside = node.arms if isinstance(node, (If, Switch)) else node.items if isinstance(node, File) else None
    body = inside if inside is not None else getattr(node, "body", ())
    return (each for each in body if not isinstance(each, (Comment, Declaration, Fragment, Prompt)))
