"""Reads HAR 1.2, the log of a browser or a proxy: requests of all kinds, some of which are requests to a model."""

import base64
import binascii
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.client_request import (
    find_format,
    find_model,
    is_other_address,
    may_be_dialect,
)
from acdl_mkdocs.prompts.providers.sniff import find_dialect
from acdl_mkdocs.prompts.redact import redact_value
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json
from acdl_mkdocs.runs.read.bodies import BodyFault, SizeBudget
from acdl_mkdocs.runs.read.json_values import Value
from acdl_mkdocs.runs.read.jsonl import make_recorded
from acdl_mkdocs.runs.read.logged_request import LoggedRequest, find_named_format
from acdl_mkdocs.runs.read.recorded import Found, Origin, Skipped

_CURE = "export the log with request contents"
_BEGINS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""Beginnings of compressed bodies, for bodies whose headers do not name the compression."""
MOST_BYTES = 512_000_000
"""Of all compressed bodies of a file: some logs have the same conversation in each, so they may become large."""


def read(values: Iterator[Value | Skipped], format: str | None = None) -> Iterator[Found]:
    """Yield the requests to models in a log.

    Args:
        values: The values of the file.
        format: Key in `WIRES` of the format of all bodies; `None` detects it for each.
    """
    for each in values:
        if isinstance(each, Skipped):
            yield each
            continue
        log = each.json.get("log") if isinstance(each.json, dict) else None
        entries = log.get("entries") if isinstance(log, dict) else None
        if not isinstance(entries, list):
            cure = "export it again as HAR 1.2, or name another reader with `--from`"
            yield Skipped(each.origin, "a document without `log.entries`", cure=cure, is_damaged=True)
            continue
        budget = SizeBudget(MOST_BYTES)
        for number, entry in enumerate(entries, 1):
            yield read_entry(entry, replace(each.origin, inside=f"entry {number}"), format, budget)


def read_entry(entry: Json, origin: Origin, format: str | None, budget: SizeBudget, cure: str = _CURE) -> Found:
    """Return the request of an entry of a log, or why it is skipped.

    Args:
        entry: A request and its response.
        origin: Where it is recorded.
        format: Key in `WIRES` of the format of all bodies; `None` detects it for each.
        budget: The remaining size of its decompressed bodies.
        cure: How to record requests with their bodies.
    """
    request = _read_object(_read_object(entry).get("request"))
    address = str(request.get("url", ""))
    likely = find_format(address)
    if request.get("method") != "POST" or is_other_address(address):
        return Skipped(origin, "a request that is not a model call")
    post = _read_object(request.get("postData"))
    if not post.get("text"):
        if likely is None:
            return Skipped(origin, "a request that is not a model call")
        return Skipped(origin, "a model call without its body", address.partition("?")[0], cure, is_damaged=True)
    text, fault = _read_text(post, request, budget)
    body: Json = None
    if text is not None:
        try:
            body = redact_value(strict_json(text))
        except JsonFault as reason:
            fault = str(reason)
    if body is None and format is None and likely is None:
        return Skipped(origin, "a request that is not a model call")
    if body is None:
        cure = "record it again without changing the body"
        return Skipped(origin, "a model call whose body is not JSON", fault, cure, is_damaged=True)
    format_name = find_named_format(body, format, likely)
    other = find_dialect(body, address) if likely is not None or may_be_dialect(address) else None
    if other is not None:
        return Skipped(origin, other.sentence, cure=other.cure, is_damaged=True)
    if format_name is None or format_name not in PROVIDERS:
        return Skipped(origin, "a request that is not a model call")
    return make_recorded(
        _make_logged_request(body, format_name, address, _read_object(_read_object(entry).get("response")), budget),
        origin,
    )


def _make_logged_request(
    body: Json, format: str, address: str, response: dict[str, Json], budget: SizeBudget
) -> LoggedRequest:
    status = response.get("status")
    reply = _read_reply(response, budget)
    is_status = isinstance(status, int) and status > 0
    return LoggedRequest(
        body, format, "", reply, model=find_model(address), status=int(str(status)) if is_status else None
    )


def _read_object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _read_text(post: dict[str, Json], message: dict[str, Json], budget: SizeBudget) -> tuple[str | None, str]:
    """Return the text of a body, or why there is none; headers do not show whether the log has it decoded."""
    text = str(post.get("text"))
    is_base64 = "base64" in (post.get("encoding"), post.get("_encoding"), post.get("_base64") and "base64")
    if not is_base64:
        return text, ""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None, "it is marked as base64, and it is not"
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8"), ""
    sniffed = next((name for begin, name in _BEGINS.items() if data.startswith(begin)), "")
    try:
        return budget.unpack_body(data, _find_encoding(message) or sniffed).decode("utf-8"), ""
    except BodyFault as reason:
        return None, str(reason)
    except UnicodeDecodeError:
        return None, "it is not UTF-8"


def _find_encoding(message: dict[str, Json]) -> str:
    """Return how a body is compressed."""
    headers = message.get("headers")
    for each in headers if isinstance(headers, list) else ():
        if str(_read_object(each).get("name")).lower() == "content-encoding":
            return str(_read_object(each).get("value")).lower()
    return ""


def _read_reply(response: dict[str, Json], budget: SizeBudget) -> Json:
    """Return the reply: JSON, or text such as that of a stream."""
    content = _read_object(response.get("content"))
    if not isinstance(content.get("text"), str):
        return None
    text, _ = _read_text(content, response, budget)
    if text is None:
        return None
    try:
        return redact_value(strict_json(text))
    except JsonFault:
        return redact_value(text)
