"""Reads exports of Langfuse: observations, of which generations have the sent messages.

Takes rows of JSON lines and CSV, lists, pages of the API, and traces and sessions with their observations inside.
"""

from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.read.exports import ExportedRequest, read_export, read_exported_request
from acdl_mkdocs.runs.read.genai import parse_spelled
from acdl_mkdocs.runs.read.json_values import Value, find_list
from acdl_mkdocs.runs.read.langchain import convert_messages
from acdl_mkdocs.runs.read.recorded import Found, Skipped

_TYPES = {
    *("GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"),
}
_OF_TRACE = ("traceId", "trace_id")
_LISTS = ("observations", "data", "traces")
_CURE = "export the observations with `input`, and make the integration record it"


def is_export(value: Json) -> bool:
    """Return whether a value is an observation, or has a list of them."""
    if not isinstance(value, dict):
        return False
    if str(value.get("type")) in _TYPES and any(key in value for key in _OF_TRACE):
        return True
    listed = find_list(value, *_LISTS)
    return bool(listed) and is_export(listed[0])


def read(values: Iterator[Value | Skipped], format: str | None = None) -> Iterator[Found]:
    """Yield the generations of an export, in the order in which they began.

    Args:
        values: The values of the file.
        format: Key in `WIRES` of the format of all bodies; `None` detects it for each.
    """
    yield from read_export(values, lambda value: _read_observations(value, format))


def _read_observations(value: Value, format: str | None) -> Iterator[tuple[str, Found]]:
    for row, session, each in _flatten_observations(value):
        yield str(row.get("startTime", row.get("start_time", ""))), _read_observation(row, session, each, format)


def _flatten_observations(value: Value) -> Iterator[tuple[dict[str, Json], str | None, Value]]:
    """Yield the observations of a value, each with the name of its session."""
    stack: list[tuple[Json, str | None]] = [(value.json, None)]
    while stack:
        row, session = stack.pop()
        if not isinstance(row, dict):
            yield {}, None, value
            continue
        trace = row.get("trace")
        of_trace = trace if isinstance(trace, dict) else row
        own_session = next(
            (each for key in ("sessionId", "session_id") if isinstance(each := of_trace.get(key), str)), None
        )
        own_session = own_session or session
        listed = [] if str(row.get("type")) in _TYPES else find_list(row, *_LISTS)
        if listed:
            stack += [(each, own_session) for each in reversed(listed)]
        else:
            own = row.get("id")
            name = f"observation {own}" if isinstance(own, str) and value.json is not row else value.origin.inside
            yield row, own_session, replace(value, origin=replace(value.origin, inside=name))


def _read_observation(row: dict[str, Json], session: str | None, value: Value, format: str | None) -> Found:
    if str(row.get("type")) not in _TYPES and not any(key in row for key in _OF_TRACE):
        is_trace = row.keys() & {"input", "output", "sessionId", "session_id"} and "id" in row
        if is_trace:
            return Skipped(value.origin, "a trace without its observations")
        cure = "remove it, or name another reader with `--from`"
        return Skipped(value.origin, "not a Langfuse observation", cure=cure, is_damaged=True)
    if row.get("type", "GENERATION") != "GENERATION":
        return Skipped(value.origin, "an observation that is not a model call")
    input_value = parse_spelled(row.get("input"))
    model = next(
        (each for key in ("model", "providedModelName", "provided_model_name") if (each := row.get(key))), None
    )
    named: dict[str, Json] = {"model": model} if isinstance(model, str) else {}
    name, reply = str(row.get("name") or ""), parse_spelled(row.get("output"))
    request = ExportedRequest(_build_body(input_value, named), name, "input", reply, session)
    return read_exported_request(request, value.origin, format, _CURE)


def _build_body(value: Json, named: dict[str, Json]) -> Json:
    """Return the body of a request for an input."""
    messages = convert_messages(value)
    if messages is not None:
        return {**named, "messages": messages}
    if isinstance(value, str) and value:
        return {**named, "messages": [{"role": "user", "content": value}]}
    if isinstance(value, dict):
        listed = convert_messages(value.get("messages"))
        return {**named, **value} if listed is None else {**named, **value, "messages": listed}
    return {**named, "input": value} if value else None
