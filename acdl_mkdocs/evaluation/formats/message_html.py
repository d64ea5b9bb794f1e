"""One part of a message as HTML: text, calls, results, thoughts, attachments; complete without styles and scripts.

The messages of an evaluation and those of a document are drawn by it alike. Everything is escaped, nothing is fetched.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from html import escape
from types import MappingProxyType
from typing import TypeAlias

from acdl_mkdocs.evaluation.formats.tools_html import call_markup, tools_markup
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import json_text, visible
from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS
from acdl_mkdocs.prompts.pending_calls import Waiting
from acdl_mkdocs.prompts.pml.tools import by_name
from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Memory,
    Message,
    Opaque,
    Output,
    Part,
    Role,
    Text,
    Thinking,
    Tool,
)


def message_markup(
    role: Role, content: Iterable[str], *, head: Iterable[str] = (), classes: str = "", attributes: str = ""
) -> Iterator[str]:
    """Write a message as an item of a list, in lines.

    Parameters:
        role: The role of the message.
        content: The markup of each of its parts.
        head: Markup of the facts beside its role.
        classes: Further classes of the item.
        attributes: Further attributes of the item, each with a blank before it.
    """
    named = "Text without a role" if role == "none" else ROLE_WORDS[role]
    said = " ".join((f'<strong class="acdl-sent-role">{named}</strong>', *head))
    own = f"acdl-sent-message acdl-sent-{role} {classes}".rstrip()
    yield f'<li class="{own}"{attributes}>'
    yield f'<p class="acdl-sent-head">{said}</p>'
    yield '<div class="acdl-sent-pieces">'
    yield from content
    yield "</div></li>"


Place: TypeAlias = tuple[int, int]
"""Number of a message and number of its part, from 0."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A call or a result, and what belongs to it."""

    anchor: str = ""
    """The id of its element; empty for a result that belongs to nothing, and for all but the first of a call."""
    other: str = ""
    """The id of the result of the call, or of the call of the result; empty if there is no such id."""
    tool: str = ""
    """The tool that was called."""
    is_waiting: bool = False
    """Whether a call has no result and only calls and results follow it: its answer is still to come."""


ALONE = Pair()
"""Of what belongs to nothing."""


def pairs(messages: Iterable[Message], prefix: str) -> Mapping[Place, Pair]:
    """Pair every call and every result of messages, by position; without calls, only results that name a call.

    Parameters:
        messages: The messages of a prompt.
        prefix: Prefix of the anchors.
    """
    messages = tuple(messages)
    has_calls = any(isinstance(part, Call) for message in messages for part in message.parts)
    found: dict[Place, Pair] = {}
    numbers: dict[Place, int] = {}
    waiting: Waiting[Place] = Waiting()
    open_calls: list[Place] = []
    for number, message in enumerate(messages):
        waiting.begin(message.role)
        for at, part in enumerate(message.parts):
            if isinstance(part, Call):
                numbers[number, at] = len(numbers) + 1
                found[number, at] = Pair(f"{prefix}-call-{len(numbers)}", tool=part.tool)
                waiting.add((number, at), part.id, part.tool)
                open_calls.append((number, at))
            elif isinstance(part, Output) and (has_calls or part.call_id or part.tool):
                call = waiting.answered(part.call_id, part.tool)
                found[number, at] = _answer(call, found, numbers, prefix)
            elif not isinstance(part, Output):
                open_calls.clear()
    for place in open_calls:
        found[place] = replace(found[place], is_waiting=not found[place].other)
    return found


def _answer(call: Place | None, found: dict[Place, Pair], numbers: Mapping[Place, int], prefix: str) -> Pair:
    """Return the pair of a result; a call links to the first result that answers it."""
    if call is None:
        return ALONE
    called, result = found[call].anchor, f"{prefix}-result-{numbers[call]}"
    tool = found[call].tool
    is_first = not found[call].other
    if is_first:
        found[call] = Pair(called, result, tool)
    return Pair(result if is_first else "", called, tool)


_LONG, _LONG_LINES = 700, 14
"""Characters and lines of words that are shown at once; the rest of longer ones unfolds."""
_SHOWN, _SHOWN_LINES = 300, 5
"""How much of longer ones is shown at first."""
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_MOST_IMAGE_DATA = 400_000
"""Characters of base64; a larger image is only named."""
_WEB = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)
_KILO = 1000


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools that calls are of."""

    known: Mapping[str, Tool] = field(default_factory=lambda: MappingProxyType({}))
    """By what calls name them."""
    anchors: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """From their names to the ids of their descriptions on the page."""
    listed: tuple[tuple[Tool, str], ...] = ()
    """All of them in their order, with their ids."""


NO_TOOLS = Tools()


def part_markup(part: Part, pair: Pair | None = None, tools: Tools = NO_TOOLS, anchor: str = "") -> str:
    """Write a part.

    Parameters:
        part: The part.
        pair: The result of a call, or the call of a result; `None` if they are not paired.
        tools: Those that are described on the page.
        anchor: The id of an attachment on the page.
    """
    match part:
        case Text():
            return text_markup(part.text)
        case Call():
            return _call(part, pair, tools)
        case Output():
            return result_markup(part, "".join(part_markup(each) for each in part.parts), pair)
        case Thinking():
            return _thinking(part)
        case Attachment():
            return _attachment(part, anchor)
        case Opaque():
            label = f"kept for <code>{escape(visible(part.provider))}</code>"
            return _folded("opaque", label, _words(json_text(part.json), "acdl-sent-file"))


def result_markup(output: Output, content: str, pair: Pair | None) -> str:
    """Write the result of a tool around the markup of its content."""
    if pair is None and not output.is_error:
        return content
    name = output.tool or (pair.tool if pair else "")
    said = f"<code>{escape(visible(name))}</code>" if name else ""
    if pair and pair.other:
        said = f'<a href="#{escape(pair.other)}">{said or "the call"} ↑</a>'
    elif pair is not None and (output.call_id or output.tool):
        said = f"{said} <em>for a call that is not here</em>".strip()
    elif pair is not None:
        said = "<em>no call that is here</em>"
    sign, word, more = ("✗", "failed", " acdl-sent-failed") if output.is_error else ("✓", "answers", "")
    label = f'<span class="acdl-sent-label"><span aria-hidden="true">{sign}</span> {word} {said}'.rstrip() + "</span>"
    return f'<div class="acdl-sent-part acdl-sent-result{more}"{_id(pair)}>{label} {content}</div>'


def _call(call: Call, pair: Pair | None, tools: Tools) -> str:
    tool = tools.known.get(call.tool)
    anchor = tools.anchors.get(tool.name, "") if tool else ""
    beside = ""
    if pair and pair.other:
        beside = f' <a class="acdl-sent-pair" href="#{escape(pair.other)}">result ↓</a>'
    elif pair is not None and pair.is_waiting:
        beside = ' <em class="acdl-sent-pair">no result yet</em>'
    said = call_markup(call, tool, f"#{anchor}" if anchor else "", beside)
    return (
        f'<div class="acdl-sent-part acdl-sent-call"{_id(pair)}><span class="acdl-sent-label">calls</span> {said}</div>'
    )


def _id(pair: Pair | None) -> str:
    return f' id="{escape(pair.anchor)}"' if pair and pair.anchor else ""


def _thinking(part: Thinking) -> str:
    if part.is_redacted:
        return '<div class="acdl-sent-part"><span class="acdl-sent-label">thinks</span> <em>redacted</em></div>'
    return _folded("thinking", f"thinks <small>{_amount(part.text)}</small>", _words(part.text))


# --------------------------------------------------------------------------------------------------------- attachments


def _attachment(part: Attachment, anchor: str) -> str:
    is_in_path = part.name and part.path and f"/{part.path}".endswith(f"/{part.name}")
    names = [each for each in ("" if is_in_path else part.name, part.path) if each]
    said = " ".join(f"<code>{escape(visible(each))}</code>" for each in names)
    facts = ", ".join(filter(None, (escape(visible(part.mime or "")), _size(part))))
    label = " ".join(
        filter(None, (escape(visible(part.type)), said, _linked(part.href), f"<small>{facts}</small>" if facts else ""))
    )
    own = f' id="{escape(anchor)}"' if anchor else ""
    if part.text:
        return _folded("attachment", label, _words(part.text, "acdl-sent-file"), own)
    if part.data and part.mime in _IMAGES and len(part.data) <= _MOST_IMAGE_DATA:
        alt = escape(visible(part.name or part.path or f"{part.type} without a name"))
        image = f'<img class="acdl-sent-image" alt="{alt}" src="data:{part.mime};base64,{escape(visible(part.data))}">'
        return _folded("attachment", label, image, f"{own} open")
    if not (part.data or part.href):
        label += " <em>without content</em>"
    return f'<div class="acdl-sent-part acdl-sent-attachment"{own}><span class="acdl-sent-label">{label}</span></div>'


def _linked(href: str | None) -> str:
    """Return an address, as a link if it is a web address."""
    if not href:
        return ""
    shown = escape(visible(href))
    is_safe = _WEB.fullmatch(href) and visible(href) == href
    return f'<a rel="noopener noreferrer" href="{shown}">{shown}</a>' if is_safe else f"<code>{shown}</code>"


def _size(part: Attachment) -> str:
    if part.data is None:
        return _amount(part.text) if part.text else ""
    number = len(part.data.rstrip("=")) * 3 // 4
    if number < _KILO:
        return f"{number} byte{'' if number == 1 else 's'}"
    return f"{number / _KILO:,.1f} kB" if number < _KILO * _KILO else f"{number / _KILO / _KILO:,.1f} MB"


# --------------------------------------------------------------------------------------------------------------- words


def text_markup(text: str) -> str:
    """Write text with its line ends; long text is folded."""
    lines = _lines(text)
    if len(text) <= _LONG and len(lines) <= _LONG_LINES:
        return f'<div class="acdl-sent-text">{_marked(lines)}</div>'
    beginning = "\n".join(lines[:_SHOWN_LINES])[:_SHOWN].split("\n")
    summary = f'<span class="acdl-sent-text">{_marked(beginning)}…</span> <small>{_amount(text)}</small>'
    inside = f'<div class="acdl-sent-text">{_marked(lines)}</div>'
    return f'<details class="acdl-sent-long"><summary>{summary}</summary>{inside}</details>'


def _folded(kind: str, label: str, content: str, more: str = "") -> str:
    summary = f'<summary class="acdl-sent-label">{label}</summary>'
    return f'<details class="acdl-sent-folded acdl-sent-{kind}"{more}>{summary}{content}</details>'


def _words(text: str, more: str = "") -> str:
    """Write text inside a folded block."""
    classes = f"acdl-sent-text {more}".rstrip()
    return f'<div class="{classes}">{_marked(_lines(text))}</div>'


def _amount(text: str) -> str:
    n_lines = len(_lines(text))
    characters = f"{len(text):,} character{'' if len(text) == 1 else 's'}"
    return characters + (f", {n_lines:,} lines" if n_lines > 1 else "")


def _lines(text: str) -> list[str]:
    """Split a text into lines that are safe to show; tabs stay, because code is indented with them."""
    lines = text.replace("\r\n", "\n").split("\n")
    return ["\t".join(map(visible, line.split("\t"))) if "\t" in line else visible(line) for line in lines]


def _marked(lines: list[str]) -> str:
    return "<br>".join(map(escape, lines))


_LONGEST_ID = 60
_FORBIDDEN = re.compile(r"[^A-Za-z0-9_.-]+")


class Anchors:
    """Ids that begin with one name; each is given once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._taken: Counter[str] = Counter()

    def take(self, kind: str, said: str) -> str:
        """Return a new unique id for a name."""
        base = f"{self._name}-{kind}-{_FORBIDDEN.sub('-', said)[:_LONGEST_ID]}"
        self._taken[base] += 1
        return base if self._taken[base] == 1 else f"{base}_{self._taken[base]}"


def tools_with(tools: Sequence[Tool], ids: Anchors) -> Tools:
    """Give each tool an id; of several tools with one name, calls link to the first."""
    anchors = [ids.take("tool", each.name) for each in tools]
    places = {tool.name: anchor for tool, anchor in zip(reversed(tools), reversed(anchors), strict=True)}
    return Tools(by_name(tools), places, tuple(zip(tools, anchors, strict=True)))


def memory_panel(memory: Sequence[Memory]) -> Iterator[str]:
    """Write the memory; nothing if it is empty."""
    if not memory:
        return
    items = []
    for entry in memory:
        key = f" <b>{escape(visible(entry.key))}</b>" if entry.key else ""
        items.append(f'<li><span class="acdl-sent-label">{entry.kind}{key}</span> {text_markup(entry.text)}</li>')
    listed = "\n".join(items)
    title = f"Memory <small>{len(memory):,} remembered</small>"
    yield panel("acdl-pml-memory", title, f'<ul class="acdl-pml-list">{listed}</ul>', is_open=True)


def tools_panel(tools: Tools, *, is_open: bool = False) -> Iterator[str]:
    """Write the tools that can be called; nothing if there are none."""
    if not tools.listed:
        return
    title = f"Tools <small>{counted(len(tools.listed), 'tool')}</small>"
    shown, anchors = zip(*tools.listed, strict=True)
    yield panel("acdl-pml-tools", title, tools_markup(shown, anchors), is_open=is_open)


def panel(class_name: str, title: str, content: str, *, is_open: bool = False) -> str:
    """Write content that unfolds, under a title that is HTML."""
    summary = f"<summary>{title}</summary>"
    return f'<details class="acdl-pml-panel {class_name}"{" open" if is_open else ""}>{summary}\n{content}</details>'


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
