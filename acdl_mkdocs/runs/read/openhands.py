"""Reads the event logs of OpenHands: an object for each event, some of which are messages to or from the model.

The actions of one answer are separate events, which name the answer. An event of the condenser says which events
are left out from then on, and the summary that takes their place. Events from before version 1 hold no messages.
"""

from collections.abc import Iterator, Sequence

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.read.conversation import Conversation, Entry
from acdl_mkdocs.runs.read.json_values import Value, find_list
from acdl_mkdocs.runs.read.recorded import Found, Incomplete, Skipped

_SOURCE = "OpenHands events"
_MISSING = "what OpenHands adds to tool results"
_SOURCES = ("agent", "user", "environment", "hook")
_LISTS = ("history", "trajectory", "events", "items")
_LOG = "set `log_completions` of the model, and use the files in `log_completions_folder`"


def is_event(value: Json) -> bool:
    """Return whether a value is an event, or has a list of events."""
    if not isinstance(value, dict):
        return False
    if value.get("source") in _SOURCES and "id" in value:
        return isinstance(value.get("kind"), str) or _is_old(value)
    listed = find_list(value, *_LISTS)
    return bool(listed) and is_event(listed[0])


def _is_old(value: dict[str, Json]) -> bool:
    return isinstance(value.get("action", value.get("observation")), str) and "timestamp" in value


def read(values: Iterator[Value | Skipped], format: str | None = None) -> Iterator[Found]:
    """Yield the requests that the answers in an event log were given to.

    Args:
        values: The values of the file.
        format: Not used: event logs have one format.
    """
    del format
    log = _LogReader()
    n_events = 0
    for each in values:
        if isinstance(each, Skipped):
            yield each
            continue
        listed = find_list(each.json, *_LISTS)
        if listed:
            own = _LogReader()
            for event in listed:
                yield from own.read_event(event, each)
            yield from own.talk.close_request()
        else:
            n_events += 1
            yield from log.read_event(each.json, each)
            last = each
    yield from log.talk.close_request()
    if n_events == 1:
        cure = "join the events of a conversation in one file: `jq -c . events/*.json > events.jsonl`"
        yield Skipped(last.origin, "a single event of a conversation", cure=cure, is_damaged=True)


class _LogReader:
    """One conversation."""

    def __init__(self) -> None:
        self.talk = Conversation("openai", Incomplete(_SOURCE, _MISSING), join=_join_entries, reply_of=_build_reply)
        self.has_begun = False

    def read_event(self, event: Json, value: Value) -> Iterator[Found]:
        """Read one event."""
        if not isinstance(event, dict) or not isinstance(event.get("kind"), str):
            is_old = isinstance(event, dict) and _is_old(event)
            reason = (
                "an event of OpenHands before version 1, which has no messages" if is_old else "not an OpenHands event"
            )
            cure = _LOG if is_old else "remove it, or name another reader with `--from`"
            yield Skipped(value.origin, reason, cure=cure, is_damaged=True)
            return
        name = str(event.get("id"))
        match event["kind"]:
            case "SystemPromptEvent":
                self._begin_conversation(event)
                self.talk.add_entry(Entry({"role": "system", "content": _build_system(event)}, id=name))
            case "MessageEvent" if isinstance(message := event.get("llm_message"), dict):
                entry_message = _build_message(message, event.get("extended_content"))
                if event.get("source") == "agent":
                    answer = event.get("llm_response_id")
                    yield from self.talk.add_reply(Entry(entry_message, str(answer or name), name), value.origin)
                else:
                    self.talk.add_entry(Entry(entry_message, id=name))
            case "ActionEvent":
                entry = Entry(_build_action(event), str(event.get("llm_response_id") or name), name)
                yield from self.talk.add_reply(entry, value.origin)
            case "ObservationEvent" | "UserRejectObservation" | "AgentErrorEvent":
                self.talk.add_entry(Entry(_build_result(event), id=name))
            case "Condensation":
                yield from self.talk.close_request()
                self.talk.replace_entries(_apply_condensation(self.talk.entries, event))
            case _:
                yield Skipped(value.origin, "an event that is not a message")

    def _begin_conversation(self, event: dict[str, Json]) -> None:
        tools = event.get("tools")
        functions = (
            [each for each in tools if isinstance(each, dict) and "function" in each] if isinstance(tools, list) else []
        )
        if functions:
            self.talk.set_head({"tools": list(functions)})
        else:
            self.talk.incomplete = Incomplete(_SOURCE, f"the schemas of tools, and {_MISSING}")


def _build_system(event: dict[str, Json]) -> Json:
    return _build_blocks(event.get("system_prompt")) + _build_blocks(event.get("dynamic_context"))


def _build_blocks(content: Json) -> list[Json]:
    """Return contents as blocks of text and images."""
    blocks: list[Json] = []
    for each in content if isinstance(content, list) else [content]:
        if isinstance(each, str):
            blocks.append({"type": "text", "text": each})
        elif isinstance(each, dict) and isinstance(each.get("text"), str):
            blocks.append({"type": "text", "text": each["text"]})
        elif isinstance(each, dict) and isinstance(urls := each.get("image_urls"), list):
            blocks += [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return blocks


def _build_message(message: dict[str, Json], extended: Json) -> dict[str, Json]:
    role = message.get("role")
    content = _build_blocks(message.get("content")) + _build_blocks(extended if isinstance(extended, list) else [])
    calls = message.get("tool_calls")
    result: dict[str, Json] = {"role": role, "content": content}
    if isinstance(calls, list) and calls:
        result["tool_calls"] = [_build_call(each) for each in calls]
    return result


def _build_call(value: Json) -> Json:
    call = value if isinstance(value, dict) else {}
    function = call.get("function")
    named = function if isinstance(function, dict) else call
    return {
        "id": call.get("id"),
        "type": "function",
        "function": {"name": named.get("name"), "arguments": named.get("arguments")},
    }


def _build_action(event: dict[str, Json]) -> dict[str, Json]:
    return {
        "role": "assistant",
        "content": _build_blocks(event.get("thought")),
        "tool_calls": [_build_call(event.get("tool_call"))],
    }


def _build_result(event: dict[str, Json]) -> dict[str, Json]:
    observation = event.get("observation")
    content = _build_blocks(observation.get("content")) if isinstance(observation, dict) else []
    if isinstance(event.get("rejection_reason"), str):
        content = _build_blocks(f"Action rejected: {event['rejection_reason']}")
    elif isinstance(event.get("error"), str):
        content = _build_blocks(event["error"])
    extended = event.get("extended_content")
    content += _build_blocks(extended if isinstance(extended, list) else [])
    return {"role": "tool", "tool_call_id": event.get("tool_call_id"), "content": content}


def _apply_condensation(entries: list[Entry], event: dict[str, Json]) -> list[Entry]:
    """Return the conversation after an event of the condenser."""
    listed = event.get("forgotten_event_ids")
    forgotten = {each for each in listed if isinstance(each, str)} if isinstance(listed, list) else set()
    left = [entry for entry in entries if entry.id not in forgotten]
    summary, offset = event.get("summary"), event.get("summary_offset")
    if isinstance(summary, str) and isinstance(offset, int):
        left.insert(offset, Entry({"role": "user", "content": summary}, id=str(event.get("id"))))
    return left


def _join_entries(entries: Sequence[Entry]) -> list[Json]:
    """Return the messages of entries: consecutive actions of an answer are joined."""
    messages: list[Json] = []
    last: Entry | None = None
    for entry in entries:
        is_same = last is not None and entry.answer is not None and entry.answer == last.answer
        before = messages[-1] if is_same else None
        if isinstance(before, dict):
            calls, added = before.get("tool_calls"), entry.json.get("tool_calls")
            both = [*(calls if isinstance(calls, list) else ()), *(added if isinstance(added, list) else ())]
            messages[-1] = {**before, "tool_calls": both}
        else:
            messages.append(entry.json)
        last = entry
    return messages


def _build_reply(messages: list[Json]) -> Json:
    return {"choices": [{"message": messages[0]}]} if messages else None
