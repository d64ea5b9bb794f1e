"""Turns and results are found the same way everywhere: by numbers and ids, else by order."""

import pytest

from acdl_mkdocs.prompts.pending_calls import PendingCalls
from acdl_mkdocs.prompts.prompt import Json, Message, Role, group_turns
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json

ROLES: dict[str, Role] = {"s": "system", "u": "user", "a": "assistant", "t": "tool", "n": "none"}


def messages(said: str) -> list[Message]:
    """Messages of roles by their first letter, with the number of their turn where it is given."""
    return [Message(ROLES[word[0]], (), turn=int(word[1:]) if word[1:] else None) for word in said.split()]


@pytest.mark.parametrize(
    ("said", "grouped"),
    [
        ("", []),
        ("s s", ["-1", "-1"]),
        ("s u a u a", ["-1", "2", "2"]),
        ("u a t a u", ["4", "1"]),
        ("t s u a", ["4"]),
        ("a t u", ["2", "1"]),
        ("s1 u1 a1 u2", ["3", "1"]),
        ("u1 u1 a1", ["1", "2"]),
        ("s u1 a u1", ["-1", "1", "1", "1"]),
        ("u s u", ["2", "1"]),
        ("n u", ["1", "1"]),
    ],
)
def test_turns(said: str, grouped: list[str]) -> None:
    """How many messages each turn has; instructions outside of turns have a minus."""
    given = messages(said)
    found = group_turns(given)
    assert [f"{'-' if turn.is_outside else ''}{len(turn.messages)}" for turn in found] == grouped
    assert [message for turn in found for message in turn.messages] == given
    assert [given[turn.start] for turn in found] == [turn.messages[0] for turn in found]


def test_results_find_their_calls() -> None:
    """By id; without one by tool; without both by order, and only once."""
    waiting: PendingCalls[int] = PendingCalls()
    calls = [("a", "W"), ("b", "V"), (None, "W"), ("a", "V"), (None, "V")]
    assert [waiting.add_call(number, *call) for number, call in enumerate(calls)] == [None, None, None, 0, None]
    results = [("a", None), (None, "V"), (None, None), ("c", "W"), (None, "W"), ("b", None)]
    assert [waiting.answer_call(*result) for result in results] == [0, 1, 2, None, None, 1]
    assert list(waiting.calls) == [3, 4]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ('"\\ud800"', "\ud800"),
        ("[1.5, null]", [1.5, None]),
        ("[" * 64 + "]" * 64, None),
        ('{"a": {"a": 1}}', None),
    ],
)
def test_json(text: str, value: Json) -> None:
    """JSON that is read in one way only."""
    found = strict_json(text)
    assert value is None or found == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expecting value at line 1, column 1"),
        ('{"a": 1, "b": 2, "a": 3}', 'the key "a" appears twice'),
        ("[NaN]", "`NaN` is not a JSON number"),
        ("-Infinity", "`-Infinity` is not a JSON number"),
        ("[" * 65 + "]" * 65, "nested more than 64 levels deep"),
        ("[" * 100_000, "nested more than 64 levels deep"),
        ("1" * 5_000, "more than 4300 digits"),
    ],
)
def test_no_json(text: str, why: str) -> None:
    """What is refused says why."""
    with pytest.raises(JsonFault) as fault:
        strict_json(text)
    assert why in str(fault.value)
