"""Reads the rollout files of Codex: a line for each item of OpenAI Responses that was sent or answered.

Items of the model that follow each other are one answer. Instructions are read where the file has them.
"""

from collections.abc import Iterator
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.read.conversation import Conversation, Entry
from acdl_mkdocs.runs.read.json_values import Value
from acdl_mkdocs.runs.read.recorded import Found, Incomplete, Skipped

_SOURCE = "a Codex session"
_TYPES = ("session_meta", "response_item", "turn_context", "event_msg", "compacted")
_RESULTS = ("_output", "_result")
_NO_ITEMS = ("ghost_snapshot",)
"""Types of items that are never sent."""


def is_line(value: Json) -> bool:
    """Return whether a value is a line of a rollout file; of an old one, its first line."""
    if not isinstance(value, dict):
        return False
    if value.get("type") in _TYPES:
        return isinstance(value.get("payload"), dict)
    return "timestamp" in value and "id" in value and "instructions" in value and "messages" not in value


def read(values: Iterator[Value | Skipped], format: str | None = None) -> Iterator[Found]:
    """Yield the requests that the answers of a session were given to.

    Args:
        values: The values of the file.
        format: Not used: rollout files have one format.
    """
    del format
    session = _SessionReader(_start_conversation(None))
    for each in values:
        if isinstance(each, Skipped):
            yield each
        elif isinstance(each.json, dict):
            yield from session.read_line(each.json, each)
        else:
            yield _skip_unknown(each)
    yield from session.conversation.close_request()


def _start_conversation(episode: str | None) -> Conversation:
    return Conversation(
        "responses",
        Incomplete(_SOURCE, "instructions and tools", has_instructions=False),
        episode,
        reply_of=lambda output: {"output": output},
    )


@dataclass(slots=True)
class _SessionReader:
    """The state of reading a file."""

    conversation: Conversation
    n_answers: int = 0
    is_answering: bool = False
    is_lost: bool = False
    """Whether it is unknown what a summary kept of the conversation."""
    turns: list[int] = field(default_factory=list)
    """Numbers of the items with messages of the user."""

    def read_line(self, line: dict[str, Json], value: Value) -> Iterator[Found]:
        """Read one line."""
        kind, payload = _read_payload(line)
        match kind:
            case "response_item":
                yield from self._read_item(payload, value)
            case "session_meta":
                yield from self._begin_session(payload)
                yield _skip_note(value)
            case "compacted":
                yield from self._read_compaction(payload, value)
            case "turn_context":
                model = payload.get("model")
                self.conversation.model = model if isinstance(model, str) else self.conversation.model
                yield _skip_note(value)
            case "event_msg" if payload.get("type") == "user_message":
                self.turns.append(max(len(self.conversation.entries) - 1, 0))
                yield _skip_note(value)
            case "event_msg" if payload.get("type") == "thread_rolled_back":
                self._roll_back(payload.get("num_turns"))
                yield _skip_note(value)
            case str():
                yield _skip_note(value)
            case None:
                yield _skip_unknown(value)

    def _begin_session(self, meta: dict[str, Json]) -> Iterator[Found]:
        """Begin a conversation. The lines of the session that it was forked from follow its own first line."""
        if not self.conversation.entries and self.conversation.episode is not None:
            return
        yield from self.conversation.close_request()
        name = meta.get("id")
        self.turns.clear()
        self.conversation, self.is_answering = _start_conversation(name if isinstance(name, str) else None), False
        instructions = meta.get("base_instructions")
        text = instructions.get("text") if isinstance(instructions, dict) else instructions
        if isinstance(text, str) and text:
            self.conversation.set_head({"instructions": text})
            self.conversation.incomplete = Incomplete(_SOURCE, "tools")

    def _read_item(self, item: dict[str, Json], value: Value) -> Iterator[Found]:
        kind = item.get("type", "message" if "role" in item else None)
        if not isinstance(kind, str):
            yield _skip_unknown(value)
        elif kind in _NO_ITEMS:
            yield _skip_note(value)
        elif _is_of_model(kind, item):
            self.n_answers += not self.is_answering
            self.is_answering = True
            entry = Entry(item, str(self.n_answers))
            if self.is_lost:
                reason = "a reply after a summary that replaces an unknown part of the conversation"
                yield Skipped(
                    value.origin, reason, cure="record the session with a newer version of Codex", is_damaged=True
                )
            else:
                yield from self.conversation.add_reply(entry, value.origin)
        else:
            self.is_answering = False
            self.conversation.add_entry(Entry(item))

    def _read_compaction(self, payload: dict[str, Json], value: Value) -> Iterator[Found]:
        yield from self.conversation.close_request()
        self.is_answering = False
        history = payload.get("replacement_history")
        self.is_lost = not isinstance(history, list)
        self.turns.clear()
        self.conversation.replace_entries(
            [Entry(each) for each in history or () if isinstance(each, dict)] if isinstance(history, list) else []
        )
        yield _skip_note(value)

    def _roll_back(self, n_turns: Json) -> None:
        """Drop the last turns, each with the message of the user that it begins with."""
        if isinstance(n_turns, int) and 0 < n_turns <= len(self.turns):
            self.conversation.replace_entries(self.conversation.entries[: self.turns[-n_turns]])
            del self.turns[-n_turns:]
        self.is_answering = False


def _read_payload(line: dict[str, Json]) -> tuple[str | None, dict[str, Json]]:
    """Return the type and payload of a line; no type if it is not a line of a session."""
    kind, payload = line.get("type"), line.get("payload")
    if isinstance(payload, dict):
        return (kind if isinstance(kind, str) else None), payload
    if "payload" in line:
        return None, line
    if "record_type" in line:
        return "state", line
    return "session_meta" if "instructions" in line and "id" in line else "response_item", line


def _is_of_model(kind: str, item: dict[str, Json]) -> bool:
    if kind == "message":
        return item.get("role") == "assistant"
    return not kind.endswith(_RESULTS) and kind not in ("compaction", "compaction_summary", "agent_message")


def _skip_note(value: Value) -> Skipped:
    return Skipped(value.origin, "a Codex line that is not an item of the conversation")


def _skip_unknown(value: Value) -> Skipped:
    cure = "remove the line, or name another reader with `--from`"
    return Skipped(value.origin, "a line that is not from a Codex session", cure=cure, is_damaged=True)
