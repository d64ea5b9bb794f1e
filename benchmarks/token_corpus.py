"""The corpus of `tokens.py`: three prompts of our own, and their model tokens in every spelling, all together."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.prompts.pml.xml_text import write_attributes, write_json
from acdl_mkdocs.prompts.prompt import Attachment, Call, Json, Message, Prompt, Text, Tool
from acdl_mkdocs.prompts.tokens.compare import compare
from acdl_mkdocs.prompts.tokens.counter import Counter, counter
from acdl_mkdocs.prompts.tokens.spellings import BASE, spell_markdown

CORPUS = Path(__file__).parent / "corpus"
EXACT = ("o200k_base", "cl100k_base")
"""Encodings whose counts are in the documentation."""
IN_FENCES = "JSON, files in fences"
PROPOSED = "LAIC as proposed"
HARMONY = "Harmony"


@cache
def corpus() -> Mapping[str, Prompt]:
    """The prompts, by the names of their files."""
    found = {path.name: read(path.read_text("utf-8")).prompt for path in sorted(CORPUS.glob("*.pml.xml"))}
    return {name: prompt for name, prompt in found.items() if prompt is not None}


def files_of(prompts: Iterable[Prompt]) -> list[str]:
    """The texts of all files."""
    parts = (part for prompt in prompts for message in prompt.messages for part in message.parts)
    return [part.text or "" for part in parts if isinstance(part, Attachment)]


@cache
def sums(encoding: str) -> dict[str, dict[str, int]]:
    """Model tokens of all prompts together, by spelling and part."""
    count = counter(encoding)
    found: dict[str, dict[str, int]] = {}
    for prompt in corpus().values():
        (compared,) = compare(prompt, count)
        rows = {each.spelling: each.model_tokens for each in compared.costs}
        (fenced,) = compare(_in_fences(prompt), count)
        whole = next(each.model_tokens["whole"] for each in fenced.costs if each.spelling == BASE)
        files = rows[BASE]["files"] + whole - rows[BASE]["whole"]
        rows[IN_FENCES] = {**rows[BASE], "files": files, "whole": whole}
        rows[PROPOSED] = _proposed(prompt, count)
        if encoding == "o200k_base":
            import harmony

            rows[HARMONY] = harmony.costs(prompt)
        for name, tokens in rows.items():
            mine = found.setdefault(name, dict.fromkeys(tokens, 0))
            mine.update({part: mine[part] + number for part, number in tokens.items()})
    return found


def _in_fences(prompt: Prompt) -> Prompt:
    """The prompt with each file as a fence of Markdown behind the words of its message, as people paste files."""

    def message(each: Message) -> Message:
        files = [part for part in each.parts if isinstance(part, Attachment)]
        if not files:
            return each
        words = "".join(part.text for part in each.parts if isinstance(part, Text))
        return replace(each, parts=(Text("\n\n".join([words, *map(_fence, files)])),))

    return replace(prompt, messages=tuple(map(message, prompt.messages)))


def _fence(file: Attachment) -> str:
    (text,) = spell_markdown(Prompt((Message("user", (file,)),))).pieces["files"]
    return text.rstrip("\n")


def _proposed(prompt: Prompt, count: Counter) -> dict[str, int]:
    """Tools and calls as the examples of the proposal have them: indented, one letter for a tool, keys and types."""
    codes = {tool.name: chr(ord("A") + number) for number, tool in enumerate(prompt.tools)}
    tools = [Tool(codes[each.name], each.description, _flat(each.parameters)) for each in prompt.tools]
    calls = [part for message in prompt.messages for part in message.parts if isinstance(part, Call)]
    return {
        "tools": count.count(write(Prompt((), tuple(tools)), "pretty", "tools")),
        "calls": sum(count.count(_attributes_only(each, codes[each.tool])) for each in calls),
    }


def _flat(schema: Mapping[str, Json]) -> dict[str, Json]:
    """Keys, types and descriptions of the parameters, without what is inside them."""
    properties = schema["properties"]
    assert isinstance(properties, dict)  # noqa: S101 - the corpus is ours
    flat: dict[str, Json] = {}
    for key, said in properties.items():
        assert isinstance(said, dict)  # noqa: S101
        flat[key] = {name: said[name] for name in ("type", "description") if name in said}
    return {"type": "object", "properties": flat}


def _attributes_only(call: Call, code: str) -> str:
    pairs = [(key, value if isinstance(value, str) else write_json(value)) for key, value in call.args.items()]
    return f"<call{write_attributes([('name', code), *pairs])}/>"
