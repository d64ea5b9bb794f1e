"""Any text as a figure: SVG, HTML, text, JSON, in different widths and views."""

import json
import re
from xml.etree import ElementTree

from acdl_mkdocs.drawing.figure.describe import View, describe
from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from fuzz.safe_html import SafeHtml
from fuzz.target import Target, files, text_of
from fuzz.words import acdl

_ACTS = re.compile(r"<(?:script|iframe|object|embed)\b|\bon\w+=\"|href=\"(?:javascript|data|vbscript):", re.IGNORECASE)
_ELEMENTS = {"svg", "g", "a", "rect", "path", "text", "tspan", "title", "desc", "style", "line"}


def run(data: bytes) -> None:
    """Draw it in every format of text."""
    text = text_of(data)
    resolved = parse_and_resolve(Source(text)).resolved
    figure = describe(resolved)
    standalone = OutputOptions()
    for name, write in OUTPUTS.items():
        _check(name, write(figure, standalone))
    view = View(comments=False, header=True, range="inclusive")
    narrow = OutputOptions(title=text[:20], id_prefix="a-", theme="dark", width_px=120, standalone=False)
    _check("svg", OUTPUTS["svg"](describe(resolved, view), narrow))


def _check(name: str, made: str) -> None:
    made.encode("utf-8")
    if name == "json":
        json.loads(made)
    elif name == "svg":
        root = ElementTree.fromstring(made)  # noqa: S314  # our own text, which is what is tested
        elements = list(root.iter())
        assert {each.tag.rpartition("}")[2] for each in elements} <= _ELEMENTS
        anchors = [each.get("id") for each in elements if each.get("id")]
        assert len(anchors) == len(set(anchors))
        assert not _ACTS.search(made)
    elif name == "html":
        SafeHtml(made)


TARGET = Target(
    run=run,
    promise="has a figure: well-formed SVG and HTML without anything that acts, text and JSON",
    seeds=lambda: files("examples/*.acdl", "tests/golden/**/*.acdl", most_bytes=800),
    words=acdl(),
    max_bytes=800,
)
