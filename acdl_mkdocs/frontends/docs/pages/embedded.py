"""The parts of a page that `acdl embed` writes below blocks: find, check, replace and remove them.

A part is the text between two comments, which no docs tool shows. The first has a digest of the text, so that
a person's text is never replaced, and the files that belong to it. Takes and returns text: callers read and write
files.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from hashlib import sha256
from typing import Literal
from urllib.parse import quote, unquote

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.markdown import code_fence, escape_with_backslashes
from acdl_mkdocs.foundation.safe_text import escape_html
from acdl_mkdocs.workspace.fences import Fence, Indents, after_part, scan_fences
from acdl_mkdocs.workspace.options import ColorScheme

Dialect = Literal["md", "mdx", "qmd"]
"""Markdown as most tools read it, MDX with its own comments and names of attributes, and Quarto's."""

WORD = "acdl-embed"
"""The text in every mark of ours, in pages and in figures."""
DIGITS = 12
"""Hexadecimal digits of a digest."""

_LINE_END = compile_later(r"(\r\n?|\n)")
_MARK = compile_later(r"[ \t>]*(?P<opening><!--|\{/\*)[ \t]*acdl-embed\b(?P<rest>.*)")
_BEGINNING = compile_later(r"(?P<digest>[0-9a-f]{12})(?P<files>(?: \S+)*)")
_CLOSING = {"<!--": "-->", "{/*": "*/}"}
_SRCSET: Mapping[Dialect, str] = {"mdx": "srcSet"}
"""Attributes as React names them."""
_QUOTES = " \t>"
"""The prefix of a line of a quote or list item."""


@dataclass(frozen=True, slots=True)
class EmbeddedPart:
    """A part that `acdl embed` wrote below a block."""

    first: int
    """0-based index of the line with the first mark."""
    end: int
    """0-based index after the line with the second."""
    files: tuple[str, ...]
    """Paths of its figures from the folder of the page."""
    is_intact: bool
    """Whether it is unchanged, except for white space and quote marks."""


@dataclass(frozen=True, slots=True)
class MarkFault:
    """A damaged mark."""

    line: int
    """1-based."""
    message: str
    """The problem and what to do."""


@dataclass(frozen=True, slots=True)
class EmbeddedPicture:
    """A figure in a page."""

    alt: str
    addresses: Mapping[ColorScheme, str]
    """Scheme (`auto`, `light` or `dark`) to path, from the folder of the page."""
    width: str = ""
    """In px, for a figure without its own width."""
    caption: str = ""
    link: tuple[str, str] = ("", "")
    """Text and target of a link below it."""
    text: str = ""
    """The figure as text, in place of files."""
    sent_lines: Sequence[tuple[str, str]] = ()
    """The messages with a sample state: a sentence and the messages for each point in time."""


@dataclass(frozen=True, slots=True)
class EmbeddedPage:
    """A page with its blocks and their parts."""

    lines: tuple[str, ...]
    breaks: tuple[str, ...]
    """The line end before each line; none before the first."""
    blocks: tuple[Fence, ...]
    """The `acdl` blocks, as `acdl check` counts them."""
    parts: Mapping[int, EmbeddedPart] = field(default_factory=dict)
    """By the number of the block."""
    orphans: tuple[EmbeddedPart, ...] = ()
    """Parts whose block is gone."""
    faults: tuple[MarkFault, ...] = ()

    def replace_parts(self, contents: Mapping[int, Sequence[str]]) -> str:
        """Replace the parts of a page, and remove those whose block is gone; every other line stays unchanged.

        Parameters:
            contents: The lines of the part by the number of its block, none to remove it. A block that is missing
                keeps its part.
        """
        edits = [(self._skip_blank_before(part.first), part.end, 0, tuple[str, ...]()) for part in self.orphans]
        for number, lines in contents.items():
            fence, part = self.blocks[number], self.parts.get(number)
            edits.append(
                (fence.end, part.end if part else fence.end, fence.first + 1, tuple(self._indent_lines(fence, lines)))
            )
        parts: list[str] = []
        at = 0
        for first, end, sample, lines in sorted(edits):
            parts += self._text_between(at, first)
            parts += (self.breaks[sample] + line for line in lines)
            at = end
        parts += self._text_between(at, len(self.lines))
        text = "".join(parts)
        starts_anew = any(first == 0 < end for first, end, _, _ in edits)
        return text[len(self.breaks[edits[0][1]]) :] if starts_anew and text else text

    def is_current(self, number: int, lines: Sequence[str]) -> bool:
        """Return whether the part of a block has these lines; no lines means no part."""
        fence, part = self.blocks[number], self.parts.get(number)
        return tuple(self._indent_lines(fence, lines)) == self.lines[fence.end : part.end if part else fence.end]

    def _text_between(self, first: int, end: int) -> Iterator[str]:
        return (before + line for before, line in zip(self.breaks[first:end], self.lines[first:end], strict=True))

    def _skip_blank_before(self, first: int) -> int:
        """Return the index of the first of the blank lines before a line, or of the line."""
        while first and not self.lines[first - 1].strip(_QUOTES):
            first -= 1
        return first

    def _indent_lines(self, fence: Fence, lines: Sequence[str]) -> Iterator[str]:
        """Indent and quote lines below a block like its closing marks."""
        if not lines:
            return  # the block may be unclosed
        closing = self.lines[fence.end - 1]
        prefix = closing[: closing.index(fence.mark[0] * 3)]
        for line in ("", *lines):
            yield prefix + line if line else prefix.rstrip()


def read_page(text: str, *, is_myst: bool = False) -> EmbeddedPage:
    """Find the blocks of a page and the parts below them.

    Parameters:
        text: The page.
        is_myst: Whether MyST reads it, so that blocks can be inside directives.
    """
    pieces = _LINE_END.split(text)
    lines, breaks = tuple(pieces[::2]), ("", *pieces[1::2])
    fences = tuple(scan_fences(lines, is_myst=is_myst))
    blocks = tuple(fence for fence in fences if fence.language == "acdl" and not fence.is_code)
    if WORD not in text:
        return EmbeddedPage(lines, breaks, blocks)
    all_parts, faults = _find_parts(lines, fences)
    parts: dict[int, EmbeddedPart] = {}
    for number, fence in enumerate(blocks):
        below = next((part for part in all_parts if part.first >= fence.end), None)
        if below and not any(line.strip(_QUOTES) for line in lines[fence.end : below.first]):
            parts[number] = below
    orphans = tuple(part for part in all_parts if part not in parts.values())
    return EmbeddedPage(lines, breaks, blocks, parts, orphans, faults)


def without_parts(lines: list[str], *, is_myst: bool = False) -> list[str]:
    """Blank out the lines that `acdl embed` has written, for tools that draw the blocks themselves.

    Parts changed by a person stay.

    Parameters:
        lines: The page.
        is_myst: Whether MyST reads it.
    """
    if not any(WORD in line for line in lines):
        return lines
    result = list(lines)
    for part in read_page("\n".join(lines), is_myst=is_myst).parts.values():
        if part.is_intact:
            result[part.first : part.end] = [_prefix_of(line).rstrip() for line in lines[part.first : part.end]]
    return result


def dialect_of(name: str) -> Dialect:
    """Return the kind of Markdown of a page, from its file name."""
    suffix = name.rpartition(".")[2].lower()
    return "mdx" if suffix == "mdx" else "qmd" if suffix == "qmd" else "md"


def part_lines(picture: EmbeddedPicture, files: Sequence[str], dialect: Dialect) -> list[str]:
    """Return the lines of a part: its marks, and between them the picture, its caption, its link and the messages.

    They are formatted as by Prettier.

    Parameters:
        picture: The picture.
        files: Paths of the figures, from the folder of the page.
        dialect: The Markdown of the page.
    """
    content = ["", *_render_picture(picture, dialect), ""]
    if picture.caption and not (dialect == "qmd" and len(picture.addresses) == 1):
        content += [f"_{escape_with_backslashes(picture.caption)}_", ""]
    if link := _render_link(picture):
        content += [link, ""]
    for title, messages in picture.sent_lines:
        content += [
            "<details>",
            f"<summary>{_escape_html_words(title)}</summary>",
            "",
            *_fence_text(messages),
            "",
            "</details>",
            "",
        ]
    words = " ".join((WORD, _digest_of(content), *map(address_of, files)))
    return [format_comment(words, dialect), *content, format_comment(f"{WORD} end", dialect)]


def format_comment(words: str, dialect: Dialect = "md") -> str:
    """Return words as a comment that no reader of a page sees."""
    return f"{{/* {words} */}}" if dialect == "mdx" else f"<!-- {words} -->"


def address_of(path: str) -> str:
    """Return a relative path for a link; it cannot end a comment."""
    return quote(path, safe="/").replace("--", "-%2D")


def _render_picture(picture: EmbeddedPicture, dialect: Dialect) -> Iterator[str]:
    """Render a `<picture>` for two schemes; else Markdown, for which every docs tool copies the file."""
    if picture.text:
        yield from _fence_text(picture.text)
        return
    addresses = {scheme: _from_here(path) for scheme, path in picture.addresses.items()}
    if len(addresses) == 1 and dialect == "qmd":  # Quarto would print the alternative text as a caption
        alt = " ".join(picture.alt.split()).replace("\\", "\\\\").replace('"', '\\"')
        yield f'![{escape_with_backslashes(picture.caption)}]({next(iter(addresses.values()))}){{fig-alt="{alt}"}}'
        return
    if len(addresses) == 1:
        yield f"![{escape_with_backslashes(picture.alt)}]({next(iter(addresses.values()))})"
        return
    width = f' width="{picture.width}"' if picture.width else ""
    yield "<picture>"
    yield f'  <source media="(prefers-color-scheme: dark)" {_SRCSET.get(dialect, "srcset")}="{addresses["dark"]}" />'
    yield f'  <img src="{addresses["light"]}"{width} alt="{_escape_html_words(picture.alt)}" />'
    yield "</picture>"


def _fence_text(text: str) -> list[str]:
    """Return text as a code block, with a fence that does not occur in it."""
    mark = code_fence(text)
    return [f"{mark}text", *(line.rstrip() for line in text.rstrip().split("\n")), mark]


def _escape_html_words(words: str) -> str:
    """Escape words of a line for HTML and JSX."""
    return escape_html(" ".join(words.split())).replace("&#x27;", "'")


def _render_link(picture: EmbeddedPicture) -> str:
    words, target = picture.link
    return f"[{escape_with_backslashes(words)}]({target if '://' in target else _from_here(target)})" if target else ""


def _from_here(path: str) -> str:
    """Return the address of a file; without the `./`, some tools would look for a package of that name."""
    return address_of(path) if path.startswith("../") else f"./{address_of(path)}"


def _find_parts(lines: Sequence[str], fences: Sequence[Fence]) -> tuple[list[EmbeddedPart], tuple[MarkFault, ...]]:
    """Return all pairs of marks, and faults for unpaired marks."""
    parts: list[EmbeddedPart] = []
    faults: list[MarkFault] = []
    begun: tuple[int, re.Match[str]] | None = None
    for index, words in _find_marks(lines, fences):
        beginning = _BEGINNING.fullmatch(words)
        if words == "end" and begun:
            parts.append(_read_part(lines, *begun, index))
            begun = None
            continue
        if begun:
            faults.append(_missing_end_mark(lines, begun[0]))
        begun = (index, beginning) if beginning else None
        if not beginning:
            faults.append(_missing_start_mark(index) if words == "end" else _unreadable_mark(index))
    if begun:
        faults.append(_missing_end_mark(lines, begun[0]))
    faults += (_changed_by_hand(part) for part in parts if not part.is_intact)
    return parts, tuple(sorted(faults, key=lambda fault: fault.line))


def _read_part(lines: Sequence[str], first: int, beginning: re.Match[str], last: int) -> EmbeddedPart:
    is_intact = _digest_of(lines[first + 1 : last]) == beginning["digest"]
    return EmbeddedPart(first, last + 1, tuple(map(unquote, beginning["files"].split())), is_intact)


def _find_marks(lines: Sequence[str], fences: Sequence[Fence]) -> Iterator[tuple[int, str]]:
    """Yield the lines with marks outside of code, and the content of each."""
    indents = Indents()
    at = hidden = 0
    for fence in (*fences, None):
        for index in range(at, fence.first if fence else len(lines)):
            is_code = index >= hidden and indents.take_line(lines[index])
            match = _MARK.match(lines[index]) if WORD in lines[index] and not is_code else None
            if match:
                words, closing, after = match["rest"].partition(_CLOSING[match["opening"]])
                yield index, words.strip() if closing and not after.strip() else ""
        if fence:
            if fence.first >= hidden:
                indents.take_line(lines[fence.first])
                indents.leave_block(is_block=not fence.prefix)
                hidden = after_part(lines, fence.end)
            at = fence.end


def _prefix_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip(_QUOTES))]


def _digest_of(lines: Sequence[str]) -> str:
    """Return a digest that ignores white space, which formatters change."""
    words = "\n".join(filter(None, (line.strip(_QUOTES) for line in lines)))
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def _missing_end_mark(lines: Sequence[str], index: int) -> MarkFault:
    end = format_comment(f"{WORD} end", "mdx" if "{/*" in lines[index] else "md")
    return MarkFault(
        index + 1,
        f"the mark `{end}` that ends this picture is missing; put it back below the picture, or delete this line and "
        "the picture below it",
    )


def _missing_start_mark(index: int) -> MarkFault:
    return MarkFault(
        index + 1,
        "this mark ends a picture, but the mark before the picture is missing; delete it and the picture above it",
    )


def _unreadable_mark(index: int) -> MarkFault:
    return MarkFault(
        index + 1,
        "this mark is not as `acdl embed` wrote it; delete it and all lines to the mark that ends the picture",
    )


def _changed_by_hand(part: EmbeddedPart) -> MarkFault:
    return MarkFault(
        part.first + 1,
        "what is between this mark and the next was changed by hand and would be lost; move your own text out of the "
        f"marks and delete lines {part.first + 1} to {part.end}",
    )
