"""Specs that are said to send the same do."""

from comparison.compared import difference, versions
from evaluated import bodies, points, states
from hypothesis import given

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Transcript, build_prompt
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.resolve import resolve
from acdl_mkdocs.language.syntax.parse import parse


def spec(body: str) -> str:
    """A spec with such statements."""
    return f"P[@T.I]: {{\n{body}\n}}\n"


@given(pair=versions(bodies), state=states(), at=points)
def test_what_is_told_to_send_the_same_does(pair: tuple[str, str], state: State, at: str) -> None:
    """Where no edit can change what is sent, evaluation gives the same messages."""
    old, new = map(spec, pair)
    if difference(old, new).is_equal_sent:
        one, other = (_sent(each, state, at) for each in (old, new))
        if not (_is_unsure(one) or _is_unsure(other)):
            assert build_prompt(one) == build_prompt(other)


def _sent(written: str, state: State, at: str) -> Transcript:
    return evaluate(resolve(parse(Source(written))), state, at, Options(missing="empty"))


def _is_unsure(transcript: Transcript) -> bool:
    """Whether it holds words about the text itself, such as names of what is not known."""
    return any(piece.status != "given" for piece in transcript.pieces)
