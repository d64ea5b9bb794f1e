"""A recorded prompt as a sample state: what the state says, and that the spec of any conversation sends it again."""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import groupby

from hypothesis import given
from pml.any_prompts import PROMPTS

from acdl_mkdocs.evaluation.evaluate import evaluate
from acdl_mkdocs.evaluation.state.from_prompt import CONVERSATION, make_state
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.transcript import build_prompt
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.resolve import Resolved, resolve
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.prompts.prompt import Call, Message, Opaque, Output, Part, Prompt, Text


@cache
def conversation() -> Resolved:
    """The spec that sends any conversation."""
    return resolve(parse(Source(CONVERSATION, "conversation.acdl")))


def sent(prompt: Prompt) -> Prompt:
    """What the spec sends from the state of a prompt."""
    file = read_state(make_state(prompt, "state.schema.json").text)
    assert file.state is not None
    assert not file.problems
    transcript = evaluate(conversation(), file.state, None, None, Config())
    assert not transcript.errors
    return build_prompt(transcript)


def whole_values(value: object) -> object:
    """A value without half characters, whatever it is made of."""
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "�", value)
    if isinstance(value, tuple | list):
        return type(value)(whole_values(each) for each in value)
    if isinstance(value, Mapping):
        return {whole_values(key): whole_values(each) for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: whole_values(getattr(value, each.name)) for each in fields(value)})
    return value


def sendable(message: Message) -> Message | None:
    """A message as a spec can send it."""
    parts: list[Part] = []
    kept = [part for part in message.parts if not isinstance(part, Opaque) and part != Text("")]
    for is_words, group in groupby(kept, lambda part: isinstance(part, Text)):
        if is_words:
            words = Text("\n".join(part.text for part in group if isinstance(part, Text)))
            parts.append(Output((words,)) if message.role == "tool" else words)
        else:
            parts += map(simple, group)
    return Message(message.role, tuple(parts)) if parts and message.role != "none" else None


def simple(part: Part) -> Part:
    """A part without what a state file has no place for."""
    if isinstance(part, Call):
        return replace(part, args_raw=None, signature=None)
    if isinstance(part, Output):
        return replace(part, parts=tuple(each for each in part.parts if not isinstance(each, Opaque)), mime=None)
    return part


def without_made_up_ids(prompt: Prompt, like: Prompt) -> tuple[Message, ...]:
    """Messages in which a call has no id where it has none in a prompt like it."""
    found = []
    for message, other in zip(prompt.messages, like.messages, strict=True):
        pairs = zip(message.parts, other.parts, strict=True)
        parts = [replace(a, id=b.id and a.id) if isinstance(a, Call) and isinstance(b, Call) else a for a, b in pairs]
        found.append(replace(message, parts=tuple(parts)))
    return tuple(found)


@given(PROMPTS)
def test_every_conversation_is_sent_again(prompt: Prompt) -> None:
    """The spec `Conversation` sends from the state what the prompt had; only what is told is otherwise."""
    tools = {str(whole_values(tool.name)): replace(tool, more=None) for tool in prompt.tools}
    prompt = replace(prompt, tools=tuple(tools.values()))
    messages = tuple(each for message in prompt.messages if (each := sendable(message)) is not None)
    expected = whole_values(Prompt(messages, prompt.tools, prompt.memory))
    assert isinstance(expected, Prompt)
    again = sent(prompt)
    assert len(again.messages) == len(expected.messages)
    assert without_made_up_ids(again, expected) == expected.messages
    assert (again.memory, again.tools) == (expected.memory, expected.tools)
