"""Reads exports of LangSmith: runs, of which those of models have the sent messages.

Takes a run on each line, a list, a page of the API, and runs with their children inside.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers.sniff import find_dialect
from acdl_mkdocs.runs.read.exports import ExportedRequest, read_export, read_exported_request
from acdl_mkdocs.runs.read.genai import parse_spelled
from acdl_mkdocs.runs.read.json_values import Value, find_list
from acdl_mkdocs.runs.read.langchain import convert_message, convert_messages
from acdl_mkdocs.runs.read.recorded import Found, Skipped

_LISTS = ("runs", "data")
_EPISODES = ("thread_id", "session_id", "conversation_id")
_SETTINGS = ("model", "tools", "tool_choice", "temperature", "max_tokens", "response_format", "functions")
_CURE = "export the runs with `inputs`, and unset `LANGSMITH_HIDE_INPUTS`"


def is_run(value: Json) -> bool:
    """Return whether a value is a run, or a page of runs."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("run_type"), str):
        return bool(value.keys() & {"inputs", "trace_id", "parent_run_id", "dotted_order", "session_id", "child_runs"})
    listed = find_list(value, *_LISTS)
    return bool(listed) and is_run(listed[0])


def read(values: Iterator[Value | Skipped], format: str | None = None) -> Iterator[Found]:
    """Yield the requests to models among runs, in the order in which they began.

    Args:
        values: The values of the file.
        format: Key in `WIRES` of the format of all bodies; `None` detects it for each.
    """
    yield from read_export(values, lambda value: _read_runs(value, format))


def _read_runs(value: Value, format: str | None) -> Iterator[tuple[str, Found]]:
    for run, each in _flatten_runs(value):
        yield str(run.get("start_time", "")), _read_run(run, each, format)


def _flatten_runs(value: Value) -> Iterator[tuple[dict[str, Json], Value]]:
    """Yield the runs of a value, including nested ones."""
    stack = [value.json]
    while stack:
        run = stack.pop()
        if not isinstance(run, dict):
            yield {}, value
            continue
        listed = [] if "run_type" in run else find_list(run, *_LISTS)
        stack += reversed(listed or find_list(run, "child_runs"))
        if not listed:
            own = run.get("id")
            name = f"run {own}" if isinstance(own, str) and value.json is not run else ""
            yield run, replace(value, origin=replace(value.origin, inside=name or value.origin.inside))


def _read_run(run: dict[str, Json], value: Value, format: str | None) -> Found:
    if "run_type" not in run:
        cure = "remove it, or name another reader with `--from`"
        return Skipped(value.origin, "not a LangSmith run", cure=cure, is_damaged=True)
    if run["run_type"] != "llm":
        return Skipped(value.origin, "a run that is not a model call")
    inputs = parse_spelled(run.get("inputs"))
    body = _build_body(inputs, _read_settings(run)) if isinstance(inputs, dict) else None
    reply = _read_reply(parse_spelled(run.get("outputs")))
    request = ExportedRequest(body, str(run.get("name", "")), "inputs", reply, _find_episode(run))
    return read_exported_request(request, value.origin, format, _CURE)


def _build_body(inputs: dict[str, Json], settings: Mapping[str, Json]) -> dict[str, Json] | None:
    """Return the body of a request for inputs."""
    messages = convert_messages(inputs.get("messages"))
    if messages is not None:
        return {**settings, **{key: inputs[key] for key in inputs if key != "messages"}, "messages": messages}
    prompts = inputs.get("prompts", inputs.get("prompt"))
    if isinstance(prompts, list) and len(prompts) == 1:
        prompts = prompts[0]
    if isinstance(prompts, str):
        return {**settings, "messages": [{"role": "user", "content": prompts}]}
    is_body = bool(inputs.keys() & {"contents", "input"}) or find_dialect(inputs) is not None
    return {**settings, **inputs} if is_body else None


def _read_settings(run: dict[str, Json]) -> dict[str, Json]:
    """Return the model and the tools, which LangChain writes beside the messages."""
    extra = parse_spelled(run.get("extra"))
    parameters = extra.get("invocation_params") if isinstance(extra, dict) else None
    noted = extra.get("metadata") if isinstance(extra, dict) else None
    settings: dict[str, Json] = {}
    if isinstance(parameters, dict):
        settings = {key: parameters[key] for key in _SETTINGS if parameters.get(key) is not None}
        if "model" not in settings and isinstance(name := parameters.get("model_name"), str):
            settings["model"] = name
    if "model" not in settings and isinstance(noted, dict) and isinstance(name := noted.get("ls_model_name"), str):
        settings["model"] = name
    return settings


def _find_episode(run: dict[str, Json]) -> str | None:
    extra = parse_spelled(run.get("extra"))
    noted = extra.get("metadata") if isinstance(extra, dict) else None
    for key in _EPISODES if isinstance(noted, dict) else ():
        if isinstance(noted, dict) and isinstance(name := noted.get(key), str):
            return name
    thread = run.get("thread_id")
    return thread if isinstance(thread, str) else None


def _read_reply(outputs: Json) -> Json:
    """Return the reply in the form of a provider."""
    if not isinstance(outputs, dict):
        return outputs
    first = outputs.get("generations")
    while isinstance(first, list) and first:
        first = first[0]
    if not isinstance(first, dict):
        return convert_message(outputs.get("message")) or outputs
    message = convert_message(first.get("message"))
    return {"choices": [{"message": message}]} if isinstance(message, dict) else outputs
