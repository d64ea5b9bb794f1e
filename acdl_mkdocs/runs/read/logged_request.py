"""The request inside a logged value: directly, in a wrapper, or in text; and descriptions of other JSON values."""

import re
from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.errors import PointError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES, sniff
from acdl_mkdocs.prompts.providers.client_request import find_format, find_model, is_other_address
from acdl_mkdocs.prompts.providers.sniff import Dialect, find_dialect
from acdl_mkdocs.prompts.redact import redact_value
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json

_OTHER_KEYS = {"encoding_format", "dimensions", "voice", "input_type"}
_OTHER_MODELS = re.compile(r"embed|moderation|rerank|tts|whisper|dall-e|gpt-image", re.IGNORECASE)
_OTHER_SIGNALS = ("resourceMetrics", "resource_metrics", "resourceProfiles", "resource_profiles")
"""Other data that a collector writes beside traces, possibly into the same file."""
_TRACE_KEYS = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs", *_OTHER_SIGNALS)
_SPAN_KEYS = ("spanId", "span_id", "context")


def is_har(value: Json) -> bool:
    """Return whether a value is a log of a browser or a proxy."""
    log = value.get("log") if isinstance(value, dict) else None
    return isinstance(log, dict) and isinstance(log.get("entries"), list)


def is_otlp(value: Json) -> bool:
    """Return whether a value has spans or log records of OpenTelemetry, or is one."""
    if not isinstance(value, dict):
        return False
    return any(key in value for key in _TRACE_KEYS) or (
        "attributes" in value and any(key in value for key in _SPAN_KEYS)
    )


def is_other_signal(value: Json) -> bool:
    """Return whether a value is other output of a collector, without requests: metrics or profiles."""
    return isinstance(value, dict) and value.keys() <= {*_OTHER_SIGNALS, "schemaUrl"}


def find_body_format(body: Json, likely: str | None = None) -> str | None:
    """Return the key in `WIRES` of the format of a body; `None` for other requests, such as for an embedding.

    Args:
        body: The body, or a text.
        likely: The format that an address or a log names, used if the shape does not decide.
    """
    if isinstance(body, dict) and "messages" not in body and "contents" not in body:
        model = body.get("model")
        is_other = isinstance(model, str) and _OTHER_MODELS.search(model) is not None
        if is_other or body.keys() & _OTHER_KEYS:
            return None
    format_name = sniff(body, likely)
    if format_name is None and _has_messages(body, likely) and find_dialect(body) is None:
        return likely  # whatever is wrong with its messages is reported
    return format_name


def find_named_format(body: Json, format: str | None, likely: str | None = None) -> str | None:
    """Return the format if all bodies are declared to have one; `None` for a body that cannot have it.

    Args:
        body: The body, or a text.
        format: Key in `WIRES` of the format of all bodies; `None` detects it.
        likely: As for `find_body_format()`.
    """
    format_name = find_body_format(body, format or likely)
    if format is None or format_name in (None, format):
        return format_name
    return format if _has_messages(body, format) else None


def _has_messages(body: Json, format: str | None) -> bool:
    """Return whether a body has the key of a format for messages, whatever its value."""
    provider = PROVIDERS.get(format or "")
    return provider is not None and isinstance(body, dict) and provider.messages_key in body


def describe_other(value: Json) -> tuple[str, bool]:
    """Describe a value without a request, and whether a request may be lost with it."""
    if not isinstance(value, dict):
        return "a value that is not an object", True
    if "acdl_record" in value and "request" not in value:
        return "a call that does not generate a reply, such as an embedding", False
    is_answer = value.get("type") in ("message", "error") or str(value.get("object", "")).startswith(
        ("chat.completion", "response")
    )
    if is_answer or "choices" in value or "candidates" in value:
        return "a model reply", False
    if "input" in value and find_body_format(value) is None and sniff(value) is not None:
        return "a call that does not generate a reply, such as an embedding", False
    for key in ("messages", "contents"):
        if key in value:
            is_python = isinstance(value[key], str) and str(value[key]).lstrip().startswith(("[{'", "[("))
            return f"an object whose `{key}` are {'Python text, not JSON' if is_python else 'none'}", True
    return "an object without `messages`, `contents` or `input`", True


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
"""Keys with a request, the most specific ones first."""
_LISTS = ("requests", "calls", "generations")
_REPLIES = ("reply", "response", "output", "outputs", "completion")
_EPISODES = ("episode", "conversation_id", "conversationId", "session_id", "sessionId", "thread_id", "run_id")
_LOGS = {"output", "traceId", "trace_id", "modelParameters", "model_parameters", "startTime", "usage"}
"""Keys beside an `input` that is a list of chat messages, in logs of tools; no request has them."""
_NAMES = ("model", "tools")
_DEEPEST = 5
_MOST_SPELLED = 3
"""Limit of JSON texts nested in texts."""


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """A request body, and data of its wrappers."""

    body: Json
    format: str
    """Key in `WIRES`."""
    path: str = ""
    """Path of the body in the value: `request.body`."""
    reply: Json = None
    at: Time | None = None
    episode: str | None = None
    model: str | None = None
    status: int | None = None
    is_point_unusable: bool = False
    """Whether it has an invalid point."""


def list_requests(value: Json, format: str | None = None) -> Iterator[LoggedRequest]:
    """Return the requests of a value: usually one, none for other values.

    Args:
        value: A line of a log, or an element of a list in it.
        format: Key in `WIRES` of the format of all bodies, if it is known.
    """
    key = _find_list_key(value)
    if key is None or not isinstance(value, dict):
        request = _find_request(value, format, "", 0)
        yield from () if request is None else (request,)
        return
    listed = value[key]
    for number, each in enumerate(listed if isinstance(listed, list) else ()):
        request = _find_request(each, format, f"{key}[{number}]", 1)
        yield from () if request is None else (request,)


def find_inner_dialect(value: Json, depth: int = 0, address: str = "") -> Dialect | None:
    """Return the format of a request that cannot be read, in a value or in its wrappers.

    Args:
        value: A value, or the text of one.
        depth: How many wrappers are around it.
        address: The address that these name.
    """
    if isinstance(value, str):
        value = _parse_spelled(value)
    if not isinstance(value, dict) or depth > _DEEPEST:
        return None
    address = _find_address(value) or address
    inner = (find_inner_dialect(value.get(key), depth + 1, address) for key in _WRAPPERS)
    return find_dialect(value, address) or next((each for each in inner if each is not None), None)


def _find_list_key(value: Json) -> str | None:
    """Return the key under which an object has several requests, if it is not a request itself."""
    if not isinstance(value, dict) or find_body_format(value) is not None:
        return None
    return next((key for key in _LISTS if isinstance(value.get(key), list)), None)


def _find_request(
    value: Json, format: str | None, path: str, depth: int, likely: str | None = None
) -> LoggedRequest | None:
    """Return the request in a value, with data of its wrappers; inner ones have precedence.

    Args:
        value: A value, or the text of one.
        format: Key in `WIRES` of the format of all bodies.
        path: Where the value is.
        depth: How many wrappers are around it.
        likely: The format that a wrapper names.
    """
    if isinstance(value, str):
        value = _parse_spelled(value)
    if isinstance(value, str):
        return (
            LoggedRequest(value, "pml", path) if find_body_format(value) == "pml" and format in (None, "pml") else None
        )
    if not isinstance(value, dict) or depth > _DEEPEST:
        return None
    address = _find_address(value)
    if address and is_other_address(address):
        return None
    format_name = value.get("format")
    likely = (
        (format_name if isinstance(format_name, str) and format_name in WIRES else None)
        or find_format(address)
        or likely
    )
    chat = _normalize_chat(value)
    for name, provider in PROVIDERS.items():
        chat = provider.complete_body(chat, name == (format or likely))
    sniffed = find_named_format(chat, format, likely)
    if sniffed is not None:
        request: LoggedRequest | None = LoggedRequest(chat, sniffed, path)
    else:
        request = _find_in_wrapper(value, format, path, depth, likely)
    if request is None or find_dialect(request.body, address) is not None:
        return None
    return _add_wrapper_facts(request, value, address)


def _find_address(value: dict[str, Json]) -> str:
    """Return the address a request was sent to."""
    return next((each for key in ("url", "path", "endpoint") if isinstance(each := value.get(key), str)), "")


def _find_in_wrapper(
    value: dict[str, Json], format: str | None, path: str, depth: int, likely: str | None
) -> LoggedRequest | None:
    for key in _WRAPPERS:
        inner = value.get(key)
        if isinstance(inner, (str, dict)):
            request = _find_request(inner, format, f"{path}.{key}" if path else key, depth + 1, likely)
            if request is not None:
                return _add_names(request, value)
    return None


def _add_names(request: LoggedRequest, value: dict[str, Json]) -> LoggedRequest:
    """Return a body with the name of the model or its tools, which some logs write beside it."""
    body = request.body
    if not isinstance(body, dict) or "messages" not in body:
        return request
    missing = {key: value[key] for key in _NAMES if key not in body and isinstance(value.get(key), (str, list))}
    return replace(request, body={**missing, **body}) if missing else request


def _normalize_chat(value: dict[str, Json]) -> dict[str, Json]:
    """Return a chat request for a value whose `messages` are text, or are under `input`."""
    messages = value.get("messages")
    if isinstance(messages, str) and isinstance(listed := _parse_spelled(messages), list):
        return {**value, "messages": listed}
    chat = value.get("input")
    if isinstance(chat, str) and value.keys() & _LOGS:
        chat = _parse_spelled(chat)
    if messages is None and isinstance(chat, list) and chat and (value.keys() & _LOGS or _is_chat(chat)):
        return {**{key: value[key] for key in _NAMES if key in value}, "messages": chat}
    return value


def _is_chat(items: list[Json]) -> bool:
    """Return whether items are messages of a chat, and not items of Responses."""
    return any(isinstance(each, dict) and (each.get("role") == "tool" or "tool_calls" in each) for each in items)


def _parse_spelled(text: str) -> Json:
    """Parse JSON text, also JSON text inside JSON text; return other text unchanged."""
    value: Json = text
    for _ in range(_MOST_SPELLED):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            break
        try:
            value = strict_json(value)
        except JsonFault:
            break
    return redact_value(value)


def _add_wrapper_facts(request: LoggedRequest, value: dict[str, Json], address: str) -> LoggedRequest:
    """Add data beside a request, unless an inner wrapper has it."""
    own = value.get("acdl")
    beside = {**value, **own} if isinstance(own, dict) else value
    reply = next((beside[key] for key in _REPLIES if beside.get(key) is not None), None)
    episode = next((beside[key] for key in _EPISODES if isinstance(beside.get(key), (str, int))), None)
    status = beside.get("status", beside.get("status_code"))
    at, is_unusable = _read_point(beside.get("at"))
    return replace(
        request,
        reply=request.reply if request.reply is not None else reply,
        at=request.at or at,
        episode=request.episode or (None if episode is None else str(episode)),
        model=request.model or find_model(address),
        status=request.status or (status if isinstance(status, int) and not isinstance(status, bool) else None),
        is_point_unusable=request.is_point_unusable or is_unusable,
    )


def _read_point(point: Json) -> tuple[Time | None, bool]:
    """Return the point in time in a wrapper, and whether it is invalid."""
    if isinstance(point, (str, int)) and not isinstance(point, bool):
        try:
            return parse_point(str(point)), False
        except PointError:
            return None, True
    return None, False
