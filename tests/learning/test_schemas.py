"""What models are held to: the schemas that are sent have every key that the prompts name, in their order."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.playbook.learn.models.chat_completions import Dialect, ReplyOptions, chat_request
from acdl_mkdocs.playbook.learn.models.json_reply import find_faults
from acdl_mkdocs.playbook.learn.role_prompts import (
    ACCEPTED_ANSWER,
    ACCEPTED_DELTA,
    ACCEPTED_REFLECTION,
    ANSWER,
    CURATOR_OPERATIONS,
    DELTA,
    FOLDER,
    OPERATION,
    REFLECTION,
)
from acdl_mkdocs.playbook.model.delta import FIELDS, delta_of
from acdl_mkdocs.prompts.prompt import Json, Message, Prompt, Text

SENT = {"generator": ANSWER, "reflector": REFLECTION, "curator": DELTA}
FORMS = {"generator": "ANSWER_FORM", "reflector": "REFLECTION_FORM", "curator": "DELTA_FORM"}
PROMPT = Prompt((Message("user", (Text("Go."),)),))


def template(role: str, name: str) -> str:
    """A text of a role."""
    state = read_state((FOLDER / f"{role}.state.yaml").read_text("utf-8"), role).state
    assert state is not None
    return str(state.templates[name])


def keys_in(text: str) -> list[str]:
    """The keys that a text names, in order, each once."""
    return list(dict.fromkeys(re.findall(r'"(\w+)": ', text)))


def keys_of(schema: Any) -> Iterator[str]:
    """The keys of all objects of a schema, in order, those of operations left out."""
    for name, inner in schema.get("properties", {}).items():
        yield name
        if name != "operations":
            yield from keys_of(inner.get("items", {}))


@pytest.mark.parametrize("role", SENT)
def test_prompts_and_schemas_agree(role: str) -> None:
    """A schema has the keys of the form that the prompt shows, in its order: reasoning comes first."""
    assert list(keys_of(SENT[role])) == keys_in(template(role, FORMS[role]))
    assert next(keys_of(SENT[role])) == "reasoning"


def test_operations_of_the_prompt_can_be_written() -> None:
    """An operation can have every key that the prompt names, and every key that its type needs."""
    properties: Any = OPERATION["properties"]
    said = template("curator", "OPERATIONS")
    assert sorted(properties) == sorted(keys_in(said))
    assert next(iter(properties)) == "type"
    assert re.findall(r'"type": "(\w+)"', said) == list(CURATOR_OPERATIONS) == properties["type"]["enum"]
    assert all(set(FIELDS[kind][0]) <= set(properties) for kind in CURATOR_OPERATIONS)


@pytest.mark.parametrize("role", SENT)
def test_strict_modes_are_used(role: str) -> None:
    """Servers are asked to hold the model to the schema."""
    body: Any = chat_request(PROMPT, "m", ReplyOptions(SENT[role]), Dialect())
    assert body["response_format"]["json_schema"]["strict"] is True


def test_a_grammar_lets_an_operation_through() -> None:
    """What a model writes that is held to the schema is an operation: keys that it does not have are null."""
    nothing: dict[str, Json] = dict.fromkeys(OPERATION["properties"])  # type: ignore[arg-type]
    add: dict[str, Json] = {**nothing, "type": "ADD", "section": "general", "content": "Round at the end."}
    data: Json = {"reasoning": "new", "operations": [add]}
    assert list(find_faults(data, DELTA)) == []
    assert len(delta_of(data).operations) == 1
    assert list(find_faults({"reasoning": "", "operations": [{"type": "ADD"}]}, DELTA)) != []


ENOUGH: list[tuple[Mapping[str, Json], str]] = [
    (ACCEPTED_ANSWER, '{"final_answer": ["a", "b"]}'),
    (ACCEPTED_ANSWER, '{"reasoning": null, "bullet_ids": null, "final_answer": null}'),
    (ACCEPTED_ANSWER, '{"bullet_ids": "gen-1", "final_answer": 7, "confidence": 1}'),
    (ACCEPTED_REFLECTION, '{"key_insight": null, "correct_approach": ["a", "b"], "is_final": "true"}'),
    (ACCEPTED_REFLECTION, '{"key_insight": "", "bullet_tags": {"gen-1": "helpful"}, "error_identification": null}'),
    (ACCEPTED_DELTA, '{"operations": null}'),
    (ACCEPTED_DELTA, '{"operations": [{"type": "ADD", "rationale": "x"}]}'),
]


@pytest.mark.parametrize(("schema", "reply"), ENOUGH)
def test_replies_are_read_leniently(schema: Mapping[str, Json], reply: str) -> None:
    """A reply whose meaning is clear is accepted, where a server holds a model to nothing."""
    assert list(find_faults(json.loads(reply), schema)) == []


@pytest.mark.parametrize(
    ("schema", "reply"),
    [
        (ACCEPTED_ANSWER, '{"final_answer": {"a": 1}}'),
        (ACCEPTED_ANSWER, '{"reasoning": "x"}'),
        (ACCEPTED_REFLECTION, '{"is_final": true}'),
        (ACCEPTED_DELTA, '{"operations": "none"}'),
    ],
)
def test_replies_that_say_nothing(schema: Mapping[str, Json], reply: str) -> None:
    """What cannot be understood is not."""
    assert list(find_faults(json.loads(reply), schema)) != []
