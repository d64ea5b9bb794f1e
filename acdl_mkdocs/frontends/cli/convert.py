"""acdl convert: write a drawing of a spec, such as text copied from a figure, as ACDL, or ACDL as such a drawing."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.cli.messages import RANGE_HELP, complain
from acdl_mkdocs.frontends.cli.writing import replace_file
from acdl_mkdocs.workspace.settings import load_settings


@dataclass(frozen=True, slots=True)
class Converted:
    """A spec in another form."""

    text: str
    diagnostics: tuple[Diagnostic, ...]
    """What was guessed or given up, at places of the text that was given."""


Conversion: TypeAlias = Callable[[Source, RangeMode], Converted]


def drawing_to_acdl(source: Source, mode: RangeMode) -> Converted:
    """A drawing as ACDL in its normal form."""
    from acdl_mkdocs.drawing.from_drawing.read import read_drawing

    drawing = read_drawing(source.text, mode)
    return Converted(drawing.text, drawing.diagnostics)


def acdl_to_drawing(source: Source, mode: RangeMode) -> Converted:
    """ACDL as the text of its figure; what is not understood is drawn as it is written."""
    from acdl_mkdocs.drawing.figure.describe import View, describe
    from acdl_mkdocs.drawing.formats import text as text_output
    from acdl_mkdocs.drawing.formats.options import OutputOptions
    from acdl_mkdocs.language.analyse import understand

    understood = understand(source)
    figure = describe(understood.resolved, View(range=mode))
    return Converted(text_output.write(figure, OutputOptions()), understood.resolved.parsed.diagnostics)


CONVERSIONS: Mapping[tuple[str, str], Conversion] = MappingProxyType(
    {("drawing", "acdl"): drawing_to_acdl, ("acdl", "drawing"): acdl_to_drawing}
)
"""From a form to another one."""
FORMS = tuple(sorted({form for pair in CONVERSIONS for form in pair}))
"""The names of all forms."""


def form_of(text: str) -> str:
    """The form that a text is in."""
    from acdl_mkdocs.drawing.from_drawing.read import is_drawing

    return "drawing" if is_drawing(text) else "acdl"


_ABOUT = (
    "The drawn form is that of figures in papers, of whiteboards and of `acdl render --format text`: it nests by "
    "indentation. What had to be guessed is told on standard error, at its place in FILE."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.epilog = _ABOUT
    parser.add_argument("file", metavar="FILE", help="the text; `-` is standard input")
    parser.add_argument("--from", dest="from_", choices=FORMS, help="form of FILE (default: found out)")
    parser.add_argument("--to", choices=FORMS, help="form that is wanted (default: the other one)")
    parser.add_argument("--strict", action="store_true", help="write nothing if anything was guessed or given up")
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help=RANGE_HELP.format("a text that says it itself wins")
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Convert a text; 1 if something is not understood, or was guessed with --strict, 2 if it cannot be tried."""
    from acdl_mkdocs.foundation.safe_text import printable
    from acdl_mkdocs.frontends.cli.findings import print_on_terminal
    from acdl_mkdocs.workspace.inputs import UnusableInputError, read_named
    from acdl_mkdocs.workspace.search import Named

    named = Named(None if args.file == "-" else Path(args.file), Path())
    try:
        text, name = read_named(named)
        mode = args.range or load_settings(named.folder).config.range
    except (UnusableInputError, SettingsError) as reason:
        complain(str(reason))
        return 2
    source = Source(printable(text), name)
    given = args.from_ or (form_of(source.text) if args.to is None else next(form for form in FORMS if form != args.to))
    wanted = args.to or next(form for form in FORMS if form != given)
    conversion = CONVERSIONS.get((given, wanted))
    if conversion is None:
        complain(f"{name}: nothing to convert from {given} to {wanted}: choose another form with --from or --to")
        return 2
    made = conversion(source, mode)
    print_on_terminal([(each, source) for each in made.diagnostics], args)
    has_errors = any(each.severity == "error" for each in made.diagnostics)
    if args.strict and (has_errors or any(each.severity == "warning" for each in made.diagnostics)):
        complain(f"{name}: nothing is written: something was guessed or given up, and --strict forbids it")
        return 1
    if args.output in (None, "-"):
        print(made.text, end="")
    elif not replace_file(Path(args.output), made.text.encode()):
        return 2
    return int(has_errors)
