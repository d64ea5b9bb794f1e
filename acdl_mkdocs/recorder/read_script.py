"""Reads a script of replies: YAML 1.2 or JSON, every problem with its place."""

from collections.abc import Mapping
from typing import cast

from acdl_mkdocs.evaluation.state.entries import Entries, Entry, shown
from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.yaml.nodes import Items, Pairs, Scalar
from acdl_mkdocs.foundation.yaml.read import read_yaml
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.scripted_reply import Failure, Stop
from acdl_mkdocs.recorder.script import Condition, Reply

KEYS = ("acdl_replies", "replies", "$schema")
REPLY_KEYS = ("when", "times", "text", "thinking", "calls", "stop", "usage", "error")
WHEN_KEYS = ("model", "system", "last", "format")
CALL_KEYS = ("name", "arguments", "id")
ERROR_KEYS = ("status", "message", "type")
USAGE_KEYS = ("input", "output")
STOPS: tuple[Stop, ...] = ("end", "calls", "length", "refusal")
_BEGIN = "begin with `acdl_replies: 1` and `replies:`, and below it `- text: …` for each reply"
_SAYING = ("text", "thinking", "calls", "stop", "usage")
_MOST_TOLD = 10


def read_script(text: str, name: str) -> tuple[Reply, ...]:
    """The replies of a script.

    Raises:
        RecorderError: It is none; the message has a line for each problem.
    """
    source = Source(text, name)
    read = read_yaml(source)
    entries = Entries(source, None)
    replies: tuple[Reply, ...] = ()
    if isinstance(read.root, Pairs):
        replies = _replies(entries, Entry(read.root, "", Span(0, 0)))
    elif not read.problems:
        empty = Entry(Scalar("", Span(0, 0)), "", Span(0, 0))
        what = "is empty" if read.root is None else f"is {shown(read.root)}, and a script is a map"
        entries.say(empty, what, _BEGIN)
    problems = sorted((*read.problems, *entries.problems), key=lambda each: each.label.span.start)
    if problems:
        lines = []
        for each in problems[:_MOST_TOLD]:
            place = source.place(each.label.span.start)
            lines.append("; ".join((f"{name}:{place.line}:{place.column}: {each.message}", *each.help)))
        more = len(problems) - _MOST_TOLD
        raise RecorderError("\n".join((*lines, *([f"{name}: {more} more problems"] if more > 0 else []))))
    return replies


def _replies(entries: Entries, top: Entry) -> tuple[Reply, ...]:
    known = entries.known(top, KEYS, needed=("acdl_replies", "replies"))
    if "acdl_replies" in known and entries.plain(known["acdl_replies"]) != 1:
        entries.say(
            known["acdl_replies"], f"is {shown(known['acdl_replies'].node)}, and it can be 1", "write `acdl_replies: 1`"
        )
    if "replies" not in known:
        return ()
    items = entries.items(known["replies"]) or []
    return tuple(_reply(entries, each) for each in items)


def _reply(entries: Entries, entry: Entry) -> Reply:
    known = entries.known(entry, REPLY_KEYS)
    line = entries.source.place(entry.node.span.start).line
    if not known.keys() & {"text", "thinking", "calls", "stop", "error"} and isinstance(entry.node, Pairs):
        entries.say(entry, "says nothing", "add `text: …`, `calls: …` or `error: …`")
    failure = _error(entries, known["error"]) if "error" in known else None
    for key in _SAYING if failure is not None else ():
        if key in known:
            entries.say(known[key], "stands beside `error`, which is all that is answered", "keep one of them")
    return Reply(
        line,
        _condition(entries, known["when"]) if "when" in known else Condition(),
        _times(entries, known.get("times")),
        _text(entries, known.get("text")),
        _text(entries, known.get("thinking")),
        _calls(entries, known["calls"]) if "calls" in known else (),
        cast("Stop | None", entries.choice(known["stop"], STOPS)) if "stop" in known else None,
        _usage(entries, known["usage"]) if "usage" in known else None,
        failure,
    )


def _text(entries: Entries, entry: Entry | None) -> str:
    return "" if entry is None else entries.text(entry) or ""


def _condition(entries: Entries, entry: Entry) -> Condition:
    known = entries.known(entry, WHEN_KEYS)
    wire = entries.choice(known["format"], tuple(PROVIDERS)) if "format" in known else None
    words = {key: _text(entries, known.get(key)) for key in ("model", "system", "last")}
    return Condition(format=wire or "", **words)


def _times(entries: Entries, entry: Entry | None) -> int | None:
    if entry is None:
        return 1
    value = entries.plain(entry)
    if value == "any":
        return None
    return _whole(entries, entry, 1, "a number such as 3, or `any`", "write `times: 3`")


def _whole(entries: Entries, entry: Entry, least: int, words: str, cure: str) -> int:
    value = entries.plain(entry)
    if isinstance(value, int) and not isinstance(value, bool) and value >= least:
        return value
    entries.say(entry, f"is {shown(entry.node)}, and it can be {words}", cure)
    return least


def _usage(entries: Entries, entry: Entry) -> tuple[int, int]:
    known = entries.known(entry, USAGE_KEYS, needed=USAGE_KEYS)
    n_asked, n_said = (
        _whole(entries, known[key], 0, "a number of model tokens", f"write `{key}: 5`") if key in known else 0
        for key in USAGE_KEYS
    )
    return n_asked, n_said


def _error(entries: Entries, entry: Entry) -> Failure:
    known = entries.known(entry, ERROR_KEYS, needed=("status",))
    words, cure = "a status of HTTP, 400 to 599", "write one such as 429"
    status = _whole(entries, known["status"], 400, words, cure) if "status" in known else 400
    if status > 599:
        entries.say(known["status"], f"is {status}, and it can be {words}", cure)
    message = _text(entries, known.get("message")) or "an error of the script"
    return Failure(status, message, _text(entries, known.get("type")))


def _calls(entries: Entries, entry: Entry) -> tuple[tuple[str, Mapping[str, Json], str], ...]:
    found = []
    for each in entries.items(entry) or []:
        known = entries.known(each, CALL_KEYS, needed=("name",))
        arguments = _json(entries, known["arguments"]) if "arguments" in known else {}
        if not isinstance(arguments, dict):
            cure = "write `name: value`, indented, below it"
            entries.say(known["arguments"], f"is {shown(known['arguments'].node)}, and a map is needed", cure)
            arguments = {}
        found.append((_text(entries, known.get("name")), arguments, _text(entries, known.get("id"))))
    return tuple(found)


def _json(entries: Entries, entry: Entry) -> Json:
    """A value of any kind."""
    if isinstance(entry.node, Pairs):
        return {each.key: _json(entries, each) for each in entries.pairs(entry) or []}
    if isinstance(entry.node, Items):
        return [_json(entries, each) for each in entries.items(entry) or []]
    value = entries.plain(entry)
    return value if isinstance(value, bool | int | float | str) else None
