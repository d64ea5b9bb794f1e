"""Answers as data, in words that all front ends share: names of files, options and buttons are taken out."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.reports import json_lines
from acdl_mkdocs.foundation.source import Source

Facts: TypeAlias = dict[str, Any]
"""An answer: whatever of `figure`, `text`, `problems` and so on a front end tells."""
Problem: TypeAlias = tuple[str, ...]
"""Severity, rule, message, line, column, and all cures."""

SENT = "nothing is sent: "

_NAMES = re.compile(r"<(?:text|old|new|state|stdin)>|(?:playground|chat|old|new)\.acdl|(?:chat\.)?state\.yaml")
_OPTIONS = (
    "give one: `--model NAME`",
    "give one: `model`",
    'add it: `"model": "NAME"`',
    "`--missing placeholder`",
    "`missing: placeholder`",
    "*Missing values: keep the placeholder*",
    "`--state FILE`",
    "`state`",
    "*Generate a sample state*",
)
WEIGHTS = re.compile(r", \d+ model tokens \(\w+\)| · \d+ tokens?")
COUNTS = re.compile(r"\d+ \w+")
WORDS = re.compile(r">([^<>\n]+)<")


def plain(words: str) -> str:
    """Words without the names that front ends give to files and options."""
    for each in _OPTIONS:
        words = words.replace(each, "OPTION")
    return _NAMES.sub("FILE", words)


def from_here(data: Any) -> Any:
    """The same with paths from the working folder."""
    return json.loads(json.dumps(data).replace(json.dumps(f"{Path.cwd()}/")[1:-1], ""))


def problem(severity: str, rule: str, message: str, line: int, column: int, cures: Iterable[str]) -> Problem:
    """A problem as all front ends would tell it."""
    return tuple(map(plain, (severity, rule, message, str(line), str(column), *cures)))


def of_objects(problems: Iterable[Facts]) -> list[Problem]:
    """The problems of a report as JSON."""
    keys = ("severity", "rule", "message", "line", "column", "help")
    return [problem(*(each[key] for key in keys)) for each in problems]


def of_diagnostics(problems: Iterable[Diagnostic], source: Source) -> list[Problem]:
    """Diagnostics of one text."""
    return of_objects(json_lines.to_object(each, source) for each in problems)


def of_terminal(report: str) -> list[Problem]:
    """The problems of a report for a terminal."""
    found: list[Problem] = []
    for block in re.split(r"\n\n+", report):
        head = re.match(r"(error|warning|note)\[([\w-]+)\]: (.*)\n +--> .*?:(\d+):(\d+)\n", block)
        if head:
            severity, rule, message, line, column = head.groups()
            cures = re.findall(r"= help: (.*)", block)
            found.append(problem(severity, rule, message, int(line), int(column), cures))
    return found


def of_page(problems: Iterable[Facts], text: str, state: str | None = None) -> list[Problem]:
    """Problems as the playground has them, whose places are offsets."""
    found: list[Problem] = []
    for each in problems:
        place = Source((state or "") if each.get("where") == "state" else text).find_place(each["from"])
        severity = "note" if each["severity"] == "info" else each["severity"]
        found.append(problem(severity, each["name"], each["message"], place.line, place.column, each["help"]))
    return found


def figure(drawn: object) -> Facts:
    """A figure, and its words alone."""
    return {"figure": drawn, "words": [each for each in WORDS.findall(str(drawn)) if "{" not in each]}


def sent(text: str, problems: Sequence[Problem], remarks: Sequence[str], *, is_request: bool = True) -> Facts:
    """What is sent, what is wrong, and the sentences that the playground makes of that for a request."""
    is_refused = any(each.startswith(SENT) for each in remarks)
    about = [each for each in problems if is_request and (each[0] == "error" or not is_refused)]
    sentences = ["; ".join((each[2], *each[5:6])) for each in about]
    remarks = [plain(each) for each in remarks]
    return {
        "text": WEIGHTS.sub("", plain(text)).rstrip(),
        "problems": list(problems),
        "messages": [(each[0], each[2]) for each in problems],
        "errors": [each[1:3] for each in problems if each[0] == "error"],
        "notes": sorted((*remarks, *sentences)),
    }
