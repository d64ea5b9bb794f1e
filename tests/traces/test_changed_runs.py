"""Runs that examples send with their sample states, each with one message changed: they are refuted at its line."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import SentMessage, build_prompt
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Arm, EndsHere, ForEach, walk
from acdl_mkdocs.prompts.prompt import Message, Text
from acdl_mkdocs.runs.match.verdicts import check_runs
from acdl_mkdocs.runs.read.recorded import Origin, Recorded
from traces.sent import examples

FILES = ("chat", "deepseek", "react", "tool-agent")
CHANGES = ("dropped", "doubled", "other text")
LEAST_REFUTED, LEAST_NAMED = 0.97, 0.93


def test_a_changed_message_is_refuted_at_its_line() -> None:
    """At the message, or at the loop, the alternative or the end that decides whether it is sent."""
    tried, refuted, named = Counter[str](), Counter[str](), Counter[str]()
    for file, resolved, state, name in examples():
        if file not in FILES:
            continue
        for change, run, message in changed_runs(resolved, state, name):
            found = check_runs(resolved, [run], state, Options(spec=name, range=state.range))
            tried[change] += 1
            refuted[change] += found.is_refuted
            named[change] += not lines_of(resolved, message).isdisjoint(
                line.line for line in found.list_lines("refuted")
            )
    assert all(tried[each] > 20 for each in CHANGES)
    assert all(refuted[each] >= LEAST_REFUTED * tried[each] for each in CHANGES), (tried, refuted)
    assert all(named[each] >= LEAST_NAMED * refuted[each] for each in CHANGES), (refuted, named)


def changed_runs(resolved: Resolved, state: State, name: str) -> Iterator[tuple[str, list[Recorded], SentMessage]]:
    """The run of a spec, with one message of its longest request changed."""
    points = parse_points("*.*" if state.last_step < 12 else state.at or "1", state)[:8]
    options = Options(spec=name, missing="placeholder")
    transcripts = [evaluate(resolved, state, at, options) for at in points]
    run = [
        Recorded(build_prompt(each), "pml", Origin("run.jsonl", number), at=at)
        for number, (at, each) in enumerate(zip(points, transcripts, strict=True), 1)
    ]
    at = max(range(len(run)), key=lambda idx: len(run[idx].request.messages))
    messages = run[at].request.messages
    for idx in range(0, len(messages), max(1, len(messages) // 3)):
        for change in CHANGES:
            request = replace(run[at].request, messages=changed(messages, idx, change))
            yield change, [*run[:at], replace(run[at], request=request), *run[at + 1 :]], transcripts[at].messages[idx]


def changed(messages: tuple[Message, ...], idx: int, change: str) -> tuple[Message, ...]:
    """Messages of which one is changed."""
    other = replace(messages[idx], parts=(Text("something else entirely"),))
    instead = {"dropped": (), "doubled": (messages[idx],) * 2, "other text": (other,)}[change]
    return (*messages[:idx], *instead, *messages[idx + 1 :])


def lines_of(resolved: Resolved, message: SentMessage) -> set[int]:
    """The lines of a message and of what it says, and those that decide whether it is sent."""
    source, span = message.origin.source, message.origin.span
    found = set(range(source.find_place(span.start).line, source.find_place(span.end).line + 1))
    found |= {each.origin.line for each in message.stack} | {each.origin.line for each in message.pieces}
    for node in walk(resolved.parsed.file):
        is_around = isinstance(node, Arm | ForEach) and node.span.start <= span.start and span.end <= node.span.end
        if is_around or isinstance(node, EndsHere):
            found.add(source.find_place(node.span.start).line)
    return found
