"""The format of a command's output: `--format`, or the suffix of the name after `-o`."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from acdl_mkdocs.foundation.errors import UnknownFormatError

Endings = Mapping[str, tuple[str, ...]]
"""The suffixes of file names for each format; a suffix means the first format that has it."""


def add_format(parser: argparse.ArgumentParser, formats: Sequence[str], endings: Endings, default: str) -> None:
    """Declare `--format` of a command that has `-o` too."""
    parser.add_argument(
        "--format", choices=tuple(formats), help=f"output format (default: from the suffix of -o, or {default})"
    )
    parser.set_defaults(endings=endings, default_format=default)


def choose_format(args: argparse.Namespace) -> None:
    """Set `args.format` if it was not given: from the name of the file, or the command's default.

    Raises:
        UnknownFormatError: The file name has the suffix of a spec, or of another format.
    """
    endings: Endings | None = getattr(args, "endings", None)
    if endings is None:
        return
    ending = Path(args.output or "").suffix.lower()
    if ending == ".acdl":  # it may well be the spec itself
        raise UnknownFormatError(
            f"{args.output}: is the name of a spec, which this command does not write; give the file another ending"
        )
    fitting = [name for name, suffixes in endings.items() if ending in suffixes]
    if args.format is None:
        args.format = fitting[0] if fitting else args.default_format
    elif fitting and args.format not in fitting:
        raise UnknownFormatError(
            f"{args.output}: is the name of a {fitting[0]} file, but `--format {args.format}` asks for another format; "
            "leave --format out, or give the file another ending"
        )
