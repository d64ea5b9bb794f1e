"""The core path stage by stage, each with what it needs made ready: what `counts.py` counts."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import playbooks
import prompts
from documents import short
from figures import INLINE, hundred_elements
from specs import TYPICAL, long

import acdl_mkdocs
from acdl_mkdocs.compare.structure.diff import diff
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import describe
from acdl_mkdocs.drawing.figure.layout import layout
from acdl_mkdocs.drawing.figure.theme import Theme
from acdl_mkdocs.drawing.formats import svg
from acdl_mkdocs.drawing.formats.xml import to_xml
from acdl_mkdocs.evaluation.evaluate import evaluate
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.block import to_html
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.resolve import resolve
from acdl_mkdocs.language.rules import check
from acdl_mkdocs.language.syntax.format import format_text
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.playbook.store import create, load
from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.workspace.read_block import BlockText

Action = Callable[[], object]

YARDSTICK = "yardstick: svgwrite, 100 elements"
N_TURNS, N_LINES, N_BULLETS, N_MESSAGES = 10, 100, 100, 200


def _resolved_and_checked() -> Action:
    parsed = parse(Source(TYPICAL))
    return lambda: check(resolve(parsed), Config())


def _described() -> Callable[[], Box]:
    return partial(describe, parse_and_resolve(Source(TYPICAL)).resolved)


def _laid_out() -> Action:
    return partial(layout, _described()(), Theme(), INLINE.width_px)


def _to_elements() -> Action:
    return partial(svg.build_svg, _described()(), INLINE)


def _written() -> Action:
    return partial(to_xml, svg.build_svg(_described()(), INLINE))


def _placed_on_page() -> Action:
    return lambda: to_html(BlockText(Source(TYPICAL, "a.md")), Page(name="a.md", root=Path(), settings=Settings()))


def _evaluated() -> Action:
    state = prompts.conversation(N_TURNS)
    return partial(evaluate, parse_and_resolve(Source(TYPICAL)).resolved, state, f"{N_TURNS + 1}.1", prompts.OPTIONS)


def _compared() -> Action:
    old = long(N_LINES)
    new = old.replace("@t.substeps)", "@t.substeps + 1)").replace("A: resp.answer", "U: resp.answer")
    return partial(diff, parse(Source(old)), parse(Source(new)))


def _loaded() -> Action:
    folder = TemporaryDirectory()
    create(_playbook_in(folder), playbooks.playbook_of(N_BULLETS))
    return lambda: load(_playbook_in(folder))


def _playbook_in(folder: "TemporaryDirectory[str]") -> Path:
    """Its file; the folder is removed when nobody knows it any more."""
    return Path(folder.name, "playbook.yaml")


STAGES: Mapping[str, Callable[[], Action]] = {
    YARDSTICK: lambda: hundred_elements,
    "25 lines: parse": lambda: partial(parse, Source(TYPICAL)),
    "25 lines: resolve and check": _resolved_and_checked,
    "25 lines: describe": _described,
    "25 lines: lay out": _laid_out,
    "25 lines: lay out, then elements": _to_elements,
    "25 lines: elements to text": _written,
    "25 lines: text to SVG": lambda: partial(acdl_mkdocs.render, TYPICAL, options=INLINE),
    "25 lines: text to a block of a page": _placed_on_page,
    "25 lines: format": lambda: partial(format_text, Source(TYPICAL)),
    f"evaluate {N_TURNS * 10} messages": _evaluated,
    f"diff, 2 x {N_LINES} lines": _compared,
    f"load a playbook of {N_BULLETS} bullets": _loaded,
    f"write PML, {N_MESSAGES} messages": lambda: partial(write, short(N_MESSAGES)),
    f"read PML, {N_MESSAGES} messages": lambda: partial(read, write(short(N_MESSAGES))),
}
"""What is counted; each is prepared and run several times before, with nothing remembered in the run that counts."""
