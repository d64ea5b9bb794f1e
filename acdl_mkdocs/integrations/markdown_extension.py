"""The Python-Markdown extension `acdl`: figures for fenced `acdl` blocks, wherever a fence can stand.

Fences are taken out before any other extension sees them, so they work with `fenced_code`, with
`pymdownx.superfences` and with neither. They are drawn last, when it is known which of them are text of an indented
code block after all.
"""

import re
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockProcessor, CodeBlockProcessor
from markdown.extensions import Extension
from markdown.extensions.footnotes import NBSP_PLACEHOLDER
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import ETX, HTML_PLACEHOLDER, STX

from acdl_mkdocs.integrations.host import page_of
from acdl_mkdocs.site.block import from_fence
from acdl_mkdocs.site.fences import Fence, scan
from acdl_mkdocs.site.page import Page
from acdl_mkdocs.site.settings import Settings, set_setting

_PENDING = re.compile(f"<figure>{STX}acdl:(\\d+){ETX}</figure>")
_PLACEHOLDER = re.compile(f"({HTML_PLACEHOLDER % '[0-9]+'})")
_AFTER_SNIPPETS, _BEFORE_CODE_BLOCKS, _BEFORE_PARAGRAPHS, _AFTER_FOOTNOTES, _AFTER_RAW_HTML = 28, 81, 12, 12, 25
"""Priorities in the registries of Python-Markdown and its well-known extensions."""


class AcdlExtension(Extension):
    """Draw fenced `acdl` blocks.

    Settings are those of `site/settings.py`: defaults for the headers of blocks, and what concerns a whole site.
    """

    def __init__(self, **settings: object) -> None:
        """Take the settings.

        Raises:
            ValueError: One does not exist or its value does not fit; the text is a sentence for the log of the tool.
        """
        self.settings = Settings()
        for name, value in settings.items():
            self.settings = set_setting(self.settings, name, value)
        super().__init__()

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name that Python-Markdown calls
        """Register the processors."""
        md.registerExtension(self)
        self.stash = _Stash(md, self)
        md.preprocessors.register(_TakeFences(md, self.stash), "acdl", _AFTER_SNIPPETS)
        md.parser.blockprocessors.register(_RestoreCode(md.parser, self.stash), "acdl_code", _BEFORE_CODE_BLOCKS)
        md.parser.blockprocessors.register(_SplitBlocks(md.parser, self.stash), "acdl_split", _BEFORE_PARAGRAPHS)
        md.treeprocessors.register(_SplitParagraphs(md, self.stash), "acdl", _AFTER_FOOTNOTES)
        md.postprocessors.register(_DrawFences(md, self.stash), "acdl", _AFTER_RAW_HTML)

    def reset(self) -> None:
        """Forget the fences of the last text."""
        self.stash.clear()


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

    def put(self, fence: Fence, lines: list[str]) -> str:
        """Keep a fence; returns what stands for it in the text. The first one of a text asks for the page."""
        self.page = self.page or page_of(self.md, self.extension.settings)
        mark = f"<figure>{STX}acdl:{len(self.fences)}{ETX}</figure>"
        self.fences.append(fence)
        placeholder = self.md.htmlStash.store(mark)
        self.lines[placeholder] = (fence, lines)
        return placeholder

    def draw(self, numbers: list[int]) -> None:
        """Draw fences that are not drawn yet, in the order of the page."""
        pending = [number for number in dict.fromkeys(numbers) if number not in self.drawn]
        if self.page:
            self.page.expect(self.fences[number] for number in pending)
            for number in pending:
                self.drawn[number] = from_fence(self.fences[number], self.page).html


class _TakeFences(Preprocessor):
    """Put a placeholder in the place of every `acdl` fence."""

    def __init__(self, md: Markdown, stash: _Stash) -> None:
        super().__init__(md)
        self.stash = stash

    def run(self, lines: list[str]) -> list[str]:
        self.stash.page = None
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


class _SplitParagraphs(Treeprocessor):
    """Give a figure a paragraph of its own where other extensions have added to its paragraph, such as a link back.

    The paragraph goes when the figure comes.
    """

    def __init__(self, md: Markdown, stash: _Stash) -> None:
        super().__init__(md)
        self.stash = stash

    def run(self, root: Element) -> None:
        if not self.stash.lines:
            return
        for parent in list(root.iter()):
            for idx, child in reversed(list(enumerate(parent))):
                if child.tag == "p" and any(STX in text for text in _texts(child)):
                    parent[idx : idx + 1] = self._split(child)

    def _split(self, paragraph: Element) -> list[Element]:
        """The parts of a paragraph: figures, and what stands between them."""
        parts = [Element("p", paragraph.attrib)]
        for text, child in zip(_texts(paragraph), [*paragraph, None], strict=True):
            for piece in _PLACEHOLDER.split(text):
                if piece in self.stash.lines:
                    figure = Element("p")
                    figure.text = piece
                    parts += [figure, Element("p", paragraph.attrib)]
                elif len(parts[-1]):
                    parts[-1][-1].tail = (parts[-1][-1].tail or "") + piece
                else:
                    parts[-1].text = (parts[-1].text or "") + piece
            if child is not None:
                child.tail = None
                parts[-1].append(child)
        for idx, part in enumerate(parts):
            part.text = (part.text or "").removeprefix(NBSP_PLACEHOLDER if idx else "")
            part.tail = paragraph.tail
        return [part for part in parts if len(part) or (part.text or "").strip()]


def _texts(element: Element) -> list[str]:
    """The text before each child of an element, and that behind the last."""
    return [element.text or "", *(child.tail or "" for child in element)]


class _DrawFences(Postprocessor):
    """Put the figures into the finished page."""

    def __init__(self, md: Markdown, stash: _Stash) -> None:
        super().__init__(md)
        self.stash = stash

    def run(self, text: str) -> str:
        if not self.stash.fences:
            return text
        self.stash.draw([int(number) for number in _PENDING.findall(text)])
        return _PENDING.sub(lambda mark: self.stash.drawn.get(int(mark[1]), ""), text)


def makeExtension(**settings: object) -> AcdlExtension:  # noqa: N802 - the name that Python-Markdown calls
    """Make the extension, for `extensions=["acdl_mkdocs.integrations.markdown_extension"]`."""
    return AcdlExtension(**settings)
