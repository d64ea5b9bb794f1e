"""`json_reply()`: ask any model for JSON, check it against its schema, and ask once more if it is not."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.json_schema import SchemaCheck, SchemaFault, Steps, as_list, types_of
from acdl_mkdocs.foundation.json_value import json_type
from acdl_mkdocs.foundation.possessive import repeat_possessively
from acdl_mkdocs.foundation.safe_text import BEGUN_STRING
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.playbook.learn.models.model import BadJsonReplyError, Model, ModelError, Reply, shorten_text
from acdl_mkdocs.prompts.prompt import Json, Message, Prompt, Text

_MAX_CHECKS = 1_000_000
"""Limit of values that are checked against a schema for one reply, equal to the limit of characters."""
_COMPARED = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
    "multipleOf": "a multiple of",
    "minLength": "at least",
    "maxLength": "at most",
    "minItems": "at least",
    "maxItems": "at most",
    "minProperties": "at least",
    "maxProperties": "at most",
}
_COUNTED = {"Length": " characters", "Items": " elements", "Properties": " keys"}


def find_faults(value: Json, schema: Mapping[str, Json]) -> Iterator[str]:
    """Yield the faults of a value, each with its path: `bullet_tags[0].tag: expected one of helpful, harmful`."""
    check = SchemaCheck(schema, n_checks=_MAX_CHECKS)
    for fault in check.find_faults(value):
        yield from _lines(fault, check)


def _lines(fault: SchemaFault, check: SchemaCheck) -> Iterator[str]:
    """Describe a fault; for a choice, the faults of the nearest form."""
    if fault.keyword in ("anyOf", "oneOf"):
        choices = as_list(fault.schema.get(fault.keyword))
        tried = [list(check.find_faults(fault.value, each, fault.steps)) for each in choices]
        for each in min(tried, key=len):
            yield from _lines(each, check)
        return
    yield f"{_format_path(fault.steps)}: {_words(fault)}"


def _words(fault: SchemaFault) -> str:
    """Describe what was expected."""
    match fault.keyword:
        case "type":
            return f"expected {' or '.join(types_of(fault.schema))}, found {json_type(fault.value)}"
        case "const" | "enum":
            allowed = [fault.schema["const"]] if fault.keyword == "const" else as_list(fault.schema["enum"])
            return f"expected one of {', '.join(str(each) for each in allowed)}"
        case "required":
            return f"the key `{fault.expected}` is missing{_hint(fault)}"
        case "additionalProperties" | "false":
            return "no such key was asked for"
        case "uniqueItems":
            return f"expected different elements, found {fault.expected} twice"
        case "limit":
            return "too large or nested too deeply"
        case _:
            noun = next((noun for ending, noun in _COUNTED.items() if fault.keyword.endswith(ending)), "")
            return f"expected {_COMPARED[fault.keyword]} {fault.expected}{noun}"


def _hint(fault: SchemaFault) -> str:
    """Suggest the key of the reply that was probably meant instead of the missing one."""
    properties = fault.schema.get("properties")
    allowed = properties if isinstance(properties, dict) else {}
    reply = fault.value if isinstance(fault.value, dict) else {}
    near = find_closest(str(fault.expected), [each for each in reply if each not in allowed])
    return f"; `{near}` is there" if near else ""


def _format_path(steps: Steps) -> str:
    """Return the path in the reply: `bullet_tags[0].tag`."""
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return path.removeprefix(".") or "the reply"


_END_OF_THOUGHT = "</think>"
_FENCED = re.compile(
    r"```(?:json)?[ \t]*+\n(" + repeat_possessively(r"[^\n]++|\n(?![ \t]*+```)") + r")(?P<end>\n[ \t]*+```)?",
    re.IGNORECASE,
)
"""A fenced block up to its closing line; an unclosed one is not a block, and is not searched again."""
_LAST_COMMA = re.compile(BEGUN_STRING + r'"?|,(?=\s*[}\]])', re.DOTALL)
_COMMENT = re.compile(
    BEGUN_STRING + r'"?|//[^\n]*|#[^\n]*|/\*' + repeat_possessively(r"[^*]++|\*(?!/)") + r"(?:\*/|\Z)",
    re.DOTALL,
)
_MAX_CHARACTERS = 1_000_000
_MAX_STARTS = 500
"""Limit of positions in a text that are tried as the start of JSON."""
_MAX_FAULTS = 10


@dataclass(frozen=True, slots=True)
class JsonReply:
    """A reply of a model as JSON."""

    value: Json
    reply: Reply
    """The last reply, with the usage of all of them."""
    is_repaired: bool = False
    """Whether the first reply was invalid."""


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
    """Return a model's answer as JSON of a schema. If it is invalid, the model is sent the faults, once.

    Parameters:
        model: The model to ask.
        prompt: The prompt.
        schema: The schema that the model is asked to follow.
        accepted: The schema that is required; by default the same. Servers without constraints need a lenient one.
        max_model_tokens: Of the reply.
        temperature: Of the model.
        seed: For models that accept one.

    Raises:
        BadJsonReplyError: The second reply is invalid too; its `usage` is of both.
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
        second = ask(_ask_for_correction(prompt, first.text, wrong))
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


def _ask_for_correction(prompt: Prompt, text: str, wrong: tuple[str, ...]) -> Prompt:
    reply = Message("assistant", (Text(shorten_text(text)),))
    complaint = "\n".join(("This is not the JSON that was asked for:", *(f"- {each}" for each in wrong)))
    request = Message("user", (Text(f"{complaint}\n\nAnswer again with the corrected JSON and nothing else."),))
    return replace(prompt, messages=(*prompt.messages, reply, request))


def read_json(text: str, schema: Mapping[str, Json] | None = None) -> tuple[Json, tuple[str, ...]]:
    """Return the JSON in a text, and its faults; of several valid values, the last.

    Models draft before they answer: text after a thought comes first, and a later value before an earlier one.
    """
    if len(text) > _MAX_CHARACTERS:
        return None, (f"the reply: expected at most {_MAX_CHARACTERS:,} characters",)
    best: tuple[Json, tuple[str, ...]] | None = None
    cleaned = text.replace("\x00", "").strip()
    try:
        for spelling in _spellings(cleaned):
            for value in (each for values in _list_candidates(spelling) for each in reversed(values)):
                candidate = _fit_schema(value, schema or {})
                if not candidate[1]:
                    return candidate
                best = best or candidate
    except RecursionError:
        return None, ("the reply: nested too deeply",)
    return best or (None, ("the reply: there is no whole JSON value in it",))


def _fit_schema(value: Json, schema: Mapping[str, Json]) -> tuple[Json, tuple[str, ...]]:
    """Return a value, or the element of a list of one if an object was expected, with its faults."""
    wrong = tuple(islice(find_faults(value, schema), _MAX_FAULTS))
    inner = value
    while wrong and isinstance(inner, list) and len(inner) == 1:
        inner = inner[0]
    if isinstance(inner, dict) and inner is not value:
        return inner, tuple(islice(find_faults(inner, schema), _MAX_FAULTS))
    return value, wrong


def _spellings(text: str) -> Iterator[str]:
    """Yield a text unchanged, then without common errors in JSON: trailing commas, and comments too."""
    yield text
    without = _remove_last_commas(text)
    if without != text:
        yield without
    if any(mark in text for mark in ("//", "/*", "#")):
        yield _remove_last_commas(_COMMENT.sub(lambda match: match[0] if match[0][0] == '"' else " ", text))


def _remove_last_commas(text: str) -> str:
    """Remove trailing commas outside of strings."""
    return _LAST_COMMA.sub(lambda match: match[0] if match[0][0] == '"' else "", text)


def _list_candidates(text: str) -> Iterator[list[Json]]:
    """Yield JSON values of a text, the likeliest first: all of it, the text after thoughts, then anything in it."""
    yield _load_json(text)
    _, end, rest = text.rpartition(_END_OF_THOUGHT)
    for part in (rest.strip(), text) if end else (text,):
        yield _load_json(part)
        yield [value for match in _FENCED.finditer(part) if match["end"] for value in _load_json(match[1])]
        yield _find_values(part)


def _find_values(text: str) -> list[Json]:
    """Return objects and lists between other words."""
    values: list[Json] = []
    at = 0
    for _ in range(_MAX_STARTS):
        start = _next_start(text, at)
        if start is None:
            break
        try:
            value_here, at = _DECODER.raw_decode(text, start)
            values.append(value_here)
        except ValueError:
            at = start + 1
    return values


def _next_start(text: str, at: int) -> int | None:
    places = [offset for mark in "{[" if (offset := text.find(mark, at)) >= 0]
    return min(places, default=None)


def _load_json(text: str) -> list[Json]:
    """Return the value of a whole text; empty if it is not JSON."""
    try:
        value, end = _DECODER.raw_decode(text)
    except ValueError:
        return []
    return [] if text[end:].strip() else [value]


def _refuse_constant(word: str) -> Json:
    raise ValueError(f"{word} is not JSON")


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key is there twice")
    return value


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_object, strict=False)
