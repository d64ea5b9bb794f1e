"""The entries of a state file while it is read: keys, kinds of values, positions, and all problems.

Every problem has the path that it is about: `steps.2.env`. Knows no section of a state file by name.
"""

import re
from collections.abc import Collection
from pathlib import Path

from acdl_mkdocs.evaluation.values import format_value
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, Severity, diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Place, Source, Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.foundation.yaml.nodes import (
    CORE,
    Plain,
    Scalar,
    YamlList,
    YamlMap,
    YamlNode,
    describe_value,
    plain_value,
)
from acdl_mkdocs.foundation.yaml.read import RULE
from acdl_mkdocs.language.names.namespaces import closest_namespace

_LONGEST = 80
"""Characters of a value that a note repeats."""
_OLD_WORDS = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
"""Words that were true or false before YAML 1.2."""
_OLD_NUMBER = re.compile(
    r"[-+]?(?:0b[01_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+|[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*"
    r"|(?=[^_]*_)(?:0x[0-9a-fA-F_]+|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?))"
    r"|[-+]0x[0-9a-fA-F]+"
)
"""Numbers of YAML 1.1 that are text in YAML 1.2: in base 2 or 60, with `_` between digits, a signed `0x`."""
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
    r"(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?)?)?"
)
_TAGGED = frozenset(("", *(f"{CORE}{name}" for name in ("null", "bool", "int", "float"))))


def describe_misreading(scalar: Scalar, value: Plain) -> tuple[str, tuple[str, ...]] | None:
    """Describe a value that may be misread, as a clause with help; `None` for all others.

    `null` and values that are read exactly as written have no note.

    Parameters:
        scalar: The value as written, without quotes or with a tag.
        value: Its value in the core schema.
    """
    text = scalar.text
    if isinstance(value, str):
        return None if scalar.tag else _describe_misread_text(text)
    if scalar.tag not in _TAGGED or text in ("", "null"):
        return None
    sent = format_value(value)
    if sent == text:
        return None
    if len(text) > _LONGEST:
        return f"is the number `{text[:_LONGEST]}…`, which is sent in another form", ("for the text, put it in quotes",)
    for_text = f'for the text, write `"{text}"`'
    if value is None:
        return f"is `{text}`, so nothing is sent for it", ("for nothing, write `null`", for_text)
    kind = "truth value" if isinstance(value, bool) else "number"
    return f"is the {kind} `{text}`, which is sent as `{sent}`", (for_text, f"for the {kind}, write `{sent}`")


def _describe_misread_text(text: str) -> tuple[str, tuple[str, ...]] | None:
    truth_value = _OLD_WORDS.get(text.lower()) if len(text) < 4 else None
    if truth_value:
        cures = (f"for the truth value, write `{truth_value}`", f'for the word, write `"{text}"`')
        return f"is the word `{text}`, not true or false", cures
    if not text[0].isdigit() and text[0] not in "+-.":
        return None
    kind = "a date" if _DATE.fullmatch(text) else "a number" if _OLD_NUMBER.fullmatch(text) else ""
    if not kind:
        return None
    if len(text) > _LONGEST:
        return f"is the text `{text[:_LONGEST]}…`; other YAML tools read {kind}", ("for the text, put it in quotes",)
    message = f"is the text `{text}`, and is sent so; other YAML tools read {kind}"
    return message, (f'for the text, write `"{text}"`',)


MOST_PROBLEMS = 100
"""Limit of listed problems; more are only counted."""
_LONGEST_PATH = 300
"""Longest path with its own position; deeper values have the position of their parent."""
_CUT = PLACEHOLDER = "…"
"""`PLACEHOLDER` marks every value of a first state that is not filled in yet."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A value with its position and its path."""

    node: YamlNode
    path: str
    span: Span
    """The span for messages: the value, or the key of a list or map."""
    key: str = ""
    key_span: Span | None = None

    @property
    def name_span(self) -> Span:
        """The span of the key, or of the value without a key."""
        return self.key_span or self.span


class Entries:
    """The entries and problems of one file."""

    def __init__(self, source: Source, folder: Path | None) -> None:
        self.source = source
        self.folder = folder
        self.places: dict[str, Place] = {}
        self.problems: list[Diagnostic] = []
        self.n_notes = 0
        """Of the problems."""
        self.unlisted = 0
        """Errors and warnings that are not listed."""
        self.unlisted_notes = 0
        self.unfilled: dict[str, Span] = {}
        """Texts that are still the placeholder of a first state, by path."""
        self.reported: set[tuple[Span, str]] = set()

    def report_problem(
        self,
        entry: Entry,
        message: str,
        help: str | tuple[str, ...] = (),
        severity: Severity = "error",
        at: Span | None = None,
    ) -> None:
        """Report a problem of an entry.

        Parameters:
            entry: The entry with the problem.
            message: A clause about it.
            help: What to do.
            severity: How bad it is.
            at: The position, if it is not that of the entry.
        """
        path = " ".join(entry.path.split()) or "the file"  # a key may have several lines
        joined = message if message.startswith(":") else f" {message}"
        span = at or entry.span
        if (span, message) in self.reported:
            return
        self.reported.add((span, message))
        is_note = severity == "note"
        n_listed = self.n_notes if is_note else len(self.problems) - self.n_notes
        if n_listed < MOST_PROBLEMS:
            self.n_notes += is_note
            label = Label(self.clip_to_first_line(span), "here")
            self.problems.append(diagnostic(severity, RULE, f"{path}{joined}", label, help=help))
        elif is_note:
            self.unlisted_notes += 1
        else:
            self.unlisted += 1

    def clip_to_first_line(self, span: Span) -> Span:
        """Cut a span to its first line."""
        end = self.source.text.find("\n", span.start, span.end)
        return span if end < 0 else Span(span.start, max(end, span.start))

    def read_pairs(self, entry: Entry) -> list[Entry] | None:
        """Return the entries of a map, each key once; report anything else and return `None`. Empty is an empty map."""
        node = entry.node
        if isinstance(node, Scalar) and self.read_plain(entry) is None:
            return []
        if not isinstance(node, YamlMap):
            self.report_problem(
                entry, f"is {describe_value(node)}, and a map is needed", "write `name: value`, indented, below it"
            )
            return None
        pairs: dict[str, Entry] = {}
        for key, value in node.pairs:
            name = key.text
            inner = self.enter_value(entry, name, value, key.span)
            if name in pairs:
                line = self.source.find_place(pairs[name].span.start).line
                self.report_problem(
                    inner, f"is given again; it stands in line {line} too", "keep one of them", at=key.span
                )
            elif name == "<<" and key.is_plain:
                self.report_problem(
                    inner, "merges nothing: YAML 1.2 has no merge keys", "write the entries out", at=key.span
                )
            else:
                pairs[name] = inner
                self.places.setdefault(inner.path, self.source.find_place(key.span.start))
        return list(pairs.values())

    def enter_value(self, entry: Entry, name: str, node: YamlNode, key: Span | None = None) -> Entry:
        """Return the entry under a key or at a position."""
        path = f"{entry.path}.{name}" if entry.path else name
        if len(path) > _LONGEST_PATH:
            path = entry.path if entry.path.endswith(_CUT) else f"{entry.path}.{_CUT}"
        span = node.span if isinstance(node, Scalar) and node.span.end > node.span.start else key or node.span
        return Entry(node, path, span, name, key)

    def read_items(self, entry: Entry) -> list[Entry] | None:
        """Return the elements of a list; report anything else and return `None`. Empty means an empty list."""
        node = entry.node
        if isinstance(node, Scalar) and self.read_plain(entry) is None:
            return []
        if not isinstance(node, YamlList):
            self.report_problem(
                entry, f"is {describe_value(node)}, and a list is needed", "write `- value`, each on a line of its own"
            )
            return None
        return [self.enter_value(entry, str(number), each) for number, each in enumerate(node.items, 1)]

    def read_known_keys(
        self, entry: Entry, names: Collection[str], *, needed: Collection[str] = ()
    ) -> dict[str, Entry]:
        """Return the entries of a map with certain keys; report others with the nearest known key."""
        pairs = {each.key: each for each in self.read_pairs(entry) or ()}
        for name in list(pairs):
            if name not in names:
                unknown = pairs.pop(name)
                near = None if self.unlisted else find_closest(name, names) or closest_namespace(name)
                near = near if near in names else None
                listed = ", ".join(f"`{each}`" for each in names)
                message = f": did you mean {near}?" if near else "means nothing here"
                cure = f"rename it to `{near}`" if near else f"there can be {listed}"
                self.report_problem(unknown, message, cure, at=unknown.name_span)
        if isinstance(entry.node, YamlMap):
            for name in needed:
                if name not in pairs:
                    self.report_problem(entry, f"has no `{name}`", f"add `{name}: …`")
        return pairs

    def read_plain(self, entry: Entry) -> Plain | YamlList | YamlMap:
        """Return the value of a word, number or text; lists and maps unchanged."""
        if not isinstance(entry.node, Scalar):
            return entry.node
        if entry.node.text == PLACEHOLDER:
            self.unfilled[entry.path] = entry.span
        try:
            return plain_value(entry.node)
        except ValueError as reason:
            self.report_problem(entry, str(reason))
            return entry.node.text or " "

    def read_value(self, entry: Entry) -> Plain | YamlList | YamlMap:
        """Return a value that is sent, and report it if it may be misread."""
        value, node = self.read_plain(entry), entry.node
        if isinstance(node, Scalar) and (node.is_plain or node.tag) and not isinstance(value, (YamlList, YamlMap)):
            misreading = describe_misreading(node, value)
            if misreading is not None:
                self.report_problem(entry, *misreading, "note")
        return value

    def read_text(self, entry: Entry) -> str | None:
        """Return a text, a number or word as it is written; report anything else and return `None`."""
        value = self.read_plain(entry)
        if isinstance(value, str):
            return value
        if value is None or not isinstance(entry.node, Scalar):
            self.report_problem(entry, f"is {describe_value(entry.node)}, and text is needed", "put the text in quotes")
            return None
        return entry.node.text

    def read_choice(self, entry: Entry, choices: tuple[str, ...]) -> str | None:
        """Return one of several words; report anything else and return `None`."""
        value = self.read_plain(entry)
        if isinstance(value, str) and value in choices:
            return value
        near = find_closest(value, choices) if isinstance(value, str) else None
        listed = " or ".join(f"`{each}`" for each in choices)
        hint = f"did you mean `{near}`?" if near else f"write {listed}"
        self.report_problem(entry, f"is {describe_value(entry.node)}, and it can be {listed}", hint)
        return None
