"""acdl render: draw the figures of specs and of the fences of Markdown files.

One figure for each file or fence: `examples/react.acdl` becomes `out/react.svg`, a fence of `docs/agents.md` becomes
`out/agents-React2.svg`; below a folder that is an argument, results keep their place.
"""

import argparse
from pathlib import Path

from acdl_mkdocs.cli.drawing import SUFFIXES, Target, draw, write
from acdl_mkdocs.cli.inputs import Input, UnusableInputError, find_files, read_inputs
from acdl_mkdocs.cli.messages import complain, progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files and folders; `-` is standard input")
    parser.add_argument("-o", "--output", metavar="FILE_OR_DIR", help="where figures go; `-` is standard output")
    parser.add_argument("--format", choices=tuple(SUFFIXES), default="svg", help="kind of figure")
    parser.add_argument("--spec", default="", metavar="NAME", help="draw only this definition")
    parser.add_argument("--theme", choices=("auto", "light", "dark"), default="auto", help="colours")
    parser.add_argument("--width", type=float, metavar="PX", help="widest figure wanted; long lines are wrapped")
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help="whether range(a, b) stops before b or at it"
    )
    parser.add_argument("--no-comments", action="store_true", help="leave comments out")
    parser.add_argument("--snippet", action="store_true", help="accept files without a title, as fences are")


def run(args: argparse.Namespace) -> int:
    """Draw everything; 1 if a text has errors (what was understood is drawn), 2 if something could not be done."""
    files, problems = find_files(args.paths)
    inputs: list[Input] = []
    for named in files:
        try:
            inputs += read_inputs(named, is_snippet=args.snippet, range_mode=args.range)
        except UnusableInputError as reason:
            problems.append(str(reason))
    targets, clashes = _targets(inputs, args)
    for problem in problems + clashes:
        complain(problem)
    if clashes:
        return 2
    has_errors = False
    for target in progress(targets):
        figure, is_broken = draw(target.given, args)
        has_errors |= is_broken
        if figure and not write(figure, target.path):
            problems.append(str(target.path))
    return 2 if problems else int(has_errors)


def _targets(inputs: list[Input], args: argparse.Namespace) -> tuple[list[Target], list[str]]:
    """Which figure goes where, and why that cannot be."""
    is_folder = len(inputs) > 1 or any(Path(path).is_dir() for path in args.paths)
    if args.output in (None, "-"):
        wanted = f"{len(inputs)} figures: name a folder for them with -o" if len(inputs) > 1 else ""
        return [Target(given, None) for given in inputs], [wanted] if wanted else []
    output = Path(args.output)
    if not (is_folder or output.is_dir() or str(args.output).endswith(("/", "\\"))):
        return [Target(given, output) for given in inputs], []
    if output.is_file():
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
