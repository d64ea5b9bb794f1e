"""From source to SVG inside one process."""

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

from measure import Row, Series, empty_caches, in_turn, ratio_row, timed_row
from specs import TYPICAL, long, nested

from acdl_mkdocs import render
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.format import format_text
from acdl_mkdocs.language.syntax.parse import parse

INLINE = OutputOptions(standalone=False)
EXAMPLES = Path(__file__).parent.parent / "examples"

_FIRST = """
import sys, time
from acdl_mkdocs.app.python import render
from acdl_mkdocs.drawing.formats.options import OutputOptions
import acdl_mkdocs.drawing.formats.svg
start = time.perf_counter()
render(sys.argv[1], options=OutputOptions(standalone=False))
print(time.perf_counter() - start)
"""


def measure() -> list[Row]:
    """All rows of this part."""
    return [*typical(), first_of_process(), parsing(), formatting(), length(), depth(), *size()]


def hundred_elements() -> str:
    """What `svgwrite` needs for as many elements as a figure has: a measure of the machine."""
    from svgwrite import Drawing  # type: ignore[import-untyped]

    drawing = Drawing(debug=False)
    for number in range(100):
        drawing.add(drawing.text("sys.profile[@T]", insert=(number, number), class_="acdl-v", fill="#07703f"))
    text: str = drawing.tostring()
    return text


def typical() -> list[Row]:
    """A figure of 25 lines, with and without what the process remembers of other figures."""
    draw = lambda: render(TYPICAL, options=INLINE)  # noqa: E731 - two names for one action
    cold, element, warm = in_turn(101, draw, hundred_elements, draw, before=[empty_caches])
    against = ("svgwrite, 100 elements", element)
    return [
        timed_row("25-line spec to SVG, cold", cold, at_most_ms=1.5, against=against),
        timed_row("25-line spec to SVG, widths of words known", warm, at_most_ms=1.5, against=against),
    ]


def first_of_process() -> Row:
    """The first figure after the imports: loads the grammar and the widths of characters too."""
    command = [sys.executable, "-c", _FIRST, TYPICAL]
    times = [float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(9)]
    low, high = Series(tuple(times)).quartiles_s
    return Row("the same, first of a process", median(times) * 1000, "ms", low * 1000, high * 1000)


def parsing() -> Row:
    """Parsing alone, on the text of all examples."""
    return rate_row("parsing all examples", parse, at_least=500)


def formatting() -> Row:
    """Text that is indented otherwise to its normal form, which is read again to see that it says the same."""
    return rate_row("formatting all examples", format_text, at_least=300, indent="  ")


def rate_row(what: str, stage: Callable[[Source], object], *, at_least: int, indent: str = "    ") -> Row:
    """How much of the text of all examples a stage takes in a second."""
    texts = [path.read_text("utf-8").replace("    ", indent) for path in sorted(EXAMPLES.glob("*.acdl"))]
    sources = [Source(text) for text in texts]
    n_bytes = sum(len(source.text.encode()) for source in sources)

    def all_examples() -> None:
        for source in sources:
            stage(source)

    (series,) = in_turn(15, all_examples)
    low, rate, high = (
        n_bytes / 1000 / time for time in (series.quartiles_s[1], series.median_s, series.quartiles_s[0])
    )
    return Row(what, rate, "kB/s", low, high, bar=f">= {at_least} kB/s", is_met=rate >= at_least)


def length() -> Row:
    """Ten times the lines, through the whole pipeline."""
    short, tenfold = long(1000), long(10_000)
    many, few = in_turn(5, lambda: render(tenfold, options=INLINE), lambda: render(short, options=INLINE))
    return ratio_row("10,000 lines to SVG", many, "1,000 lines", few, at_most=12)


def depth() -> Row:
    """Ten times the nesting."""
    flat, deep = nested(30), nested(300)
    many, few = in_turn(9, lambda: render(deep, options=INLINE), lambda: render(flat, options=INLINE))
    return ratio_row("300 levels to SVG", many, "30 levels", few, at_most=12)


def size() -> list[Row]:
    """Bytes of the figure in a page."""
    raw = render(TYPICAL, options=INLINE).encode()
    packed = gzip.compress(raw, 9, mtime=0)
    return [
        Row("inline SVG of 25 lines", len(raw), "B", bar="<= 10000 B", is_met=len(raw) <= 10_000),
        Row("the same, gzip", len(packed), "B", bar="<= 2500 B", is_met=len(packed) <= 2_500),
    ]
