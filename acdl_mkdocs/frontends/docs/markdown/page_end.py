"""The end of a page for Python-Markdown: when the figures and references of the whole text are drawn.

A table of contents runs every postprocessor on each heading, long before that.
"""

from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.postprocessors import Postprocessor
from markdown.treeprocessors import Treeprocessor

_LAST = -1000


class PageEnd(Postprocessor):
    """A postprocessor that calls `end_page` once for each page."""

    def __init__(self, md: Markdown, name: str, priority: float) -> None:
        """Register with a converter.

        Parameters:
            md: The converter.
            name: In its registries.
            priority: Among postprocessors.
        """
        super().__init__(md)
        self.is_near = False
        md.treeprocessors.register(_TreeEndProcessor(md, self), name, _LAST)
        md.postprocessors.register(self, name, priority)

    def run(self, text: str) -> str:
        """Return the text unchanged, and detect the end of the page."""
        if self.is_near:
            self.is_near = False
            self.end_page()
        return text

    def end_page(self) -> None:
        """Run at the end of a page; subclasses override it."""
        raise NotImplementedError


class _TreeEndProcessor(Treeprocessor):
    """A tree processor that marks the tree of a page as complete."""

    def __init__(self, md: Markdown, page_end: PageEnd) -> None:
        super().__init__(md)
        self._page_end = page_end

    def run(self, root: Element) -> None:
        del root
        self._page_end.is_near = True
