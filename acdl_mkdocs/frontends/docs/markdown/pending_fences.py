"""Fences that were taken out of a Markdown text, and processors that keep their places during the conversion."""

import re
from collections.abc import Callable
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockProcessor, CodeBlockProcessor
from markdown.extensions.footnotes import NBSP_PLACEHOLDER
from markdown.treeprocessors import Treeprocessor
from markdown.util import ETX, HTML_PLACEHOLDER, STX

from acdl_mkdocs.frontends.docs.block_kinds import draw_block
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace.fences import Fence

_PLACEHOLDER = re.compile(f"({HTML_PLACEHOLDER % '[0-9]+'})")


class PendingFences:
    """The fences of one text, and their drawings."""

    def __init__(self, md: Markdown, page_of: Callable[[Markdown], Page]) -> None:
        """Begin without fences.

        Parameters:
            md: The converter.
            page_of: Returns the page that is converted.
        """
        self.md = md
        self.page_of = page_of
        self.forget_fences()

    def forget_fences(self) -> None:
        """Forget the last text."""
        self.page: Page | None = None
        self.fences: list[Fence] = []
        self.lines: dict[str, tuple[Fence, list[str]]] = {}
        self.drawn: dict[int, str] = {}

    def current_page(self) -> Page:
        """Return the page that is converted; looked up when first needed."""
        self.page = self.page or self.page_of(self.md)
        return self.page

    def add_fence(self, fence: Fence, lines: list[str]) -> str:
        """Keep a fence and return its placeholder in the text. The first one of a text determines the page."""
        self.current_page()
        mark = f"<figure>{STX}acdl:{len(self.fences)}{ETX}</figure>"
        self.fences.append(fence)
        placeholder = self.md.htmlStash.store(mark)
        self.lines[placeholder] = (fence, lines)
        return placeholder

    def draw_fences(self, numbers: list[int], ids: set[str]) -> None:
        """Draw fences that are not drawn yet, in the order of the page.

        Parameters:
            numbers: Of the fences.
            ids: The ids that the page has without them.
        """
        pending = [number for number in dict.fromkeys(numbers) if number not in self.drawn]
        if self.page:
            self.page.foreign_ids |= ids - self.page.used_ids
            self.page.blocks += tuple(self.fences[number] for number in pending)
            self.page.expect_fences(self.fences[number] for number in pending if self.fences[number].language == "acdl")
            for number in pending:
                fence = self.fences[number]
                self.drawn[number] = self.page.relocate(draw_block(fence, self.page).html)


class RestoreCode(BlockProcessor):
    """Puts the lines of a fence back into an indented code block: there it is text."""

    def __init__(self, parser: BlockParser, stash: PendingFences) -> None:
        super().__init__(parser)
        self.stash = stash
        self.code = CodeBlockProcessor(parser)

    def test(self, parent: Element, block: str) -> bool:
        """Return whether the block is indented code with a placeholder."""
        return STX in block and bool(self.code.test(parent, block))

    def run(self, parent: Element, blocks: list[str]) -> bool:
        """Put the lines back; the code block processor continues from there."""
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


class SplitBlocks(BlockProcessor):
    """Gives a figure between lines of a paragraph its own block, as HTML requires."""

    def __init__(self, parser: BlockParser, stash: PendingFences) -> None:
        super().__init__(parser)
        self.stash = stash

    def test(self, parent: Element, block: str) -> bool:
        """Return whether a placeholder is among other lines."""
        del parent
        return STX in block and "\n" in block.strip("\n")

    def run(self, parent: Element, blocks: list[str]) -> bool:
        """Make a block of each placeholder and of the text between them."""
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


class SplitParagraphs(Treeprocessor):
    """Gives a figure its own paragraph if other extensions added to its paragraph, such as a link back.

    The paragraph is replaced by the figure.
    """

    def __init__(self, md: Markdown, stash: PendingFences) -> None:
        super().__init__(md)
        self.stash = stash

    def run(self, root: Element) -> None:
        """Split every paragraph that has a placeholder."""
        if not self.stash.lines:
            return
        for parent in list(root.iter()):
            for idx, child in reversed(list(enumerate(parent))):
                if child.tag == "p" and any(STX in text for text in _texts_between(child)):
                    parent[idx : idx + 1] = self._split_paragraph(child)

    def _split_paragraph(self, paragraph: Element) -> list[Element]:
        """Return the parts of a paragraph: figures, and the text between them."""
        parts = [Element("p", paragraph.attrib)]
        for text, child in zip(_texts_between(paragraph), [*paragraph, None], strict=True):
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


def _texts_between(element: Element) -> list[str]:
    """Return the text before each child of an element, and that after the last."""
    return [element.text or "", *(child.tail or "" for child in element)]
