"""Reads the cassettes of VCR: requests and responses that tests replay, in YAML or JSON.

Takes those of vcrpy, go-vcr, Ruby's VCR and Betamax, and of pydantic-ai, which writes bodies as data.
"""

import json
from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.read.bodies import SizeBudget
from acdl_mkdocs.runs.read.har import MOST_BYTES, read_entry
from acdl_mkdocs.runs.read.json_values import Value, find_list
from acdl_mkdocs.runs.read.recorded import Found, Skipped

_LISTS = ("interactions", "http_interactions")
_CURE = "record the cassette again with request bodies"


def is_cassette(value: Json) -> bool:
    """Return whether a value is a cassette."""
    keys = value.keys() if isinstance(value, dict) else ()
    listed = find_list(value, *_LISTS)
    return any(key in keys for key in _LISTS) and all(
        isinstance(each, dict) and "request" in each for each in listed[:1]
    )


def read(values: Iterator[Value | Skipped], format: str | None = None) -> Iterator[Found]:
    """Yield the requests to models in a cassette.

    Args:
        values: The values of the file.
        format: Key in `WIRES` of the format of all bodies; `None` detects it for each.
    """
    for each in values:
        if isinstance(each, Skipped):
            yield each
        elif not isinstance(each.json, dict) or not is_cassette(each.json):
            cure = "name another reader with `--from`"
            yield Skipped(each.origin, "a document without `interactions`", cure=cure, is_damaged=True)
        else:
            budget = SizeBudget(MOST_BYTES)
            for number, interaction in enumerate(find_list(each.json, *_LISTS), 1):
                origin = replace(each.origin, inside=f"interaction {number}")
                yield read_entry(_build_entry(interaction), origin, format, budget, _CURE)


def _build_entry(interaction: Json) -> Json:
    """Return an interaction in the form of HAR."""
    fields = interaction if isinstance(interaction, dict) else {}
    request, response = _read_object(fields.get("request")), _read_object(fields.get("response"))
    status = response.get("status", response.get("code"))
    code = _read_object(status).get("code", status)
    body = request.get("parsed_body", request.get("body"))
    reply = response.get("parsed_body", response.get("body"))
    return {
        "request": {
            "method": str(request.get("method", "")).upper(),
            "url": request.get("uri", request.get("url", "")),
            "headers": _build_headers(request.get("headers")),
            "postData": _build_body(body, is_parsed="parsed_body" in request),
        },
        "response": {
            "status": int(code) if isinstance(code, (int, str)) and str(code).isdecimal() else 0,
            "headers": _build_headers(response.get("headers")),
            "content": _build_body(reply, is_parsed="parsed_body" in response),
        },
    }


def _read_object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _build_headers(headers: Json) -> Json:
    """Return headers in the form of HAR; a value may be a list."""
    pairs: list[Json] = []
    for name, value in _read_object(headers).items():
        pairs.append({"name": name, "value": value[0] if isinstance(value, list) and value else value})
    return pairs


def _build_body(recorded: Json, *, is_parsed: bool) -> Json:
    """Return a body: its text, or base64 of it."""
    if is_parsed:
        return {"text": json.dumps(recorded)}
    body = _read_object(recorded)
    inner = body.get("string")
    holder = _read_object(inner) if isinstance(inner, dict) else body
    for key in ("base64", "base64_string"):
        if isinstance(text := holder.get(key), str):
            return {"text": "".join(text.split()), "encoding": "base64"}
    if isinstance(inner, str) or isinstance(recorded, str):
        return {"text": inner if isinstance(inner, str) else recorded}
    return {"text": json.dumps(recorded)} if body and not body.keys() & {"string", "encoding"} else {}
