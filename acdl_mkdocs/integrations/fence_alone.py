"""What a custom fence of `pymdownx.superfences` does for a page where the Markdown extension is not listed.

References of the page become links, and blocks whose opening line superfences does not understand are reported: it
takes only values in quotes, and shows the rest as code.
"""

from collections.abc import Callable

from markdown import Markdown

from acdl_mkdocs.foundation.reports.log_line import line_with_cure
from acdl_mkdocs.integrations.page_end import PageEnd
from acdl_mkdocs.integrations.references import register
from acdl_mkdocs.site.page import Page
from acdl_mkdocs.site.quoted_header import needs_quotes, unquoted
from acdl_mkdocs.workspace.fences import scan

_NAME, _BEHIND_REFERENCES = "acdl_alone", 4


class Alone(PageEnd):
    """Looks after one converter."""

    def __init__(self, md: Markdown, page_of: Callable[[], Page]) -> None:
        """Register with a converter.

        Parameters:
            md: The converter.
            page_of: Gives the page that is converted, for one on which superfences understands no block.
        """
        super().__init__(md, _NAME, _BEHIND_REFERENCES)
        self._page_of = page_of
        self._references = register(md, self._current)
        self._page: Page | None = None
        self._lines: list[str] = []

    def begin(self, page: Page, lines: list[str]) -> None:
        """Take a page, with its lines as superfences found them."""
        self._page, self._lines = page, lines

    def end(self) -> None:
        """Report the blocks that superfences has never given to the fence."""
        for fence in scan(self._lines):
            if needs_quotes(fence):
                page = self._current()
                problem, source = unquoted(fence, page)
                page.report(problem.severity, line_with_cure(problem, source))
        self._page, self._lines = None, []
        self._references.clear()

    def _current(self) -> Page:
        self._page = self._page or self._page_of()
        return self._page


def alone_with(md: Markdown) -> Alone | None:
    """What looks after a converter already."""
    found = md.postprocessors[_NAME] if _NAME in md.postprocessors else None  # noqa: SIM401 - a `Registry` has no `get`
    return found if isinstance(found, Alone) else None
