"""acdl pml convert: convert a prompt or a list of tools to another format, and report everything that changes."""

import argparse
import os
from pathlib import Path

from acdl_mkdocs.frontends.cli.messages import StoppedError
from acdl_mkdocs.frontends.cli.pml.files import add_output, add_style, bytes_at, write_text
from acdl_mkdocs.frontends.cli.pml.reporting import report_changes
from acdl_mkdocs.prompts.convert import convert
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    parser.add_argument(
        "file", metavar="FILE", help="a PML document, or JSON: a request or a list of tools; `-` is standard input"
    )
    parser.add_argument("--from", dest="from_", choices=tuple(WIRES), help="format of FILE (default: auto-detect)")
    parser.add_argument("--to", choices=tuple(WIRES), required=True, help="format to write")
    parser.add_argument(
        "--lenient", action="store_true", help="read whatever can be read in spite of errors, and report it"
    )
    parser.add_argument("--model", metavar="NAME", help="model to name in the request")
    add_style(parser)
    parser.add_argument(
        "--triggers", action="store_true", help='let `[#W: "x"]` in the newest user text select the tool'
    )
    parser.add_argument("--strict", action="store_true", help="write nothing if anything would be lost or repaired")
    parser.add_argument("--report", metavar="FILE", help="file for the report, as JSON; `-` is standard error")
    add_output(parser)


def run(args: argparse.Namespace) -> int:
    """Convert a text; return 1 if it has errors, or loses something with --strict, 2 if it cannot start."""
    if args.model and args.to not in PROVIDERS:
        raise StoppedError(f"--model is part of a request: choose which with --to, one of {', '.join(PROVIDERS)}")
    _check_files(args)
    converted = convert(
        bytes_at(args.file),
        args.to,
        from_=args.from_,
        is_lenient=args.lenient,
        model=args.model,
        style=args.style,
        has_triggers=args.triggers,
    )
    name = "<stdin>" if args.file == "-" else args.file
    is_refused = args.strict and not converted.is_lossless
    if converted.text is not None and not is_refused:
        text = converted.text if converted.text.endswith("\n") else f"{converted.text}\n"
        if not write_text(text, args.output):
            return 2
    if not report_changes(converted, name, args.report):
        return 2
    if converted.text is None:
        hint = "" if args.lenient or converted.from_ is None else ", or try `--lenient`"
        raise StoppedError(f"{name}: nothing is written: solve the errors first{hint}", 1)
    if is_refused:
        raise StoppedError(
            f"{name}: nothing is written: something would be lost or repaired, and --strict forbids it", 1
        )
    return 0


def _check_files(args: argparse.Namespace) -> None:
    """Refuse to read and write the same file, or to write one twice."""
    if Path(args.file).suffix == ".acdl":
        raise StoppedError(f"{args.file}: is an ACDL file: `acdl unroll {args.file} --format pml` writes what it sends")
    named = {"FILE": args.file, "--output": args.output, "--report": args.report}
    options_by_file: dict[str, str] = {}
    for option, path in named.items():
        if path in (None, "-"):
            continue
        real = os.path.realpath(path)
        if os.path.isfile(real) or option != "FILE":
            if real in options_by_file:
                raise StoppedError(f"{path}: is {options_by_file[real]} and {option}: write to another file")
            options_by_file[real] = option
