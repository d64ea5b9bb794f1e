"""Pinned bodies: what one conversation is in every format, and real requests with everything that providers have."""

import json
from pathlib import Path

import pytest

from acdl_mkdocs.prompts.prompt import Call, Opaque, Output, Prompt, Text
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES, sniff
from acdl_mkdocs.prompts.providers.tagged_text import FORGEABLE
from wire.fixtures import DATA, body_of, fixtures
from wire.samples import AGENT

TESTS = "tests/wire/test_fixtures.py"


def model_of(path: Path) -> str | None:
    """The model that a pinned body names; `None` if it names none."""
    model = body_of(path).get("model") if path.exists() else None
    assert model is None or isinstance(model, str)
    return model


def format_of(path: Path) -> str:
    """The format in a file's name."""
    return path.suffixes[0][1:]


@pytest.mark.parametrize("name", PROVIDERS)
def test_written(name: str, request: pytest.FixtureRequest) -> None:
    """A conversation with an image, two calls at once and an error, to the order of the keys."""
    path = DATA / f"agent.{name}.json"
    is_missing = not path.exists()
    model = "m" if is_missing and not PROVIDERS[name].is_model_in_address else model_of(path)
    text = json.dumps(PROVIDERS[name].write(AGENT, model).body, indent=2, ensure_ascii=False)
    if request.config.getoption("--update-golden") and (is_missing or text != _text_of(path)):
        path.write_text(f"{text}\n", "utf-8")
    assert path.exists(), f"tests/wire/data/{path.name} is missing: pytest {TESTS} -k written --update-golden writes it"
    assert text == _text_of(path)


def _text_of(path: Path) -> str:
    return json.dumps(body_of(path), indent=2, ensure_ascii=False)


@pytest.mark.parametrize("path", fixtures("agent"), ids=format_of)
def test_read(path: Path) -> None:
    """It is read as what was written."""
    read = WIRES[format_of(path)].read(body_of(path))
    assert Prompt(read.prompt.messages, read.prompt.tools) == AGENT
    is_in_words = "<tool_output status=" in str(body_of(path))
    assert [each.sentence for each in read.problems] == [FORGEABLE[0]] * is_in_words
    assert read.model == model_of(path)


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
