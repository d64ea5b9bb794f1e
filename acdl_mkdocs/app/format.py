"""Format texts, except definitions that contain an error."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.analyse import Analysis, format_analysis
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.workspace.options import BlockOptions

if TYPE_CHECKING:
    from acdl_mkdocs.workspace.page_kinds import PageKind
    from acdl_mkdocs.workspace.read_block import Finding


@dataclass(frozen=True, slots=True)
class Formatted:
    """The result of formatting a text or a page."""

    before: str
    """The original text."""
    text: str
    """The text in its normal form."""
    errors: "tuple[Finding, ...]" = ()
    """Why definitions are left unchanged."""

    @property
    def is_changed(self) -> bool:
        """Whether something was not in its normal form."""
        return self.text != self.before

    @property
    def is_refused(self) -> bool:
        """Whether nothing could be formatted."""
        return bool(self.errors) and not self.is_changed


def format(  # noqa: A001  # the word that users know it by
    analysis: Analysis, lines: tuple[int, int] | None = None, mode: RangeMode = "half-open"
) -> Formatted:
    """Bring a text to its normal form.

    Parameters:
        analysis: The text with the findings of the rules.
        lines: First and last line to format, counted from 1; by default all.
        mode: How `range(a, b)` is read if the text does not specify it.
    """
    formatted = format_analysis(analysis, lines, mode)
    source = analysis.source
    return Formatted(source.text, formatted.text, tuple((each, source) for each in formatted.diagnostics))


def format_file(
    text: str,
    name: str,
    analysed: Callable[[int], Analysis],
    mode: RangeMode,
    lines: tuple[int, int] | None = None,
    page_kind: "PageKind | None" = None,
) -> Formatted:
    """Bring a file that was read, or the blocks of a page, to their normal form.

    Parameters:
        text: Its contents, including code points that cannot be shown.
        name: Its display name.
        analysed: Returns the analysis of a block by its number on the page, from 0; of a spec, by 0.
        mode: How `range(a, b)` is read if a text does not specify it.
        lines: First and last line to format, counted from 1; by default all.
        page_kind: How the page is read; without it, the file is a spec.
    """
    if page_kind is not None:
        from acdl_mkdocs.workspace.page_edits import format_page

        page = format_page(text, name, BlockOptions(range=mode), lines, analysed, page_kind)
        return Formatted(text, page.text, page.findings)
    if not text.strip():
        return Formatted(text, "")
    analysis = analysed(0)
    if analysis.source.text != text:
        source = replace(analysis.source, text=text)
        analysis = Analysis(source, replace(analysis.resolved, parsed=parse(source)), analysis.diagnostics)
    return format(analysis, lines, mode)
