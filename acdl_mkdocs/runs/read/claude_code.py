"""Reads the sessions of Claude Code: a line for each message in the format of Anthropic, linked to the one before.

An answer is on several lines, one for each block, and results of tools may come between them. A line may go back to an
earlier message, as a person does who changes a question; what followed that message is then not part of the request.
Agents that were started by another one have their own conversations. Content that Claude Code adds to each request,
such as its instructions, is not recorded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.read.conversation import Conversation, Entry
from acdl_mkdocs.runs.read.json_values import Value
from acdl_mkdocs.runs.read.recorded import Found, Incomplete, Skipped

_MISSING = "instructions, tools and the reminders that Claude Code adds"
_INCOMPLETE = Incomplete("a Claude Code session", _MISSING, has_instructions=False)
_SAID = ("user", "assistant")
_BESIDE = {
    *("agent-name", "ai-title", "attachment", "custom-title", "file-history-snapshot", "last-prompt", "mode"),
    *("permission-mode", "pr-link", "progress", "queue-operation", "summary", "system", "worktree-state"),
}
"""Types of lines that are not messages of the conversation."""
_LINKS = {"uuid", "parentUuid", "sessionId", "leafUuid", "messageId"}
_NO_LINK = "no link"


def is_line(value: Json) -> bool:
    """Return whether a value is a line of a session, or of the output of Claude Code for programs."""
    if not isinstance(value, dict) or not isinstance(kind := value.get("type"), str):
        return False
    if kind in _SAID:
        return isinstance(value.get("message"), dict) and (bool(value.keys() & _LINKS) or _is_print_output(value))
    return (kind in _BESIDE and bool(value.keys() & _LINKS)) or _is_print_output(value)


def _is_print_output(value: dict[str, Json]) -> bool:
    """Return whether a line is one of `claude --output-format stream-json`."""
    return "session_id" in value and ("parent_tool_use_id" in value or value.get("subtype") == "init")


def read(values: Iterator[Value | Skipped], format: str | None = None) -> Iterator[Found]:
    """Yield the requests that the answers of a session were given to.

    Args:
        values: The values of the file.
        format: Not used: sessions have one format.
    """
    del format
    session = _SessionReader()
    for each in values:
        if isinstance(each, Skipped):
            yield each
        elif not isinstance(each.json, dict) or not isinstance(each.json.get("type"), str):
            cure = "remove the line, or name another reader with `--from`"
            yield Skipped(each.origin, "a line that is not from a Claude Code session", cure=cure, is_damaged=True)
        elif _is_print_output(each.json):
            reason = "a line of `--output-format stream-json`, which omits the user's messages"
            cure = "use the file of the same session in `~/.claude/projects`"
            yield Skipped(each.origin, reason, cure=cure, is_damaged=True)
        else:
            yield from session.read_line(each.json, each)
    for talk in session.conversations.values():
        yield from talk.close_request()


@dataclass(frozen=True, slots=True)
class _EntryPosition:
    """The position of a line: how many entries of a conversation precede it."""

    talk: str
    end: int


@dataclass(slots=True)
class _SessionReader:
    """The conversations of a file."""

    conversations: dict[str, Conversation] = field(default_factory=dict)
    places: dict[str, _EntryPosition] = field(default_factory=dict)
    """By the id of a line."""

    def read_line(self, line: dict[str, Json], value: Value) -> Iterator[Found]:
        """Read one line."""
        uuid, parent = line.get("uuid"), line.get("parentUuid", _NO_LINK)
        if isinstance(uuid, str) and uuid in self.places:
            yield Skipped(value.origin, "a line that repeats an earlier one")
            return
        message = line.get("message")
        before = self.places.get(parent) if isinstance(parent, str) else None
        talk = self._find_conversation(line, before)
        kind = _find_kind(line, message)
        if kind in _SAID and isinstance(parent, str) and before is None and not talk.entries:
            talk.is_cut = True  # it continues a message that is not here
        if parent is None and (
            (kind == "user" and not _is_result(message)) or line.get("subtype") == "compact_boundary"
        ):
            talk.replace_entries([])  # a conversation begins, or begins again with a summary
        if kind == "assistant" and isinstance(message, dict):
            yield from self._read_answer(talk, message, before, value)
        elif kind == "user" and isinstance(message, dict):
            if before is not None and not _is_result(message):
                _go_back(talk, before.end)
            talk.add_entry(Entry({"role": "user", "content": message.get("content")}))
        else:
            yield Skipped(value.origin, kind)
        if isinstance(uuid, str):
            end = len(talk.entries) if kind in _SAID or before is None else before.end
            self.places[uuid] = _EntryPosition(talk.episode or "", end)

    def _read_answer(
        self, conversation: Conversation, message: dict[str, Json], before: _EntryPosition | None, value: Value
    ) -> Iterator[Found]:
        answer_id, content, model = message.get("id"), message.get("content"), message.get("model")
        name = answer_id if isinstance(answer_id, str) else f"line {value.origin}"
        blocks: list[Json] = content if isinstance(content, list) else [{"type": "text", "text": content}]
        entry = Entry({"role": "assistant", "content": blocks}, name)
        earlier_entry = next((each for each in reversed(conversation.entries[-64:]) if each.answer == name), None)
        if earlier_entry is None and before is not None:
            _go_back(conversation, before.end)
        conversation.model = model if isinstance(model, str) else conversation.model
        yield from conversation.add_reply(entry, value.origin)

    def _find_conversation(self, line: dict[str, Json], before: _EntryPosition | None) -> Conversation:
        session, agent = line.get("sessionId"), line.get("agentId")
        name = str(session) if isinstance(session, str) else "session"
        if isinstance(agent, str):
            name = f"{name}, agent {agent}"
        elif line.get("isSidechain") is True:
            is_inside = before is not None and before.talk != name
            n_agents = sum(each.startswith(f"{name}, agent ") for each in self.conversations)
            latest = f"{name}, agent {n_agents}"
            is_new = line.get("parentUuid", _NO_LINK) is None or latest not in self.conversations
            name = before.talk if is_inside and before else f"{name}, agent {n_agents + 1}" if is_new else latest
        if name not in self.conversations:
            self.conversations[name] = Conversation(
                "anthropic", _INCOMPLETE, name, join=_join_entries, reply_of=_build_reply
            )
            if before is not None and line.get("isSidechain") is not True:  # it continues another session
                self.conversations[name].entries = self.conversations[before.talk].entries[: before.end]
        return self.conversations[name]


def _find_kind(line: dict[str, Json], message: Json) -> str:
    """Return `user` or `assistant` for input and output of the model, else a description of the line."""
    kind = line.get("type")
    if kind == "assistant" and isinstance(message, dict):
        is_own = line.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>"
        return "a message that Claude Code wrote itself" if is_own else "assistant"
    if kind == "user" and isinstance(message, dict):
        is_shown_only = line.get("isVisibleInTranscriptOnly") is True and line.get("isCompactSummary") is not True
        return "a message that is only displayed and not sent to the model" if is_shown_only else "user"
    return "a Claude Code line that is not a message of the conversation"


def _is_result(message: Json) -> bool:
    """Return whether a message has results of tools, which belong to their calls whatever line they link to."""
    content = message.get("content") if isinstance(message, dict) else None
    return isinstance(content, list) and any(
        isinstance(each, dict) and each.get("type") == "tool_result" for each in content
    )


def _go_back(conversation: Conversation, end: int) -> None:
    """Drop everything after an entry, except the rest of its answer and the results of its calls."""
    entries = conversation.entries
    answer = entries[end - 1].answer if 0 < end <= len(entries) else None
    while end < len(entries) and (_is_result(entries[end].json) or (answer and entries[end].answer == answer)):
        end += 1
    if end < len(entries):
        conversation.replace_entries(entries[:end])


def _join_entries(entries: Sequence[Entry]) -> list[Json]:
    """Return the messages of entries: the blocks of an answer are joined, and so is user input between two answers."""
    messages: list[tuple[str | None, list[Json]]] = []
    answers: dict[str, list[Json]] = {}
    for entry in entries:
        content = entry.json.get("content")
        blocks: list[Json] = content if isinstance(content, list) else [{"type": "text", "text": content}]
        if entry.answer in answers:
            answers[entry.answer].extend(blocks)
        elif entry.answer is None and messages and messages[-1][0] is None:
            messages[-1][1].extend(blocks)
        else:
            messages.append((entry.answer, [*blocks]))
            if entry.answer is not None:
                answers[entry.answer] = messages[-1][1]
    return [{"role": "user" if name is None else "assistant", "content": blocks} for name, blocks in messages]


def _build_reply(messages: list[Json]) -> Json:
    content = messages[0].get("content") if messages and isinstance(messages[0], dict) else None
    return {"type": "message", "role": "assistant", "content": content}
