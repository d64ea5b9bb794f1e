"""Pinned bodies: what one conversation is in every format, and real requests with everything that providers have."""

import json
from pathlib import Path

import pytest

from acdl_mkdocs.prompts.prompt import Call, Opaque, Output, Prompt, Text
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES, sniff
from acdl_mkdocs.prompts.providers.tagged_text import FORGEABLE
from wire.fixtures import body_of, fixtures
from wire.samples import AGENT

MODELS = {"openai": "gpt-5", "responses": "gpt-5", "anthropic": "claude-sonnet-4-5", "gemini": None}


def format_of(path: Path) -> str:
    """The format in a file's name."""
    return path.suffixes[0][1:]


@pytest.mark.parametrize("path", fixtures("agent"), ids=format_of)
def test_written(path: Path) -> None:
    """A conversation with an image, two calls at once and an error, to the order of the keys."""
    written = WIRES[format_of(path)].write(AGENT, MODELS[format_of(path)])
    assert json.dumps(written.body, indent=1) == json.dumps(body_of(path), indent=1)


@pytest.mark.parametrize("path", fixtures("agent"), ids=format_of)
def test_read(path: Path) -> None:
    """It is read as what was written."""
    read = WIRES[format_of(path)].read(body_of(path))
    assert Prompt(read.prompt.messages, read.prompt.tools) == AGENT
    is_in_words = format_of(path) in ("openai", "responses")
    assert [each.sentence for each in read.problems] == [FORGEABLE[0]] * is_in_words
    assert read.model == MODELS[format_of(path)]


@pytest.mark.parametrize("path", fixtures("real"), ids=format_of)
def test_real_request(path: Path) -> None:
    """A real request is read without a problem, and written again as it was: nothing of it is dropped."""
    wire, body = WIRES[format_of(path)], body_of(path)
    read = wire.read(body)
    assert read.problems == ()
    assert wire.write(read.prompt, read.model).body == body


@pytest.mark.parametrize("path", fixtures("real"), ids=format_of)
@pytest.mark.parametrize("other", PROVIDERS)
def test_real_request_elsewhere(path: Path, other: str) -> None:
    """For another provider its words and calls come through, and what it alone understands is told with its place."""
    read = WIRES[format_of(path)].read(body_of(path))
    if other == format_of(path):
        return
    written = WIRES[other].write(read.prompt, "m")
    told = {loss.path for loss in written.losses}
    places = {
        f"messages[{number}].parts[{part_idx}]"
        for number, message in enumerate(read.prompt.messages)
        for part_idx, part in enumerate(message.parts)
        if isinstance(part, Opaque)
    }
    assert places <= told
    again = WIRES[other].read(written.body)
    assert {each.sentence for each in again.problems} <= {FORGEABLE[0]}
    assert said(again.prompt) >= said(read.prompt)


def said(prompt: Prompt) -> set[str]:
    """Texts of users and assistants, names of tools that are called, texts of results that are no errors."""
    parts = [part for message in prompt.messages for part in message.parts]
    texts = {part.text for part in parts if isinstance(part, Text)}
    calls = {part.tool for part in parts if isinstance(part, Call)}
    results = {
        inner.text
        for part in parts
        if isinstance(part, Output) and not part.is_error
        for inner in part.parts
        if isinstance(inner, Text)
    }
    every = texts | calls | results
    return {text.removeprefix("<system>").removesuffix("</system>") for text in every if "permissions" not in text}


@pytest.mark.parametrize("path", fixtures(), ids=lambda path: path.name)
def test_sniffed(path: Path) -> None:
    """The format of every pinned body is found."""
    assert sniff(body_of(path)) == format_of(path)
