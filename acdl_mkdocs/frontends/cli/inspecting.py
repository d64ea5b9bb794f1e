"""Inspect recordings for `acdl inspect` with progress, and show the result."""

import argparse
import sys
from functools import partial
from pathlib import Path

from acdl_mkdocs.app.inspect import inspect
from acdl_mkdocs.frontends.cli.drawing import write_figure
from acdl_mkdocs.frontends.cli.messages import SlowProgress, clear_bar, print_error, should_color
from acdl_mkdocs.runs.check_files import open_recordings
from acdl_mkdocs.runs.inspect import INSPECTIONS
from acdl_mkdocs.runs.inspect.inspection import Inspection
from acdl_mkdocs.runs.inspect.options import InspectionOptions
from acdl_mkdocs.runs.inspect.summary import describe_inspection
from acdl_mkdocs.runs.inspect.weigh_messages import Limits


def inspected(args: argparse.Namespace) -> Inspection:
    """Inspect the recordings.

    Raises:
        AcdlError: A named file does not exist, or the recordings have no requests.
    """
    recordings = partial(open_recordings, args.recordings, args.source, args.manifest)
    limits = Limits.make_page_limits() if args.format == "html" else None
    report = SlowProgress().show_count
    try:
        return inspect(recordings, at=args.at, only=args.only, tokens=args.tokens, limits=limits, report=report)
    finally:
        clear_bar()


def write_inspection(inspection: Inspection, args: argparse.Namespace) -> bool:
    """Write the report; return True on success. If it goes to a file, a summary is printed."""
    is_file = args.output not in (None, "-")
    options = InspectionOptions(
        color=not is_file and should_color(args.color, sys.stdout),
        has_excerpts=not args.no_excerpts,
        price=args.price,
    )
    text = INSPECTIONS[args.format](inspection, options)
    has_color = options.color and args.format == "terminal"
    if not write_figure(text, Path(args.output) if is_file else None, has_color=has_color):
        return False
    if is_file:
        print_error(f"{args.output}: {describe_inspection(inspection)}")
    return True
