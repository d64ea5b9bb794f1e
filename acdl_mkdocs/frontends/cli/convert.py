"""acdl convert: convert a drawing of a spec, such as text copied from a figure, to ACDL, or ACDL to such a drawing."""

import argparse
from pathlib import Path

from acdl_mkdocs.app.convert import FORMS, convert, form_of
from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.cli.messages import RANGE_HELP, print_error
from acdl_mkdocs.frontends.cli.writing import replace_file
from acdl_mkdocs.workspace.settings import load_settings

_ABOUT = (
    "A drawing nests by indentation, like figures in papers, whiteboards and the output of `acdl render --format "
    "text`. Guesses are reported on standard error, with their place in FILE."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = _ABOUT
    parser.add_argument("file", metavar="FILE", help="the text; `-` is standard input")
    parser.add_argument("--from", dest="from_", choices=FORMS, help="format of FILE (default: auto-detect)")
    parser.add_argument("--to", choices=FORMS, help="format to write (default: the other one)")
    parser.add_argument("--strict", action="store_true", help="write nothing if anything was guessed or dropped")
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help=RANGE_HELP.format("a setting in the text takes precedence")
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Convert a text; return 1 if something is not understood, or guessed with --strict, 2 if it cannot start."""
    from acdl_mkdocs.foundation.safe_text import make_printable
    from acdl_mkdocs.frontends.cli.findings import print_on_terminal
    from acdl_mkdocs.workspace.inputs import UnusableInputError, read_named
    from acdl_mkdocs.workspace.search import NamedFile

    named = NamedFile(None if args.file == "-" else Path(args.file), Path())
    try:
        text, name = read_named(named)
        mode = args.range or load_settings(named.folder).config.range
    except (UnusableInputError, SettingsError) as reason:
        print_error(str(reason))
        return 2
    source = Source(make_printable(text), name)
    source_form = args.from_ or (
        form_of(source.text) if args.to is None else next(form for form in FORMS if form != args.to)
    )
    target_form = args.to or next(form for form in FORMS if form != source_form)
    conversion = convert(source, source_form, target_form, mode)
    if conversion is None:
        print_error(
            f"{name}: nothing to convert from {source_form} to {target_form}: choose another form with --from or --to"
        )
        return 2
    print_on_terminal([(each, source) for each in conversion.diagnostics], args)
    has_errors = any(each.severity == "error" for each in conversion.diagnostics)
    if args.strict and (has_errors or any(each.severity == "warning" for each in conversion.diagnostics)):
        print_error(f"{name}: nothing is written: something was guessed or given up, and --strict forbids it")
        return 1
    if args.output in (None, "-"):
        print(conversion.text, end="")
    elif not replace_file(Path(args.output), conversion.text.encode()):
        return 2
    return int(has_errors)
