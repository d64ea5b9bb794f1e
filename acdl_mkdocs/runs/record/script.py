"""Answers from a script: replies written in YAML or JSON, in their order."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from threading import Lock
from typing import cast

from acdl_mkdocs.evaluation.state.entries import Entries, Entry
from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.yaml.nodes import Scalar, YamlList, YamlMap, describe_value
from acdl_mkdocs.foundation.yaml.read import read_yaml
from acdl_mkdocs.prompts.prompt import Json, Message, Output, Prompt, Text
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.client_request import ClientRequest, ClientResponse, find_model
from acdl_mkdocs.prompts.providers.response_formats import find_response_format
from acdl_mkdocs.prompts.providers.scripted_reply import ScriptedCall, ScriptedError, ScriptedReply, Stop
from acdl_mkdocs.prompts.redact import redact_text
from acdl_mkdocs.runs.record.offline import answer_other_request, write_error, write_reply

_MOST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Condition:
    """The conditions of a request for a reply: all must hold."""

    model: str = ""
    """Name of the model; `*` matches anything."""
    system: str = ""
    """Words in the instructions."""
    last: str = ""
    """Words in the last message, or in the results in it."""
    format: str = ""
    """Key in `WIRES`."""

    def matches_request(self, request: ClientRequest, prompt: Prompt, model: str) -> bool:
        """Return whether a request matches."""
        system = [each for each in prompt.messages if each.role == "system"]
        return (
            (not self.model or fnmatchcase(model, self.model))
            and (not self.format or self.format == request.format)
            and (not self.system or any(self.system in _get_text(each) for each in system))
            and (not self.last or self.last in "".join(_get_text(each) for each in prompt.messages[-1:]))
        )


@dataclass(frozen=True, slots=True)
class ScriptEntry:
    """An element of a script."""

    line: int
    """In the file."""
    condition: Condition = Condition()
    times: int | None = 1
    """How often it is used; `None` means always."""
    text: str = ""
    thinking: str = ""
    calls: tuple[tuple[str, Mapping[str, Json], str], ...] = ()
    """Name, arguments and id of each; without an id it gets one."""
    stop: Stop | None = None
    usage: tuple[int, int] | None = None
    failure: ScriptedError | None = None


def _get_text(message: Message) -> str:
    """Return all text of a message, also in results of calls."""
    texts = []
    for part in message.parts:
        inner = part.parts if isinstance(part, Output) else (part,)
        texts += [each.text for each in inner if isinstance(each, Text)]
    return "\n".join(texts)


class ScriptedAnswers:
    """Answers each request with the first unused reply that matches it."""

    is_offline = True

    def __init__(self, name: str, replies: tuple[ScriptEntry, ...]) -> None:
        self._name = name
        self._replies = replies
        self._n_given = [0] * len(replies)
        self._complaints: list[str] = []
        self._lock = Lock()

    def answer_request(self, request: ClientRequest) -> ClientResponse:
        """Return the reply of the script in the format of the provider."""
        if request.format is None:
            answer = answer_other_request(request)
            return self._refuse_request(request, answer, 404) if isinstance(answer, str) else answer
        if request.fault:
            return self._refuse_request(request, f"request {request.number} cannot be answered: {request.fault}")
        read = PROVIDERS[request.format].read(request.json)
        model = read.model or find_model(request.path) or ""
        with self._lock:
            number = self._find_reply(request, read.prompt, model)
            if number is None:
                sentence = self._describe_exhaustion(request, read.prompt, model)
                self._complaints.append(sentence)
                return write_error(request, ScriptedError(400, sentence))
            self._n_given[number] += 1
            n_given = self._n_given[number]
        reply = self._replies[number]
        if reply.failure is not None:
            return write_error(request, reply.failure, is_scripted=True)
        mark = f"{number + 1}" if n_given == 1 else f"{number + 1}_{n_given}"
        return write_reply(request, _make_reply(reply, mark, request))

    def _refuse_request(self, request: ClientRequest, sentence: str, status: int = 400) -> ClientResponse:
        with self._lock:
            self._complaints.append(sentence)
        return write_error(request, ScriptedError(status, sentence))

    def _find_reply(self, request: ClientRequest, prompt: Prompt, model: str) -> int | None:
        for number, reply in enumerate(self._replies):
            is_left = reply.times is None or self._n_given[number] < reply.times
            if is_left and reply.condition.matches_request(request, prompt, model):
                return number
        return None

    def _describe_exhaustion(self, request: ClientRequest, prompt: Prompt, model: str) -> str:
        last = " ".join(redact_text("".join(_get_text(each) for each in prompt.messages[-1:])).split())
        words = f"{last[:_MOST_SHOWN]}…" if len(last) > _MOST_SHOWN else last
        left = [
            each for each, n in zip(self._replies, self._n_given, strict=True) if each.times is None or n < each.times
        ]
        if left:
            why = f"none of the {len(left)} unused replies matches it (the first is in line {left[0].line})"
            cure = "check their `when`"
        else:
            why, cure = (
                f"all {len(self._replies)} replies were used",
                "add a reply, or write `times: any` in a reply that may be repeated",
            )
        sentence = (
            f"{self._name} has no reply for request {request.number} ({request.format}, model "
            f"`{model}`, last: `{words}`)"
        )
        return f"{sentence}: {why}; {cure}"

    def list_failures(self) -> list[str]:
        """Return the requests that could not be answered."""
        return list(self._complaints)

    def list_unused(self) -> list[str]:
        """Return which replies were not used."""
        unused = [reply for reply, n in zip(self._replies, self._n_given, strict=True) if n < (reply.times or 0)]
        if not unused:
            return []
        many = "1 reply was" if len(unused) == 1 else f"{len(unused)} replies were"
        return [f"{many} never used; the first is in line {unused[0].line} of {self._name}"]

    def list_notes(self) -> list[str]:
        """Return nothing."""
        return []


def _make_reply(reply: ScriptEntry, mark: str, request: ClientRequest) -> ScriptedReply:
    shape = find_response_format(request)
    calls = tuple(
        ScriptedCall(name, arguments, call_id or shape.make_call_id(mark, number))
        for number, (name, arguments, call_id) in enumerate(reply.calls, 1)
    )
    stop: Stop = reply.stop or ("calls" if calls else "end")
    return ScriptedReply(mark, reply.text, reply.thinking, calls, stop, reply.usage)


def load_script(path: Path | str) -> ScriptedAnswers:
    """Load the answers of a script.

    Raises:
        RecorderError: The file cannot be read, or is not a script; the message has every problem with its position.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as reason:
        raise RecorderError(f"{path}: {(reason.strerror or 'it cannot be read').lower()}") from None
    except UnicodeDecodeError as fault:
        raise RecorderError(f"{path}: byte {fault.start + 1} is not UTF-8; save the file in UTF-8") from None
    return ScriptedAnswers(str(path), read_script(text, str(path)))


KEYS = ("acdl_replies", "replies", "$schema")
REPLY_KEYS = ("when", "times", "text", "thinking", "calls", "stop", "usage", "error")
WHEN_KEYS = ("model", "system", "last", "format")
CALL_KEYS = ("name", "arguments", "id")
ERROR_KEYS = ("status", "message", "type")
USAGE_KEYS = ("input", "output")
STOPS: tuple[Stop, ...] = ("end", "calls", "length", "refusal")
_BEGIN = "begin with `acdl_replies: 1` and `replies:`, followed by `- text: …` for each reply"
_REPLY_CONTENT_KEYS = ("text", "thinking", "calls", "stop", "usage")
_MOST_REPORTED = 10


def read_script(text: str, name: str) -> tuple[ScriptEntry, ...]:
    """Read the replies of a script.

    Raises:
        RecorderError: It is not a script; the message has a line for each problem.
    """
    source = Source(text, name)
    read = read_yaml(source)
    entries = Entries(source, None)
    replies: tuple[ScriptEntry, ...] = ()
    if isinstance(read.root, YamlMap):
        replies = _read_replies(entries, Entry(read.root, "", Span(0, 0)))
    elif not read.problems:
        empty = Entry(Scalar("", 0, 0), "", Span(0, 0))
        what = "is empty" if read.root is None else f"is {describe_value(read.root)}, and a script is a map"
        entries.report_problem(empty, what, _BEGIN)
    problems = sorted((*read.problems, *entries.problems), key=lambda each: each.label.span.start)
    if problems:
        lines = []
        for each in problems[:_MOST_REPORTED]:
            place = source.find_place(each.label.span.start)
            lines.append("; ".join((f"{name}:{place.line}:{place.column}: {each.message}", *each.help)))
        n_unlisted = len(problems) - _MOST_REPORTED
        raise RecorderError("\n".join((*lines, *([f"{name}: {n_unlisted} more problems"] if n_unlisted > 0 else []))))
    return replies


def _read_replies(entries: Entries, top: Entry) -> tuple[ScriptEntry, ...]:
    fields = entries.read_known_keys(top, KEYS, needed=("acdl_replies", "replies"))
    if "acdl_replies" in fields and entries.read_plain(fields["acdl_replies"]) != 1:
        entries.report_problem(
            fields["acdl_replies"],
            f"is {describe_value(fields['acdl_replies'].node)}, and it can be 1",
            "write `acdl_replies: 1`",
        )
    if "replies" not in fields:
        return ()
    items = entries.read_items(fields["replies"]) or []
    return tuple(_read_reply(entries, each) for each in items)


def _read_reply(entries: Entries, entry: Entry) -> ScriptEntry:
    fields = entries.read_known_keys(entry, REPLY_KEYS)
    line = entries.source.find_place(entry.node.span.start).line
    if not fields.keys() & {"text", "thinking", "calls", "stop", "error"} and isinstance(entry.node, YamlMap):
        entries.report_problem(entry, "has no content", "add `text: …`, `calls: …` or `error: …`")
    failure = _read_error(entries, fields["error"]) if "error" in fields else None
    for key in _REPLY_CONTENT_KEYS if failure is not None else ():
        if key in fields:
            entries.report_problem(fields[key], "cannot be combined with `error`", "keep one of them")
    return ScriptEntry(
        line,
        _read_condition(entries, fields["when"]) if "when" in fields else Condition(),
        _read_times(entries, fields.get("times")),
        _read_text(entries, fields.get("text")),
        _read_text(entries, fields.get("thinking")),
        _read_calls(entries, fields["calls"]) if "calls" in fields else (),
        cast("Stop | None", entries.read_choice(fields["stop"], STOPS)) if "stop" in fields else None,
        _read_usage(entries, fields["usage"]) if "usage" in fields else None,
        failure,
    )


def _read_text(entries: Entries, entry: Entry | None) -> str:
    return "" if entry is None else entries.read_text(entry) or ""


def _read_condition(entries: Entries, entry: Entry) -> Condition:
    fields = entries.read_known_keys(entry, WHEN_KEYS)
    wire_format = entries.read_choice(fields["format"], tuple(PROVIDERS)) if "format" in fields else None
    words = {key: _read_text(entries, fields.get(key)) for key in ("model", "system", "last")}
    return Condition(format=wire_format or "", **words)


def _read_times(entries: Entries, entry: Entry | None) -> int | None:
    if entry is None:
        return 1
    value = entries.read_plain(entry)
    if value == "any":
        return None
    return _read_whole_number(entries, entry, 1, "a number such as 3, or `any`", "write `times: 3`")


def _read_whole_number(entries: Entries, entry: Entry, least: int, words: str, cure: str) -> int:
    value = entries.read_plain(entry)
    if isinstance(value, int) and not isinstance(value, bool) and value >= least:
        return value
    entries.report_problem(entry, f"is {describe_value(entry.node)}, and it can be {words}", cure)
    return least


def _read_usage(entries: Entries, entry: Entry) -> tuple[int, int]:
    fields = entries.read_known_keys(entry, USAGE_KEYS, needed=USAGE_KEYS)
    n_asked, n_said = (
        _read_whole_number(entries, fields[key], 0, "a number of model tokens", f"write `{key}: 5`")
        if key in fields
        else 0
        for key in USAGE_KEYS
    )
    return n_asked, n_said


def _read_error(entries: Entries, entry: Entry) -> ScriptedError:
    fields = entries.read_known_keys(entry, ERROR_KEYS, needed=("status",))
    words, cure = "an HTTP status from 400 to 599", "write, for example, `status: 429`"
    status = _read_whole_number(entries, fields["status"], 400, words, cure) if "status" in fields else 400
    if status > 599:
        entries.report_problem(fields["status"], f"is {status}, and it can be {words}", cure)
    message = _read_text(entries, fields.get("message")) or "scripted error"
    return ScriptedError(status, message, _read_text(entries, fields.get("type")))


def _read_calls(entries: Entries, entry: Entry) -> tuple[tuple[str, Mapping[str, Json], str], ...]:
    calls = []
    for each in entries.read_items(entry) or []:
        fields = entries.read_known_keys(each, CALL_KEYS, needed=("name",))
        arguments = _read_json(entries, fields["arguments"]) if "arguments" in fields else {}
        if not isinstance(arguments, dict):
            cure = "write `name: value`, indented, below it"
            entries.report_problem(
                fields["arguments"], f"is {describe_value(fields['arguments'].node)}, and a map is needed", cure
            )
            arguments = {}
        calls.append((_read_text(entries, fields.get("name")), arguments, _read_text(entries, fields.get("id"))))
    return tuple(calls)


def _read_json(entries: Entries, entry: Entry) -> Json:
    """Read a value of any kind."""
    if isinstance(entry.node, YamlMap):
        return {each.key: _read_json(entries, each) for each in entries.read_pairs(entry) or []}
    if isinstance(entry.node, YamlList):
        return [_read_json(entries, each) for each in entries.read_items(entry) or []]
    value = entries.read_plain(entry)
    return value if isinstance(value, (bool, int, float, str)) else None
