"""Any text in the drawn notation, as from a whiteboard, made into ACDL."""

from acdl_mkdocs.drawing.figure.describe import describe
from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.drawing.from_drawing.read import is_drawing, read_drawing
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse, format_analysis, parse_and_resolve
from acdl_mkdocs.language.syntax.format import format_text
from fuzz.target import Target, files, text_of
from fuzz.words import acdl, drawn


def run(data: bytes) -> None:
    """Read it; what comes out is ACDL in its normal form."""
    text = text_of(data)
    is_drawing(text)
    modes: tuple[RangeMode, ...] = ("half-open", "inclusive")
    for mode in modes:
        found = read_drawing(text, mode)
        rules = {each.rule for each in found.diagnostics}
        if "not-a-drawing" in rules:  # given ACDL is checked, too: what holds an error of a rule is left as it is
            made = format_analysis(analyse(Source(found.text), Config(range=mode)), mode=mode)
        else:
            made = format_text(Source(found.text), mode=mode)
        known = rules if "not-a-drawing" in rules else set()  # given ACDL keeps its errors, which are reported
        assert {each.rule for each in made.diagnostics} <= {*known, "not-formatted"}  # a name that is also a keyword
        assert made.text == found.text
        for each in found.diagnostics:
            assert each.message
            assert 0 <= each.label.span.start <= each.label.span.end <= max(len(text), 1)


def _seeds() -> list[bytes]:
    drawn = files("examples/drawings/*.txt", "tests/golden/render/*.text.txt", "tests/drawn/**/*.txt", most_bytes=700)
    texts = files("examples/*.acdl", "tests/golden/format/**/*.acdl", most_bytes=500)
    figures = (
        OUTPUTS["text"](describe(parse_and_resolve(Source(each.decode())).resolved), OutputOptions()) for each in texts
    )
    return [*drawn, *(each.encode() for each in figures)]


TARGET = Target(
    run=run,
    promise="as a drawing is ACDL in its normal form, and a note for each line that is not understood",
    seeds=_seeds,
    words=(*drawn(), *acdl()),
    max_bytes=700,
    max_cpu_s=8,
)
