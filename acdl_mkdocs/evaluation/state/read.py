"""Reading a state file, or a mapping of Python, as a `State`, with all its problems.

Each section has a function that reads it; what several have in common is in `state_entries` and `state_values`.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Literal, cast

from acdl_mkdocs.evaluation.functions import SLOT, hash_arguments
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.entries import MOST_PROBLEMS, PLACEHOLDER, Entries, Entry
from acdl_mkdocs.evaluation.state.sample_state import (
    Assumption,
    EmptyMode,
    Key,
    MissingMode,
    Records,
    Sample,
    State,
    StateOptions,
    TemplateText,
    Tree,
)
from acdl_mkdocs.evaluation.state.special_values import (
    UnusableFileError,
    read_flag,
    read_json_value,
    read_text_below,
    read_value,
)
from acdl_mkdocs.evaluation.values import Value, is_series
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, diagnostic, error
from acdl_mkdocs.foundation.errors import PointError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.foundation.yaml.nodes import MOST_DIGITS, Scalar, YamlMap, describe_value
from acdl_mkdocs.foundation.yaml.read import RULE, STATE_FILE, read_yaml
from acdl_mkdocs.language.syntax.nodes import NAMESPACES, Arm, If
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.prompts.prompt import Memory, Tool

_NUMBER = re.compile(r"[0-9]{1,9}")
_PATH = re.compile(r"(?:env|sys|resp)(?:\.[^\s.\[\]@]+)+")
MOST_LEVELS = 8
"""Of sub-steps in sub-steps."""


def read_records(entries: Entries, sections: Mapping[str, Entry], prefix: str = "") -> Records:
    """Read the records at the top of a file, or of an agent.

    Parameters:
        entries: The entries of the file.
        known: `env`, `sys`, `resp`, `steps` and `hold`, as far as they exist.
        prefix: Prefix of the paths of the records: empty, or `agents.alice.`.
    """
    base: dict[str, Tree] = {}
    for name in NAMESPACES:
        if name in sections:
            base[name] = _read_tree(entries, sections[name])
            for each in entries.read_pairs(sections[name]) or ():
                _check_series(entries, each, base[name].get(each.key))
    steps: dict[Key, Mapping[str, Tree]] = {}
    counts: dict[Key, int] = {}
    if "steps" in sections:
        _read_steps(entries, sections["steps"], (), steps, counts)
    hold = _read_hold(entries, sections["hold"]) if "hold" in sections else frozenset()
    return Records(base, steps, counts, hold, prefix)


def _read_tree(entries: Entries, entry: Entry) -> Tree:
    """Read the values of a namespace by name."""
    return {each.key: read_value(entries, each) for each in entries.read_pairs(entry) or ()}


def _check_series(entries: Entries, entry: Entry, value: Value) -> None:
    """Check that times count from 1, also in a column."""
    if is_series(value) and isinstance(value, Mapping):
        wrong = next((key for key in value if int(key.partition(".")[0]) < 1), None)
        if wrong is not None:
            cure = "begin with 1, unless the spec itself reads `@0`"
            entries.report_problem(entry, f"has a value for step `{wrong}`, and steps count from 1", cure, "note")


def _read_steps(
    entries: Entries, entry: Entry, above: Key, steps: dict[Key, Mapping[str, Tree]], counts: dict[Key, int]
) -> None:
    """Read the rows below `steps` or `substeps`."""
    thing = "sub-steps" if above else "steps"
    for each in entries.read_pairs(entry) or ():
        if not _NUMBER.fullmatch(each.key) or int(each.key) < 1:
            entries.report_problem(
                each, f"is not a number of a {thing[:-1]}; {thing} count from 1", _suggest_help(each.key)
            )
            continue
        key = (*above, int(each.key))
        row = entries.read_known_keys(each, (*NAMESPACES, "substeps"))
        if key in steps:
            entries.report_problem(each, "is given again", "keep one of them", at=each.name_span)
            continue
        steps[key] = {name: _read_tree(entries, row[name]) for name in NAMESPACES if name in row}
        if "substeps" not in row:
            continue
        below = row["substeps"]
        if isinstance(below.node, Scalar) and _NUMBER.fullmatch(below.node.text):
            counts[key] = int(below.node.text)
        elif isinstance(below.node, Scalar) and entries.read_plain(below) is not None:
            entries.report_problem(
                below, f"is {describe_value(below.node)}, and it can be a number or a map", "write how many there are"
            )
        elif len(key) >= MOST_LEVELS:
            entries.report_problem(below, f"are nested deeper than {MOST_LEVELS} levels", "make them flat")
        else:
            _read_steps(entries, below, key, steps, counts)


def _suggest_help(key: str) -> str:
    step, _, below = key.partition(".")
    if _NUMBER.fullmatch(step) and _NUMBER.fullmatch(below):
        return f"write it as `{below}` under `substeps` of step `{step}`"
    return "write `1:`, `2:` and so on"


def _read_hold(entries: Entries, entry: Entry) -> frozenset[str]:
    """Read the paths whose last earlier value persists."""
    paths: set[str] = set()
    for each in entries.read_items(entry) or ():
        path = entries.read_text(each)
        if path is None:
            continue
        if _PATH.fullmatch(path):
            paths.add(path)
        else:
            entries.report_problem(
                each, f"is `{path[:60]}`, which is not a variable", "write it without indices: `sys.mode`"
            )
    return frozenset(paths)


def read_templates(entries: Entries, entry: Entry | None) -> dict[str, TemplateText]:
    """Read the texts of templates by name."""
    pairs = (entries.read_pairs(entry) or ()) if entry is not None else ()
    return {each.key: _read_template(entries, each) for each in pairs}


def _read_template(entries: Entries, entry: Entry) -> TemplateText:
    """Read a text alone, or `{params, text}`, or `{params, file}`."""
    if not isinstance(entry.node, YamlMap):
        return TemplateText(_check_filled(entries, entry, entries.read_text(entry) or ""))
    fields = entries.read_known_keys(entry, ("params", "text", "file"))
    text = entries.read_text(fields["text"]) if "text" in fields else None
    if "file" in fields:
        if "text" in fields:
            entries.report_problem(fields["file"], "stands beside `text`", "keep one of them")
        name = entries.read_text(fields["file"])
        try:
            text = text if name is None else read_text_below(entries.folder, name)
        except UnusableFileError as reason:
            entries.report_problem(fields["file"], f"names `{name}`, which {reason}", reason.help)
    elif "text" not in fields:
        entries.report_problem(entry, "has no text", "add `text: …`, or `file: path`")
    _check_filled(entries, fields.get("text", entry), text or "")
    if "params" not in fields:
        return TemplateText(text or "")
    params = [entries.read_text(each) or "" for each in entries.read_items(fields["params"]) or ()]
    for name in dict.fromkeys(SLOT.findall(text or "")):
        if name not in params:
            cure = f"add `{name}` to `params`, in the order of the arguments"
            entries.report_problem(entry, f"has a slot `{{{{{name}}}}}` that no parameter fills", cure, "warning")
    return TemplateText(text or "", tuple(params))


def _check_filled(entries: Entries, entry: Entry, text: str) -> str:
    """Return the text of a template, and note if it is still a placeholder."""
    if SLOT.sub("", text).strip() == PLACEHOLDER:
        entries.unfilled[entry.path] = entry.span
    return text


def read_samples(entries: Entries, entry: Entry) -> tuple[Sample, ...]:
    """Read the samples of a function; equal arguments give equal values."""
    samples: list[Sample] = []
    returned: dict[str, tuple[str, Entry]] = {}
    for each in entries.read_items(entry) or ():
        fields = entries.read_known_keys(each, ("args", "returns"), needed=("returns",))
        if "returns" not in fields:
            continue
        args = _read_arguments(entries, fields.get("args"))
        sample = Sample(args, read_value(entries, fields["returns"]))
        samples.append(sample)
        for_args = "*" if args is None else hash_arguments(args)
        value, first = returned.setdefault(for_args, (repr(sample.returns), each))
        if value != repr(sample.returns):
            line = entries.source.find_place(first.span.start).line
            message = f"gives something else for the same arguments as in line {line}"
            entries.report_problem(
                each, message, "same arguments, same output: change the arguments, or keep one of them"
            )
    return tuple(samples)


def _read_arguments(entries: Entries, entry: Entry | None) -> tuple[Value, ...] | None:
    """Read the arguments of a sample; `"*"` or no arguments match any."""
    if entry is None or (isinstance(entry.node, Scalar) and entry.node.text == "*"):
        return None
    return tuple(read_value(entries, each) for each in entries.read_items(entry) or ())


def read_assumptions(entries: Entries, entry: Entry | None) -> Iterator[Assumption]:
    """Read the assumed values of conditions that the state does not decide."""
    for each in (entries.read_items(entry) or ()) if entry is not None else ():
        fields = entries.read_known_keys(each, ("when", "value"), needed=("when", "value"))
        if len(fields) < 2:
            continue
        when, value = entries.read_text(fields["when"]), read_value(entries, fields["value"])
        if when is not None and not _is_condition(when):
            entries.report_problem(
                fields["when"], "is not a condition of ACDL", "write one as in `If`: `sys.mode[@2] == search`"
            )
        elif when is not None:
            yield Assumption(when, value)


def _is_condition(text: str) -> bool:
    """Return whether a text is a valid condition of `If`."""
    if len(text) > 1000 or re.search(r"[{}\n]|//", text):
        return False
    parsed = parse(Source(f"If {text} {{\n    U: x\n}}\n"))
    items = parsed.file.items
    if parsed.diagnostics or len(items) != 1 or not isinstance(items[0], If):
        return False
    return len(items[0].arms) == 1 and isinstance(items[0].arms[0], Arm) and items[0].arms[0].test is not None


_TOOL = ("name", "alias", "description", "parameters", "trigger")
_KINDS = ("fact", "summary", "content")


def read_tools(entries: Entries, entry: Entry | None) -> Iterator[Tool]:
    """Read the tools of `tools: [{name, description, parameters}]`, each name once."""
    seen: set[str] = set()
    for each in (entries.read_items(entry) or ()) if entry is not None else ():
        fields = entries.read_known_keys(each, _TOOL, needed=("name",))
        name, alias, description = (entries.read_text(fields[key]) if key in fields else None for key in _TOOL[:3])
        if name is None:
            continue
        if name in seen:
            entries.report_problem(fields["name"], f"is `{name}`, as that of a tool before it", "give it another name")
        seen.add(name)
        parameters_entry = fields.get("parameters")
        parameters = read_json_value(entries, parameters_entry) if parameters_entry is not None else None
        if parameters_entry is not None and parameters is not None and not isinstance(parameters, dict):
            entries.report_problem(
                parameters_entry, f"is {describe_value(parameters_entry.node)}, and a JSON Schema is needed", _SCHEMA
            )
        schema = parameters if isinstance(parameters, dict) else {}
        yield Tool(name, description, schema, alias, has_trigger=read_flag(entries, fields.get("trigger")))


_SCHEMA = "write `parameters: {type: object, properties: {…}}`"


def read_memory(entries: Entries, entry: Entry | None) -> Iterator[Memory]:
    """Read the memory: `memory: [text]`, or `{text, kind, key}` for each."""
    for each in (entries.read_items(entry) or ()) if entry is not None else ():
        if not isinstance(each.node, YamlMap):
            text = entries.read_text(each)
            if text is not None:
                yield Memory(text)
            continue
        fields = entries.read_known_keys(each, ("text", "kind", "key"), needed=("text",))
        text = entries.read_text(fields["text"]) if "text" in fields else None
        kind = entries.read_choice(fields["kind"], _KINDS) if "kind" in fields else None
        key = entries.read_text(fields["key"]) if "key" in fields else None
        yield Memory(text or "", cast(Literal["fact", "summary", "content"], kind or "fact"), key)


_TOO_LARGE = 10**MOST_DIGITS
VERSION = 1
"""Value of `acdl_state` that is read."""
_RECORD_KEYS = (*NAMESPACES, "steps", "hold")
_OTHER_KEYS = (
    "spec",
    "at",
    "range",
    "args",
    "templates",
    "agents",
    "functions",
    "assume",
    "options",
    "tools",
    "memory",
)
KEYS = ("acdl_state", *_OTHER_KEYS, *_RECORD_KEYS, "$schema")
"""Top-level keys of a state file."""


@dataclass(frozen=True, slots=True)
class StateFile:
    """A state and the problems of its file."""

    source: Source
    """The text that the positions of the problems refer to."""
    state: State | None
    """The valid part of the state; `None` if there is none."""
    problems: tuple[Diagnostic, ...] = ()
    unfilled: Mapping[str, Span] = field(default_factory=dict)
    """Positions of values that are still the placeholder of `acdl state new`, by path."""

    @property
    def has_errors(self) -> bool:
        """Whether the file has errors."""
        return self.state is None or any(each.severity == "error" for each in self.problems)


def read_state(text: str, name: str = "<state>", folder: Path | None = None) -> StateFile:
    """Read a state file: YAML 1.2, or JSON. Never raises because of its content.

    Parameters:
        text: The text of the file.
        name: Name of the file, for messages.
        folder: That of the file, for the texts and images that it names; without it, none can be read.
    """
    source = Source(text.removeprefix("\ufeff"), name)
    read = read_yaml(source)
    if read.root is None or (isinstance(read.root, Scalar) and not read.root.text):
        empty = error(RULE, "the file is empty", Label(Span(0, 0), "a state belongs here"), help=_BEGIN)
        return StateFile(source, None, read.problems or (empty,))
    entries = Entries(source, folder)
    top = Entry(read.root, "", Span(read.root.span.start, read.root.span.start))
    if not isinstance(read.root, YamlMap):
        entries.report_problem(top, f"is {describe_value(read.root)}, and a state is a map", _BEGIN)
        return StateFile(source, None, (*read.problems, *entries.problems))
    state = _read_state(entries, top)
    if entries.unlisted:
        entries.problems.append(error(RULE, f"{entries.unlisted} more problems", _NOT_LISTED))
    if entries.unlisted_notes:
        notes = format_count(entries.unlisted_notes, "more note")
        entries.problems.append(diagnostic("note", RULE, notes, _NOT_LISTED))
    problems = sorted((*read.problems, *entries.problems), key=lambda each: each.label.span.start)
    return StateFile(source, state, tuple(problems), entries.unfilled)


_NOT_LISTED = Label(Span(0, 0), "not listed")
_BEGIN = "begin with `acdl_state: 1`, or let `acdl state new SPEC` write a state"


def state_of(mapping: Mapping[str, object], name: str = "<state>", folder: Path | None = None) -> StateFile:
    """Build a state from plain data of Python, checked like a file; problems have positions in its JSON."""
    problems = tuple(_find_unplain(mapping))
    if problems:
        return StateFile(Source("", name), None, problems[:MOST_PROBLEMS])
    return read_state(json.dumps(mapping, ensure_ascii=True, indent=1), name, folder)


def _find_unplain(mapping: object) -> Iterator[Diagnostic]:
    """Find what JSON cannot hold, each with its path."""
    stack: list[tuple[object, str, int]] = [(mapping, "", 0)]
    n_seen = 0
    while stack:
        value, path, depth = stack.pop()
        n_seen += 1
        if depth > STATE_FILE.max_depth or n_seen > STATE_FILE.max_values:
            what = "holds itself, or is nested too deep" if depth > STATE_FILE.max_depth else "has too many values"
            yield error(RULE, f"{path[:80] or 'the state'} {what}", Label(Span(0, 0), "here"))
            return
        if isinstance(value, dict):
            problems = [_check_key(key) for key in value]
            named = [pair for pair, why in zip(value.items(), problems, strict=True) if not why]
            stack += [(each, f"{path}.{key}".lstrip("."), depth + 1) for key, each in reversed(named)]
        elif isinstance(value, (list, tuple)):
            problems = []
            stack += [(each, f"{path}.{at}", depth + 1) for at, each in reversed(list(enumerate(value, 1)))]
        else:
            problems = [_check_value(value)]
        for why in filter(None, problems):
            message = f"{' '.join(path.split()) or 'the state'} has {why}"
            yield error(RULE, message, Label(Span(0, 0), "here"), help="use text, numbers, lists and dicts")


def _check_key(key: object) -> str:
    """Explain why something cannot be a key; empty if it can."""
    return f"a `{type(key).__name__}` of Python, which is not a plain value" if key is None else _check_value(key)


def _check_value(value: object) -> str:
    """Explain why something other than a list or map cannot be a value; empty if it can."""
    if isinstance(value, int) and abs(value) >= _TOO_LARGE:
        return f"a number of more than {MOST_DIGITS} digits; put it in quotes"
    is_plain = value is None or isinstance(value, (bool, int, float, str))
    if not is_plain or (isinstance(value, float) and not math.isfinite(value)):
        return f"a `{type(value).__name__}` of Python, which is not a plain value"
    return ""


def _read_state(entries: Entries, top: Entry) -> State:
    sections = entries.read_known_keys(top, KEYS)
    _check_version(entries, top, sections.get("acdl_state"))
    state = State(
        records=read_records(entries, {name: sections[name] for name in _RECORD_KEYS if name in sections}),
        agents={
            each.key: read_records(entries, entries.read_known_keys(each, _RECORD_KEYS), f"agents.{each.key}.")
            for each in _read_pairs(entries, sections.get("agents"))
        },
        templates=read_templates(entries, sections.get("templates")),
        functions={each.key: read_samples(entries, each) for each in _read_pairs(entries, sections.get("functions"))},
        args=_read_args(entries, sections.get("args")),
        assume=tuple(read_assumptions(entries, sections.get("assume"))),
        options=_read_options(entries, sections.get("options")),
        tools=tuple(read_tools(entries, sections.get("tools"))),
        memory=tuple(read_memory(entries, sections.get("memory"))),
        spec=entries.read_text(sections["spec"]) if "spec" in sections else None,
        range=cast(RangeMode | None, _read_choice(entries, sections, "range", ("half-open", "inclusive"))),
        name=entries.source.name,
        places=entries.places,
    )
    at = _read_points(entries, sections.get("at"), state)
    return state if at is None else replace(state, at=at)


def _check_version(entries: Entries, top: Entry, version: Entry | None) -> None:
    if version is None:
        entries.report_problem(top, "has no `acdl_state`", f"begin with `acdl_state: {VERSION}`")
    elif entries.read_plain(version) is not VERSION:
        entries.report_problem(
            version, f"is {describe_value(version.node)}, and this program reads version {VERSION}", _BEGIN
        )


def _read_pairs(entries: Entries, entry: Entry | None) -> list[Entry]:
    return (entries.read_pairs(entry) or []) if entry is not None else []


def _read_choice(entries: Entries, fields: Mapping[str, Entry], name: str, choices: tuple[str, ...]) -> str | None:
    return entries.read_choice(fields[name], choices) if name in fields else None


def _read_points(entries: Entries, entry: Entry | None, state: State) -> str | None:
    """Read the points to show, as they are written: `2.10` is not a number."""
    text = entries.read_text(entry) if entry is not None else None
    if entry is None or text is None:
        return None
    try:
        parse_points(text, state)
    except PointError as reason:
        entries.report_problem(entry, f": {reason}")
        return None
    return text


_TIME = "give the time with `at`"


def _read_args(entries: Entries, entry: Entry | None) -> dict[str, Value]:
    args: dict[str, Value] = {}
    for each in _read_pairs(entries, entry):
        if each.key.startswith("@"):
            entries.report_problem(each, "is a time, and `args` has the other parameters", _TIME, at=each.name_span)
        else:
            args[each.key] = read_value(entries, each)
    return args


def _read_options(entries: Entries, entry: Entry | None) -> StateOptions:
    fields = entries.read_known_keys(entry, ("joiner", "missing", "empty")) if entry is not None else {}
    joiner = entries.read_plain(fields["joiner"]) if "joiner" in fields else None
    if joiner is not None and not isinstance(joiner, str):
        entries.report_problem(
            fields["joiner"],
            f"is {describe_value(fields['joiner'].node)}, and text is needed",
            "put the text in quotes",
        )
        joiner = None
    missing = _read_choice(entries, fields, "missing", ("error", "placeholder", "empty"))
    empty = _read_choice(entries, fields, "empty", ("drop", "keep"))
    return StateOptions(
        joiner="\n" if joiner is None else joiner,
        missing=cast(MissingMode | None, missing),
        empty=cast(EmptyMode, empty or "drop"),
    )
