"""One part of a message as HTML: text, calls, results, thoughts, attachments; complete without styles and scripts.

It renders the messages of an evaluation and those of a document alike. Everything is escaped, nothing is fetched.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from html import escape
from types import MappingProxyType
from typing import TypeAlias

from acdl_mkdocs.evaluation.formats.tools_html import write_call, write_tools
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import json_text, make_visible
from acdl_mkdocs.foundation.write_details import write_details
from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS
from acdl_mkdocs.prompts.pending_calls import PendingCalls
from acdl_mkdocs.prompts.pml.tools import index_by_name
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


def write_message(
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
    heading = " ".join((f'<strong class="acdl-sent-role">{named}</strong>', *head))
    own = f"acdl-sent-message acdl-sent-{role} {classes}".rstrip()
    yield f'<li class="{own}"{attributes}>'
    yield f'<p class="acdl-sent-head">{heading}</p>'
    yield '<div class="acdl-sent-pieces">'
    yield from content
    yield "</div></li>"


Place: TypeAlias = tuple[int, int]
"""Number of a message and number of its part, from 0."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A call or a result, and its counterpart."""

    anchor: str = ""
    """The id of its element; empty for a result that belongs to nothing, and for all but the first of a call."""
    other: str = ""
    """The id of the result of the call, or of the call of the result; empty if there is no such id."""
    tool: str = ""
    """The tool that was called."""
    is_waiting: bool = False
    """Whether a call has no result and only calls and results follow it: its answer is still to come."""


ALONE = Pair()
"""The pair of a part that belongs to nothing."""


def pair_calls(messages: Iterable[Message], prefix: str) -> Mapping[Place, Pair]:
    """Pair every call and every result of messages, by position; without calls, only results that name a call.

    Parameters:
        messages: The messages of a prompt.
        prefix: Prefix of the anchors.
    """
    messages = tuple(messages)
    has_calls = any(isinstance(part, Call) for message in messages for part in message.parts)
    pairs: dict[Place, Pair] = {}
    numbers: dict[Place, int] = {}
    pending_calls: PendingCalls[Place] = PendingCalls()
    open_calls: list[Place] = []
    for number, message in enumerate(messages):
        pending_calls.begin_message(message.role)
        for at, part in enumerate(message.parts):
            if isinstance(part, Call):
                numbers[number, at] = len(numbers) + 1
                pairs[number, at] = Pair(f"{prefix}-call-{len(numbers)}", tool=part.tool)
                pending_calls.add_call((number, at), part.id, part.tool)
                open_calls.append((number, at))
            elif isinstance(part, Output) and (has_calls or part.call_id or part.tool):
                call = pending_calls.answer_call(part.call_id, part.tool)
                pairs[number, at] = _pair_result(call, pairs, numbers, prefix)
            elif not isinstance(part, Output):
                open_calls.clear()
    for position in open_calls:
        pairs[position] = replace(pairs[position], is_waiting=not pairs[position].other)
    return pairs


def _pair_result(call: Place | None, pairs: dict[Place, Pair], numbers: Mapping[Place, int], prefix: str) -> Pair:
    """Return the pair of a result; a call links to the first result that answers it."""
    if call is None:
        return ALONE
    called, result = pairs[call].anchor, f"{prefix}-result-{numbers[call]}"
    tool = pairs[call].tool
    is_first = not pairs[call].other
    if is_first:
        pairs[call] = Pair(called, result, tool)
    return Pair(result if is_first else "", called, tool)


_LONG, _LONG_LINES = 700, 14
"""Characters and lines of a text that are shown at once; longer texts can be unfolded."""
_SHOWN, _SHOWN_LINES = 300, 5
"""How much of a longer text is shown at first."""
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_MOST_IMAGE_DATA = 400_000
"""Characters of base64; of a larger image, only the name is shown."""
_WEB = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)
_KILO = 1000


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools that calls name."""

    known: Mapping[str, Tool] = field(default_factory=lambda: MappingProxyType({}))
    """By the names that calls use."""
    anchors: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """From their names to the ids of their descriptions on the page."""
    listed: tuple[tuple[Tool, str], ...] = ()
    """All of them in their order, with their ids."""


NO_TOOLS = Tools()


def write_part(part: Part, pair: Pair | None = None, tools: Tools = NO_TOOLS, anchor: str = "") -> str:
    """Write a part.

    Parameters:
        part: The part.
        pair: The result of a call, or the call of a result; `None` if they are not paired.
        tools: Those that are described on the page.
        anchor: The id of an attachment on the page.
    """
    match part:
        case Text():
            return write_text(part.text)
        case Call():
            return _write_call(part, pair, tools)
        case Output():
            return write_result(part, "".join(write_part(each) for each in part.parts), pair)
        case Thinking():
            return _write_thinking(part)
        case Attachment():
            return _write_attachment(part, anchor)
        case Opaque():
            label = f"kept for <code>{escape(make_visible(part.provider))}</code>"
            return _write_part("opaque", label, _write_text(json_text(part.json), "acdl-sent-file"))


def write_result(output: Output, content: str, pair: Pair | None) -> str:
    """Write the result of a tool around the markup of its content."""
    if pair is None and not output.is_error:
        return content
    name = output.tool or (pair.tool if pair else "")
    call_link = f"<code>{escape(make_visible(name))}</code>" if name else ""
    if pair and pair.other:
        call_link = f'<a href="#{escape(pair.other)}">{call_link or "the call"} ↑</a>'
    elif pair is not None and (output.call_id or output.tool):
        call_link = f"{call_link} <em>for a call that is not here</em>".strip()
    elif pair is not None:
        call_link = "<em>no call that is here</em>"
    sign, word, css_class = ("✗", "failed", " acdl-sent-failed") if output.is_error else ("✓", "answers", "")
    label = (
        f'<span class="acdl-sent-label"><span aria-hidden="true">{sign}</span> {word} {call_link}'.rstrip() + "</span>"
    )
    return f'<div class="acdl-sent-part acdl-sent-result{css_class}"{_write_id(pair)}>{label} {content}</div>'


def _write_call(call: Call, pair: Pair | None, tools: Tools) -> str:
    tool = tools.known.get(call.tool)
    anchor = tools.anchors.get(tool.name, "") if tool else ""
    beside = ""
    if pair and pair.other:
        beside = f' <a class="acdl-sent-pair" href="#{escape(pair.other)}">result ↓</a>'
    elif pair is not None and pair.is_waiting:
        beside = ' <em class="acdl-sent-pair">no result yet</em>'
    call_html = write_call(call, tool, f"#{anchor}" if anchor else "", beside)
    return (
        f'<div class="acdl-sent-part acdl-sent-call"{_write_id(pair)}><span '
        f'class="acdl-sent-label">calls</span> {call_html}</div>'
    )


def _write_id(pair: Pair | None) -> str:
    return f' id="{escape(pair.anchor)}"' if pair and pair.anchor else ""


def _write_thinking(part: Thinking) -> str:
    if part.is_redacted:
        return '<div class="acdl-sent-part"><span class="acdl-sent-label">thinks</span> <em>redacted</em></div>'
    return _write_part("thinking", f"thinks <small>{_format_amount(part.text)}</small>", _write_text(part.text))


# --------------------------------------------------------------------------------------------------------- attachments


def _write_attachment(part: Attachment, anchor: str) -> str:
    is_in_path = part.name and part.path and f"/{part.path}".endswith(f"/{part.name}")
    names = [each for each in ("" if is_in_path else part.name, part.path) if each]
    labels = " ".join(f"<code>{escape(make_visible(each))}</code>" for each in names)
    facts = ", ".join(filter(None, (escape(make_visible(part.mime or "")), _format_size(part))))
    label = " ".join(
        filter(
            None,
            (
                escape(make_visible(part.type)),
                labels,
                _write_link(part.href),
                f"<small>{facts}</small>" if facts else "",
            ),
        )
    )
    own = f'id="{escape(anchor)}"' if anchor else ""
    if part.text:
        return _write_part("attachment", label, _write_text(part.text, "acdl-sent-file"), own)
    if part.data and part.mime in _IMAGES and len(part.data) <= _MOST_IMAGE_DATA:
        alt = escape(make_visible(part.name or part.path or f"{part.type} without a name"))
        image = (
            f'<img class="acdl-sent-image" alt="{alt}" src="data:{part.mime};base64,{escape(make_visible(part.data))}">'
        )
        return _write_part("attachment", label, image, own, is_open=True)
    if not (part.data or part.href):
        label += " <em>without content</em>"
    head = f'<div class="acdl-sent-part acdl-sent-attachment"{f" {own}" if own else ""}>'
    return f'{head}<span class="acdl-sent-label">{label}</span></div>'


def _write_link(href: str | None) -> str:
    """Return an address, as a link if it is a web address."""
    if not href:
        return ""
    text = escape(make_visible(href))
    is_safe = _WEB.fullmatch(href) and make_visible(href) == href
    return f'<a rel="noopener noreferrer" href="{text}">{text}</a>' if is_safe else f"<code>{text}</code>"


def _format_size(part: Attachment) -> str:
    if part.data is None:
        return _format_amount(part.text) if part.text else ""
    number = len(part.data.rstrip("=")) * 3 // 4
    if number < _KILO:
        return f"{number} byte{'' if number == 1 else 's'}"
    return f"{number / _KILO:,.1f} kB" if number < _KILO * _KILO else f"{number / _KILO / _KILO:,.1f} MB"


# --------------------------------------------------------------------------------------------------------------- words


def write_text(text: str) -> str:
    """Write text with its line ends; long text is folded."""
    lines = _split_lines(text)
    if len(text) <= _LONG and len(lines) <= _LONG_LINES:
        return f'<div class="acdl-sent-text">{_write_lines(lines)}</div>'
    beginning = "\n".join(lines[:_SHOWN_LINES])[:_SHOWN].split("\n")
    summary = f'<span class="acdl-sent-text">{_write_lines(beginning)}…</span> <small>{_format_amount(text)}</small>'
    inside = f'<div class="acdl-sent-text">{_write_lines(lines)}</div>'
    return write_details(summary, inside, "acdl-sent-long")


def _write_part(kind: str, label: str, content: str, attributes: str = "", *, is_open: bool = False) -> str:
    classes = f"acdl-sent-folded acdl-sent-{kind}"
    return write_details(label, content, classes, attributes=attributes, title_class="acdl-sent-label", is_open=is_open)


def _write_text(text: str, css_class: str = "") -> str:
    """Write text inside a folded block."""
    classes = f"acdl-sent-text {css_class}".rstrip()
    return f'<div class="{classes}">{_write_lines(_split_lines(text))}</div>'


def _format_amount(text: str) -> str:
    n_lines = len(_split_lines(text))
    characters = f"{len(text):,} character{'' if len(text) == 1 else 's'}"
    return characters + (f", {n_lines:,} lines" if n_lines > 1 else "")


def _split_lines(text: str) -> list[str]:
    """Split a text into lines that are safe to show; tabs stay, because code is indented with them."""
    lines = text.replace("\r\n", "\n").split("\n")
    return ["\t".join(map(make_visible, line.split("\t"))) if "\t" in line else make_visible(line) for line in lines]


def _write_lines(lines: list[str]) -> str:
    return "<br>".join(map(escape, lines))


_LONGEST_ID = 60
_FORBIDDEN = re.compile(r"[^A-Za-z0-9_.-]+")


class Anchors:
    """Ids that begin with one name; each is given once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._counts: Counter[str] = Counter()

    def make_anchor(self, kind: str, name: str) -> str:
        """Return a new unique id for a name."""
        base = f"{self._name}-{kind}-{_FORBIDDEN.sub('-', name)[:_LONGEST_ID]}"
        self._counts[base] += 1
        return base if self._counts[base] == 1 else f"{base}_{self._counts[base]}"


def index_tools(tools: Sequence[Tool], ids: Anchors) -> Tools:
    """Give each tool an id; of several tools with one name, calls link to the first."""
    anchors = [ids.make_anchor("tool", each.name) for each in tools]
    places = {tool.name: anchor for tool, anchor in zip(reversed(tools), reversed(anchors), strict=True)}
    return Tools(index_by_name(tools), places, tuple(zip(tools, anchors, strict=True)))


def write_memory_panel(memory: Sequence[Memory]) -> Iterator[str]:
    """Write the memory; nothing if it is empty."""
    if not memory:
        return
    items = []
    for entry in memory:
        key = f" <b>{escape(make_visible(entry.key))}</b>" if entry.key else ""
        items.append(f'<li><span class="acdl-sent-label">{entry.kind}{key}</span> {write_text(entry.text)}</li>')
    listed = "\n".join(items)
    title = f"Memory <small>{len(memory):,} remembered</small>"
    yield write_panel("acdl-pml-memory", title, f'<ul class="acdl-pml-list">{listed}</ul>', is_open=True)


def write_tools_panel(tools: Tools, *, is_open: bool = False) -> Iterator[str]:
    """Write the tools that can be called; nothing if there are none."""
    if not tools.listed:
        return
    title = f"Tools <small>{format_count(len(tools.listed), 'tool')}</small>"
    listed, anchors = zip(*tools.listed, strict=True)
    yield write_panel("acdl-pml-tools", title, write_tools(listed, anchors), is_open=is_open)


def write_panel(class_name: str, title: str, content: str, *, is_open: bool = False) -> str:
    """Write content that unfolds, under a title that is HTML."""
    return write_details(title, f"\n{content}", f"acdl-pml-panel {class_name}", is_open=is_open)


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
