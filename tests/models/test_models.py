"""The contract that every model keeps, scripted models, and JSON that is asked for, checked and repaired."""

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acdl_mkdocs.playbook.learn.models
from acdl_mkdocs.foundation.json_schema import is_strict
from acdl_mkdocs.playbook.learn.models import MAX_SENT_BACK, MODELS, Model, ModelError, Reply, Usage, json_reply
from acdl_mkdocs.playbook.learn.models import model as model_errors
from acdl_mkdocs.playbook.learn.models.endpoint import Patience, retry_after_s
from acdl_mkdocs.playbook.learn.models.json_reply import find_faults, read_json
from acdl_mkdocs.playbook.learn.models.model import BadJsonReplyError, CutReplyError, StatusError
from acdl_mkdocs.playbook.learn.models.scripted import Line, Scripted, ScriptEndedError, prompt_words
from acdl_mkdocs.prompts.prompt import Json, Message, Prompt, Text
from models.loopback import Loopback, said

PROMPT = Prompt((Message("user", (Text("How many?"),)),))
SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "answer": {"type": "string", "minLength": 1},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["helpful", "harmful"]}, "maxItems": 2},
        "n": {"type": ["integer", "null"], "minimum": 0},
    },
    "required": ["answer"],
    "additionalProperties": False,
}


@pytest.fixture(params=sorted(MODELS))
def model(request: pytest.FixtureRequest) -> Iterator[Model]:
    """One model of each kind that answers "three" to two questions."""
    if request.param == "scripted":
        yield MODELS["scripted"](["three", "three"])
        return
    with Loopback([said("three"), said("three")]) as server:
        yield MODELS[request.param]("m", server.url)


def test_contract(model: Model) -> None:
    """Every model has a name, takes every wish, and gives a reply whose usage is of this call alone."""
    assert isinstance(model, Model)
    assert model.name
    plain = model.complete(PROMPT)
    wished = model.complete(PROMPT, json_schema=SCHEMA, max_model_tokens=5, temperature=1.0, seed=3)
    for reply in (plain, wished):
        assert isinstance(reply, Reply)
        assert (reply.text, reply.finish) == ("three", "stop")
        assert reply.model
        assert reply.usage.prompt_model_tokens > 0
        assert reply.usage.model_tokens == reply.usage.prompt_model_tokens + reply.usage.reply_model_tokens
    assert plain.usage == wished.usage


def test_contract_of_pickles(model: Model) -> None:
    """Every model can be sent to another process."""
    model.complete(PROMPT)
    assert pickle.loads(pickle.dumps(model)).complete(PROMPT).text == "three"  # noqa: S301


def test_every_model_is_listed() -> None:
    """A module with a class that completes prompts is a line of `MODELS`."""
    folder = Path(acdl_mkdocs.playbook.learn.models.__file__).parent
    found = {path.stem for path in folder.glob("*.py") if "    def complete(\n" in path.read_text("utf-8")}
    assert found - {"model"} == set(MODELS)


def test_every_error_is_drawn() -> None:
    """The drawing of the errors has them all, and each survives being sent between processes."""
    kinds = [kind for kind in vars(model_errors).values() if isinstance(kind, type) and issubclass(kind, ModelError)]
    for kind in kinds:
        assert kind.__name__ in str(model_errors.__doc__)
        copy = pickle.loads(pickle.dumps(kind("it broke", "mend it", Usage(1, 2))))  # noqa: S301
        assert (type(copy), str(copy), copy.usage) == (kind, "it broke; mend it", Usage(1, 2))
    assert len(kinds) == 14


def test_status_error_survives_pickles() -> None:
    """What a status means for retries is not lost on the way."""
    copy = pickle.loads(pickle.dumps(StatusError("x", "", None, 429, 7.0)))  # noqa: S301
    assert (copy.status, copy.retry_after_s, copy.is_transient, copy.is_final) == (429, 7.0, True, False)


def test_scripted_model_records() -> None:
    """A scripted model keeps what it was asked, says replies and errors as they are, and counts words as usage."""
    model = Scripted(["one two", Reply("x", Usage(7, 8)), CutReplyError("cut")])
    assert model.complete(PROMPT) == Reply("one two", Usage(2, 2), "scripted")
    assert model.complete(PROMPT).usage == Usage(7, 8)
    with pytest.raises(CutReplyError):
        model.complete(PROMPT, json_schema=SCHEMA)
    assert model.prompts == [PROMPT] * 3
    assert model.schemas == [None, None, SCHEMA]


def test_script_that_ends() -> None:
    """A script that has run out fails with what was asked, and not as a model would."""
    model = Scripted(["one"])
    model.complete(PROMPT)
    with pytest.raises(ScriptEndedError, match=r"1 replies and question 2 was asked: How many\?") as caught:
        model.complete(PROMPT)
    assert not isinstance(caught.value, ModelError)


def test_scripted_by_a_function() -> None:
    """A script may be a function of the prompt."""
    assert Scripted(lambda prompt: prompt_words(prompt).upper()).complete(PROMPT).text == "HOW MANY?"


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": "x"}',
        ' \n{"answer": "x"}\n',
        '```json\n{"answer": "x"}\n```',
        'Here it is:\n```\n{"answer": "x"}\n```\nGood luck!',
        'The answer is {"answer": "x"}, I think.',
        '<think>{"answer": "no"} or not</think>{"answer": "x"}',
        'I take {not json} and {"other": 1} and then {"answer": "x"}',
        '\ufeff{"answer": "x"}',
        'A draft: {"answer": "no"}. Better: {"answer": "x"}',
        '```json\n{"answer": "no"}\n```\nNo:\n```json\n{"answer": "x"}\n```',
        '<think>a</think> b <think>{"answer": "no"}</think>\n{"answer": "x"}',
        'The template began the thought. {"answer": "no"}</think>{"answer": "x"}',
        '<think>so it is {"answer": "x"}</think> as I said',
        "$" + r"\frac{a}{b} + " * 100 + '$, so {"answer": "x"}',
        '{"answer": "x",}',
        '```json\n{\n  "answer": "x", \n}\n```',
        '[{"answer": "x"}]',
        'Sure: [{"answer": "x"},]',
        '[[{"answer": "x"}]]',
        '{"answer": "x"} // as asked',
        '{\n  // what was asked\n  "answer": "x", # nothing else\n  /* done */\n}',
        '```jsonc\n{"answer": /* short */ "x",}\n```',
    ],
)
def test_json_in_a_reply(text: str) -> None:
    """JSON is found in fences, behind thoughts and between words; of several values, the one that fits."""
    assert read_json(text, SCHEMA) == ({"answer": "x"}, ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no", "there is no whole JSON value in it"),
        ("", "there is no whole JSON value in it"),
        ('{"answer": "x"', "there is no whole JSON value in it"),
        ("[1]", "the reply: expected object, found array"),
        ('{"answer": NaN}', "there is no whole JSON value in it"),
        ('{"answer": "x", "answer": "y"}', "there is no whole JSON value in it"),
        ("{}", "the key `answer` is missing"),
        ('{"anser": "x"}', "the key `answer` is missing; `anser` is there"),
        ('{"answer": 1}', "answer: expected string, found integer"),
        ('{"answer": ""}', "answer: expected at least 1 characters"),
        ('{"answer": "x", "n": true}', "n: expected integer or null, found boolean"),
        ('{"answer": "x", "n": -1}', "n: expected at least 0"),
        ('{"answer": "x", "tags": ["helpful", "odd"]}', "tags[1]: expected one of helpful, harmful"),
        ('{"answer": "x", "tags": ["helpful", "helpful", "helpful"]}', "tags: expected at most 2 elements"),
        ('{"answer": "x", "more": 1}', "more: no such key was asked for"),
        ("[" * 100_000, "JSON"),
        ("x" * 1_000_001, "at most 1,000,000 characters"),
    ],
)
def test_json_that_is_not_as_asked_for(text: str, words: str) -> None:
    """What is wrong is said with its place, and nothing is guessed."""
    _, wrong = read_json(text, SCHEMA)
    assert words in wrong[0] or "nested too deeply" in wrong[0]


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """No reply makes the reader raise."""
    read_json(text, SCHEMA)


def test_any_of() -> None:
    """Of several shapes one is enough; if none fits, the nearest is told about."""
    schema: dict[str, Json] = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    assert not list(find_faults(["a"], schema))
    assert list(find_faults([1], schema)) != []


def test_strict_schemas() -> None:
    """A schema is strict if each of its objects wants all of its keys and no other."""
    whole: dict[str, Json] = {**SCHEMA, "required": ["answer", "tags", "n"]}
    assert (is_strict(whole), is_strict(SCHEMA)) == (True, False)
    assert not is_strict({"type": "array", "items": {"type": "object"}})


def test_json_reply_at_once() -> None:
    """A reply that is as asked for costs one call."""
    found = json_reply(Scripted(['{"answer": "x"}']), PROMPT, SCHEMA)
    assert (found.value, found.is_repaired) == ({"answer": "x"}, False)


def test_json_reply_is_repaired_once() -> None:
    """A model is told what is wrong with its reply, after its own words; the usage of both calls is summed."""
    model = Scripted([Reply('{"answer": 1}', Usage(10, 2)), Reply('{"answer": "1"}', Usage(20, 3))])
    found = json_reply(model, PROMPT, SCHEMA)
    assert (found.value, found.is_repaired, found.reply.usage) == ({"answer": "1"}, True, Usage(30, 5))
    asked = model.prompts[1].messages
    assert [message.role for message in asked] == ["user", "assistant", "user"]
    assert asked[1].parts == (Text('{"answer": 1}'),)
    assert "answer: expected string, found integer" in prompt_words(model.prompts[1])
    assert model.schemas == [SCHEMA, SCHEMA]


def test_commas_in_strings_stay() -> None:
    """A comma before a bracket is dropped only where it is none of a text."""
    assert read_json(r'{"answer": "a,}\",]",}', SCHEMA) == ({"answer": 'a,}",]'}, ())


def test_a_huge_reply_is_cut_before_it_is_sent_back() -> None:
    """What is sent for repair has the beginning and the end of the reply, and says how much is left out."""
    text = "begin" + "x" * 900_000 + "the end"
    model = Scripted([text, '{"answer": "x"}'])
    json_reply(model, PROMPT, SCHEMA)
    (sent,) = model.prompts[1].messages[1].parts
    assert isinstance(sent, Text)
    assert len(sent.text) < MAX_SENT_BACK + 100
    assert (sent.text[:5], sent.text[-7:]) == ("begin", "the end")
    assert f"[… {len(text) - MAX_SENT_BACK:,} characters left out …]" in sent.text


def test_usage_that_is_not_reported_is_unknown() -> None:
    """A reply without usage is no free reply; sums remember of how many calls nothing is known."""
    assert Reply("x").usage.is_unknown
    known = Reply("x").usage + Usage(3, 4)
    assert (known.model_tokens, known.n_unreported, known.is_unknown) == (7, 1, False)
    assert not Usage().is_unknown


def test_json_reply_that_is_enough() -> None:
    """A model is asked for one schema, and its reply may be looked at with another."""
    model = Scripted(['{"answer": 1}'])
    enough: dict[str, Json] = {"type": "object", "required": ["answer"]}
    found = json_reply(model, PROMPT, SCHEMA, accepted=enough)
    assert (found.value, found.is_repaired, model.schemas) == ({"answer": 1}, False, [SCHEMA])


def test_a_mark_of_thoughts_in_an_answer() -> None:
    """JSON that speaks of thoughts is not cut."""
    assert read_json('{"answer": "the tag </think> ends it"}', SCHEMA)[1] == ()
    assert read_json('So: {"answer": "the tag </think> ends it"}', SCHEMA)[1] == ()


def test_json_reply_is_not_repaired_twice() -> None:
    """A second reply that is wrong is an error with the usage of both."""
    with pytest.raises(BadJsonReplyError, match="twice") as caught:
        json_reply(Scripted([Reply("a", Usage(1, 2)), Reply("b", Usage(3, 4))]), PROMPT, SCHEMA)
    assert caught.value.usage == Usage(4, 6)


def test_json_reply_whose_repair_fails() -> None:
    """What the first call cost is in the error of the second."""
    script: list[Line] = [Reply("a", Usage(1, 2)), CutReplyError("cut", "", Usage(3, 4))]
    with pytest.raises(CutReplyError) as caught:
        json_reply(Scripted(script), PROMPT, SCHEMA)
    assert caught.value.usage == Usage(4, 6)


@given(st.integers(1, 10_000), st.binary(max_size=8), st.one_of(st.none(), st.floats(-10, 1e9)))
def test_waits_have_bounds(attempt: int, request: bytes, asked_s: float | None) -> None:
    """No wait is negative or longer than the longest."""
    assert 0 <= Patience().wait_s(attempt, request, asked_s) <= 30


@given(st.text(max_size=30))
def test_any_retry_after(text: str) -> None:
    """No header makes the reader raise or wait a negative time."""
    found = retry_after_s({"retry-after": text}, 0.0)
    assert found is None or found >= 0
