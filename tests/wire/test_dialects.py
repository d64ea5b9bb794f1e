"""Bodies that nearly have the format of a provider: each is read as what it is, or named and refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from acdl_mkdocs.prompts.convert import convert
from acdl_mkdocs.prompts.prompt import Call, Output, Text
from acdl_mkdocs.prompts.providers import WIRES, sniff
from acdl_mkdocs.prompts.providers.sniff import find_dialect
from acdl_mkdocs.runs.read.files import read_trace
from acdl_mkdocs.runs.read.recorded import Recorded, Skipped

FOLDER = Path(__file__).parent / "dialects"
READ: dict[str, tuple[str, str]] = {
    "anthropic-sys-str-list": ("anthropic", "system user assistant tool"),
    "args-object": ("openai", "system user assistant tool"),
    "bad-args": ("openai", "system user assistant tool"),
    "claude-by-openai": ("openai", "system user"),
    "developer": ("openai", "system user assistant tool"),
    "double-encoded": ("openai", "system user assistant tool"),
    "empty-args": ("openai", "system user assistant tool"),
    "function-legacy": ("openai", "system user assistant tool"),
    "gemini-single": ("gemini", "system user"),
    "gemini-snake": ("gemini", "system user assistant tool"),
    "glm": ("openai", "user"),
    "list-contents": ("openai", "system user assistant tool"),
    "no-content-key": ("openai", "system user assistant tool"),
    "nulls": ("openai", "system user assistant tool"),
    "reasoning": ("openai", "system user assistant tool"),
    "reasoning-details": ("openai", "system user assistant tool"),
    "responses-str": ("responses", "system user"),
}
"""Format and roles of what is read."""
REFUSED = {
    "bedrock": "the Bedrock Converse API",
    "bedrock2": "the Bedrock Converse API",
    "cohere": "version 1 of the Cohere Chat API",
    "hf": "the Hugging Face text API",
    "interactions": "the Gemini Interactions API",
    "ollama-generate": "the Ollama generate API",
}
"""Whose format it is."""
UNKNOWN = ["ndjson-python"]
"""Nobody's format."""
FAULTY = {"args-object", "bad-args", "double-encoded"}
"""Those in which something is not as the format says."""
USER: Any = {"role": "user", "content": "hi"}


def body_of(name: str) -> Any:
    """A body of the folder."""
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def test_every_body_has_a_line() -> None:
    """A file without an expectation tests nothing."""
    assert {path.stem for path in FOLDER.iterdir()} == {*READ, *REFUSED, *UNKNOWN}


@pytest.mark.parametrize("name", READ)
def test_is_read(name: str) -> None:
    """It is read as its provider means it: the call with its tool, and the result as that of the call."""
    wire, roles = READ[name]
    assert sniff(body_of(name)) == wire
    read = WIRES[wire].read(body_of(name))
    assert [each.role for each in read.prompt.messages] == roles.split()
    assert any(not each.is_advice for each in read.problems) == (name in FAULTY)
    parts = [part for message in read.prompt.messages for part in message.parts]
    if "tool" in roles:
        assert [part.tool for part in parts if isinstance(part, Call)] == ["weather"]
        (output,) = (part for part in parts if isinstance(part, Output))
        said = '{"content": "4 C"}' if wire == "gemini" else "4 C"
        assert (output.tool, output.parts[0]) == ("weather", Text(said))
    words = {"glm": "what is it?", "claude-by-openai": "q", "gemini-single": "Hello?"}.get(name, "Weather?")
    assert Text(words) in parts


@pytest.mark.parametrize("name", READ)
def test_is_one_step(name: str) -> None:
    """As a recorded run, it is one request, of the format that it has alone."""
    (found,) = read_trace(FOLDER / f"{name}.json")
    assert isinstance(found, Recorded)
    assert found.format == READ[name][0]


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(name: str) -> None:
    """What cannot be read is named, with a cure, wherever it is read."""
    named = find_dialect(body_of(name))
    assert named is not None
    assert named.name == REFUSED[name]
    assert sniff(body_of(name)) is None
    converted = convert(json.dumps(body_of(name)), "pml")
    assert converted.text is None
    assert [each.sentence for each in converted.problems] == [
        f"this is a request of {REFUSED[name]}, which is not supported"
    ]
    assert all(each.cure for each in converted.problems)
    (found,) = read_trace(FOLDER / f"{name}.json")
    assert isinstance(found, Skipped)
    assert (found.reason, found.cure, found.is_damaged) == (
        f"a request of {REFUSED[name]}, which is not supported",
        named.cure,
        True,
    )


@pytest.mark.parametrize("name", UNKNOWN)
def test_is_unknown(name: str) -> None:
    """What is nobody's format is no request."""
    (found,) = read_trace(FOLDER / f"{name}.json")
    assert isinstance(found, Skipped)
    assert found.reason == "an object whose `messages` are Python text, not JSON"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"messages": [{"role": "user", "content": [{"text": "hi"}]}]}, "the Bedrock Converse API"),
        ({"messages": [USER], "inferenceConfig": {"maxTokens": 9}}, "the Bedrock Converse API"),
        ({"messages": [USER], "system": [{"text": "Be brief."}]}, "the Bedrock Converse API"),
        (
            {
                "messages": [
                    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}]}
                ]
            },
            "the Bedrock Converse API",
        ),
        ({"model": "gemini-3", "input": "hi", "system_instruction": "Be brief."}, "the Gemini Interactions API"),
        ({"model": "gemini-3", "input": {"type": "text", "text": "hi"}}, "the Gemini Interactions API"),
        (
            {"model": "gemini-3", "input": [{"type": "user_input", "content": [{"type": "text", "text": "hi"}]}]},
            "the Gemini Interactions API",
        ),
        ({"input": "hi", "previous_interaction_id": "i"}, "the Gemini Interactions API"),
        ({"model": "command-r", "message": "hi"}, "version 1 of the Cohere Chat API"),
        ({"message": "hi", "connectors": []}, "version 1 of the Cohere Chat API"),
        ({"prompt": "\n\nHuman: hi", "max_tokens_to_sample": 9}, "the Anthropic Text Completions API"),
        ({"prompt": "hi", "n_predict": 9}, "the llama.cpp completion API"),
        ({"prompt": "hi", "max_gen_len": 9}, "the Bedrock text API"),
        ({"inputText": "hi", "textGenerationConfig": {}}, "the Bedrock text API"),
        ({"model": "m", "prompt": "hi", "keep_alive": "5m"}, "the Ollama generate API"),
        ({"model": "m", "prompt": ["hi"], "max_tokens": 5}, "a text completion API"),
        ({"inputs": "hi", "parameters": {"max_new_tokens": 9}}, "the Hugging Face text API"),
        ({"inputs": {"past_user_inputs": [], "text": "hi"}}, "the Hugging Face text API"),
        ({"model_id": "granite", "input": "hi", "project_id": "p"}, "the watsonx text API"),
        ({"instances": [{"prompt": "hi"}]}, "the Vertex AI prediction API"),
        ({"assistant_id": "asst_1", "thread": {"messages": [USER]}}, "the OpenAI Assistants API"),
        ({"type": "session.update", "session": {}}, "the OpenAI Realtime API"),
    ],
)
def test_is_named(body: Any, name: str) -> None:
    """More bodies that no format reads."""
    named = find_dialect(body)
    assert named is not None
    assert named.name == name
    assert sniff(body) is None


@pytest.mark.parametrize(
    "body",
    [
        {"prompt": "a cat", "model": "dall-e-3", "size": "1024x1024"},
        {"level": "info", "message": "calling", "model": "m"},
        {"type": "session.start", "data": {}},
        {"prompt": {"id": "pmpt_1"}},
        {"tools": [{"name": "f"}]},
        {"input": {"messages": [USER]}, "model": "qwen"},
        {"messages": [], "system": "s", "max_tokens": 1},
        {"inputs": {"messages": [USER]}},
        {"text": "hi"},
        [],
        "hi",
        None,
    ],
)
def test_is_no_dialect(body: Any) -> None:
    """What is something else has no name."""
    assert find_dialect(body) is None


IMAGE: Any = {"type": "image", "source": {"type": "url", "url": "https://e.org/a.png"}}
LINK: Any = {"type": "image_url", "image_url": {"url": "https://e.org/a.png"}}


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"model": "glm-4.6", "thinking": {"type": "enabled"}, "messages": [USER]}, "openai"),
        ({"model": "glm-4.6", "max_tokens": 9, "system": "s", "messages": [USER]}, "anthropic"),
        ({"model": "claude-x", "max_tokens": 9, "messages": [{"role": "system", "content": "s"}, USER]}, "openai"),
        ({"model": "claude-x", "messages": [USER], "stream_options": {}}, "openai"),
        ({"model": "claude-x", "messages": [USER], "max_tokens": 9}, "anthropic"),
        ({"model": "claude-x", "max_tokens": 9, "messages": [USER, {"role": "system", "content": "s"}]}, "anthropic"),
        ({"model": "gpt-5", "max_tokens": 9, "messages": [{"role": "user", "content": [IMAGE]}]}, "anthropic"),
        ({"model": "claude-x", "max_tokens": 9, "messages": [{"role": "user", "content": [LINK]}]}, "openai"),
        ({"model": "m", "top_k": 5, "messages": [USER]}, "openai"),
        ({"model": "m", "messages": [USER], "tool_choice": {"type": "any"}}, "anthropic"),
        ({"model": "m", "messages": [USER], "tool_choice": "auto"}, "openai"),
        ({"model": "m", "messages": [USER], "thinking": {"type": "enabled", "budget_tokens": 9}}, "anthropic"),
        ({"model": "qwen-vl", "messages": [{"role": "user", "content": [{"type": "image", "image": "u"}]}]}, "openai"),
        (
            {"model": "m", "messages": [USER, {"role": "tool", "content": [{"type": "document", "document": {}}]}]},
            "openai",
        ),
        ({"contents": {"role": "user", "parts": {"text": "hi"}}}, "gemini"),
        ({"model": "m", "input": [{"type": "message", "role": "user", "content": "hi"}]}, "responses"),
    ],
)
def test_shape_decides(body: Any, name: str) -> None:
    """How a body is built says whose it is, not the name of a model or one key."""
    assert sniff(body) == name


@pytest.mark.parametrize("key", ["contents", "parts", "systemInstruction", "tools", "functionDeclarations"])
def test_single_objects(key: str) -> None:
    """Gemini takes an object for a list of one."""
    parts, function = [{"text": "hi"}], {"name": "f"}
    whole: Any = {
        "contents": [{"role": "user", "parts": parts}],
        "systemInstruction": {"parts": parts},
        "tools": [{"functionDeclarations": [function]}],
    }
    single = json.loads(json.dumps(whole))
    if key == "parts":
        single["contents"][0]["parts"] = parts[0]
    elif key == "systemInstruction":
        single[key]["parts"] = parts[0]
    elif key == "functionDeclarations":
        single["tools"][0][key] = function
    else:
        single[key] = single[key][0]
    read = WIRES["gemini"].read(single)
    assert read.problems == ()
    assert read.prompt == WIRES["gemini"].read(whole).prompt
    assert sniff(single) == "gemini"
