"""The Markdown copy of an HTML page for readers of text.

Blocks contain the files that they name, links lead to pages of the site, and markup for docs tools only is
removed. The page of a spec has everything once: its text is that of the comments above the definition, which its block
therefore leaves out, and its variants are linked. Knows no docs tool: snippets have to be in the text already.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape, unescape
from pathlib import Path
from types import MappingProxyType

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.markdown import code_span
from acdl_mkdocs.frontends.docs.pages.embedded import without_parts
from acdl_mkdocs.language.syntax.pragmas import read_settings
from acdl_mkdocs.workspace.examine import examine_text, source_of
from acdl_mkdocs.workspace.fences import Fence, blank_code, lines_of, map_code_and_text, scan_fences
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import BlockText, read_block

Link = Callable[[str], str]
"""A function from the target of a link in the page's source to the address in the copy."""

Lists = Callable[[str], str]
"""A function from the opening line of a block to a list of its contents."""

Texts = Callable[[Fence], str]
"""A function from a block to its text; empty to leave it unchanged."""

_COMMENT = re.compile(r"[ \t]*+(?:<!--(?>(?:(?!-->).)*)-->[ \t]*+)+")
_WRAPPER = re.compile(r"[ \t]*+(?:<(?:div|section)\b[^<>]*>|</(?:div|section)>)+[ \t]*+")
_STYLE = re.compile(r"[ \t]*+<style>.*</style>[ \t]*+")
_ATTRIBUTES = re.compile(r"(?P<words>[ \t]*+#{1,6}[ \t](?:.*[^ \t\n])?)[ \t]*+\{:?[ \t]*[#.][^{}]*\}[ \t]*")
_TARGET = re.compile(r"(?P<before>\]\([ \t]*|^[ ]{0,3}\[[^\]^][^\]]*\]:[ \t]*)(?P<target><[^<>\n]*>|[^\s()<>]+)")
_VALUE = r"""\s*+=\s*+(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^\s{}"']+)"""
_SOURCE_OPTION = re.compile(rf"(?<!\s)\s+src{_VALUE}")
_SPEC_OPTION = re.compile(rf"(?<!\s)\s+spec{_VALUE}")
_XML = ("laic", "pml")
"""Languages of blocks whose text is XML."""
_DATA = re.compile(r"""(?<=encoding=["']base64["']>)[A-Za-z0-9+/=\s]{200,}(?=</content>)""")
"""The contents of a `<content>` that is a file."""
_FAMILY = '<div class="acdl-family">'
_LINK = re.compile(r'<a href="([^"<]*)"[^<>]*>((?>(?:[^<\n]++|<(?!/?a[\s>]))*))</a>')
_CODE_TAG = re.compile(r"<code>((?>(?:[^<\n]++|<(?!/?code>))*))</code>")
_NUMBER = re.compile(r"&#\d+;|&[a-z]+;")
_OWN = 0xE000
"""Added to the codes of literal characters of an author, to distinguish them from our markup."""
_MARKED = re.compile("[\ue000-\ue07f]")
_MARKERS = re.compile(r"[^\s>]")


def copy_as_markdown(
    markdown: str,
    name: str,
    root: Path,
    link: Link | None = None,
    lists: Mapping[str, Lists] = MappingProxyType({}),
    texts: Mapping[str, Texts] = MappingProxyType({}),
    explain: Texts = lambda _: "",
    *,
    is_spec: bool = False,
) -> str:
    """Return the text of a page for readers of text.

    Parameters:
        markdown: The page without front matter, snippets included.
        name: The display name of its file.
        root: The project's folder, for the files that blocks name.
        link: Returns the targets of links; `None` leaves them unchanged.
        lists: The contents of blocks that are not specs, by language; others stay unchanged.
        texts: The same for blocks that are shown as text.
        explain: Returns a spec in words, as Markdown; empty if its figure has no such view.
        is_spec: Whether it is a page made by `acdl_mkdocs.frontends.docs.pages.spec_page`.
    """
    lines = _without_family(lines_of(markdown)) if is_spec else without_parts(lines_of(markdown))
    prose = lines_of(blank_code("\n".join(lines)))
    output: list[str] = []
    at = 0
    for fence in scan_fences(lines):
        output += _copy_prose(lines[at : fence.first], prose[at : fence.first], link, is_spec=is_spec)
        if fence.language in lists and not fence.is_code:
            output += [fence.prefix + line for line in lists[fence.language](fence.opening).splitlines()]
        elif fence.language in texts and not fence.is_code and (plain := texts[fence.language](fence)):
            output += _with_text(fence, "text", plain.strip("\n"))
        else:
            output += _copy_block(fence, lines[fence.first : fence.end], name, root, is_spec=is_spec)
            if fence.language == "acdl" and not fence.is_code and (words := explain(fence)):
                output += _with_prefix(fence, ["", *words.split("\n")])
        at = fence.end
    output += _copy_prose(lines[at:], prose[at:], link, is_spec=is_spec)
    return "\n".join(output).strip("\n") + "\n" if any(output) else ""


def _without_family(lines: list[str]) -> list[str]:
    """Drop the figures of variants from the page of a spec, which are between lists of links."""
    inside = {at for fence in scan_fences(lines) for at in range(fence.first, fence.end)}
    prose = [at for at in range(len(lines)) if at not in inside]
    first = next((at for at in prose if lines[at] == _FAMILY), len(lines))
    end = next((at for at in prose if at > first and lines[at] == "</div>"), len(lines))
    return lines[:first] + lines[end + 1 :]


def _copy_prose(lines: list[str], prose: list[str], link: Link | None, *, is_spec: bool) -> Iterator[str]:
    """Yield lines outside of blocks, without markup for the docs tool; never two empty ones in a row.

    Parameters:
        lines: The lines.
        prose: The same with blanks in place of code.
        link: Returns the targets of links; `None` leaves them unchanged.
        is_spec: Whether the lines are from the page of a spec.
    """
    is_empty = False
    for line, words in zip(lines, prose, strict=True):
        if any(each.fullmatch(line) for each in (_COMMENT, _WRAPPER, _STYLE)) or (is_empty and not line.strip()):
            continue
        is_empty = not line.strip()
        heading = _ATTRIBUTES.fullmatch(line)
        text = _replace_link_targets(heading["words"] if heading else line, words, link)
        yield _plain_line(text) if is_spec else text


def _plain_line(line: str) -> str:
    """Drop tags and character references for HTML tools from a line of the page of a spec."""
    bar = "\\|" if line.startswith("|") else "|"  # ours, of a table, ends a cell
    line = line if line.startswith("|") else line.replace("<br>", "; ")
    line = line.replace("&#124;", bar).replace("&#96;", "`")
    with_code = _CODE_TAG.sub(lambda tag: code_span(unescape(tag[1])), _LINK.sub(r"[\2](\1)", line))
    return map_code_and_text(with_code, unescape, _without_numbers)


def _without_numbers(words: str) -> str:
    """Decode character references outside of code: an author's characters are literal, ours are markup."""
    marked = _NUMBER.sub(lambda number: _mark_sign(unescape(number[0])), words.replace("`", "\\`"))
    return _MARKED.sub(_escape_sign, marked)


def _mark_sign(sign: str) -> str:
    return chr(_OWN + ord(sign)) if sign.isascii() and len(sign) == 1 else sign


def _escape_sign(marked: re.Match[str]) -> str:
    """Return a literal character of an author, with a backslash if Markdown would interpret it."""
    sign, before = chr(ord(marked[0]) - _OWN), marked.string[: marked.start()]
    after = marked.string[marked.end() : marked.end() + 1]
    is_markup = sign in "\\*[]~" or (not before and sign != "_") or (sign == "." and before.isdigit())
    if sign == "_":
        is_markup = not (before[-1:].isalnum() and after.isalnum())
    if sign == "<" or (sign == "&" and (after.isalnum() or after == _mark_sign("#"))):
        return escape(sign)  # some take no backslash before it
    return f"\\{sign}" if is_markup else sign


def _replace_link_targets(line: str, prose: str, link: Link | None) -> str:
    """Replace the targets of links in a line; those in code are text."""
    if link is None or "]" not in prose:
        return line

    def replace_target(match: re.Match[str]) -> str:
        return _replace_target(match, link) if prose.startswith(match[0], match.start()) else match[0]

    return _TARGET.sub(replace_target, line)


def _replace_target(match: re.Match[str], link: Link) -> str:
    written = match["target"]
    has_brackets = written.startswith("<")
    address = link(written[1:-1] if has_brackets else written)
    return match["before"] + (f"<{address}>" if has_brackets or " " in address else address)


def _xml_block(fence: Fence, lines: list[str], name: str, root: Path) -> list[str]:
    """Return the lines of an XML block, in which the data of files are only named."""
    if "src" in fence.header:
        from acdl_mkdocs.frontends.docs.blocks.xml_fence import read_xml  # few pages have one

        xml = read_xml(fence, name, root, fence.language)
        if xml.options.src and xml.source.text.strip():
            header = _SOURCE_OPTION.sub("", fence.header, count=1)
            return _with_text(fence, header, _without_data(xml.source.text.strip("\n")))
    brief = _without_data(fence.text)
    return lines if brief == fence.text else _with_text(fence, fence.header, brief.rstrip("\n"))


def _without_data(xml: str) -> str:
    """Replace long base64 data in XML by a comment."""
    return _DATA.sub(lambda match: f"<!-- {len(match[0]):,} characters of base64 -->", xml)


def _copy_block(fence: Fence, lines: list[str], name: str, root: Path, *, is_spec: bool) -> list[str]:
    """Return the lines of a block; one that names a file gets its text."""
    if fence.language in _XML and not fence.is_code:
        return _xml_block(fence, lines, name, root)
    if fence.language != "acdl" or fence.is_code or not ("src" in fence.header or is_spec):
        return lines
    block = read_block(fence, name, BlockOptions(), root)
    if not (block.options.src or is_spec) or not block.source.text.strip():
        return lines
    text, is_inclusive = _drawn_text(block, is_bare=is_spec)
    range_option = " range=inclusive" if is_inclusive and not re.search(r"\srange\s*=", fence.header) else ""
    header = _SPEC_OPTION.sub("", _SOURCE_OPTION.sub(range_option, fence.header, count=1))
    lines = [line.rstrip() for line in text.rstrip().split("\n")]
    return _with_text(fence, header, "\n".join(lines))


def _with_text(fence: Fence, header: str, text: str) -> list[str]:
    """Return the lines of a block with another text, whose fence does not occur in it."""
    before = _MARKERS.sub(" ", fence.prefix)
    runs = [len(run) + 1 for run in re.findall(re.escape(fence.mark[0]) + "{3,}", text)]
    mark = fence.mark[0] * max([len(fence.mark), *runs])
    return [fence.prefix + mark + header, *_with_prefix(fence, text.split("\n")), before + mark]


def _with_prefix(fence: Fence, lines: Iterable[str]) -> list[str]:
    """Return lines at the same place as a block: in its list, or its quote."""
    before = _MARKERS.sub(" ", fence.prefix)
    return [before + each if each else before.rstrip() for each in lines]


def _drawn_text(block: BlockText, *, is_bare: bool) -> tuple[str, bool]:
    """Return the text of the figure, of one definition or a whole file, and whether the file says `inclusive`.

    A bare text is the definition without the comments above it.
    """
    examined = examine_text(block, Config(), is_checked=False)
    resolved = examined.resolved
    is_inclusive = read_settings(resolved.parsed.file).get("range") == "inclusive"
    definitions = resolved.definitions.get(examined.view.spec) or next(iter(resolved.definitions.values()), None)
    if not is_bare or not definitions:
        return source_of(examined), is_inclusive
    span = definitions[0].node.span
    first = resolved.source.line_starts[resolved.source.line_index(span.start)]
    return resolved.source.text[first : span.end], is_inclusive
