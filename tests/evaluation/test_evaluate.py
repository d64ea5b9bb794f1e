"""What specs send: a spec, a state and the messages, one case a rule; the points are those of the state."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import Key, Records, State, Tree
from acdl_mkdocs.evaluation.transcript import Finding, Piece, Round, Transcript, build_prompt
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.errors import PointError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.library import build_library
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.prompts.prompt import Text


def test_evaluate(case: Path, golden: Callable[[str, str], None]) -> None:
    """The messages at every point that the state names, and everything that is said about them."""
    resolved = parse_and_resolve(Source(case.read_text("utf-8"), case.name)).resolved
    file = case.with_suffix(".state.yaml")
    read = read_state(file.read_text("utf-8"), file.name, file.parent)
    assert read.state is not None
    assert not read.has_errors, read.problems
    transcripts = [evaluate(resolved, read.state, at) for at in parse_points(read.state.at or "1", read.state)]
    golden("\n".join("\n".join(described(each)) + "\n" for each in transcripts), "messages.txt")


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("1.1..3.2", "1.1 1.2 2.0 2.1 3.0 3.1 3.2"),
        ("1..3.2", "1.0 1.1 1.2 2.0 2.1 3.0 3.1 3.2"),
        ("1..3", "1 2 3"),
        ("1.2..2.1", "1.2 2.0 2.1"),
        ("3.*", "3.0 3.1 3.2 3.3"),
    ],
)
def test_ranges_of_points(text: str, points: str) -> None:
    """From one point to another with every sub-step that the state records between them."""
    steps: dict[Key, dict[str, Tree]] = {(1, 2): {}, (2, 1): {}, (3, 3): {}}
    assert " ".join(map(str, parse_points(text, State(Records(steps=steps))))) == points


@pytest.mark.parametrize(("condition", "is_sent"), [("1 < @T.I", True), ("2 < @T.I", False), ("@T.I > 1", True)])
def test_a_number_is_compared_with_the_substep(condition: str, is_sent: bool) -> None:
    """On either side of a time, a whole number means the sub-step."""
    resolved = parse_and_resolve(Source(f'P[@T.I]: {{ If {condition} {{ S: "yes" }} }}')).resolved
    (at,) = parse_points("3.2", State())
    assert bool(evaluate(resolved, State(), at).messages) is is_sent


@pytest.mark.parametrize(
    ("main", "other", "given", "n_messages"),
    [
        ("", "// acdl: range=inclusive\n", None, 3),
        ("// acdl: range=inclusive\n", "// acdl: range=half-open\n", None, 2),
        ("// acdl: range=inclusive\n", "", None, 3),
        ("", "// acdl: range=inclusive\n", "half-open", 2),
    ],
)
def test_a_fragment_reads_ranges_as_its_text_says(
    main: str, other: str, given: RangeMode | None, n_messages: int
) -> None:
    """A fragment of another text sends what the figure of that text shows, unless the evaluation is given a mode."""
    fragment = parse(Source(f"{other}RolesFrag Turns[@T]: {{ ForEach(t: range(1, @T)) {{ U: env.q[@t] }} }}", "f.acdl"))
    resolved = parse_and_resolve(Source(f"{main}P[@T]: {{ Frag Turns[@T] }}"), build_library([fragment])).resolved
    options = Options(range=given, missing="placeholder")
    assert len(evaluate(resolved, State(), "3", options).messages) == n_messages


@pytest.mark.parametrize(
    "text", ["1.*", "*.*", "1.1..1.999999999", "1.1.1..1.1.999999999", "1.0..2.999999999", "1..3, 1.*"]
)
def test_more_points_than_there_is_memory_for(text: str) -> None:
    """A range of a thousand million points is an error before they are counted; its beginning is not."""
    state = State(Records(steps={(1, 999_999_999): {}, (2, 3): {}}))
    with pytest.raises(PointError, match="are more than 1000 points; name fewer"):
        parse_points(text, state)
    assert len(parse_points("1..1.3", state)) == 4


def described(transcript: Transcript) -> Iterator[str]:
    """A transcript as lines that a person can check."""
    yield f"=== {transcript.spec} @{transcript.at}"
    for number, (message, sent) in enumerate(
        zip(transcript.messages, build_prompt(transcript).messages, strict=True), 1
    ):
        yield f"{number} {message.role} line {message.origin.line}{rounds(message.stack)}"
        for piece in message.pieces:
            yield from piece_lines(piece)
        if any(not isinstance(part, Text) for part in sent.parts):
            yield from (f"      {part!r}" for part in sent.parts)
    if transcript.ended is not None:
        yield f"ends at line {transcript.ended.line}"
    for choice in transcript.choices:
        yield f"left free in line {choice.origin.line}: {choice.condition} ({', '.join(choice.unknown)})"
    yield from map(finding_line, transcript.findings)


def piece_lines(piece: Piece) -> Iterator[str]:
    """A piece: where it came from, and what is sent."""
    status = "" if piece.status == "given" else f" {piece.status.upper()}"
    state = f" < {piece.state_path}" if piece.state_path else ""
    yield f"    {piece.kind}{status} {piece.resolved}{state}{rounds(piece.stack)}"
    yield from (f"      | {line}" for line in piece.text.split("\n"))


def rounds(stack: tuple[Round, ...]) -> str:
    """Loops and fragments around something."""
    return "".join(f", {each.kind} {each.name}={each.value}" for each in stack)


def finding_line(finding: Finding) -> str:
    """What is said, in a line."""
    each = finding.diagnostic
    place = finding.source.find_place(each.label.span.start)
    cures = "".join(f" = {cure}" for cure in each.help)
    return f"{each.severity}[{each.rule}] {place.line}:{place.column} {each.message} ({each.label.text}){cures}"
