"""The tool `render`: the figure of a spec, as text, SVG or a picture."""

from acdl_mkdocs.app.render import collected_remarks
from acdl_mkdocs.app.understood import understand_input
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import View, describe
from acdl_mkdocs.drawing.formats import OUTPUTS, PICTURES, SUFFIXES
from acdl_mkdocs.drawing.formats.options import OutputOptions, ThemeName
from acdl_mkdocs.foundation.errors import TooLargeError
from acdl_mkdocs.frontends.mcp.answers import MAX_CHARACTERS, MAX_IMAGE_BYTES, Answer, CallError, Data, Image
from acdl_mkdocs.frontends.mcp.arguments import Argument, ToolArguments
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.schemas import STRING, TEXT_OR_NULL, with_problems
from acdl_mkdocs.frontends.mcp.texts import name_of_text, named_texts, one_text, problem_data, problem_text
from acdl_mkdocs.frontends.mcp.tool import LINES, OUTPUT, PATH, RANGE, SPEC, TEXT, WRITE, Tool

_ABOUT = (
    "Draw a spec. `text` (the default) is the figure as indented lines: read it to check that a spec means what you "
    "intend. `svg` is for pages, `png` is an image to look at. With `write: true` and `output`, the figure is written "
    "to a file."
)
_FORMATS = ("text", "svg", "png")
_THEMES: dict[str, ThemeName] = {"auto": "auto", "light": "light", "dark": "dark"}
_SCALES = (2.0, 1.0, 0.5, 0.25)
"""Scales of pictures: the largest that fits is used."""
_LONGEST_SVG = 4 * MAX_CHARACTERS
_OWN = {"svg": b'<svg xmlns="http://www.w3.org/2000/svg" class="acdl-'}
"""Beginnings of files drawn earlier, which a new drawing may replace."""


def _run(args: ToolArguments, folders: Folders) -> Answer:
    texts, name = named_texts(args, folders)
    chosen = one_text(texts, name, name_of_text(args))
    text = understand_input(chosen)
    view = View(spec=name or chosen.text.options.spec, range=text.config.range)
    kind = args.choice_of("format", "text")
    options = OutputOptions(theme=_THEMES[args.choice_of("theme", "auto")])
    with collected_remarks() as remarks:
        figure = draw_figure(describe(text.resolved, view), kind, options)
    answer = figure_answer(args, folders, figure, kind)
    notes = "\n\n".join(filter(None, [*dict.fromkeys(remarks), problem_text(text.errors)]))
    return Answer(answer.text, notes, answer.data | problem_data(text.errors), answer.images)


def draw_figure(box: Box, kind: str, options: OutputOptions) -> str | bytes:
    """Draw a figure; pictures are scaled to fit into an answer.

    Raises:
        CallError: It is too large in any case.
        MissingExtraError: The packages for pictures are not installed.
    """
    if kind in OUTPUTS:
        return OUTPUTS[kind](box, options)
    for scale in _SCALES:
        try:
            data = PICTURES[kind](box, OutputOptions(theme=options.theme, scale=scale))
        except TooLargeError:
            continue
        if len(data) <= MAX_IMAGE_BYTES:
            return data
    raise CallError("the picture is too large", "draw one `spec`, or ask for `text`")


def figure_answer(args: ToolArguments, folders: Folders, figure: str | bytes, kind: str) -> Answer:
    """Return a figure as an answer, or a note about the written file.

    Raises:
        CallError: It is too large, or cannot be written as asked.
    """
    output = args.text_of("output")
    if args.is_set("write") != (output is not None):
        raise CallError("`write: true` and `output` belong together", "send both, or neither")
    endings = (SUFFIXES.get(kind, ".txt"),)
    written = folders.write_file(output, figure, endings, replaces=_OWN.get(kind)) if output is not None else ""
    data: Data = {"format": kind, "figure": None, "written": written}
    if written:
        return Answer(f"{written} is written", data=data)
    if isinstance(figure, bytes):
        return Answer("the figure is the picture below", data=data, images=(Image(figure, "image/png"),))
    if kind == "svg" and len(figure) > _LONGEST_SVG:
        raise CallError(f"the drawing has {len(figure):,} characters, which is too much", "draw one `spec`, or `text`")
    figure_data = figure if len(figure) <= MAX_CHARACTERS else None
    return Answer(figure, data=data | {"figure": figure_data})


TOOL = Tool(
    "render",
    "Draw an ACDL spec",
    _ABOUT,
    (
        TEXT,
        PATH,
        SPEC,
        Argument("format", "`text` is the default", choices=_FORMATS),
        Argument("theme", "colours of `svg` and `png`; `auto` follows the page", choices=tuple(_THEMES)),
        RANGE,
        WRITE,
        OUTPUT,
        LINES,
    ),
    with_problems({"format": STRING, "figure": TEXT_OR_NULL, "written": STRING}),
    _run,
    can_write=True,
)
