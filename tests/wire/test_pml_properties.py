"""Between PML and every provider: what is lossless comes back as it was, what is not is told.

The lossless subset of a provider: texts of users and assistants, instructions at the beginning, calls with ids, also
several at once, with the spelling of their arguments, a result for each right behind, also errors, images of which the
data are there, tools, settings, and what the provider has signed.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pml.any_prompts import PROMPTS

from acdl_mkdocs.prompts.convert import Converted, convert
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.prompts.prompt import Call, Json, Message, Opaque, Output, Part, Prompt, Text, Thinking, Tool
from acdl_mkdocs.prompts.providers import PROVIDERS
from wire.fixtures import body_of, fixtures
from wire.prompts import ANY, EVEN_OPAQUE, IMAGES, NAMES, OBJECTS, TEXTS, TOOLS, common

many = settings(max_examples=3 * settings().max_examples)
"""6,000 with `--hypothesis-profile long`, 300,000 with `nightly`."""
SIGNATURES = st.sampled_from(["c2ln", "Ef+/8Q==", "s" * 300])
EVERY = sorted(PROVIDERS)


IDS = st.sampled_from(["a", "call_1", "toolu-9", "Z_z-0"])
"""Ids of calls, of which each is used once: a number follows."""
ASKED = st.lists(st.tuples(NAMES, OBJECTS, IDS, SIGNATURES, st.lists(TEXTS, min_size=1, max_size=2)), max_size=2)
EXCHANGES = st.lists(
    st.tuples(st.lists(TEXTS | IMAGES, min_size=1, max_size=3), st.booleans(), st.lists(TEXTS, max_size=1), ASKED),
    min_size=1,
    max_size=2,
)


def lossless(name: str) -> st.SearchStrategy[Prompt]:
    """Prompts of which the format of a provider loses nothing, and neither does a document."""
    instructions = st.lists(TEXTS, max_size=2)
    tools = st.lists(TOOLS, max_size=1).map(tuple)
    return st.builds(conversation, st.just(name), instructions, EXCHANGES, tools, st.integers(1, 9_999))


def conversation(
    name: str, instructions: list[Text], exchanges: list[Any], tools: tuple[Tool, ...], n_tokens: int
) -> Prompt:
    """A prompt of the lossless subset of a provider, with what it alone has: signed thinking and calls, settings."""
    messages = [Message("system", tuple(instructions))] if instructions else []
    n_calls = 0
    for asked, is_bold, answer, calls in exchanges:
        messages.append(Message("user", tuple(asked)))
        parts: list[Part] = [Thinking("so", "c2ln", provider=name)] if is_bold and name == "anthropic" else []
        parts += answer if answer or calls else [Text("yes")]
        results = []
        for tool, args, own_id, signature, said in calls:
            n_calls += 1
            raw = json.dumps(args, separators=(",", ":")) if is_bold and name in ("openai", "responses") else None
            if raw == json.dumps(args, ensure_ascii=False):
                raw = None
            call_id = f"{own_id}{n_calls}"
            parts.append(Call(tool, args, call_id, raw, signature if name == "gemini" else None))
            results.append(Message("tool", (Output(tuple(said), call_id, tool, is_bold),)))
        messages += [Message("assistant", tuple(parts)), *results]
    said_settings: dict[str, Json] = {} if name == "gemini" else {"model": "m"}
    if name == "anthropic":
        said_settings["max_tokens"] = n_tokens
    return Prompt(tuple(messages), tools, settings=(Opaque(name, said_settings),) if said_settings else ())


def text_of(converted: Converted) -> str:
    """The text of what could be converted without any loss."""
    assert [each for each in converted.changes if each.kind != "warning"] == []
    assert converted.is_lossless
    assert converted.text is not None
    return converted.text


def asking(args: dict[str, Json]) -> Prompt:
    """A prompt with one call that has these arguments."""
    call = Message("assistant", (Call("f", args, "c1"),))
    return Prompt((Message("user", (Text("q"),)), call, Message("tool", (Output((Text("r"),), "c1", "f"),))))


@many
@given(case=st.sampled_from(EVERY).flatmap(lambda name: st.tuples(st.just(name), lossless(name))))
def test_there_and_back(case: tuple[str, Prompt]) -> None:
    """A document of the lossless subset is the same text after it was a request, and so that request is too."""
    name, prompt = case
    document = write(prompt)
    body = text_of(convert(document, name))
    assert text_of(convert(body, "pml", from_=name)) == document


@given(data=st.data(), name=st.sampled_from(EVERY))
def test_request_through_a_document(data: st.DataObject, name: str) -> None:
    """A request is the same to the byte after it was a document, but for the order of keys in schemas of tools."""
    prompt = data.draw(st.one_of(common(name), ANY, EVEN_OPAQUE, PROMPTS))
    body = json.dumps(PROVIDERS[name].write(prompt, "m").body, ensure_ascii=True, separators=(",", ":"))
    document = convert(body, "pml", from_=name, is_lenient=True)
    assert document.text is not None
    assert [each for each in document.changes if each.kind in ("loss", "change", "repair")] == []
    again = convert(document.text, name, is_lenient=True, style="min")
    assert again.text is not None
    before, after = json.loads(body), json.loads(again.text)
    assert list(after) == list(before)
    assert after.pop("tools", None) == before.pop("tools", None)
    assert json.dumps(after) == json.dumps(before)


@given(prompt=st.one_of(ANY, EVEN_OPAQUE, PROMPTS), name=st.sampled_from(EVERY))
def test_nothing_is_silent(prompt: Prompt, name: str) -> None:
    """Where a request is read as another prompt than the document says, something is told about it."""
    converted = convert(write(prompt), name, is_lenient=True)
    assert converted.text is not None
    back = PROVIDERS[name].read(json.loads(converted.text)).prompt
    is_same = bare(back) == bare(prompt) and all(each.provider == name or not each.json for each in prompt.settings)
    assert is_same or any(each.kind in ("loss", "change") for each in converted.changes)
    assert all(each.sentence for each in converted.changes)


def bare(prompt: Prompt) -> Prompt:
    """A prompt without settings, whose results name a call or a tool, not both."""

    def lean(part: Part) -> Part:
        return replace(part, tool=None) if isinstance(part, Output) and part.call_id is not None else part

    messages = [replace(each, parts=tuple(map(lean, each.parts))) for each in prompt.messages]
    return replace(prompt, messages=tuple(messages), settings=())


@given(prompt=st.one_of(ANY, PROMPTS), name=st.sampled_from(EVERY), other=st.sampled_from(EVERY))
@example(asking({"name": None, "loc": "]]>"}), "anthropic", "openai")
@example(asking({"code": "a\nb", "language": "py"}), "openai", "responses")
def test_from_provider_to_provider(prompt: Prompt, name: str, other: str) -> None:
    """The way through a document gives the request that the direct way gives."""
    body = json.dumps(PROVIDERS[name].write(prompt, "m").body)
    direct = convert(body, other, from_=name, is_lenient=True, model="n")
    document = convert(body, "pml", from_=name, is_lenient=True)
    assert document.text is not None
    through = convert(document.text, other, is_lenient=True, model="n")
    assert json.loads(through.text or "") == json.loads(direct.text or "")


@given(text=st.text(max_size=40) | st.binary(max_size=40), to=st.sampled_from([*EVERY, "pml"]))
def test_any_text(text: str | bytes, to: str) -> None:
    """No text raises; one that is nothing is told."""
    converted = convert(text, to)
    assert (converted.text is None) == bool(converted.problems)


@pytest.mark.parametrize("path", fixtures(), ids=lambda path: path.name)
def test_pinned_requests(path: Path) -> None:
    """Real requests, with everything that providers have, are the same to the order of keys after they were PML."""
    body = body_of(path)
    document = convert(json.dumps(body), "pml")
    again = convert(text_of(document), document.from_ or "", style="min")
    assert json.dumps(json.loads(text_of(again))) == json.dumps(body)
