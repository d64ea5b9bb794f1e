"""The Python-Markdown extension `acdl`: figures for fenced `acdl` blocks, wherever a fence can appear.

Fences are taken out before any other extension sees them, so they work with `fenced_code`, with
`pymdownx.superfences` and with neither. They are drawn last, when it is known which of them are text of an indented
code block after all.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.util import ETX, STX

from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS
from acdl_mkdocs.frontends.docs.markdown.fence_settings import (
    find_fence_settings,
    is_preview,
    is_strict_zensical,
    strict_end,
)
from acdl_mkdocs.frontends.docs.markdown.host import page_of, warn_on_stderr
from acdl_mkdocs.frontends.docs.markdown.pending_fences import PendingFences, RestoreCode, SplitBlocks, SplitParagraphs
from acdl_mkdocs.frontends.docs.markdown.references import add_reference_processors as register_references
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.page_problems import find_misspelled, looks_misspelled
from acdl_mkdocs.frontends.docs.pages.embedded import without_parts
from acdl_mkdocs.frontends.docs.pages.relocate import ids_in
from acdl_mkdocs.frontends.docs.settings import Settings, project_settings, set_setting
from acdl_mkdocs.workspace.fences import Fence, fences_of

_PENDING = re.compile(f"<figure>{STX}acdl:(\\d+){ETX}</figure>")
_SPEC_PAGE = '<div class="acdl-facts"></div>'
"""A line that only the pages of specs have."""
_TAG = r'<(?:code|a href="#[^"<>|]*" aria-label="[^"<>|]*")>[^<>|]*</(?:code|a)>'
_TAGS = re.compile(f"{_TAG}(?:,? {_TAG})*")
_DOWNLOAD = r'<a href="[^"<>|]*" download="[^"<>|]*"><code>[^<>|]*</code></a>'
_PLAIN = rf"(?>(?:{_TAG}|<br>|&#\d+;|[^\W_]|[ ,;–]|\.(?=[\d <|\n])|-(?!-)|:(?= ))*)"
"""Tags and characters that neither Python-Markdown nor an extension changes, except for abbreviations."""
_ROW = rf"\|(?>(?:{_PLAIN}\|)+)\n"
_TABLE = re.compile(rf"(?<=\n\n){_ROW}\|(?>(?: --- \|)+)\n(?>(?:{_ROW})+)(?=\n)")
_LIST = re.compile(rf"(?<=\n\n)(?>(?:- {_DOWNLOAD}{_PLAIN}\n)+)(?=\n)")
_AFTER_SNIPPETS, _BEFORE_CODE_BLOCKS, _BEFORE_PARAGRAPHS, _AFTER_FOOTNOTES, _AFTER_RAW_HTML = 28, 81, 12, 12, 25
"""Priorities in the registries of Python-Markdown and its well-known extensions."""


class AcdlExtension(Extension):
    """Draw fenced `acdl` blocks.

    Settings are those of `frontends/docs/settings.py`: defaults for the headers of blocks, and what concerns a
    whole site.
    """

    def __init__(self, **settings: object) -> None:
        """Read the settings.

        Raises:
            ValueError: One does not exist or its value does not fit; the text is a sentence for the log of the tool.
        """
        self.given_settings = settings
        self.settings = self.add_to_settings(Settings())
        self._by_folder: dict[Path, Settings] = {}
        super().__init__()

    def add_to_settings(self, settings: Settings) -> Settings:
        """Return other settings overridden by those of the extension."""
        for name, value in self.given_settings.items():
            settings = set_setting(settings, name, value)
        return settings

    def page_of(self, md: Markdown) -> Page:
        """Return the page that `md` renders; one that the plugin has not announced has the settings of its project."""
        custom = find_fence_settings(md)
        if custom and not self.given_settings and custom.settings:
            self.given_settings = custom.settings
            self.settings = self.add_to_settings(Settings())
        page = page_of(md, self.settings)
        if page.settings is self.settings:
            page.settings = self._by_folder.get(page.root) or self._load_project_settings(page.root)
        if is_strict_zensical():
            strict_end(md).watch_page(page, ("error", "warning"), is_printed=True)
        elif custom and custom.is_strict and not is_preview():
            strict_end(md).watch_page(page)
        return page

    def _load_project_settings(self, folder: Path) -> Settings:
        try:
            self._by_folder[folder] = self.add_to_settings(project_settings(folder))
        except SettingsError as reason:
            warn_on_stderr(str(reason))
            self._by_folder[folder] = self.settings
        return self._by_folder[folder]

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name that Python-Markdown calls
        """Register the processors."""
        md.registerExtension(self)
        self.stash = PendingFences(md, self.page_of)
        md.preprocessors.register(_TakeFences(md, self.stash), "acdl", _AFTER_SNIPPETS)
        md.preprocessors.register(_ConvertTables(md), "acdl_tables", _AFTER_SNIPPETS - 1)
        md.parser.blockprocessors.register(RestoreCode(md.parser, self.stash), "acdl_code", _BEFORE_CODE_BLOCKS)
        md.parser.blockprocessors.register(SplitBlocks(md.parser, self.stash), "acdl_split", _BEFORE_PARAGRAPHS)
        md.treeprocessors.register(SplitParagraphs(md, self.stash), "acdl", _AFTER_FOOTNOTES)
        md.postprocessors.register(_DrawFences(md, self.stash), "acdl", _AFTER_RAW_HTML)
        self.references = register_references(md, self.stash.current_page)
        strict_end(md)  # may be needed when it is too late to register it

    def reset(self) -> None:
        """Forget the fences and references of the last text."""
        self.stash.forget_fences()
        self.references.forget_references()


class _TakeFences(Preprocessor):
    """Replaces every `acdl` fence by a placeholder."""

    def __init__(self, md: Markdown, stash: PendingFences) -> None:
        super().__init__(md)
        self.stash = stash

    def run(self, lines: list[str]) -> list[str]:
        self.stash.page = None
        lines = without_parts(lines)
        output: list[str] = []
        at = 0
        for fence in fences_of("\n".join(lines)):  # during a preview, only changed pages are scanned again
            if fence.language not in BLOCKS:
                self._report_misspelled(fence)
                continue
            placeholder = self.stash.add_fence(fence, lines[fence.first : fence.end])
            # An empty line would end an item, a footnote or a tab, so it is added only outside of these.
            before, after = ([], []) if fence.prefix else ([""], ["", ""])
            output += [*lines[at : fence.first], *before, fence.prefix + placeholder, *after]
            at = fence.end
        return output + lines[at:] if at else lines

    def _report_misspelled(self, fence: Fence) -> None:
        if looks_misspelled(fence):
            from acdl_mkdocs.foundation.reports.log_line import format_line_with_help  # few pages need it

            page = self.stash.current_page()
            for problem, source in find_misspelled(fence, page):
                page.report(problem.severity, format_line_with_help(problem, source))


class _ConvertTables(Preprocessor):
    """Converts tables and lists on the page of a spec, which would take Python-Markdown most of its time.

    The HTML is the same as that of Python-Markdown. Text that it or an extension would change is left to them; of that,
    the tags of names and of numbered links are hidden, since each tag and each character reference would be searched
    for nothing.
    """

    def run(self, lines: list[str]) -> list[str]:
        if _SPEC_PAGE not in lines:
            return lines
        text = "\n".join(lines)
        if "\n*[" not in text:  # no abbreviations
            text = _TABLE.sub(self._convert_table, _LIST.sub(self._convert_list, text))
        return [_TAGS.sub(self._stash, line) if line.startswith(("| ", "- ")) else line for line in text.split("\n")]

    def _convert_table(self, table: re.Match[str]) -> str:
        head, _, *rows = ([cell.strip() for cell in row[1:-1].split("|")] for row in table[0].splitlines())
        body = [line for row in rows for line in _row_in_html("td", row)]
        html = ["<table>", "<thead>", *_row_in_html("th", head), "</thead>", "<tbody>", *body, "</tbody>", "</table>"]
        return self.md.htmlStash.store("\n".join(html)) + "\n"

    def _convert_list(self, items: re.Match[str]) -> str:
        html = [f"<li>{item.removeprefix('- ')}</li>" for item in items[0].splitlines()]
        return self.md.htmlStash.store("\n".join(["<ul>", *html, "</ul>"])) + "\n"

    def _stash(self, tags: re.Match[str]) -> str:
        return self.md.htmlStash.store(tags[0])


def _row_in_html(tag: str, cells: Iterable[str]) -> list[str]:
    return ["<tr>", *(f"<{tag}>{cell}</{tag}>" for cell in cells), "</tr>"]


class _DrawFences(Postprocessor):
    """Puts the figures into the finished page."""

    def __init__(self, md: Markdown, stash: PendingFences) -> None:
        super().__init__(md)
        self.stash = stash

    def run(self, text: str) -> str:
        if not self.stash.fences:
            return text
        self.stash.draw_fences([int(number) for number in _PENDING.findall(text)], ids_in(text))
        return _PENDING.sub(lambda mark: self.stash.drawn.get(int(mark[1]), ""), text)


def makeExtension(**settings: object) -> AcdlExtension:  # noqa: N802 - the name that Python-Markdown calls
    """Make the extension, for `extensions=["acdl_mkdocs.frontends.docs.markdown.extension"]`."""
    return AcdlExtension(**settings)
