"""The fence `acdl-inspect`: what recorded requests sent at each step, without a spec.

Modules that read recordings are imported when a block is not in the cache of its page.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.diagnostics import Label, error, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.docs.blocks import cached_block
from acdl_mkdocs.frontends.docs.blocks.block import PageBlock
from acdl_mkdocs.frontends.docs.blocks.cached_block import BlockKind, DrawnBlock
from acdl_mkdocs.frontends.docs.blocks.gallery_block import find_text_problems
from acdl_mkdocs.frontends.docs.blocks.inspect_options import LANGUAGE, InspectBlockOptions, read_inspect_header
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace.cache import digest_of
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.myst import move_options
from acdl_mkdocs.workspace.read_block import Finding
from acdl_mkdocs.workspace.recorded_runs import RunsText, read_runs_text

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.docs.blocks.example import Example
    from acdl_mkdocs.runs.inspect.inspection import Inspection

_NO_RUNS = RunsText((), (), ())


@dataclass(frozen=True, slots=True)
class InspectText:
    """A block that has been read."""

    opening: Source
    options: InspectBlockOptions
    runs: RunsText
    findings: tuple[Finding, ...]
    places: Mapping[str, Span]

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that it depends on."""
        return self.runs.watched

    @property
    def requested_id(self) -> str:
        """The requested anchor."""
        return self.options.id

    def get_option_span(self, option: str) -> Span:
        """Return the place of an option, else that of all options."""
        return self.places.get(option, Span(0, len(self.opening.text)))


def from_fence(fence: Fence, page: Page) -> PageBlock:
    """Draw a fence of a page, and report its problems to the page."""
    return cached_block.from_fence(fence, page, _KIND)


def fence_problems(fence: Fence, page: Page) -> Iterator[Finding]:
    """Yield the problems of the opening line of a block, and of the recordings that it names."""
    text = _read_text(fence, page)
    page.files |= set(text.files)
    yield from text.findings
    yield from _inspect_recordings(text)[1]


def plain(fence: Fence, page: Page) -> str:
    """Return the inspection as text, for output without HTML."""
    from acdl_mkdocs.runs.inspect import INSPECTIONS
    from acdl_mkdocs.runs.inspect.options import InspectionOptions

    text = _read_text(fence, page)
    page.files |= set(text.files)
    inspection = _inspect_recordings(text)[0]
    if inspection is None:
        return ""
    title = f"{make_printable(text.options.title)}\n\n" if text.options.title else ""
    return title + INSPECTIONS["terminal"](inspection, InspectionOptions(has_excerpts=text.options.excerpts))


def _read_text(fence: Fence, page: Page) -> InspectText:
    located, name = page.locate_fence(fence)
    located = move_options(located)
    opening = Source(make_printable(located.opening), name, located.first + 1, len(located.prefix) + 1)
    header = read_inspect_header(opening, InspectBlockOptions(excerpts=page.settings.defaults.excerpts))
    opening_span = Span(0, len(opening.text))
    problems, runs = [*header.diagnostics], _NO_RUNS
    if header.options.src.strip():
        span = header.places.get("src", opening_span)
        runs, run_problems = read_runs_text(header.options.src, opening, span, page.root)
        problems += run_problems
    elif not problems:
        label = Label(opening_span, "nothing is inspected")
        cure = 'name a recording from the project\'s folder: `src="runs/monday.jsonl"`'
        problems.append(error("run-file", "the block names no recorded run", label, help=cure))
    problems += find_text_problems(located, opening)
    return InspectText(opening, header.options, runs, tuple((each, opening) for each in problems), header.places)


def _inspect_recordings(text: InspectText) -> "tuple[Inspection | None, list[Finding]]":
    """Inspect the recordings, and return problems of the unusable ones."""
    if not text.runs.paths:
        return None, []
    inspection = _inspect_cached(text.runs, digest_of(text.runs.facts))
    label = Label(text.get_option_span("src"), "named here")
    if isinstance(inspection, str):
        return None, [(error("run-file", inspection, label), text.opening)]
    if not inspection.tally.n_damaged:
        return inspection, []
    message = f"the recorded runs are incomplete: {make_printable(inspection.skipped[0])}"
    return inspection, [(warning("run-file", message, label), text.opening)]


@lru_cache(maxsize=2)
def _inspect_cached(runs: RunsText, facts: str) -> "Inspection | str":
    """Inspect the recordings once for all uses of the same block; return the reason if they cannot be used."""
    del facts  # they distinguish versions of the files
    from acdl_mkdocs.app.check_runs import open_runs
    from acdl_mkdocs.app.inspect import inspect
    from acdl_mkdocs.foundation.errors import AcdlError
    from acdl_mkdocs.runs.inspect.weigh_messages import Limits
    from acdl_mkdocs.workspace.files import UnreadableFileError

    try:
        return inspect(partial(open_runs, runs), limits=Limits.make_page_limits())
    except (AcdlError, UnreadableFileError) as reason:
        return str(reason)


def _draw_inspection(text: InspectText, prefix: str, page: Page) -> DrawnBlock[str]:
    del page
    inspection, findings = _inspect_recordings(text)
    if inspection is None:
        return DrawnBlock(None, findings)
    from acdl_mkdocs.runs.inspect.html import write_body
    from acdl_mkdocs.runs.inspect.options import InspectionOptions

    options = InspectionOptions(has_excerpts=text.options.excerpts, id_prefix=prefix)
    return DrawnBlock("".join(write_body(inspection, options)), findings)


def _build_element(text: InspectText, name: str, inspection: str | None, panel: str, page: Page) -> str:
    del page
    options = text.options
    called = escape(make_printable(options.title or options.caption or ", ".join(text.runs.names) or "Recorded runs"))
    link = f"Link to this inspection: {called}"
    classes = " ".join(("acdl", "acdl-inspect", *(escape(each) for each in options.classes)))
    html_parts = [
        f'<figure class="{classes}" id="{name}">',
        f'<div class="acdl-title">{escape(make_printable(options.title))}</div>' if options.title else "",
        panel,
        f'<div class="acdl-inspect-body" role="group" aria-label="{called}">{inspection}</div>' if inspection else "",
        f'<a class="acdl-permalink" href="#{name}" title="{link}" aria-label="{link}">#</a>',
        f"<figcaption>{escape(make_printable(options.caption))}</figcaption>" if options.caption else "",
        "</figure>",
    ]
    return "".join(html_parts)


def _list_facts(text: InspectText) -> object:
    return text.options, text.runs.facts


def _list_examples(text: InspectText) -> "tuple[Example, ...]":
    """Return what a playground opens: nothing."""
    del text
    return ()


_KIND: "BlockKind[InspectText, str]" = BlockKind(
    LANGUAGE, "Recorded runs", _read_text, _list_facts, _draw_inspection, _build_element, _list_examples
)
