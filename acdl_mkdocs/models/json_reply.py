"""`json_reply()`: ask any model for JSON, look whether it is as asked for, and have it repaired once.

A reply may stand in a Markdown fence, after a thought in `<think>` marks, between other words, in a list of its own, or
have comments and commas before its closing brackets. Knows no role.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.possessive import possessive
from acdl_mkdocs.foundation.safe_text import BEGUN_STRING
from acdl_mkdocs.models.json_schema import faults
from acdl_mkdocs.models.model_errors import BadJsonReplyError, ModelError
from acdl_mkdocs.models.replies import Model, Reply, shorten
from acdl_mkdocs.prompts.prompt import Json, Message, Prompt, Text

_END_OF_THOUGHT = "</think>"
_FENCED = re.compile(
    r"```(?:json)?[ \t]*+\n(" + possessive(r"[^\n]++|\n(?![ \t]*+```)") + r")(?P<end>\n[ \t]*+```)?", re.IGNORECASE
)
"""Up to the line that ends it; what is not ended is no block, and nothing in it is looked at again."""
_LAST_COMMA = re.compile(BEGUN_STRING + r'"?|,(?=\s*[}\]])', re.DOTALL)
_COMMENT = re.compile(
    BEGUN_STRING + r'"?|//[^\n]*|#[^\n]*|/\*' + possessive(r"[^*]++|\*(?!/)") + r"(?:\*/|\Z)",
    re.DOTALL,
)
_MAX_CHARACTERS = 1_000_000
_MAX_STARTS = 500
"""Places in a text where JSON may begin that are tried."""
_MAX_FAULTS = 10


@dataclass(frozen=True, slots=True)
class JsonReply:
    """JSON that a model answered."""

    value: Json
    reply: Reply
    """The last reply, with the usage of all of them."""
    is_repaired: bool = False
    """Whether the first reply was not as asked for."""


def json_reply(
    model: Model,
    prompt: Prompt,
    schema: Mapping[str, Json],
    *,
    accepted: Mapping[str, Json] | None = None,
    max_model_tokens: int | None = None,
    temperature: float = 0.0,
    seed: int | None = None,
) -> JsonReply:
    """What a model answers as JSON of a schema. Where it is not, the model is told what is wrong with it, once.

    Parameters:
        model: Who is asked.
        prompt: What.
        schema: What the model is asked to keep to.
        accepted: What is enough; by default all of it. Servers that hold a model to nothing need more lenience.
        max_model_tokens: Of the reply.
        temperature: Of the model.
        seed: For models that take one.

    Raises:
        BadJsonReplyError: The second reply is not as asked for either; its `usage` is of both.
        ModelError: The model gave no answer.
    """

    def ask(prompt: Prompt) -> Reply:
        return model.complete(
            prompt, json_schema=schema, max_model_tokens=max_model_tokens, temperature=temperature, seed=seed
        )

    enough = schema if accepted is None else accepted
    first = ask(prompt)
    value, wrong = read_json(first.text, enough)
    if not wrong:
        return JsonReply(value, first)
    try:
        second = ask(_repair(prompt, first.text, wrong))
    except ModelError as error:
        error.usage = error.usage + first.usage
        raise
    paid = replace(second, usage=first.usage + second.usage)
    value, still_wrong = read_json(second.text, enough)
    if not still_wrong:
        return JsonReply(value, paid, is_repaired=True)
    raise BadJsonReplyError(
        f"{model.name} answered twice with something else than the JSON that was asked for: {still_wrong[0]}",
        "use a model or a server that can be held to a JSON schema",
        paid.usage,
    )


def _repair(prompt: Prompt, text: str, wrong: tuple[str, ...]) -> Prompt:
    said = Message("assistant", (Text(shorten(text)),))
    told = "\n".join(("This is not the JSON that was asked for:", *(f"- {each}" for each in wrong)))
    asked = Message("user", (Text(f"{told}\n\nAnswer again with the corrected JSON and nothing else."),))
    return replace(prompt, messages=(*prompt.messages, said, asked))


def read_json(text: str, schema: Mapping[str, Json] | None = None) -> tuple[Json, tuple[str, ...]]:
    """The JSON in a text, and what is wrong with it; of several that are as asked for, the last.

    Models draft before they answer: what stands behind a thought counts first, and a later value before an earlier one.
    """
    if len(text) > _MAX_CHARACTERS:
        return None, (f"the reply: expected at most {_MAX_CHARACTERS:,} characters",)
    best: tuple[Json, tuple[str, ...]] | None = None
    said = text.replace("\x00", "").strip()
    try:
        for spelling in _spellings(said):
            for value in (each for values in _groups(spelling) for each in reversed(values)):
                found = _as_asked(value, schema or {})
                if not found[1]:
                    return found
                best = best or found
    except RecursionError:
        return None, ("the reply: nested too deeply",)
    return best or (None, ("the reply: there is no whole JSON value in it",))


def _as_asked(value: Json, schema: Mapping[str, Json]) -> tuple[Json, tuple[str, ...]]:
    """A value, or what a list of one has where an object was asked for, with what is wrong with it."""
    wrong = tuple(islice(faults(value, schema), _MAX_FAULTS))
    inner = value
    while wrong and isinstance(inner, list) and len(inner) == 1:
        inner = inner[0]
    if isinstance(inner, dict) and inner is not value:
        return inner, tuple(islice(faults(inner, schema), _MAX_FAULTS))
    return value, wrong


def _spellings(text: str) -> Iterator[str]:
    """A text as it is, then without what people write in JSON though it is none: last commas, and comments too."""
    yield text
    without = _without_last_commas(text)
    if without != text:
        yield without
    if any(mark in text for mark in ("//", "/*", "#")):
        yield _without_last_commas(_COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else " ", text))


def _without_last_commas(text: str) -> str:
    """JSON without the commas that stand before closing brackets; what is in strings stays."""
    return _LAST_COMMA.sub(lambda found: found[0] if found[0][0] == '"' else "", text)


def _groups(text: str) -> Iterator[list[Json]]:
    """JSON values of a text, the likeliest first: all of it, what stands behind thoughts, then anything in it."""
    yield _loaded(text)
    _, end, said = text.rpartition(_END_OF_THOUGHT)
    for part in (said.strip(), text) if end else (text,):
        yield _loaded(part)
        yield [value for found in _FENCED.finditer(part) if found["end"] for value in _loaded(found[1])]
        yield _scattered(part)


def _scattered(text: str) -> list[Json]:
    """Objects and lists between other words."""
    found: list[Json] = []
    at = 0
    for _ in range(_MAX_STARTS):
        start = _next_start(text, at)
        if start is None:
            break
        try:
            value_here, at = _DECODER.raw_decode(text, start)
            found.append(value_here)
        except ValueError:
            at = start + 1
    return found


def _next_start(text: str, at: int) -> int | None:
    places = [place for mark in "{[" if (place := text.find(mark, at)) >= 0]
    return min(places, default=None)


def _loaded(text: str) -> list[Json]:
    """The value that a whole text is; none if it is none."""
    try:
        value, end = _DECODER.raw_decode(text)
    except ValueError:
        return []
    return [] if text[end:].strip() else [value]


def _no_constant(word: str) -> Json:
    raise ValueError(f"{word} is no JSON")


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key is there twice")
    return made


_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_object, strict=False)
