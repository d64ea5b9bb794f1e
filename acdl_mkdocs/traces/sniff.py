"""What a JSON value is about. Reads nothing itself."""

import re

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import sniff
from acdl_mkdocs.prompts.providers.sniff import dialect_of

_OTHER_KEYS = {"encoding_format", "dimensions", "voice", "input_type"}
_OTHER_MODELS = re.compile(r"embed|moderation|rerank|tts|whisper|dall-e|gpt-image", re.IGNORECASE)
_OTHER_SIGNALS = ("resourceMetrics", "resource_metrics", "resourceProfiles", "resource_profiles")
"""What a collector writes beside traces, also into the same file."""
_TRACE_KEYS = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs", *_OTHER_SIGNALS)
_LISTS = {"openai": "messages", "anthropic": "messages", "gemini": "contents"}
"""By format, the key of the messages."""
_SPAN_KEYS = ("spanId", "span_id", "context")


def is_har(value: Json) -> bool:
    """Whether a value is a log of a browser or a proxy."""
    log = value.get("log") if isinstance(value, dict) else None
    return isinstance(log, dict) and isinstance(log.get("entries"), list)


def is_otlp(value: Json) -> bool:
    """Whether a value has spans or log records of OpenTelemetry, or is one."""
    if not isinstance(value, dict):
        return False
    return any(key in value for key in _TRACE_KEYS) or (
        "attributes" in value and any(key in value for key in _SPAN_KEYS)
    )


def is_other_signal(value: Json) -> bool:
    """Whether a collector has written something that has no calls: metrics, or where a program spent its time."""
    return isinstance(value, dict) and value.keys() <= {*_OTHER_SIGNALS, "schemaUrl"}


def format_of_body(body: Json, likely: str | None = None) -> str | None:
    """Key in `WIRES` of the format of a body; `None` where it asks for something else, such as an embedding.

    Args:
        body: The body, or a text.
        likely: The format that an address or a log names, which decides where the shape does not.
    """
    if isinstance(body, dict) and "messages" not in body and "contents" not in body:
        model = body.get("model")
        is_other = isinstance(model, str) and _OTHER_MODELS.search(model) is not None
        if is_other or body.keys() & _OTHER_KEYS:
            return None
    found = sniff(body, likely)
    if found is None and isinstance(body, dict) and _LISTS.get(likely or "") in body and dialect_of(body) is None:
        return likely  # whatever is wrong with its messages is reported
    return found


def format_named(body: Json, format: str | None, likely: str | None = None) -> str | None:
    """The same where all bodies are said to have a format: a body that cannot have it has none.

    Args:
        body: The body, or a text.
        format: Key in `WIRES` of the format of all bodies; `None` detects it.
        likely: As for `format_of_body()`.
    """
    found = format_of_body(body, format or likely)
    if format is None or found in (None, format):
        return found
    return format if isinstance(body, dict) and _LISTS.get(format) in body else None


def what_else(value: Json) -> tuple[str, bool]:
    """What a value is that is no request, in words, and whether a request may be lost with it."""
    if not isinstance(value, dict):
        return "a value that is no object", True
    if "acdl_record" in value and "request" not in value:
        return "a call for something else than an answer, such as an embedding", False
    is_answer = value.get("type") in ("message", "error") or str(value.get("object", "")).startswith(
        ("chat.completion", "response")
    )
    if is_answer or "choices" in value or "candidates" in value:
        return "an answer of a model", False
    if "input" in value and format_of_body(value) is None and sniff(value) is not None:
        return "a call for something else than an answer, such as an embedding", False
    for key in ("messages", "contents"):
        if key in value:
            is_python = isinstance(value[key], str) and str(value[key]).lstrip().startswith(("[{'", "[("))
            return f"an object whose `{key}` are {'text of Python, no JSON' if is_python else 'none'}", True
    return "an object without `messages`, `contents` or `input`", True
