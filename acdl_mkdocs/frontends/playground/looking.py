"""A text as the page shows it during editing: figure, problems, highlighted words; and files to download."""

from time import perf_counter
from typing import Literal

from acdl_mkdocs.app.render import render
from acdl_mkdocs.drawing.figure.boxes import is_understood
from acdl_mkdocs.drawing.figure.describe import View, describe
from acdl_mkdocs.drawing.formats import MEDIA_TYPES, OUTPUTS, SUFFIXES
from acdl_mkdocs.drawing.formats.options import OutputOptions, ThemeName
from acdl_mkdocs.drawing.formats.svg import CLASSES
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.frontends.docs.blocks.highlight import STYLES
from acdl_mkdocs.frontends.playground.params import Data, Params
from acdl_mkdocs.frontends.playground.texts import PlaygroundText, problem_data, text_of
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.classify import classify
from acdl_mkdocs.language.syntax.nodes import Fragment, Prompt
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import figure_name

_THEMES: tuple[ThemeName, ...] = ("auto", "light", "dark")
_FORMATS: tuple[Literal["svg", "text", "json", "html"], ...] = ("svg", "text", "json", "html")
_CURABLE = ("drawn-form", "undefined-name", "unknown-fragment")
"""Rules whose problems have cures that are not fixes."""


def look(params: Params) -> Data:
    """Return figure, problems, specs and words of a text."""
    began = perf_counter()
    text = text_of(params)
    url = params.params_in("settings").text_of("ruleUrl", "")
    return {
        "svg": _render_svg(text, params),
        "diagnostics": [
            problem_data(each, text.positions, url, _list_problem_actions(each, text)) for each in text.diagnostics
        ],
        "specs": _list_specs(text.resolved, text),
        "tokens": _find_words(text),
        "ms": round((perf_counter() - began) * 1000, 1),
    }


def tokens(params: Params) -> Data:
    """Return the words of a text with the style class of each."""
    return {"tokens": _find_words(text_of(params))}


def export(params: Params) -> Data:
    """Export the figure as a file."""
    text = text_of(params)
    kind = params.choice_of("format", _FORMATS, "svg")
    view = _choose_view(text, params)
    theme = params.params_in("settings").choice_of("theme", _THEMES, "auto")
    written = render(text.resolved, kind, view, OutputOptions(theme=theme, width_px=_read_width(params)))
    name = figure_name(BlockOptions(spec=view.spec), text.source.text)
    return {"name": f"{name}{SUFFIXES[kind]}", "mime": MEDIA_TYPES[kind], "data": written}


def _render_svg(text: PlaygroundText, params: Params) -> str:
    """Render the figure as in a page; empty if nothing of the text is understood."""
    box = describe(text.resolved, _choose_view(text, params))
    if not is_understood(box):
        return ""
    theme = params.params_in("settings").choice_of("theme", _THEMES, "auto")
    width_px = _read_width(params)  # where it is chosen, the figure has it in a narrow window too
    options = OutputOptions(
        theme=theme, width_px=width_px, standalone=False, reflows=width_px is None, id_prefix="playground-"
    )
    return OUTPUTS["svg"](box, options)


def _choose_view(text: PlaygroundText, params: Params) -> View:
    """Choose what is drawn: all of the text if it has no spec of the chosen name."""
    settings = params.params_in("settings")
    spec = params.text_of("spec", "")
    mode: RangeMode = text.range
    is_there = spec in text.resolved.definitions
    return View(spec=spec if is_there else "", comments=settings.is_on("comments", default=True), range=mode)


def _read_width(params: Params) -> float | None:
    width = params.params_in("settings").number_of("width")
    return None if width is None else float(max(120, min(width, 10_000)))


def _list_problem_actions(diagnostic: Diagnostic, text: PlaygroundText) -> list[Data]:
    """Return the actions that fix a problem."""
    if diagnostic.fix is None and diagnostic.rule not in _CURABLE:
        return []
    from acdl_mkdocs.frontends.editor.actions import list_problem_fixes

    fixes = list_problem_fixes(text.workspace, text.piece, diagnostic)
    return [{"title": each.title, "edits": text.own_edits(each.edits)} for each in fixes]


def _list_specs(resolved: Resolved, text: PlaygroundText) -> list[Data]:
    """Return the specs to choose from, in the order of the text."""
    specs: list[Data] = []
    for item in resolved.parsed.file.items:
        if isinstance(item, (Prompt, Fragment)):
            kind = "prompt" if isinstance(item, Prompt) else f"{item.kind}-fragment"
            specs.append({"name": item.name.name, "kind": kind, **text.span_data_of(item.span)})
    return specs


def _find_words(text: PlaygroundText) -> list[tuple[int, int, str]]:
    """Return every highlighted word: its span, and the letter of its class."""
    words: list[tuple[int, int, str]] = []
    at = 0
    for word in classify(text.text):
        end = at + len(word.text)
        style = STYLES.get(word.kind)
        if style:
            words.append((text.positions.units_before(at), text.positions.units_before(end), CLASSES[style]))
        at = end
    return words
