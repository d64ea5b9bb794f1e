"""The request inside a logged value: as it is, in a wrapper, as text, or as the logs of common tools have it."""

from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.errors import PointError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import WIRES
from acdl_mkdocs.prompts.providers.client_request import format_of_address, is_other_address, model_of_address
from acdl_mkdocs.prompts.providers.sniff import Dialect, dialect_of
from acdl_mkdocs.prompts.redact import redacted
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json
from acdl_mkdocs.traces.sniff import format_named, format_of_body

_WRAPPERS = (
    "request",
    "body",
    "request_body",
    "requestBody",
    "raw_request",
    "payload",
    "params",
    "kwargs",
    "input",
    "inputs",
    "json",
    "data",
)
"""Keys under which a request stands, those that say so most clearly first."""
_LISTS = ("requests", "calls", "generations")
_REPLIES = ("reply", "response", "output", "outputs", "completion")
_EPISODES = ("episode", "conversation_id", "conversationId", "session_id", "sessionId", "thread_id", "run_id")
_LOGS = {"output", "traceId", "trace_id", "modelParameters", "model_parameters", "startTime", "usage"}
"""Keys beside an `input` that is a list of chat messages, in logs of tools; no request has them."""
_NAMES = ("model", "tools")
_DEEPEST = 5
_MOST_SPELLED = 3
"""Times that a body is written as text inside text."""


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A request body, and what stands around it."""

    body: Json
    format: str
    """Key in `WIRES`."""
    path: str = ""
    """Where in the value the body is: `request.body`."""
    reply: Json = None
    at: Time | None = None
    episode: str | None = None
    model: str | None = None
    status: int | None = None
    is_point_unusable: bool = False
    """Whether a point was given that means none."""


def requests_in(value: Json, format: str | None = None) -> Iterator[Wrapped]:
    """The requests that a value has: mostly one, none where it is something else.

    Args:
        value: A line of a log, or an element of a list in it.
        format: Key in `WIRES` of the format of all bodies, where that is known.
    """
    key = _list_key(value)
    if key is None or not isinstance(value, dict):
        found = _inside(value, format, "", 0)
        yield from () if found is None else (found,)
        return
    listed = value[key]
    for number, each in enumerate(listed if isinstance(listed, list) else ()):
        found = _inside(each, format, f"{key}[{number}]", 1)
        yield from () if found is None else (found,)


def dialect_inside(value: Json, depth: int = 0, address: str = "") -> Dialect | None:
    """The format of a request that cannot be read, in a value or in its wrappers.

    Args:
        value: A value, or the text of one.
        depth: How many wrappers are around it.
        address: The address that these name.
    """
    if isinstance(value, str):
        value = _spelled_out(value)
    if not isinstance(value, dict) or depth > _DEEPEST:
        return None
    address = _address(value) or address
    inner = (dialect_inside(value.get(key), depth + 1, address) for key in _WRAPPERS)
    return dialect_of(value, address) or next((each for each in inner if each is not None), None)


def _list_key(value: Json) -> str | None:
    """The key under which an object has several requests, if it is none itself."""
    if not isinstance(value, dict) or format_of_body(value) is not None:
        return None
    return next((key for key in _LISTS if isinstance(value.get(key), list)), None)


def _inside(value: Json, format: str | None, path: str, depth: int, likely: str | None = None) -> Wrapped | None:
    """The request in a value, with what its wrappers say; the innermost knows best.

    Args:
        value: A value, or the text of one.
        format: Key in `WIRES` of the format of all bodies.
        path: Where the value is.
        depth: How many wrappers are around it.
        likely: The format that a wrapper names.
    """
    if isinstance(value, str):
        value = _spelled_out(value)
    if isinstance(value, str):
        return Wrapped(value, "pml", path) if format_of_body(value) == "pml" and format in (None, "pml") else None
    if not isinstance(value, dict) or depth > _DEEPEST:
        return None
    address = _address(value)
    if address and is_other_address(address):
        return None
    said = value.get("format")
    likely = (said if isinstance(said, str) and said in WIRES else None) or format_of_address(address) or likely
    chat = _contents(_chat(value), format or likely)
    sniffed = format_named(chat, format, likely)
    if sniffed is not None:
        found: Wrapped | None = Wrapped(chat, sniffed, path)
    else:
        found = _in_wrapper(value, format, path, depth, likely)
    if found is None or dialect_of(found.body, address) is not None:
        return None
    return _with_beside(found, value, address)


def _address(value: dict[str, Json]) -> str:
    """Where a request was sent to."""
    return next((each for key in ("url", "path", "endpoint") if isinstance(each := value.get(key), str)), "")


def _in_wrapper(
    value: dict[str, Json], format: str | None, path: str, depth: int, likely: str | None
) -> Wrapped | None:
    for key in _WRAPPERS:
        inner = value.get(key)
        if isinstance(inner, str | dict):
            found = _inside(inner, format, f"{path}.{key}" if path else key, depth + 1, likely)
            if found is not None:
                return _with_names(found, value)
    return None


def _with_names(found: Wrapped, value: dict[str, Json]) -> Wrapped:
    """A body without the name of a model or its tools, which stand beside it in some logs."""
    body = found.body
    if not isinstance(body, dict) or "messages" not in body:
        return found
    more = {key: value[key] for key in _NAMES if key not in body and isinstance(value.get(key), str | list)}
    return replace(found, body={**more, **body}) if more else found


def _chat(value: dict[str, Json]) -> dict[str, Json]:
    """A value whose `messages` are text, or stand under `input`, as a request of a chat."""
    messages = value.get("messages")
    if isinstance(messages, str) and isinstance(listed := _spelled_out(messages), list):
        return {**value, "messages": listed}
    given = value.get("input")
    if isinstance(given, str) and value.keys() & _LOGS:
        given = _spelled_out(given)
    if messages is None and isinstance(given, list) and given and (value.keys() & _LOGS or _is_chat(given)):
        return {**{key: value[key] for key in _NAMES if key in value}, "messages": given}
    return value


def _contents(value: dict[str, Json], named: str | None) -> dict[str, Json]:
    """A value whose `contents` or `parts` are text, as Gemini's packages take them too, with lists."""
    contents = value.get("contents")
    is_text = isinstance(contents, str) and (named == "gemini" or isinstance(value.get("model"), str))
    if is_text or isinstance(contents, dict):
        contents = [contents]
    if not isinstance(contents, list):
        return value
    return {**value, "contents": [_content(each) for each in contents]}


def _content(given: Json) -> Json:
    if isinstance(given, str):
        return {"role": "user", "parts": [{"text": given}]}
    if isinstance(given, dict) and isinstance(parts := given.get("parts"), str):
        return {**given, "parts": [{"text": parts}]}
    return given


def _is_chat(items: list[Json]) -> bool:
    """Whether items are messages of a chat, which the items of Responses are not."""
    return any(isinstance(each, dict) and (each.get("role") == "tool" or "tool_calls" in each) for each in items)


def _spelled_out(text: str) -> Json:
    """The value that a text says, where it is JSON, also of a text that is JSON; else the text."""
    value: Json = text
    for _ in range(_MOST_SPELLED):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            break
        try:
            value = strict_json(value)
        except JsonFault:
            break
    return redacted(value)


def _with_beside(found: Wrapped, value: dict[str, Json], address: str) -> Wrapped:
    """What stands beside a request, unless something further inside has said it."""
    own = value.get("acdl")
    beside = {**value, **own} if isinstance(own, dict) else value
    reply = next((beside[key] for key in _REPLIES if beside.get(key) is not None), None)
    episode = next((beside[key] for key in _EPISODES if isinstance(beside.get(key), str | int)), None)
    status = beside.get("status", beside.get("status_code"))
    at, is_unusable = _point(beside.get("at"))
    return replace(
        found,
        reply=found.reply if found.reply is not None else reply,
        at=found.at or at,
        episode=found.episode or (None if episode is None else str(episode)),
        model=found.model or model_of_address(address),
        status=found.status or (status if isinstance(status, int) and not isinstance(status, bool) else None),
        is_point_unusable=found.is_point_unusable or is_unusable,
    )


def _point(said: Json) -> tuple[Time | None, bool]:
    """A point in time that a wrapper says, and whether it means none."""
    if isinstance(said, str | int) and not isinstance(said, bool):
        try:
            return parse_point(str(said)), False
        except PointError:
            return None, True
    return None, False
