"""Specs that are told to send the same do, whatever was done to them; other spellings are not a difference."""

from collections import Counter
from pathlib import Path

import pytest
from comparison.compared import difference
from comparison.rewritten import respelled, rewritten
from evaluated import bodies, points, states
from hypothesis import given
from strategies import EXAMPLES

import acdl_mkdocs
from acdl_mkdocs.compare.choose_specs import first_spec
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Transcript, build_prompt
from acdl_mkdocs.foundation.errors import UnknownSpecError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.resolve import resolve
from acdl_mkdocs.language.syntax.parse import parse


def sent(text: str, state: State, at: str) -> Transcript:
    """What a text sends."""
    return evaluate(resolve(parse(Source(text))), state, at, Options(missing="empty"))


@given(pair=rewritten(bodies), state=states(), at=points)
def test_what_is_told_to_send_the_same_does(pair: tuple[str, str], state: State, at: str) -> None:
    """With fragments, renames that hit other names, and changes that are easily overlooked."""
    if difference(*pair).is_equal_sent:
        one, other = (sent(text, state, at) for text in pair)
        is_known = all(piece.status == "given" for each in (one, other) for piece in each.pieces)
        assert not is_known or build_prompt(one) == build_prompt(other)


@given(pair=rewritten(bodies), state=states(), at=points)
def test_points_are_the_same_where_the_prompts_are(pair: tuple[str, str], state: State, at: str) -> None:
    """What is compared is what goes to a provider; changes account for all of it, and nothing is told of errors."""
    try:
        found = acdl_mkdocs.diff_sent(*pair, state, at, tokens="none")
    except UnknownSpecError:
        old, new = (first_spec(parse(Source(text))) for text in pair)
        assert old != new or old is None
        return
    (point,) = found.points
    names = (found.old_spec, found.new_spec)
    one, other = (
        evaluate(resolve(parse(Source(text))), state, at, Options(spec=name, missing="placeholder"))
        for text, name in zip(pair, names, strict=True)
    )
    is_known = all(piece.status == "given" for each in (one, other) for piece in each.pieces)
    has_errors = bool(one.errors or other.errors or any(parse(Source(text)).diagnostics for text in pair))
    assert (point.verdict == "failed") == has_errors
    if has_errors:
        assert not point.changes
        return
    if is_known:
        assert (point.verdict != "different") == (build_prompt(one) == build_prompt(other))
    kinds = Counter(each.kind for each in point.changes)
    n_both = point.n_kept + kinds["moved"] + kinds["changed"] + kinds["role"]
    assert len(one.messages) == n_both + kinds["removed"]
    assert len(other.messages) == n_both + kinds["added"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_written_otherwise(path: Path) -> None:
    """An example in other spellings sends the same at points of its state."""
    old = path.read_text("utf-8")
    new = old
    for written, again in (("If ", "if "), ("ForEach", "for"), ("U: ", "user: "), (" and ", " && "), ("\n", "\n\n")):
        new = new.replace(written, again)
    state = path.with_suffix(".state.yaml")
    assert acdl_mkdocs.diff(old, new).edits == ()
    sent_by_both = acdl_mkdocs.diff_sent(old, new, state, tokens="none")
    assert sent_by_both.points
    assert {point.verdict for point in sent_by_both.points} <= {"same", "same as far as known", "undecided"}


@given(pair=respelled(bodies))
def test_other_spellings_are_no_difference(pair: tuple[str, str]) -> None:
    """Operators, keywords, roles, blanks and lines may be written otherwise, not even a comment differs."""
    if not any(parse(Source(text)).diagnostics for text in pair):
        assert difference(*pair).is_empty
