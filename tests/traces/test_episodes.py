"""Which requests belong to one run, and which point each is at."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.prompts.prompt import Call, Json, Message, Opaque, Thinking
from acdl_mkdocs.runs import episodes as module
from acdl_mkdocs.runs.episodes import group_by_run, group_requests
from acdl_mkdocs.runs.points import assign_points
from acdl_mkdocs.runs.read.recorded import Recorded
from traces.runs import answer, ask, result, sent, system, user

S = system("Be brief.")
REACT: list[Message] = [
    S,
    user("Rain in Oslo tomorrow?"),
    ask("rain", "c1"),
    result("rainy", "c1"),
    ask("wind", "c2"),
    result("calm", "c2"),
    answer("It rains."),
    user("And in Bergen?"),
    ask("bergen", "c3"),
    result("wet", "c3"),
]
"""A conversation; the agent calls a model before each of its answers."""
POINTS = ["1.0", "1.1", "1.2", "2.0", "2.1"]


def calls(talk: Sequence[Message], episode: str | None = None) -> list[Recorded]:
    """The requests of an agent that sends everything so far."""
    ends = [at for at in range(1, len(talk)) if talk[at].role == "assistant"] + [len(talk)]
    return [sent(*talk[:end], line=number, episode=episode) for number, end in enumerate(ends, 1)]


def names(requests: Sequence[Recorded]) -> list[str | None]:
    """The run of each request."""
    return [each.episode for each in group_requests(requests)]


def points(requests: Sequence[Recorded], first: Time | None = None) -> list[str]:
    """The point of each request."""
    return [str(each.at) for each in assign_points(group_requests(requests), first)]


def test_growing_history() -> None:
    """An agent that sends all of its history is one run; steps and sub-steps are counted."""
    assert names(calls(REACT)) == ["run 1"] * 5
    assert points(calls(REACT)) == POINTS


def test_a_hint_that_comes_last() -> None:
    """What is always the last message begins no turn, and does not hide the rounds before it."""
    hint = user("The tool failed. Try again.")
    growing = [sent(*REACT[:end], *([hint] if end in (4, 6) else []), line=end) for end in (2, 4, 6, 8, 10)]
    assert points(growing) == POINTS
    reminded = [sent(*REACT[:end], hint, line=end) for end in (2, 4, 6, 8, 10)]
    assert points(reminded) == POINTS
    listed = [user(f"<reminder>Your list has {end} items.</reminder>") for end in (2, 4, 6, 8, 10)]
    made_anew = [sent(*REACT[:end], each, line=end) for end, each in zip((2, 4, 6, 8, 10), listed, strict=True)]
    assert points(made_anew) == POINTS


@pytest.mark.parametrize("n_kept", [0, 1, 2])
@pytest.mark.parametrize("hint", ["Remember: answer briefly.", "<reminder>Your list has {} items.</reminder>"])
def test_a_hint_after_results_that_are_cleared(hint: str, n_kept: int) -> None:
    """Nor does it where old results are replaced, even the last one of the request before."""
    requests = []
    for number, end in enumerate((2, 4, 6, 8, 10), 1):
        at = [index for index, each in enumerate(REACT[:end]) if each.role == "tool"]
        cleared = at[: max(0, len(at) - 1 - n_kept)]
        sent_again = [result("cleared") if index in cleared else each for index, each in enumerate(REACT[:end])]
        requests.append(sent(*sent_again, user(hint.format(number)), line=number))
    assert names(requests) == ["run 1"] * 5
    assert points(requests) == POINTS


def test_each_alone() -> None:
    """A request of such an agent has its point also when no other is known."""
    assert [points([each])[0] for each in calls(REACT)] == POINTS


@pytest.mark.parametrize("n_kept", [3, 4, 6])
def test_window(n_kept: int) -> None:
    """An agent that sends only its last messages, one of them known, goes on counting where it is."""
    requests = [sent(S, *each.request.messages[1:][-n_kept:]) for each in calls(REACT)]
    assert names(requests) == ["run 1"] * 5
    assert points(requests) == POINTS


def test_thoughts_dropped() -> None:
    """Ids and thoughts that are not sent again make no other run."""
    first = sent(
        S, user("Rain in Oslo?"), Message("assistant", (Thinking("hm"), *ask("rain").parts)), result("wet", "a")
    )
    then = sent(S, user("Rain in Oslo?"), ask("rain"), result("wet", "b"), ask("wind"), result("calm", "c"))
    assert points([first, then]) == ["1.1", "1.2"]


def test_answers_dropped() -> None:
    """An agent that keeps only results counts one sub-step for each request."""
    kept = [user("Rain?"), result("wet"), result("calm"), result("cold")]
    assert points([sent(*kept[:end]) for end in range(1, 5)]) == ["1.0", "1.1", "1.2", "1.3"]


def test_growing_text() -> None:
    """An agent that writes everything into one message is in the same step while it grows."""
    texts = [f"Question: rain in Oslo?\n{'Thought: look. Observation: wet.' * n}" for n in range(3)]
    assert points([sent(S, user(text)) for text in texts]) == ["1.0", "1.1", "1.2"]


def test_context_of_one_call() -> None:
    """A question that was sent with more text, once, is the same question afterwards."""
    first = sent(S, user("Rain?"), answer("Yes."), user("Wind? Today is Monday."))
    then = sent(S, user("Rain?"), answer("Yes."), user("Wind?"), answer("No."), user("Snow? Today is Monday."))
    assert names([first, then]) == ["run 1"] * 2


@pytest.mark.parametrize("begin", [[], [S]])
def test_context_of_the_first_call(begin: list[Message]) -> None:
    """So is the first question of a run, unless it is too short to be sure."""
    for text, n_runs in (("Will it rain in Oslo tomorrow?", 1), ("Rain?", 2)):
        first = sent(*begin, user(f"Today is Monday.\n{text}"))
        then = sent(*begin, user(text), answer("Yes."), user("Today is Monday.\nAnd wind?"))
        other = sent(*begin, user("Is it cold in Bergen now?"), answer("No."), user("And wind?"))
        assert len({*names([first, then])}) == n_runs
        assert len({*names([first, other])}) == 2


@pytest.mark.parametrize("n_calls", [1, 2, 3, 4])
def test_shortened_results(n_calls: int) -> None:
    """An agent that shortens the results of earlier turns has one run, however many calls it makes at once."""
    calls = [Call("look", {"n": number}, f"c{number}") for number in range(n_calls)]
    again = [replace(call, id=f"d{call.id}") for call in calls]
    long, short = "wet " * 20, "wet…"

    def turn(text: str, made: Sequence[Call], found: str) -> list[Message]:
        return [user(text), Message("assistant", tuple(made)), *(result(found, call.id) for call in made)]

    first = [S, *turn("Rain in Oslo?", calls, long)]
    second = [S, *turn("Rain in Oslo?", calls, short), answer("Yes."), *turn("And wind?", again, long)]
    third = [*second[: -1 - n_calls], *turn("", again, short)[1:], answer("No."), user("And snow?")]
    assert names([sent(*first), sent(*second), sent(*third)]) == ["run 1"] * 3


def test_interleaved() -> None:
    """Two agents at once are two runs, also when they begin with the same examples."""
    examples = [user("Example question"), answer("Example answer")]
    one = calls([S, *examples, user("Rain?"), ask("a"), result("wet"), ask("b"), result("dry")])[1:]
    two = calls([S, *examples, user("Wind?"), ask("c"), result("calm"), ask("d"), result("storm")])[1:]
    mixed = [each for pair in zip(one, two, strict=True) for each in pair]
    assert names(mixed) == ["run 1", "run 2"] * 3


def test_same_question_again() -> None:
    """The same question after a whole run begins another; a repeated call is at the same point."""
    assert names([*calls(REACT), *calls(REACT)]) == ["run 1"] * 5 + ["run 2"] * 5
    twice = [each for each in calls(REACT) for _ in range(2)]
    assert names(twice) == ["run 1"] * 10
    assert points(twice) == [point for point in POINTS for _ in range(2)]


def test_other_agents_of_short_messages() -> None:
    """One short message in the midst of another conversation is not a reason to join them."""
    one = sent(user("Rain?"), ask("a"), result("ok"))
    two = sent(user("Wind?"), ask("c"), result("calm"), ask("b"), result("ok"), ask("e"), result("no"))
    assert names([one, two]) == ["run 1", "run 2"]
    assert names([sent(user("Rain?"), answer("Yes."), user("Go on.")), sent(user("Go on."))]) == ["run 1", "run 2"]


def test_same_calls_at_the_same_time() -> None:
    """Runs that go on at the same time and make the same calls are told apart by their questions."""

    def talk(question: str, name: str) -> list[Message]:
        rounds = [each for n in range(4) for each in (ask("files", f"{name}{n}"), result("a b", f"{name}{n}"))]
        return [S, user(question), *rounds]

    one, two = calls(talk("What is in a?", "x")), calls(talk("What is in b?", "y"))
    mixed = [each for pair in zip(one, two, strict=True) for each in pair]
    assert names(mixed) == ["run 1", "run 2"] * 5
    assert names([*one[:3], *two[2:]]) == ["run 1"] * 3 + ["run 2"] * 3


def test_the_question_of_before_is_asked_again() -> None:
    """A user who says the same again begins another step."""
    talk = [user("Rain?"), answer("Yes."), user("Rain?"), answer("Yes."), user("Rain?")]
    assert points([sent(*talk[:end]) for end in (1, 3, 5)]) == ["1.0", "2.0", "3.0"]


def test_keys_of_providers() -> None:
    """A key that only the last message has makes no other run."""
    marked = Message("user", (*user("Rain in Oslo?").parts, Opaque("anthropic", {"cache_control": {}}, "more")))
    assert names([sent(S, marked), sent(S, user("Rain in Oslo?"), answer("Yes."), user("Wind?"))]) == ["run 1"] * 2


@pytest.mark.parametrize("format", ["openai", "anthropic", "gemini", "responses"])
def test_answers_that_are_recorded(format: str) -> None:
    """A request with the answer to an earlier one goes on with it, although history is left out or changed."""
    reply: dict[str, Json] = {
        "openai": {"choices": [{"message": {"role": "assistant", "content": "It rains until noon."}}]},
        "anthropic": {"content": [{"type": "text", "text": "It rains until noon."}]},
        "gemini": {"candidates": [{"content": {"parts": [{"text": "It rains until noon."}]}}]},
        "responses": {
            "output": [
                {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": "It rains until noon."}],
                }
            ]
        },
    }
    first = replace(calls(REACT)[2], format=format, reply=reply[format])
    changed = sent(S, user("Rain, tomorrow?"), answer("It rains until noon."), user("And in Bergen?"))
    assert names([first, changed]) == ["run 1"] * 2
    assert points([first, changed]) == ["1.2", "2.0"]
    assert names([replace(first, reply=None), changed]) == ["run 1", "run 2"]
    assert names([replace(first, reply={"choices": [], "content": 1, "output": {}}), changed]) == ["run 1", "run 2"]


def test_calls_that_were_answered() -> None:
    """The id of a call in a recorded answer tells the run whose history was cut in the middle."""
    message: Json = {
        "role": "assistant",
        "tool_calls": [{"id": "c3", "type": "function", "function": {"name": "look", "arguments": '{"q": "sun"}'}}],
    }
    first = replace(sent(*REACT[:6]), reply={"choices": [{"message": message}]})
    cut = sent(*REACT[:4], ask("sun", "c3"), result("none", "c3"))
    assert points([first, cut]) == ["1.2", "1.3"]
    assert names([replace(first, reply=None), cut]) == ["run 1", "run 2"]


def test_named_runs() -> None:
    """Runs that have names keep them, whatever they say."""
    assert names([*calls(REACT, "a")[:2], *calls(REACT, "b")[2:]]) == ["a", "a", "b", "b", "b"]


def test_examples_before() -> None:
    """Where examples stand before the first question, the first point is given."""
    examples = [user("Example question"), answer("Example answer")]
    requests = calls([S, *examples, *REACT[1:]])[1:]
    assert points(requests) == ["2.0", "2.1", "2.2", "3.0", "3.1"]
    assert points(requests, parse_point("1")) == POINTS


def test_given_points() -> None:
    """A point that is given stays, and the next are counted from it."""
    requests = calls(REACT)
    first, *others = group_requests(requests)
    given_first = Recorded(first.request, first.format, first.origin, parse_point("7.3"), first.episode)
    assert [str(each.at) for each in assign_points([given_first, *others])] == ["7.3", "7.4", "7.5", "8.0", "8.1"]


def test_stateless_with_names() -> None:
    """Requests of a run that have nothing in common: another question is another step."""
    texts = ["Rain in Oslo?", "Wind in Bergen?", "Wind in Bergen?"]
    assert points([sent(user(text), episode="a") for text in texts]) == ["1.0", "2.0", "2.0"]


def test_user_in_pieces() -> None:
    """Several messages of the user in a row are one turn, as providers take them."""
    assert points([sent(user("Memory: none"), user("Rain?"))]) == ["1.0"]
    assert points([sent(S)]) == ["1.0"]
    assert points([sent()]) == ["1.0"]


def test_results_in_the_wrong_role() -> None:
    """What the user says right behind calls is no turn, so that the wrong role is found and not another point."""
    talk = [each if each.role != "tool" else user("It is wet.") for each in REACT]
    assert points(calls(talk)) == POINTS
    assert points([sent(*talk[:3], user("one"), user("two"), answer("It rains."), user("And now?"))]) == ["2.0"]


def test_calls_of_earlier_turns_left_out() -> None:
    """A request that keeps only what was said belongs to the run whose calls it leaves out."""
    short = [S, REACT[1], REACT[6], REACT[7]]
    run = [*calls(REACT)[:3], sent(*short), sent(*short, *REACT[8:])]
    assert names(run) == ["run 1"] * 5
    assert points(run) == POINTS
    other = sent(S, user("Snow?"), REACT[6], REACT[7])
    assert names([*calls(REACT)[:3], other]) == ["run 1"] * 3 + ["run 2"]


def test_begun_answer() -> None:
    """The beginning of an answer that a request ends with is no round."""
    begun = answer("Thought:")
    talk = [user("Rain?"), ask("rain"), result("wet")]
    assert points([sent(talk[0], begun), sent(*talk, begun)]) == ["1.0", "1.1"]


def test_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that rested while many others went on is over."""
    monkeypatch.setattr(module, "MOST_OPEN", 2)
    first, then, *_ = calls(REACT)
    others = [sent(user(f"question {number}")) for number in range(3)]
    assert names([first, others[0], then]) == ["run 1", "run 2", "run 1"]
    assert names([first, *others, then])[-1] == "run 5"


def test_collected() -> None:
    """All runs at once, in the order of their beginnings."""
    found = group_by_run([*calls(REACT), sent(user("Other?"))])
    assert [(name, len(each)) for name, each in found.items()] == [("run 1", 5), ("run 2", 1)]
    again = group_by_run(assign_points(group_requests(calls(REACT))))
    assert [str(each.at) for each in again["run 1"]] == POINTS


def long_talks() -> st.SearchStrategy[list[Message]]:
    """Conversations of several turns, each with some rounds; no two messages say the same."""

    def made(rounds: list[int]) -> list[Message]:
        talk: list[Message] = []
        for turn, n_rounds in enumerate(rounds):
            talk += [answer(f"done {turn}")] if talk else []
            talk.append(user(f"question {turn}"))
            for number in range(n_rounds):
                talk += [ask(f"{turn}.{number}"), result(f"result {turn}.{number}")]
        return talk

    return st.lists(st.integers(0, 4), min_size=1, max_size=6).map(made)


@given(long_talks(), st.integers(3, 30))
def test_any_talk(talk: list[Message], n_kept: int) -> None:
    """However long a conversation is and however much of it is kept, points go up by one step or sub-step."""
    requests = [sent(*each.request.messages[-n_kept:]) for each in calls(talk)]
    wanted: list[str] = []
    turn, n_rounds = 0, 0
    for end in [at for at in range(1, len(talk)) if talk[at].role == "assistant"] + [len(talk)]:
        turn = sum(each.role == "user" for each in talk[:end])
        last = max(at for at in range(end) if talk[at].role == "user")
        n_rounds = sum(each.role == "tool" for each in talk[last:end])
        wanted.append(f"{turn}.{n_rounds}")
    assert points(requests) == wanted
    assert set(names(requests)) == {"run 1"}
