"""Recorded runs that are checked against a spec: a conversation whose requests grow, and one of half its length."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Row, in_turn, ratio_row, timed_row

from acdl_mkdocs.prompt import Json
from acdl_mkdocs.testing import assert_matches_spec

SPEC = """\
Chat[@T]: {
    S: INSTRUCTIONS
    ForEach(t: range(1, @T)) {
        U: env.user_question[@t]
        A: resp.answer[@t]
    }
    U: env.user_question[@T]
}
"""
N_TURNS = 100


def measure() -> list[Row]:
    """All rows of this part."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "chat.acdl"
        path.write_text(SPEC, "utf-8")
        check = partial(assert_matches_spec, path=path, range="half-open")
        few, many = in_turn(5, *(partial(check, requests(n_turns)) for n_turns in (N_TURNS // 2, N_TURNS)))
    n_few, n_many = (sum(len(_messages(turn)) for turn in range(1, n + 1)) for n in (N_TURNS // 2, N_TURNS))
    what = f"check a run of {N_TURNS} requests, {n_many:,} messages"
    most = round(1.2 * n_many / n_few, 2)
    return [
        timed_row(what, many, at_most_ms=3000),
        ratio_row("the same", many, f"{N_TURNS // 2} requests, {n_few:,} messages", few, at_most=most),
    ]


def requests(n_turns: int) -> list[dict[str, Json]]:
    """The bodies of the requests of a conversation, each with all that was said before."""
    return [{"model": "m", "messages": _messages(turn)} for turn in range(1, n_turns + 1)]


def _messages(turn: int) -> list[Json]:
    said: list[Json] = [{"role": "system", "content": "You answer questions about trains."}]
    for before in range(1, turn):
        said.append({"role": "user", "content": f"question {before}"})
        said.append({"role": "assistant", "content": f"answer {before}"})
    return [*said, {"role": "user", "content": f"question {turn}"}]
