"""Draw one text for `acdl render`, and write the result."""

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.cli.messages import print_error, should_color
from acdl_mkdocs.frontends.cli.writing import format_for_stdout, replace_file

if TYPE_CHECKING:
    from acdl_mkdocs.workspace.inputs import Input
    from acdl_mkdocs.workspace.read_block import Finding


@dataclass(frozen=True, slots=True)
class DrawnTarget:
    """The result for a target."""

    figure: str | bytes
    """The figure; empty if there was nothing to draw or nothing could be understood."""
    findings: "tuple[Finding, ...]" = ()
    complaint: str = ""
    """Why there is no figure, unless a finding says it."""
    remarks: tuple[str, ...] = ()
    """Notes about what the figure does not show as intended."""

    @property
    def has_errors(self) -> bool:
        """Whether the text has errors."""
        return bool(self.complaint) or any(diagnostic.severity == "error" for diagnostic, _ in self.findings)


def width_px(text: str) -> float:
    """Parse the value of `--width`, with the same limits as the option of a block."""
    from acdl_mkdocs.workspace.options import BlockOptions, set_option

    try:
        width = set_option(BlockOptions(), "width", text).width
    except ValueError as expected:
        raise argparse.ArgumentTypeError(f"expected {expected}, not {text}") from None
    if width is None:
        raise argparse.ArgumentTypeError("expected a width")
    return width


def parse_scale(text: str) -> float:
    """Parse the value of `--scale`."""
    from acdl_mkdocs.drawing.formats.options import check_scale

    try:
        return check_scale(float(text) if text.replace(".", "", 1).isdecimal() else math.nan)
    except ValueError as expected:
        raise argparse.ArgumentTypeError(f"expected {expected}, not {text}") from None


def draw_figure(spec_input: "Input", args: argparse.Namespace) -> DrawnTarget:
    """The figure of a text and what is wrong with it."""
    from acdl_mkdocs.app.render import collected_remarks
    from acdl_mkdocs.app.render import write as write_figure
    from acdl_mkdocs.drawing.figure.boxes import is_understood
    from acdl_mkdocs.drawing.figure.describe import describe
    from acdl_mkdocs.drawing.formats.options import OutputOptions
    from acdl_mkdocs.foundation.errors import TooLargeError

    spec_input = _with_arguments(spec_input, args)
    text, options = spec_input.text, spec_input.text.options
    if not text.source.text.strip():
        return DrawnTarget("", text.findings)
    examined = spec_input.examine_names()
    findings = spec_input.collect_findings(examined)
    with system.pause_collector():
        box = describe(examined.resolved, examined.view)
    if not is_understood(box):
        is_told = any(diagnostic.severity == "error" for diagnostic, _ in findings)
        return DrawnTarget("", findings, "" if is_told else f"{text.source.name}: has nothing to draw")
    output_options = OutputOptions(
        title=options.title, theme=options.theme, width_px=options.width, scale=args.scale, fonts=tuple(args.font)
    )
    try:
        with collected_remarks() as remarks, system.pause_collector():
            figure = write_figure(box, args.format, output_options)
    except TooLargeError as reason:
        return DrawnTarget("", findings, f"{text.source.name}: {reason}")
    return DrawnTarget(figure, findings, "", tuple(f"{text.source.name}: {each}" for each in remarks))


def _with_arguments(spec_input: "Input", args: argparse.Namespace) -> "Input":
    """Return the text with the options of the command line, which override those of a header."""
    text = spec_input.text
    options = replace(
        text.options,
        spec=args.spec or text.options.spec,
        comments=text.options.comments and not args.no_comments,
        header=text.options.header or args.header,
        theme=text.options.theme if args.theme == "auto" else args.theme,
        width=args.width or text.options.width,
    )
    places = {name: span for name, span in text.places.items() if name != "spec" or not args.spec}
    return replace(spec_input, text=replace(text, options=options, places=places))


def write_figure(figure: str | bytes, path: Path | None, *, has_color: bool = False) -> bool:
    """Write a figure atomically; return True on success.

    Parameters:
        figure: The figure, or a report.
        path: Its file; `None` for standard output.
        has_color: Whether it is a report whose colours a terminal should show.
    """
    if isinstance(figure, str):
        figure = figure if figure.endswith("\n") else f"{figure}\n"
    if path is not None:
        return replace_file(path, figure.encode() if isinstance(figure, str) else figure)
    if isinstance(figure, str):
        sys.stdout.write(format_for_stdout(figure, has_color=has_color))
        return True
    if sys.stdout.isatty():
        print_error("this figure is not text for a terminal: name a file with -o")
        return False
    sys.stdout.flush()
    sys.stdout.buffer.write(figure)
    return True


def print_problems(drawing: DrawnTarget, args: argparse.Namespace) -> None:
    """Print errors and warnings on standard error."""
    for sentence in filter(None, (drawing.complaint, *drawing.remarks)):
        print_error(sentence)
    serious = [(diagnostic, source) for diagnostic, source in drawing.findings if diagnostic.severity != "note"]
    if serious:
        from acdl_mkdocs.foundation.reports.options import ReportOptions
        from acdl_mkdocs.foundation.reports.terminal import report

        color = ReportOptions(color=should_color(args.color, sys.stderr))
        for diagnostic, source in serious:
            print(report([diagnostic], source, color), file=sys.stderr)
