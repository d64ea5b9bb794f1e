"""`json_reply()`: ask any model for JSON, check it against its schema, and ask once more if it is not."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.possessive import possessive
from acdl_mkdocs.foundation.safe_text import BEGUN_STRING
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.playbook.learn.models.model import BadJsonReplyError, Model, ModelError, Reply, shorten
from acdl_mkdocs.prompts.prompt import Json, Message, Prompt, Text

_KINDS: Mapping[str, Callable[[Json], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "null": lambda value: value is None,
}


def faults(value: Json, schema: Mapping[str, Json], path: str = "") -> Iterator[str]:
    """What is wrong with a value, each with its path: `bullet_tags[0].tag: expected one of helpful, harmful`."""
    place = path or "the reply"
    types = schema.get("type")
    wanted = [each for each in (types if isinstance(types, list) else [types]) if isinstance(each, str)]
    if wanted and not any(_KINDS[kind](value) for kind in wanted if kind in _KINDS):
        yield f"{place}: expected {' or '.join(wanted)}, found {_found(value)}"
        return
    allowed = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(allowed, list) and not any(_is_same(value, each) for each in allowed):
        yield f"{place}: expected one of {', '.join(str(each) for each in allowed)}"
    choices = schema.get("anyOf")
    if isinstance(choices, list):
        tried = [list(faults(value, each, path)) for each in choices if isinstance(each, dict)]
        if tried and all(tried):
            yield from min(tried, key=len)
    yield from _sizes(value, schema, place)
    if isinstance(value, dict):
        yield from _members(value, schema, path)
    if isinstance(value, list) and isinstance(items := schema.get("items"), dict):
        for idx, each in enumerate(value):
            yield from faults(each, items, f"{path}[{idx}]")


def _found(value: Json) -> str:
    return next((kind for kind, is_it in _KINDS.items() if is_it(value)), "no JSON")


def _is_same(a: Json, b: Json) -> bool:
    return type(a) is type(b) and a == b


def _sizes(value: Json, schema: Mapping[str, Json], place: str) -> Iterator[str]:
    if isinstance(value, str | list):
        least, most = ("minLength", "maxLength") if isinstance(value, str) else ("minItems", "maxItems")
        size: float = len(value)
        noun = "characters" if isinstance(value, str) else "elements"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        least, most, size, noun = "minimum", "maximum", value, ""
    else:
        return
    low, high = schema.get(least), schema.get(most)
    if isinstance(low, int | float) and size < low:
        yield f"{place}: expected at least {low} {noun}".rstrip()
    if isinstance(high, int | float) and size > high:
        yield f"{place}: expected at most {high} {noun}".rstrip()


def _members(value: dict[str, Json], schema: Mapping[str, Json], path: str) -> Iterator[str]:
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str) and name not in value:
            near = closest(name, [each for each in value if each not in known])
            hint = f"; `{near}` is there" if near else ""
            yield f"{path or 'the reply'}: the key `{name}` is missing{hint}"
    for name, inner in value.items():
        at = f"{path}.{name}" if path else name
        rule = known.get(name, schema.get("additionalProperties"))
        if isinstance(rule, dict):
            yield from faults(inner, rule, at)
        elif rule is False:
            yield f"{at}: no such key was asked for"


def is_strict(schema: Json) -> bool:
    """Whether every object of a schema demands all of its keys and forbids others, as providers' strict modes want."""
    if isinstance(schema, list):
        return all(is_strict(each) for each in schema)
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    if schema.get("type") == "object":
        names = set(properties) if isinstance(properties, dict) else set()
        required = schema.get("required")
        if schema.get("additionalProperties") is not False or names != set(map(str, required or [])):  # type: ignore[arg-type]
            return False
    inner = [value for key, value in schema.items() if key in ("items", "anyOf")]
    inner += list(properties.values()) if isinstance(properties, dict) else []
    return all(is_strict(each) for each in inner)


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
