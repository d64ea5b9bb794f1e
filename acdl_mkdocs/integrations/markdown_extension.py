"""The Python-Markdown extension `acdl`: figures for fenced `acdl` blocks, wherever a fence can stand.

Fences are taken out before any other extension sees them, so they work with `fenced_code`, with
`pymdownx.superfences` and with neither. They are drawn last, when it is known which of them are text of an indented
code block after all.
"""

import re
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockProcessor, CodeBlockProcessor
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.util import ETX, STX

from acdl_mkdocs.integrations.host import page_of
from acdl_mkdocs.site.block import from_fence
from acdl_mkdocs.site.fences import Fence, scan
from acdl_mkdocs.site.options import SITE_OPTIONS, BlockOptions, set_option
from acdl_mkdocs.site.page import Page, Settings
from acdl_mkdocs.suggest import closest

_PENDING = re.compile(f"{STX}acdl:(\\d+){ETX}")
_AFTER_SNIPPETS, _BEFORE_CODE_BLOCKS, _BEFORE_PARAGRAPHS, _AFTER_RAW_HTML = 28, 81, 12, 25
"""Priorities in the registries of Python-Markdown and its well-known extensions."""


class AcdlExtension(Extension):
    """Draw fenced `acdl` blocks.

    Settings are `show`, `range`, `theme`, `width` and `comments` as in the header of a fence, for fences that do not
    say; `root` is the project's folder, for `src`; `show_warnings` puts warnings into the page; `rule_url` is the
    address of the page that explains a rule, with `{rule}` in the place of its name; `source_url` is the address of
    the files that comments such as `// <- agent.py:40` link to.
    """

    def __init__(self, **settings: object) -> None:
        self.options = BlockOptions()
        self.root: Path | None = None
        self.show_warnings = False
        self.rule_url = ""
        self.source_url = ""
        for name, value in settings.items():
            self._set(name, value)
        self.is_configured = bool(settings)
        super().__init__()

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name that Python-Markdown calls
        """Register the processors."""
        md.registerExtension(self)
        self.stash = _Stash(md, self)
        md.preprocessors.register(_TakeFences(md, self.stash), "acdl", _AFTER_SNIPPETS)
        md.parser.blockprocessors.register(_RestoreCode(md.parser, self.stash), "acdl_code", _BEFORE_CODE_BLOCKS)
        md.parser.blockprocessors.register(_SplitBlocks(md.parser, self.stash), "acdl_split", _BEFORE_PARAGRAPHS)
        md.postprocessors.register(_DrawFences(md, self.stash), "acdl", _AFTER_RAW_HTML)

    def reset(self) -> None:
        """Forget the fences of the last text."""
        self.stash.clear()

    def settings(self) -> Settings:
        """What was configured, for a page that no plugin has announced."""
        return Settings(self.options, self.show_warnings, self.rule_url, self.source_url)

    def _set(self, name: str, value: object) -> None:
        """Take one setting; raises `ValueError` with a sentence for the log of the tool."""
        if name in SITE_OPTIONS:
            try:
                self.options = set_option(self.options, name, value)
            except ValueError as expected:
                raise ValueError(f"the setting `{name}` of `acdl` cannot be {value!r}: expected {expected}") from None
        elif name == "root":
            self.root = Path(str(value))
        elif name == "show_warnings":
            self.show_warnings = value is True
        elif name in ("rule_url", "source_url"):
            setattr(self, name, str(value))
        else:
            near = closest(name, (*SITE_OPTIONS, "root", "show_warnings", "rule_url", "source_url"))
            hint = f"; did you mean `{near}`?" if near else ""
            raise ValueError(f"`acdl` has no setting `{name}`{hint}")


class _Stash:
    """Fences that were taken out of one text, and what they became."""

    def __init__(self, md: Markdown, extension: AcdlExtension) -> None:
        self.md = md
        self.extension = extension
        self.clear()

    def clear(self) -> None:
        self.page: Page | None = None
        self.fences: list[Fence] = []
        self.lines: dict[str, tuple[Fence, list[str]]] = {}
        self.drawn: dict[int, str] = {}

    def begin(self) -> None:
        self.page = page_of(self.md, self.extension.settings(), self.extension.root)

    def put(self, fence: Fence, lines: list[str]) -> str:
        """Keep a fence; returns what stands for it in the text."""
        mark = f"<figure>{STX}acdl:{len(self.fences)}{ETX}</figure>"
        self.fences.append(fence)
        placeholder = self.md.htmlStash.store(mark)
        self.lines[placeholder] = (fence, lines)
        return placeholder

    def draw(self, number: int) -> str:
        """The HTML of a fence; drawn once, in the order of the page."""
        if number not in self.drawn and self.page:
            self.drawn[number] = from_fence(self.fences[number], self.page).html
        return self.drawn.get(number, "")


class _TakeFences(Preprocessor):
    """Put a placeholder in the place of every `acdl` fence."""

    def __init__(self, md: Markdown, stash: _Stash) -> None:
        super().__init__(md)
        self.stash = stash

    def run(self, lines: list[str]) -> list[str]:
        self.stash.begin()
        kept: list[str] = []
        at = 0
        for fence in scan(lines):
            if fence.language != "acdl":
                continue
            placeholder = self.stash.put(fence, lines[fence.first : fence.end])
            # An empty line would end an item, a footnote or a tab, so it is put only around what is in none.
            before, after = ([], []) if fence.prefix else ([""], ["", ""])
            kept += [*lines[at : fence.first], *before, fence.prefix + placeholder, *after]
            at = fence.end
        return kept + lines[at:] if at else lines


class _RestoreCode(BlockProcessor):
    """Put the lines of a fence back where an indented code block holds it: there it is text."""

    def __init__(self, parser: BlockParser, stash: _Stash) -> None:
        super().__init__(parser)
        self.stash = stash
        self.code = CodeBlockProcessor(parser)

    def test(self, parent: Element, block: str) -> bool:
        return STX in block and bool(self.code.test(parent, block))

    def run(self, parent: Element, blocks: list[str]) -> bool:
        del parent
        restored: list[str] = []
        for line in blocks[0].split("\n"):
            taken = self.stash.lines.get(line.strip()) if line.startswith(" " * self.tab_length) else None
            if taken:
                fence, lines = taken
                surplus = len(fence.prefix) - (len(line) - len(line.lstrip()))
                restored += [each[surplus:] for each in lines]
            else:
                restored.append(line)
        blocks[0] = "\n".join(restored)
        return False  # the code block processor takes it from here


class _SplitBlocks(BlockProcessor):
    """Give a figure that stands between lines of a paragraph a block of its own, as HTML demands."""

    def __init__(self, parser: BlockParser, stash: _Stash) -> None:
        super().__init__(parser)
        self.stash = stash

    def test(self, parent: Element, block: str) -> bool:
        del parent
        return STX in block and "\n" in block.strip("\n")

    def run(self, parent: Element, blocks: list[str]) -> bool:
        del parent
        parts: list[list[str]] = [[]]
        for line in blocks[0].split("\n"):
            if line.strip() in self.stash.lines:
                parts += [[line.strip()], []]
            else:
                parts[-1].append(line)
        if len(parts) > 1:
            blocks[0:1] = [text for part in parts if (text := "\n".join(part)).strip()]
        return False


class _DrawFences(Postprocessor):
    """Put the figures into the finished page."""

    def __init__(self, md: Markdown, stash: _Stash) -> None:
        super().__init__(md)
        self.stash = stash

    def run(self, text: str) -> str:
        if not self.stash.fences:
            return text
        return re.sub(f"<figure>{_PENDING.pattern}</figure>", lambda mark: self.stash.draw(int(mark[1])), text)


def makeExtension(**settings: object) -> AcdlExtension:  # noqa: N802 - the name that Python-Markdown calls
    """Make the extension, for `extensions=["acdl_mkdocs.integrations.markdown_extension"]`."""
    return AcdlExtension(**settings)
