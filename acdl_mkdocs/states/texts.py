"""What a state file gives beside values: texts of templates, samples of functions, what to assume of conditions."""

import re
from collections.abc import Iterator

from acdl_mkdocs.evaluation.functions import fingerprint
from acdl_mkdocs.evaluation.state import Assumption, Sample, TemplateText
from acdl_mkdocs.evaluation.templates import SLOT
from acdl_mkdocs.evaluation.values import Value
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.yaml.nodes import Pairs, Scalar
from acdl_mkdocs.language.syntax.nodes import Arm, If
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.states.entries import PLACEHOLDER, Entries, Entry
from acdl_mkdocs.states.folder import UnusableFileError, read_text_below
from acdl_mkdocs.states.special_values import value_of


def templates_of(entries: Entries, entry: Entry | None) -> dict[str, TemplateText]:
    """The texts of templates by name."""
    given = (entries.pairs(entry) or ()) if entry is not None else ()
    return {each.key: _template(entries, each) for each in given}


def _template(entries: Entries, entry: Entry) -> TemplateText:
    """A text alone, or `{params, text}`, or `{params, file}`."""
    if not isinstance(entry.node, Pairs):
        return TemplateText(_filled(entries, entry, entries.text(entry) or ""))
    known = entries.known(entry, ("params", "text", "file"))
    text = entries.text(known["text"]) if "text" in known else None
    if "file" in known:
        if "text" in known:
            entries.say(known["file"], "stands beside `text`", "keep one of them")
        name = entries.text(known["file"])
        try:
            text = text if name is None else read_text_below(entries.folder, name)
        except UnusableFileError as reason:
            entries.say(known["file"], f"names `{name}`, which {reason}", reason.help)
    elif "text" not in known:
        entries.say(entry, "has no text", "add `text: …`, or `file: path`")
    _filled(entries, known.get("text", entry), text or "")
    if "params" not in known:
        return TemplateText(text or "")
    params = [entries.text(each) or "" for each in entries.items(known["params"]) or ()]
    for name in dict.fromkeys(SLOT.findall(text or "")):
        if name not in params:
            cure = f"add `{name}` to `params`, in the order of the arguments"
            entries.say(entry, f"has a slot `{{{{{name}}}}}` that no parameter fills", cure, "warning")
    return TemplateText(text or "", tuple(params))


def _filled(entries: Entries, entry: Entry, text: str) -> str:
    """A text of a template, after a look whether it is more than the placeholder and its slots."""
    if SLOT.sub("", text).strip() == PLACEHOLDER:
        entries.unfilled[entry.path] = entry.span
    return text


def samples_of(entries: Entries, entry: Entry) -> tuple[Sample, ...]:
    """What a function gives; the same arguments give the same value."""
    found: list[Sample] = []
    returned: dict[str, tuple[str, Entry]] = {}
    for each in entries.items(entry) or ():
        known = entries.known(each, ("args", "returns"), needed=("returns",))
        if "returns" not in known:
            continue
        args = _arguments(entries, known.get("args"))
        sample = Sample(args, value_of(entries, known["returns"]))
        found.append(sample)
        for_args = "*" if args is None else fingerprint(args)
        value, first = returned.setdefault(for_args, (repr(sample.returns), each))
        if value != repr(sample.returns):
            line = entries.source.place(first.span.start).line
            message = f"gives something else for the same arguments as in line {line}"
            entries.say(each, message, "same arguments, same output: change the arguments, or keep one of them")
    return tuple(found)


def _arguments(entries: Entries, entry: Entry | None) -> tuple[Value, ...] | None:
    """The arguments of a sample; `"*"` and none at all are any."""
    if entry is None or (isinstance(entry.node, Scalar) and entry.node.text == "*"):
        return None
    return tuple(value_of(entries, each) for each in entries.items(entry) or ())


def assumptions_of(entries: Entries, entry: Entry | None) -> Iterator[Assumption]:
    """What conditions are that the state does not decide."""
    for each in (entries.items(entry) or ()) if entry is not None else ():
        known = entries.known(each, ("when", "value"), needed=("when", "value"))
        if len(known) < 2:
            continue
        when, value = entries.text(known["when"]), value_of(entries, known["value"])
        if when is not None and not _is_condition(when):
            entries.say(known["when"], "is no condition of ACDL", "write one as in `If`: `sys.mode[@2] == search`")
        elif when is not None:
            yield Assumption(when, value)


def _is_condition(text: str) -> bool:
    """Whether a text can stand behind `If`."""
    if len(text) > 1000 or re.search(r"[{}\n]|//", text):
        return False
    parsed = parse(Source(f"If {text} {{\n    U: x\n}}\n"))
    items = parsed.file.items
    if parsed.diagnostics or len(items) != 1 or not isinstance(items[0], If):
        return False
    return len(items[0].arms) == 1 and isinstance(items[0].arms[0], Arm) and items[0].arms[0].test is not None
