"""Reads the trajectories of SWE-agent and mini-SWE-agent: the messages of a whole run in one document.

Newer ones of SWE-agent contain the sent messages at each step. In others they are rebuilt: each answer replies to the
messages before it.
"""

from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json
from acdl_mkdocs.runs.read.conversation import Conversation, Entry
from acdl_mkdocs.runs.read.json_values import Value, find_list
from acdl_mkdocs.runs.read.recorded import Found, Incomplete, Recorded, Skipped

_MINI = "mini-swe-agent"
_ROLES = ("system", "user", "assistant", "tool")
_KEYS = ("role", "content", "tool_calls", "tool_call_id", "name")
_SENT = Incomplete("a SWE-agent trajectory", "tools", is_rebuilt=False)
_REBUILT = Incomplete("a SWE-agent trajectory", "tools and what its history processors omit")
_REBUILT_MINI = Incomplete("a mini-SWE-agent trajectory", "tools")


def is_trajectory(value: Json) -> bool:
    """Return whether a value is a trajectory."""
    if not isinstance(value, dict):
        return False
    if str(value.get("trajectory_format", "")).startswith(_MINI):
        return True
    steps = value.get("trajectory")
    is_step = isinstance(steps, list) and all(isinstance(each, dict) and "action" in each for each in steps[:1])
    return is_step and ("history" in value or "environment" in value or "info" in value)


def read(values: Iterator[Value | Skipped], format: str | None = None) -> Iterator[Found]:
    """Yield the requests of trajectories.

    Args:
        values: The values of the file.
        format: Not used: trajectories have one format.
    """
    del format
    for each in values:
        if isinstance(each, Skipped):
            yield each
        elif not isinstance(each.json, dict) or not is_trajectory(each.json):
            cure = "name another reader with `--from`"
            yield Skipped(each.origin, "a document without `trajectory`", cure=cure, is_damaged=True)
        elif "trajectory_format" in each.json:
            yield from _read_mini_trajectory(each.json, each)
        else:
            yield from _read_swe_agent(each.json, each)


def _read_mini_trajectory(document: dict[str, Json], value: Value) -> Iterator[Found]:
    messages = document.get("messages")
    listed = messages if isinstance(messages, list) else []
    model = _get_value(document, "info", "config", "model", "model_name")
    conversation = Conversation(
        "openai", _REBUILT_MINI, _name_run(value), model if isinstance(model, str) else None, reply_of=_build_reply
    )
    if any(isinstance(each, dict) and each.get("object") == "response" for each in listed):
        reason = "a mini-SWE-agent trajectory with OpenAI Responses output"
        cure = "record the run with `acdl record`, or with a model class for Chat Completions"
        yield Skipped(value.origin, reason, cure=cure, is_damaged=True)
        return
    yield from _rebuild_requests(listed, conversation, value)


def _read_swe_agent(document: dict[str, Json], value: Value) -> Iterator[Found]:
    steps, history = document.get("trajectory"), document.get("history")
    listed = steps if isinstance(steps, list) else []
    model = _find_model(document)
    if any(isinstance(each, dict) and isinstance(each.get("query"), list) for each in listed):
        for number, step in enumerate(listed, 1):
            yield _read_step(step, model, replace(value, origin=replace(value.origin, inside=f"step {number}")))
    elif isinstance(history, list) and history:
        agents = {each.get("agent"): None for each in history if isinstance(each, dict)}
        for agent in agents:
            name = _name_run(value) if len(agents) == 1 else f"{_name_run(value)}, agent {agent}"
            conversation = Conversation("openai", _REBUILT, name, model, reply_of=_build_reply)
            own: list[Json] = [
                each if isinstance(each, dict) and each.get("agent") == agent else None for each in history
            ]
            yield from _rebuild_requests(own, conversation, value)
    else:
        cure = "use the `.traj` file written by the run itself, with `query` or `history`"
        yield Skipped(value.origin, "a trajectory without the messages that were sent", cure=cure, is_damaged=True)


def _read_step(step: Json, model: str | None, value: Value) -> Found:
    query = [each for each in find_list(step, "query") if isinstance(each, dict) and "role" in each]
    if not isinstance(step, dict) or not query:
        return Skipped(value.origin, "a step without a model call")
    read = PROVIDERS["openai"].read({"messages": [_clean_message(each) for each in query]})
    reply = step.get("response", step.get("output"))
    message: Json = {"role": "assistant", "content": reply}
    calls = step.get("tool_calls")
    if isinstance(calls, list) and calls and isinstance(message, dict):
        message["tool_calls"] = calls
    name = value.origin.file
    return Recorded(
        read.prompt, "openai", value.origin, None, name, model, _build_reply([message]), None, read.problems, _SENT
    )


def _rebuild_requests(messages: list[Json], conversation: Conversation, value: Value) -> Iterator[Found]:
    """Yield the requests of the answers among messages."""
    for number, each in enumerate(messages, 1):
        if not isinstance(each, dict) or each.get("role") not in _ROLES:
            continue
        entry = Entry(_clean_message(each))
        if each.get("role") == "assistant" and each.get("is_demo") is not True:
            origin = replace(value.origin, inside=f"message {number}")
            yield from conversation.add_reply(replace(entry, answer=str(number)), origin)
        else:
            conversation.add_entry(entry)
    yield from conversation.close_request()


def _clean_message(message: dict[str, Json]) -> dict[str, Json]:
    """Return a message without the notes of the agent."""
    cleaned = {key: message[key] for key in _KEYS if message.get(key) is not None}
    ids = message.get("tool_call_ids")
    if cleaned.get("role") == "tool" and "tool_call_id" not in cleaned and isinstance(ids, list) and ids:
        cleaned["tool_call_id"] = ids[0]
    return cleaned


def _name_run(value: Value) -> str:
    origin = value.origin
    return origin.file if origin.line in (None, 1) and not origin.inside else str(origin)


def _find_model(document: dict[str, Json]) -> str | None:
    config = document.get("replay_config")
    if isinstance(config, str):
        try:
            config = strict_json(config)
        except JsonFault:
            return None
    name = _get_value(config, "agent", "model", "name")
    return name if isinstance(name, str) else None


def _get_value(value: Json, *keys: str) -> Json:
    """Return the value under keys of nested objects, if it exists."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _build_reply(messages: list[Json]) -> Json:
    return {"choices": [{"message": messages[0]}]} if messages else None
