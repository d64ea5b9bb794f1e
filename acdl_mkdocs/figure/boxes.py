"""What a figure shows: words and nesting, before anyone asks where things go.

Made by `describe`; laid out by `layout`; the text, HTML and JSON outputs read it directly. Knows no geometry and no
ACDL syntax.
"""

from dataclasses import dataclass

from acdl_mkdocs.figure.metrics import visible
from acdl_mkdocs.source import Span
from acdl_mkdocs.syntax.words import Pill, Run, Words


@dataclass(frozen=True, slots=True)
class Box:
    """One construct of a figure: a header in words, and what stands inside it."""

    kind: str
    """A theme key. `figure` is the root; then `prompt`, `string-fragment`, `roles-fragment`, `role.system`,
    `role.user`, `role.assistant`, `role.tool`, `role.none`, `foreach`, `if`, `elseif`, `else`, `switch`, `case`,
    `default`, `mark`, `label`, `content`, `name`, `ends-here`, `break`, `continue`, `comment`, `skipped`, `broken`."""
    header: Words = ()
    children: tuple["Box", ...] = ()
    comment: str = ""
    """Text of the comment that stands beside the header, without `//`."""
    anchor: str = ""
    """Name of this construct in its figure, unique within it; empty for what nobody links to."""
    span: Span | None = None


def plain(words: Words) -> str:
    """The words as one string; any depth of nesting."""
    parts: list[str] = []
    pending: list[Run | Pill] = [*reversed(words)]
    while pending:
        word = pending.pop()
        if isinstance(word, Run):
            parts.append(word.text)
        else:
            pending += reversed(word.words)
    return "".join(parts)


def comment(box: Box) -> str:
    """The comment as it is shown, with its `//`, or nothing."""
    text = visible(box.comment or (plain(box.header) if box.kind == "comment" else "")).strip()
    return text if text.startswith("//") or not (text or box.kind == "comment") else f"// {text}".rstrip()


def call_out(box: Box) -> str:
    """What stands at the bracket of a mark: its number, or its words."""
    return visible(plain(box.header)).strip().removeprefix("Mark").strip()
