"""An `acdl-diff` block as read: its options, the two texts that it compares, and the problems of either.

Draws nothing and compares nothing; most builds take what is shown from a cache.
"""

import re
from collections.abc import Iterator
from dataclasses import field, replace
from pathlib import Path

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.docs.blocks.diff_options import DiffOptions, Header, opening_of, read_diff_header
from acdl_mkdocs.frontends.docs.blocks.diff_sides import DiffSide, levels_of, side_of
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace.catalog import Levels
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.header import find_idle_options
from acdl_mkdocs.workspace.myst import move_options
from acdl_mkdocs.workspace.read_block import Finding
from acdl_mkdocs.workspace.state_text import StateText, read_state_text

_BETWEEN = re.compile(r"[ \t]*-{3,}[ \t]*")


@dataclass(frozen=True, slots=True)
class DiffText:
    """A block that has been read."""

    opening: Source
    """The lines with its options."""
    options: DiffOptions
    sides: tuple[DiffSide, DiffSide] | None
    """`None` if one of them is missing."""
    state: StateText | None = None
    findings: tuple[Finding, ...] = ()
    files: tuple[Path, ...] = ()
    """All files that it depends on, whether they exist or not."""
    places: dict[str, Span] = field(default_factory=dict)
    others: tuple[Levels, Levels] = ((), ())
    """For each side the other texts from which it takes fragments."""

    @property
    def is_unsure(self) -> bool:
        """Whether a side uses fragments whose old version is not available."""
        return any(each.rule == "newer-fragments" for each, _ in self.findings)

    @property
    def requested_id(self) -> str:
        """The requested anchor."""
        return self.options.id

    def get_option_span(self, option: str) -> Span:
        """Return the place of an option, else that of all options."""
        return self.places.get(option, Span(0, len(self.opening.text)))


def read_diff(fence: Fence, page: Page) -> DiffText:
    """Read a block.

    Parameters:
        fence: The fence as the tool found it.
        page: Its page, which knows the specs of the site.
    """
    located, name = page.locate_fence(fence)
    located = move_options(located)
    lines = opening_of(located)
    opening = Source(make_printable(lines.text), name, located.first + 1, len(located.prefix) + 1)
    defaults = page.settings.defaults
    header = read_diff_header(opening, lines.pairs, DiffOptions(range=defaults.range, theme=defaults.theme))
    located = replace(located, text=lines.body)
    opening_span = Span(0, len(opening.text))
    problems: list[Diagnostic] = list(header.diagnostics)
    if not located.is_closed:
        label = Label(opening_span, "no end was found for this block")
        problems.append(error("unclosed-fence", "the block is not closed", label, help=located.how_to_close))
    old, new, side_problems = _read_sides(located, name, header, opening, page)
    problems += side_problems
    sides = _distinguish_sides(old, new, header.options) if old and new and old.source and new.source else None
    options = header.options
    state, stated = read_state_text(options.state, opening, page.root) if options.state else (None, ())
    problems += stated
    problems += find_idle_options(header.places, {"at": "state"})
    findings = [(each, opening) for each in problems]
    files = [file for side in (old, new) if side for file in side.files]
    others: list[Levels] = []
    for side in sides or ():
        levels, unknown = levels_of(side, page)
        others.append(levels)
        findings += [(each, side.source) for each in (*side.use_problems, *unknown) if side.source is not None]
    return DiffText(
        opening,
        options,
        sides,
        state,
        tuple(findings),
        (*files, *(state.files if state else ())),
        dict(header.places),
        (others[0], others[1]) if sides else ((), ()),
    )


def _read_sides(
    fence: Fence, name: str, header: Header, opening: Source, page: Page
) -> tuple[DiffSide | None, DiffSide | None, list[Diagnostic]]:
    """Return both sides: those that the options name, or those inside the block."""
    options, opening_span = header.options, Span(0, len(opening.text))
    folder = page.path.parent if page.path else page.root
    texts = [each.with_files(folder, page.root, page.used_files) for each in _split_texts(fence, name)]
    named: list[DiffSide | None] = [
        side_of(value, header.places.get(option, opening_span), opening, page) if value else None
        for option, value in (("old", options.old), ("new", options.new))
    ]
    problems = [problem for side in named if side for problem in side.problems]
    n_missing = named.count(None)
    if len(texts) > n_missing:
        problems.append(_too_many(n_missing, opening_span))
    elif len(texts) < n_missing:
        problems.append(_missing_side(len(texts), options, opening_span))
    remaining = iter(texts)
    old, new = (side or next(remaining, None) for side in named)
    if options.old and options.old == options.new:
        label = Label(header.places.get("new", opening_span), "this is what `old` names too")
        problems.append(
            warning("same-sides", f"`{options.new}` is compared with itself", label, help="name another spec")
        )
    return old, new, problems


def _distinguish_sides(old: DiffSide, new: DiffSide, options: DiffOptions) -> tuple[DiffSide, DiffSide]:
    """Return both sides with distinct names: those of one name get the names in the block."""
    if old.title != new.title:
        return old, new
    return replace(old, title=options.old or old.title), replace(new, title=options.new or new.title)


def _split_texts(fence: Fence, name: str) -> Iterator[DiffSide]:
    """Yield the texts inside the block, which a line of hyphens separates."""
    parts: list[tuple[int, list[str]]] = [(0, [])]
    for at, line in enumerate(fence.text.split("\n")):
        if _BETWEEN.fullmatch(line):
            parts.append((at + 1, []))
        else:
            parts[-1][1].append(line)
    words = ("old", "new", *["another"] * len(parts)) if len(parts) > 1 else ("the block",)
    for (first, lines), word in zip(parts, words, strict=False):
        text = "\n".join(lines)
        if text.strip():
            source = Source(make_printable(text), name, fence.first + 2 + first, fence.column, fence.inside)
            yield DiffSide(word, source)


def _missing_side(n_texts: int, options: DiffOptions, opening_span: Span) -> Diagnostic:
    named_side = options.old or options.new
    if named_side:
        word = "new" if options.old else "old"
        message, cure = f"there is nothing to compare `{named_side}` with", f"name the other one with `{word}=`"
    elif n_texts:
        message = "there is only one text to compare"
        cure = "put both texts into the block, with a line `---` between them"
    else:
        message, cure = "there is nothing to compare", "name two specs: `old=React1 new=React2`"
    return error("missing-side", message, Label(opening_span, "a difference has two sides"), help=cure)


def _too_many(n_missing: int, opening_span: Span) -> Diagnostic:
    label = Label(opening_span, "what is named here is compared")
    message = "the block names both sides and also has text" if not n_missing else "the block has a text too many"
    cure = (
        "remove the text, or the options that name the sides"
        if not n_missing
        else "remove the last line `---` and what follows it"
    )
    return warning("src-and-text", message, label, help=cure)
