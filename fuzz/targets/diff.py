"""Any two texts compared, in every way to show it."""

import json
from itertools import pairwise

from acdl_mkdocs.compare.formats import COMPARISONS, format_difference
from acdl_mkdocs.compare.structure.diff import diff
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.parse import parse
from fuzz.target import SEPARATOR, Target, files, parts_of, text_of
from fuzz.words import acdl


def run(data: bytes) -> None:
    """Compare both ways, and each with itself."""
    old, new = (parse(Source(text)) for text in parts_of(text_of(data), 2))
    for one, other in ((old, new), (new, old)):
        found = diff(one, other)
        for name in COMPARISONS:
            shown = format_difference(found, name)
            shown.encode("utf-8")
            if name == "json":
                json.loads(shown)
    for each in (old, new):
        same = diff(each, each)
        assert not same.comments
        assert each.diagnostics or same.is_empty


def _seeds() -> list[bytes]:
    texts = files("tests/golden/**/*.acdl", most_bytes=400)[::8]
    return [one + SEPARATOR.encode() + two for one, two in pairwise(texts)]


TARGET = Target(
    run=run,
    promise="of two texts can be compared; a text that is understood does not differ from itself",
    seeds=_seeds,
    words=acdl(),
    max_bytes=800,
    max_cpu_s=8,
)
