"""Messages that a body repeats from the one before it: read once, with the same result as for each body alone."""

import random
from collections.abc import Sequence

import pytest
from steps import n_steps

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.read_body import KnownMessages


def call(name: str) -> Json:
    """A call of a tool, as Chat Completions has it."""
    function: Json = {"name": "look", "arguments": '{"q": 1}'}
    return {"role": "assistant", "tool_calls": [{"id": name, "type": "function", "function": function}]}


def use(*names: str) -> Json:
    """Calls of tools, as Messages has them."""
    return {"role": "assistant", "content": [{"type": "tool_use", "id": n, "name": "look", "input": {}} for n in names]}


def result(*names: str) -> Json:
    """Results, and words behind them, as Messages has them."""
    blocks: list[Json] = [{"type": "tool_result", "tool_use_id": name, "content": "wet"} for name in names]
    return {"role": "user", "content": [*blocks, {"type": "text", "text": "Go on."}]}


CONVERSATIONS: dict[str, tuple[str, list[Json]]] = {
    "openai": (
        "messages",
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Rain?"},
            call("a"),
            call("a"),
            call("b"),
            {"role": "tool", "tool_call_id": "a", "content": "wet"},
            {"role": "tool", "tool_call_id": "z", "content": "of no call"},
            {"role": "asistant", "content": "misspelled"},
            {"role": "assistant", "content": "Yes.", "refusal": None},
            "no message",
        ],
    ),
    "anthropic": (
        "messages",
        [
            {"role": "user", "content": "Rain?"},
            use("a", "b"),
            use("a"),
            result("b"),
            result("a", "z"),
            {"role": "system", "content": "Be brief."},
            {"role": "assistant", "content": [{"text": "a block without a type"}]},
        ],
    ),
    "gemini": (
        "contents",
        [
            {"role": "user", "parts": [{"text": "Rain?"}]},
            {"role": "model", "parts": [{"functionCall": {"id": "a", "name": "look", "args": {}}}]},
            {
                "role": "user",
                "parts": [{"functionResponse": {"id": "a", "name": "look", "response": {"output": "wet"}}}],
            },
            {
                "role": "user",
                "parts": [{"functionResponse": {"id": "z", "name": "see", "response": {}}}, {"text": "?"}],
            },
            {"role": "nobody", "parts": []},
        ],
    ),
}


def bodies_of(key: str, messages: Sequence[Json]) -> list[Json]:
    """Bodies that mostly begin as the one before, in any order, also with messages that are changed or left out."""
    chosen = random.Random(5)  # noqa: S311 - the same bodies each time
    bodies: list[Json] = []
    said: list[Json] = []
    for _ in range(120):
        said = said[: chosen.choice((len(said), len(said), len(said) - 1, 0))] if len(said) < 14 else said[1:]
        said = [*said, *chosen.choices(messages, k=chosen.randrange(3))]
        bodies.append({"model": chosen.choice(("claude-opus-4-8", "m")), key: said})
    return bodies


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_the_same_is_read(name: str) -> None:
    """Messages, and problems with their places, are those of each body by itself."""
    known = KnownMessages()
    problems: set[str] = set()
    for body in bodies_of(*CONVERSATIONS[name]):
        alone = PROVIDERS[name].read(body)
        assert PROVIDERS[name].read(body, known) == alone
        problems |= {each.sentence for each in alone.problems}
    assert len(problems) > 3


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_messages_are_read_once(name: str) -> None:
    """What is repeated is given as the same objects, and costs little."""
    key, messages = CONVERSATIONS[name]
    body: Json = {key: messages * 20}
    known = KnownMessages()
    first = PROVIDERS[name].read(body, known).prompt.messages
    n_alone = n_steps(lambda: PROVIDERS[name].read(body))
    assert n_steps(lambda: PROVIDERS[name].read(body, known)) < n_alone / 2
    again = PROVIDERS[name].read(body, known).prompt.messages
    assert [one is two for one, two in zip(first, again, strict=True)] == [True] * len(first)


def test_calls_before_the_messages() -> None:
    """Where a call is in the instructions, what results are of is found out for each body."""
    known = KnownMessages()
    said: list[Json] = [result("a")]
    for name in ("look", "see"):
        block: Json = {"type": "tool_use", "id": "a", "name": name, "input": {}}
        body: Json = {"system": [block], "messages": said}
        assert PROVIDERS["anthropic"].read(body, known) == PROVIDERS["anthropic"].read(body)
