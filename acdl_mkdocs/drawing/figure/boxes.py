"""The content of a figure: words and nesting, before layout.

Made by `describe`; laid out by `layout`; the text, HTML and JSON outputs read it directly. Knows nothing about geometry
and ACDL syntax.
"""

from collections.abc import Mapping
from types import MappingProxyType

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.words import Pill, Run, Words


@dataclass(frozen=True, slots=True)
class Box:
    """One construct of a figure: a header in words, and the boxes inside it."""

    kind: str
    """A theme key. `figure` is the root; then `prompt`, `string-fragment`, `roles-fragment`, `role.system`,
    `role.user`, `role.assistant`, `role.tool`, `role.none`, `foreach`, `if`, `elseif`, `else`, `switch`, `case`,
    `default`, `mark`, `label`, `content`, `name`, `ends-here`, `break`, `continue`, `comment`, `skipped`,
    `host-line`, `broken`."""
    header: Words = ()
    children: tuple["Box", ...] = ()
    comment: str = ""
    """The text of the comment beside the header, without `//`."""
    anchor: str = ""
    """The name of this construct in its figure, unique within it; empty if it cannot be linked to."""
    span: Span | None = None
    sign: str = ""
    """Its status in a comparison, or a finding about it: a key of `SIGNS`, drawn at the left edge of the figure; empty
    for none."""
    sign_words: str = ""
    """A few words about the sign, shown before the comment. For the root: a summary of its signs, in place of their
    counts."""


SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "added": "+",
        "removed": "-",
        "changed": "~",
        "moved": ">",
        "renamed": "~",
        "wrapped": "+",
        "unwrapped": "-",
        "role": "~",
        "comment": "/",
        "confirmed": "\u2713",
        "refuted": "\u2717",
        "unexercised": "\u25cb",
        "uncontrollable": "?",
    }
)
"""Every sign that a box can have, and how it is written before a line of text."""

PLAIN_MARKS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"was": ("[-", "-]"), "was-role": ("[-", "-]"), "now": ("{+", "+}")}
)
"""Frames for old and new words, and their marks in plain text."""


def plain_text(words: Words) -> str:
    """Return the words as one string, at any depth of nesting."""
    parts: list[str] = []
    pending: list[Run | Pill] = [*reversed(words)]
    while pending:
        word = pending.pop()
        if isinstance(word, Run):
            parts.append(word.text)
        else:
            opened, closed = PLAIN_MARKS.get(word.style, ("", ""))
            pending += (Run(closed, ""), *reversed(word.words), Run(opened, "")) if opened else reversed(word.words)
    return "".join(parts)


def format_comment(box: Box) -> str:
    """Return the displayed comment, with its `//`; empty if there is none."""
    if not box.comment and box.kind != "comment":
        return ""
    text = make_visible(box.comment or plain_text(box.header)).strip()
    return text if text.startswith("//") or not (text or box.kind == "comment") else f"// {text}".rstrip()


def sign_text(box: Box) -> str:
    """Return the sign of a box and its words; empty if it has none."""
    return ": ".join(filter(None, (box.sign, make_visible(box.sign_words).strip())))


def signs_of(figure: Box) -> list[str]:
    """Return every sign in a figure, with repetitions, in reading order."""
    signs: list[str] = []
    pending = [figure]
    while pending:
        box = pending.pop()
        if box.sign:
            signs.append(box.sign)
        pending += reversed(box.children)
    return signs


def call_out(box: Box) -> str:
    """Return the text at the bracket of a mark: its number or its words."""
    return make_visible(plain_text(box.header)).strip().removeprefix("Mark").strip()


def is_understood(figure: Box) -> bool:
    """Whether a figure shows anything that is understood; of any other, the problems are shown alone."""
    return not all(child.kind in ("broken", "skipped") for child in figure.children)
