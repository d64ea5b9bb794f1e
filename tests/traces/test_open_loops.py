"""Loops over turns whose first turn the requests do not say: the last turn is known, and so are those before it."""

from collections.abc import Sequence

import pytest

from acdl_mkdocs.runs.match.compile import MOST_LAST_TURNS
from acdl_mkdocs.runs.read.recorded import Recorded
from traces.sent import checked, request

SUMMARISED = """// acdl: range=inclusive
Chat[@T]: {
    S: INSTRUCTIONS
    Name start := sys.first_turn[@T]
    If @$start > 1 {
        S: sys.summary[@T]
    }
    ForEach(t: range(@$start, @T)) {
        U: env.question[@t]
        PromptEndsHere when @t == @T
        A: resp.answer[@t]
    }
}"""


def run(kept: Sequence[int], extra: str = "") -> list[Recorded]:
    """A request for each turn with so many turns, the current one included; the last one has a message more."""
    requests: list[Recorded] = []
    for turn, n_kept in enumerate(kept, start=1):
        said = [text for t in range(turn - n_kept + 1, turn + 1) for text in (f"U: q{t}", f"A: a{t}")][:-1]
        more = [extra] if extra and turn == len(kept) else []
        requests.append(request(str(turn), "S: be kind", *["S: in short"] * (n_kept < turn), *said, *more))
    return requests


@pytest.mark.parametrize("kept", [(1, 2, 3), (1, 2, 1, 2, 3), (1, 1, 1, 1), tuple(range(1, MOST_LAST_TURNS + 6))])
def test_any_turn_may_be_the_first(kept: tuple[int, ...]) -> None:
    """Also one that is far before the current one."""
    found = checked(SUMMARISED, *run(kept))
    assert (found.n_agreeing, found.is_refuted) == (len(kept), False)


@pytest.mark.parametrize("kept", [(1, 2, 1, 2), tuple(range(1, MOST_LAST_TURNS + 6))])
def test_the_prompt_ends_in_the_last_turn(kept: tuple[int, ...]) -> None:
    """However the loop begins, its last turn is the current one, in which nothing follows the question."""
    assert checked(SUMMARISED, *run(kept, extra="A: something")).is_refuted


def test_contents_belong_to_their_turns() -> None:
    """Questions have the number of their turn, so that another text at the same turn contradicts the first."""
    first, second, third = run((1, 2, 2))
    changed = request("3", "S: be kind", "S: in short", "U: another q2", "A: a2", "U: q3")
    assert not checked(SUMMARISED, first, second, third).is_refuted
    found = checked(SUMMARISED, first, second, changed)
    assert [line.line for line in found.lines if line.verdict == "refuted"] == [9]


def test_a_loop_up_to_the_turn_before() -> None:
    """Without the current turn, none of its messages is in the loop."""
    text = """// acdl: range=inclusive
    Chat[@T]: {
        ForEach(t: range(sys.first_turn[@T], @T-1)) {
            U: env.question[@t]
            A: resp.answer[@t]
        }
        U: env.question[@T]
    }"""
    requests = [request("1", "U: q1"), request("2", "U: q1", "A: a1", "U: q2"), request("3", "U: q3")]
    assert not checked(text, *requests).is_refuted
    assert checked(text, *requests[:2], request("3", "U: q2", "U: q3")).is_refuted


def test_a_list_may_begin_anywhere() -> None:
    """Numbers are no turns: a loop up to a number says nothing about its rounds if its start is not known."""
    text = "Chat[@T]: { ForEach(n: range(sys.first, 3)) { U: sys.item[n] } }"
    assert not checked(text, request("1", *(f"U: item {n}" for n in range(5)))).is_refuted
