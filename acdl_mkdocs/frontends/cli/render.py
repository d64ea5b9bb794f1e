"""acdl render: draw figures of specs and of the blocks of pages.

One figure for each file or fence: `examples/react.acdl` becomes `out/react.svg`, a fence of `docs/agents.md` becomes
`out/agents-React2.svg`; below a folder that is an argument, results keep their place. Text that is not understood is
reported; the rules are checked by `acdl check`.
"""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.drawing.formats import FORMATS, SUFFIXES
from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.frontends.cli.drawing import (
    DrawnTarget,
    draw_figure,
    parse_scale,
    print_problems,
    width_px,
    write_figure,
)
from acdl_mkdocs.frontends.cli.messages import map_with_progress, print_error, print_outcome
from acdl_mkdocs.frontends.cli.output_format import add_format
from acdl_mkdocs.frontends.cli.watching import RunResult, add_watch, run_or_watch

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.cli.targets import RenderTarget


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files and folders; `-` is standard input")
    parser.add_argument(
        "-o", "--output", metavar="FILE_OR_DIR", help="file or folder for the figures; `-` is standard output"
    )
    add_format(parser, FORMATS, {name: (suffix,) for name, suffix in SUFFIXES.items()}, "svg")
    parser.add_argument("--spec", default="", metavar="NAME", help="draw only this definition")
    parser.add_argument("--theme", choices=("auto", "light", "dark"), default="auto", help="colours")
    parser.add_argument(
        "--width", type=width_px, metavar="PX", help="maximum width of the figure; long lines are wrapped"
    )
    parser.add_argument("--scale", type=parse_scale, default=2, metavar="N", help="PNG pixels per CSS px (default: 2)")
    parser.add_argument(
        "--font",
        action="append",
        default=[],
        metavar="FILE",
        help="font for characters that the built-in font of PNG and PDF lacks",
    )
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help="whether range(a, b) stops before b or at it"
    )
    parser.add_argument("--no-comments", action="store_true", help="leave comments out")
    parser.add_argument("--header", action="store_true", help="also draw comments outside definitions")
    parser.add_argument("--snippet", action="store_true", help="accept files without a title, like blocks")
    add_watch(parser)


def run(args: argparse.Namespace) -> int:
    """Draw everything; return 1 if a text has errors (the rest is drawn), 2 if something could not be done."""
    if args.watch and args.output in (None, "-"):
        print_error("--watch draws into a file again and again: name it, or a folder, with -o")
        return 2
    return run_or_watch(args, lambda: _draw_once(args))


def _draw_once(args: argparse.Namespace) -> RunResult:
    """Draw everything."""
    from acdl_mkdocs.frontends.cli.targets import inputs_to_draw, targets_of  # not needed for help

    inputs, problems = inputs_to_draw(args)
    targets, clashes = targets_of(inputs, args)
    files = frozenset(path for each in inputs for path in each.text.files) | set(map(Path, args.font))
    for problem in problems + clashes:
        print_error(problem)
    if clashes:
        return RunResult(2, files)

    def work(target: "RenderTarget") -> "tuple[RenderTarget, DrawnTarget]":
        return target, draw_figure(target.input, args)

    has_errors = False
    try:
        for target, drawing in map_with_progress(targets, work):
            print_problems(drawing, args)
            has_errors |= drawing.has_errors
            if args.watch and drawing.has_errors and target.path and os.path.lexists(target.path):
                print_error(f"{target.path}: stays as it was until the errors are fixed")
            elif drawing.figure and not write_figure(drawing.figure, target.path):
                problems.append(str(target.path))
            elif drawing.figure and args.watch:
                print_outcome(f"drew {target.path}")
    except AcdlError as reason:  # what is missing for one figure is missing for all
        print_error(str(reason))
        return RunResult(2, files)
    return RunResult(2 if problems else int(has_errors), files)
