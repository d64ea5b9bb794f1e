"""The parts of a page that `acdl embed` writes below blocks: found, checked, replaced and taken out.

A part is what is between two comments, which no docs tool shows. The first has a digest of what was written, so that
text of a person is never replaced, and the files that belong to it. Takes and gives text: reading and writing files is
the business of others.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from hashlib import sha256
from typing import Literal
from urllib.parse import quote, unquote

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import html_text
from acdl_mkdocs.workspace.fences import Fence, Indents, after_part, scan
from acdl_mkdocs.workspace.options import ColorScheme

Dialect = Literal["md", "mdx", "qmd"]
"""Markdown as most tools read it, MDX with its own comments and names of attributes, and that of Quarto."""

WORD = "acdl-embed"
"""What every mark of ours has, in pages and in figures."""
DIGITS = 12
"""Hexadecimal digits of a digest."""

_LINE_END = compile_later(r"(\r\n?|\n)")
_MARK = compile_later(r"[ \t>]*(?P<opening><!--|\{/\*)[ \t]*acdl-embed\b(?P<rest>.*)")
_BEGINNING = compile_later(r"(?P<digest>[0-9a-f]{12})(?P<files>(?: \S+)*)")
_CLOSING = {"<!--": "-->", "{/*": "*/}"}
_SRCSET: Mapping[Dialect, str] = {"mdx": "srcSet"}
"""Attributes as React names them."""
_QUOTES = " \t>"
"""What may be before the words of a line of a quote or list item."""
_SPECIAL = compile_later(r"[\\`*{}\[\]<>#|$~^@&!=%:\"]|(?<![^\W_])_|_(?![^\W_])")
"""Characters that some kind of Markdown takes for its own; a backslash before them is read by all."""


@dataclass(frozen=True, slots=True)
class Part:
    """What `acdl embed` has written below a block."""

    first: int
    """0-based index of the line with the first mark."""
    end: int
    """0-based index after the line with the second."""
    files: tuple[str, ...]
    """Paths of its figures from the folder of the page."""
    is_intact: bool
    """Whether it is as it was written, but for white space and quote marks."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A mark that cannot be trusted."""

    line: int
    """1-based."""
    message: str
    """What is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure as a page shows it."""

    alt: str
    addresses: Mapping[ColorScheme, str]
    """Scheme (`auto`, `light` or `dark`) to path, from the folder of the page."""
    width: str = ""
    """In px, for a figure that does not say it itself."""
    caption: str = ""
    link: tuple[str, str] = ("", "")
    """What a link below it says, and where it leads."""
    text: str = ""
    """The figure as text, in place of files."""
    sent: Sequence[tuple[str, str]] = ()
    """What is sent with a sample state: a sentence and the messages for each point in time."""


@dataclass(frozen=True, slots=True)
class EmbeddedPage:
    """A page with its blocks and the parts that belong to them."""

    lines: tuple[str, ...]
    breaks: tuple[str, ...]
    """The line end before each line; none before the first."""
    blocks: tuple[Fence, ...]
    """The `acdl` blocks, as `acdl check` counts them."""
    parts: Mapping[int, Part] = field(default_factory=dict)
    """By the number of the block."""
    orphans: tuple[Part, ...] = ()
    """Parts whose block is gone."""
    faults: tuple[Fault, ...] = ()

    def replaced(self, contents: Mapping[int, Sequence[str]]) -> str:
        """The page with other parts, and without those whose block is gone; every other line stays as it is.

        Parameters:
            contents: The lines of the part by the number of its block, none to take it out. A block that is not there
                keeps its part.
        """
        edits = [(self._before(part.first), part.end, 0, tuple[str, ...]()) for part in self.orphans]
        for number, lines in contents.items():
            fence, part = self.blocks[number], self.parts.get(number)
            edits.append(
                (fence.end, part.end if part else fence.end, fence.first + 1, tuple(self._placed(fence, lines)))
            )
        kept: list[str] = []
        at = 0
        for first, end, sample, lines in sorted(edits):
            kept += self._text(at, first)
            kept += (self.breaks[sample] + line for line in lines)
            at = end
        kept += self._text(at, len(self.lines))
        text = "".join(kept)
        starts_anew = any(first == 0 < end for first, end, _, _ in edits)
        return text[len(self.breaks[edits[0][1]]) :] if starts_anew and text else text

    def is_current(self, number: int, lines: Sequence[str]) -> bool:
        """Whether the part of a block has these lines; none of them is no part."""
        fence, part = self.blocks[number], self.parts.get(number)
        return tuple(self._placed(fence, lines)) == self.lines[fence.end : part.end if part else fence.end]

    def _text(self, first: int, end: int) -> Iterator[str]:
        return (before + line for before, line in zip(self.breaks[first:end], self.lines[first:end], strict=True))

    def _before(self, first: int) -> int:
        """The index of the first of the blank lines before a line, or of the line."""
        while first and not self.lines[first - 1].strip(_QUOTES):
            first -= 1
        return first

    def _placed(self, fence: Fence, lines: Sequence[str]) -> Iterator[str]:
        """Lines below a block, indented and quoted like its closing marks."""
        closing = self.lines[fence.end - 1]
        prefix = closing[: closing.index(fence.mark[0] * 3)]
        for line in ("", *lines) if lines else ():
            yield prefix + line if line else prefix.rstrip()


def read_page(text: str) -> EmbeddedPage:
    """Find the blocks of a page and what was written below them."""
    pieces = _LINE_END.split(text)
    lines, breaks = tuple(pieces[::2]), ("", *pieces[1::2])
    fences = tuple(scan(lines))
    blocks = tuple(fence for fence in fences if fence.language == "acdl" and not fence.is_code)
    if WORD not in text:
        return EmbeddedPage(lines, breaks, blocks)
    found, faults = _parts(lines, fences)
    parts: dict[int, Part] = {}
    for number, fence in enumerate(blocks):
        below = next((part for part in found if part.first >= fence.end), None)
        if below and not any(line.strip(_QUOTES) for line in lines[fence.end : below.first]):
            parts[number] = below
    orphans = tuple(part for part in found if part not in parts.values())
    return EmbeddedPage(lines, breaks, blocks, parts, orphans, faults)


def without_parts(lines: list[str]) -> list[str]:
    """The same number of lines, blank where `acdl embed` has written: for tools that draw the blocks themselves.

    What a person has changed since stays.
    """
    if not any(WORD in line for line in lines):
        return lines
    kept = list(lines)
    for part in read_page("\n".join(lines)).parts.values():
        if part.is_intact:
            kept[part.first : part.end] = [_prefix(line).rstrip() for line in lines[part.first : part.end]]
    return kept


def dialect_of(name: str) -> Dialect:
    """The Markdown of a page, from its file name."""
    suffix = name.rpartition(".")[2].lower()
    return "mdx" if suffix == "mdx" else "qmd" if suffix == "qmd" else "md"


def part_lines(picture: Picture, files: Sequence[str], dialect: Dialect) -> list[str]:
    """The lines of a part: its marks, and between them the picture, its caption, its link and what is sent.

    They are as the formatter Prettier would leave them.

    Parameters:
        picture: What is shown.
        files: Paths of the figures, from the folder of the page.
        dialect: The Markdown of the page.
    """
    content = ["", *_shown(picture, dialect), ""]
    if picture.caption and not (dialect == "qmd" and len(picture.addresses) == 1):
        content += [f"_{escaped(picture.caption)}_", ""]
    if link := _link(picture):
        content += [link, ""]
    for title, messages in picture.sent:
        content += ["<details>", f"<summary>{_plain(title)}</summary>", "", *_fenced(messages), "", "</details>", ""]
    words = " ".join((WORD, _digest(content), *map(address_of, files)))
    return [comment(words, dialect), *content, comment(f"{WORD} end", dialect)]


def comment(words: str, dialect: Dialect = "md") -> str:
    """Words that no reader of a page sees."""
    return f"{{/* {words} */}}" if dialect == "mdx" else f"<!-- {words} -->"


def address_of(path: str) -> str:
    """A relative path as a link writes it; it ends no comment."""
    return quote(path, safe="/").replace("--", "-%2D")


def escaped(text: str) -> str:
    """Words of a line as Markdown of every kind shows them."""
    return _SPECIAL.sub(lambda sign: f"\\{sign[0]}", " ".join(text.split()))


def _shown(picture: Picture, dialect: Dialect) -> Iterator[str]:
    """A `<picture>` where there are two schemes; else Markdown, which every docs tool copies the file for."""
    if picture.text:
        yield from _fenced(picture.text)
        return
    here = {scheme: _from_here(path) for scheme, path in picture.addresses.items()}
    if len(here) == 1 and dialect == "qmd":  # Quarto would print the alternative text as a caption
        alt = " ".join(picture.alt.split()).replace("\\", "\\\\").replace('"', '\\"')
        yield f'![{escaped(picture.caption)}]({next(iter(here.values()))}){{fig-alt="{alt}"}}'
        return
    if len(here) == 1:
        yield f"![{escaped(picture.alt)}]({next(iter(here.values()))})"
        return
    width = f' width="{picture.width}"' if picture.width else ""
    yield "<picture>"
    yield f'  <source media="(prefers-color-scheme: dark)" {_SRCSET.get(dialect, "srcset")}="{here["dark"]}" />'
    yield f'  <img src="{here["light"]}"{width} alt="{_plain(picture.alt)}" />'
    yield "</picture>"


def _fenced(text: str) -> list[str]:
    """Text as code, with marks that do not occur in it."""
    mark = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return [f"{mark}text", *(line.rstrip() for line in text.rstrip().split("\n")), mark]


def _plain(words: str) -> str:
    """Words of a line as HTML and JSX show them."""
    return html_text(" ".join(words.split())).replace("&#x27;", "'")


def _link(picture: Picture) -> str:
    words, target = picture.link
    return f"[{escaped(words)}]({target if '://' in target else _from_here(target)})" if target else ""


def _from_here(path: str) -> str:
    """The address of a file; without the `./`, some tools would look for a package of that name."""
    return address_of(path) if path.startswith("../") else f"./{address_of(path)}"


def _parts(lines: Sequence[str], fences: Sequence[Fence]) -> tuple[list[Part], tuple[Fault, ...]]:
    """All pairs of marks, and the marks that are no half of one."""
    parts: list[Part] = []
    faults: list[Fault] = []
    begun: tuple[int, re.Match[str]] | None = None
    for index, words in _marks(lines, fences):
        beginning = _BEGINNING.fullmatch(words)
        if words == "end" and begun:
            parts.append(_part(lines, *begun, index))
            begun = None
            continue
        if begun:
            faults.append(_unpaired(begun[0]))
        begun = (index, beginning) if beginning else None
        if not beginning:
            faults.append(_unbegun(index) if words == "end" else _unreadable(index))
    if begun:
        faults.append(_unpaired(begun[0]))
    faults += (_changed(part) for part in parts if not part.is_intact)
    return parts, tuple(sorted(faults, key=lambda fault: fault.line))


def _part(lines: Sequence[str], first: int, beginning: re.Match[str], last: int) -> Part:
    is_intact = _digest(lines[first + 1 : last]) == beginning["digest"]
    return Part(first, last + 1, tuple(map(unquote, beginning["files"].split())), is_intact)


def _marks(lines: Sequence[str], fences: Sequence[Fence]) -> Iterator[tuple[int, str]]:
    """The lines with marks, outside of all code, and what each says."""
    indents = Indents()
    at = hidden = 0
    for fence in (*fences, None):
        for index in range(at, fence.first if fence else len(lines)):
            is_code = index >= hidden and indents.see(lines[index])
            found = _MARK.match(lines[index]) if WORD in lines[index] and not is_code else None
            if found:
                words, closing, after = found["rest"].partition(_CLOSING[found["opening"]])
                yield index, words.strip() if closing and not after.strip() else ""
        if fence:
            if fence.first >= hidden:
                indents.see(lines[fence.first])
                indents.leave(is_block=not fence.prefix)
                hidden = after_part(lines, fence.end)
            at = fence.end


def _prefix(line: str) -> str:
    return line[: len(line) - len(line.lstrip(_QUOTES))]


def _digest(lines: Sequence[str]) -> str:
    """The same for the same words, wherever formatters put white space."""
    words = "\n".join(filter(None, (line.strip(_QUOTES) for line in lines)))
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def _unpaired(index: int) -> Fault:
    end = comment(f"{WORD} end")
    return Fault(
        index + 1,
        f"the mark `{end}` that ends this picture is missing; put it back below the picture, or delete this line and "
        "the picture below it",
    )


def _unbegun(index: int) -> Fault:
    return Fault(
        index + 1,
        "this mark ends a picture, but the mark before the picture is missing; delete it and the picture above it",
    )


def _unreadable(index: int) -> Fault:
    return Fault(
        index + 1,
        "this mark is not as `acdl embed` wrote it; delete it and all lines to the mark that ends the picture",
    )


def _changed(part: Part) -> Fault:
    return Fault(
        part.first + 1,
        "what is between this mark and the next was changed by hand and would be lost; move your own text out of the "
        f"marks and delete lines {part.first + 1} to {part.end}",
    )
