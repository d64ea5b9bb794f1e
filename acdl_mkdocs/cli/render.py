"""acdl render: draw the figures of specs and of the fences of Markdown files.

One figure for each file or fence: `examples/react.acdl` becomes `out/react.svg`, a fence of `docs/agents.md` becomes
`out/agents-React2.svg`; below a folder that is an argument, results keep their place. Text that is not understood is
reported; what the rules think of the rest is for `acdl check`.
"""

import argparse
import os
from pathlib import Path

from acdl_mkdocs.cli.drawing import Drawn, Target, draw, print_problems, width_px, write
from acdl_mkdocs.cli.inputs import Input, UnusableInputError, find_files, read_inputs
from acdl_mkdocs.cli.messages import complain, progress
from acdl_mkdocs.outputs import OUTPUTS, SUFFIXES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files and folders; `-` is standard input")
    parser.add_argument("-o", "--output", metavar="FILE_OR_DIR", help="where figures go; `-` is standard output")
    parser.add_argument("--format", choices=tuple(OUTPUTS), default="svg", help="kind of figure")
    parser.add_argument("--spec", default="", metavar="NAME", help="draw only this definition")
    parser.add_argument("--theme", choices=("auto", "light", "dark"), default="auto", help="colours")
    parser.add_argument("--width", type=width_px, metavar="PX", help="widest figure wanted; long lines are wrapped")
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help="whether range(a, b) stops before b or at it"
    )
    parser.add_argument("--no-comments", action="store_true", help="leave comments out")
    parser.add_argument("--header", action="store_true", help="draw comments outside definitions too")
    parser.add_argument("--snippet", action="store_true", help="accept files without a title, as fences are")


def run(args: argparse.Namespace) -> int:
    """Draw everything; 1 if a text has errors (what was understood is drawn), 2 if something could not be done."""
    inputs, problems = _read(args)
    targets, clashes = _targets(inputs, args)
    for problem in problems + clashes:
        complain(problem)
    if clashes:
        return 2

    def work(target: Target) -> tuple[Target, Drawn]:
        return target, draw(target.given, args)

    has_errors = False
    for target, drawn in progress(targets, work):
        print_problems(drawn, args)
        has_errors |= drawn.has_errors
        if drawn.figure and not write(drawn.figure, target.path):
            problems.append(str(target.path))
    return 2 if problems else int(has_errors)


def _read(args: argparse.Namespace) -> tuple[list[Input], list[str]]:
    """Everything that is to be drawn, and what cannot be."""
    files, problems = find_files(args.paths)
    inputs: list[Input] = []
    for named in files:
        try:
            found = list(read_inputs(named, is_snippet=args.snippet, range_mode=args.range))
        except UnusableInputError as reason:
            problems.append(str(reason))
            continue
        if not found and named.is_argument:
            problems.append(f"{named.path}: has no acdl blocks to draw")
        inputs += found
    if not inputs and not problems:
        problems.append(f"{', '.join(args.paths)}: nothing to draw")
    return inputs, problems


def _targets(inputs: list[Input], args: argparse.Namespace) -> tuple[list[Target], list[str]]:
    """Which figure goes where, and why that cannot be."""
    is_folder = len(inputs) > 1 or any(os.path.isdir(path) for path in args.paths)
    if args.output in (None, "-"):
        wanted = f"{len(inputs)} figures: name a folder for them with -o" if len(inputs) > 1 else ""
        return [Target(given, None) for given in inputs], [wanted] if wanted else []
    output = Path(args.output)
    if not (is_folder or os.path.isdir(output) or str(args.output).endswith(("/", "\\"))):
        return [Target(given, output) for given in inputs], []
    if os.path.isfile(output):
        return [], [f"{output}: is a file, a folder is needed for {len(inputs)} figures"]
    suffix = SUFFIXES[args.format]
    targets = [Target(given, output / given.relative.with_name(given.relative.name + suffix)) for given in inputs]
    seen: dict[Path | None, Input] = {}
    for target in targets:
        if target.path in seen:
            first, second = seen[target.path].text.source.name, target.given.text.source.name
            return [], [f"{first} and {second} would both be written to {target.path}"]
        seen[target.path] = target.given
    return targets, []
