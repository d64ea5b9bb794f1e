"""A state that is written from a recorded run sends what was recorded, at every point."""

from collections.abc import Mapping

from exhaustive import examples
from hypothesis import example, given
from hypothesis import strategies as st

from acdl_mkdocs.evaluation.evaluate import Options
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.prompts.prompt import Message, Prompt
from acdl_mkdocs.runs.infer.state import infer_state
from acdl_mkdocs.runs.match.verdicts import check_runs
from acdl_mkdocs.runs.read.recorded import Origin, Recorded
from traces.runs import answer, ask, result, system, user

SPEC = """// acdl: range=inclusive
Chat[@T.I]: {
    S: INSTRUCTIONS
    ForEach(t: range(1, @T-1)) {
        U: QUESTION
        ForEach(i: range(1, @t.substeps)) {
            A: resp.call[@t.i]
            T: RESULT
        }
        A: resp.answer[@t]
    }
    U: env.question[@T]
    ForEach(i: range(1, I)) {
        A: resp.call[@T.i]
        T: sys.result[@T.i]
    }
}
"""
PLAIN = {"QUESTION": "env.question[@t]", "RESULT": "sys.result[@t.i]"}
KINDS = {
    "questions": {"QUESTION": "short(env.question[@t])"},
    "results": {"RESULT": "short(sys.result[@t.i])"},
    "a number too": {"RESULT": "short(sys.result[@t.i], 3)"},
    "both": {"QUESTION": "short(env.question[@t])", "RESULT": "short(sys.result[@t.i])"},
}
"""What the spec sends of earlier turns through a function, by what it is called."""
WORDS = st.text("ab 1.:é\n-#'\"", min_size=1, max_size=12).map(str.strip).filter(bool) | st.sampled_from("ab")
TURNS = st.lists(
    st.tuples(WORDS, st.lists(st.tuples(WORDS, WORDS), max_size=2), WORDS),
    min_size=1,
    max_size=4,
    unique_by=lambda turn: turn[0],
)


def short(text: str) -> str:
    """What a function of the agent gives."""
    return f"about {text[:3].strip()}"


def recorded(turns: list[tuple[str, list[tuple[str, str]], str]], shortened: Mapping[str, str]) -> list[Recorded]:
    """The requests of a conversation: some things of earlier turns are shortened."""

    def earlier(what: str, text: str) -> str:
        return short(text) if what in shortened else text

    found: list[Recorded] = []
    before: list[Message] = []
    for number, (question, calls, said) in enumerate(turns, 1):
        now, later = [user(question)], [user(earlier("QUESTION", question))]
        for step in range(len(calls) + 1):
            request = Prompt((system("Be kind."), *before, *now))
            place = Origin("run.jsonl", len(found) + 1)
            found.append(Recorded(request, "openai", place, at=Time((number, step)), episode="a"))
            for asked, given_text in calls[step : step + 1]:
                call_id = f"c{number}.{step}"
                now += [ask(asked, call_id), result(given_text, call_id)]
                later += [ask(asked, call_id), result(earlier("RESULT", given_text), call_id)]
        before += [*later, answer(said)]
    return found


@examples(40)
@given(TURNS, st.sampled_from(sorted(KINDS)))
@example([("q", [("a", "same"), ("b", "same")], "s"), ("p", [("c", "x")], "s"), ("r", [], "s")], "results")
def test_an_emitted_state_sends_what_was_recorded(
    turns: list[tuple[str, list[tuple[str, str]], str]], kind: str
) -> None:
    """Functions whose arguments come from the state have samples for each of them, also where these are equal."""
    text = SPEC
    for name, said in (PLAIN | KINDS[kind]).items():
        text = text.replace(f": {name}\n", f": {said}\n")
    resolved, run = parse_and_resolve(Source(text, "chat.acdl")).resolved, recorded(turns, KINDS[kind])
    checked = check_runs(resolved, [run])
    assert not checked.is_refuted
    emitted = infer_state(resolved, checked, "state.schema.json", options=Options())
    assert emitted.notes == ()
    assert emitted.at == tuple(str(each.at) for each in run)
