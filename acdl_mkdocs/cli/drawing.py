"""Draw one text for `acdl render`, and put the result in its place."""

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from acdl_mkdocs.cli.inputs import Input
from acdl_mkdocs.cli.messages import complain, use_color
from acdl_mkdocs.cli.writing import replace_file
from acdl_mkdocs.site.options import BlockOptions, set_option
from acdl_mkdocs.site.read_block import Finding


@dataclass(frozen=True, slots=True)
class Drawn:
    """What became of a target."""

    figure: str
    """Empty if there was nothing to draw or nothing could be understood."""
    findings: tuple[Finding, ...] = ()
    complaint: str = ""
    """Why there is no figure, where no finding says it."""

    @property
    def has_errors(self) -> bool:
        """Whether something is wrong with the text."""
        return bool(self.complaint) or any(diagnostic.severity == "error" for diagnostic, _ in self.findings)


def width_px(text: str) -> float:
    """The value of `--width`, which is that of a block's option."""
    try:
        width = set_option(BlockOptions(), "width", text).width
    except ValueError as expected:
        raise argparse.ArgumentTypeError(f"expected {expected}, not {text}") from None
    if width is None:
        raise argparse.ArgumentTypeError("expected a width")
    return width


def draw(given: Input, args: argparse.Namespace) -> Drawn:
    """The figure of a text and what is wrong with it."""
    from acdl_mkdocs.figure.describe import describe
    from acdl_mkdocs.outputs import OUTPUTS
    from acdl_mkdocs.outputs.options import OutputOptions

    given = _with_arguments(given, args)
    text, options = given.text, given.text.options
    if not text.source.text.strip():
        return Drawn("", text.findings)
    examined = given.understood()
    findings = given.all_findings(examined)
    box = describe(examined.resolved, examined.view)
    if all(child.kind in ("broken", "skipped") for child in box.children):
        is_told = any(diagnostic.severity == "error" for diagnostic, _ in findings)
        return Drawn("", findings, "" if is_told else f"{text.source.name}: has nothing to draw")
    output_options = OutputOptions(title=options.title, theme=options.theme, width_px=options.width)
    return Drawn(OUTPUTS[args.format](box, output_options), findings)


def _with_arguments(given: Input, args: argparse.Namespace) -> Input:
    """The text with the options of the command line, which win over those of a header."""
    text = given.text
    options = replace(
        text.options,
        spec=args.spec or text.options.spec,
        comments=text.options.comments and not args.no_comments,
        header=text.options.header or args.header,
        theme=text.options.theme if args.theme == "auto" else args.theme,
        width=args.width or text.options.width,
    )
    places = {name: place for name, place in text.places.items() if name != "spec" or not args.spec}
    return replace(given, text=replace(text, options=options, places=places))


def write(figure: str, path: Path | None) -> bool:
    """Put a figure in its place at once, so that no half of it is ever seen; whether that was possible."""
    ended = figure if figure.endswith("\n") else f"{figure}\n"
    if path is None:
        sys.stdout.write(ended)
        return True
    return replace_file(path, ended.encode())


def print_problems(drawn: Drawn, args: argparse.Namespace) -> None:
    """Print errors and warnings on standard error."""
    if drawn.complaint:
        complain(drawn.complaint)
    shown = [(diagnostic, source) for diagnostic, source in drawn.findings if diagnostic.severity != "note"]
    if shown:
        from acdl_mkdocs.reports.options import ReportOptions
        from acdl_mkdocs.reports.terminal import report

        color = ReportOptions(color=use_color(args.color, sys.stderr))
        for diagnostic, source in shown:
            print(report([diagnostic], source, color), file=sys.stderr)
