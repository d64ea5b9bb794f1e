"""Draw one text for `acdl render`, and put the result in its place."""

import argparse
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from acdl_mkdocs.cli.inputs import Input
from acdl_mkdocs.cli.messages import complain, use_color
from acdl_mkdocs.site.read_block import Finding, examine

SUFFIXES = {"svg": ".svg", "text": ".txt", "html": ".html", "json": ".json"}
"""File name endings of the outputs."""


@dataclass(frozen=True, slots=True)
class Target:
    """A figure to draw and where it goes; no path is standard output."""

    given: Input
    path: Path | None


def draw(given: Input, args: argparse.Namespace) -> tuple[str, bool]:
    """The figure of a text and whether the text has errors; problems are printed.

    The figure is empty if nothing could be understood.
    """
    from acdl_mkdocs.figure.describe import View, describe
    from acdl_mkdocs.outputs import OUTPUTS
    from acdl_mkdocs.outputs.options import OutputOptions

    text = given.text
    options = replace(text.options, spec=args.spec or text.options.spec)
    if not text.source.text.strip():
        if not text.findings:
            complain(f"{text.source.name}: is empty")
        return "", _print(text.findings, args) or not text.findings
    examined = examine(text.source, options, is_snippet=given.is_snippet)
    has_errors = _print((*text.findings, *(() if text.is_cut else examined.findings)), args)
    comments = options.comments and not args.no_comments
    view = View(spec=examined.spec, comments=comments, range=options.range)
    box = describe(examined.resolved, view)
    if has_errors and all(child.kind in ("broken", "skipped") for child in box.children):
        return "", True
    theme = options.theme if args.theme == "auto" else args.theme
    output_options = OutputOptions(title=options.title, theme=theme, width_px=args.width or options.width)
    return OUTPUTS[args.format](box, output_options), has_errors


def write(figure: str, path: Path | None) -> bool:
    """Put a figure in its place at once, so that no half of it is ever seen; whether that was possible."""
    ended = figure if figure.endswith("\n") else f"{figure}\n"
    if path is None:
        sys.stdout.write(ended)
        return True
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(ended, "utf-8", newline="\n")
        draft.replace(path)
    except OSError as problem:
        draft.unlink(missing_ok=True)
        complain(f"{path}: cannot be written: {(problem.strerror or str(problem)).lower()}")
        return False
    return True


def _print(findings: tuple[Finding, ...], args: argparse.Namespace) -> bool:
    """Print errors and warnings on standard error; whether there are errors."""
    shown = [(diagnostic, source) for diagnostic, source in findings if diagnostic.severity != "note"]
    if shown:
        from acdl_mkdocs.reports.options import ReportOptions
        from acdl_mkdocs.reports.terminal import report

        color = ReportOptions(color=use_color(args.color, sys.stderr))
        for diagnostic, source in shown:
            print(report([diagnostic], source, color), file=sys.stderr)
    return any(diagnostic.severity == "error" for diagnostic, _ in shown)
