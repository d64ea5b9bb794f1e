"""The format of a command's output: `--format`, or the suffix of the name after `-o`."""

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from acdl_mkdocs.foundation.errors import UnknownFormatError
from acdl_mkdocs.frontends.cli.messages import StoppedError

Endings = Mapping[str, tuple[str, ...]]
"""The suffixes of file names for each format; a suffix means the first format that has it."""
_OPENED_BY_SUFFIX = (".svg", ".png", ".pdf", ".html", ".htm", ".json")
"""Suffixes of files that programs could not open with other contents."""


def add_format(parser: argparse.ArgumentParser, formats: Sequence[str], endings: Endings, default: str) -> None:
    """Declare `--format` of a command that has `-o` too."""
    parser.add_argument(
        "--format", choices=tuple(formats), help=f"output format (default: from the suffix of -o, or {default})"
    )
    parser.set_defaults(endings=endings, default_format=default)


def choose_format(args: argparse.Namespace) -> None:
    """Set `args.format` if it was not given: from the name of the file, or the command's default.

    Raises:
        StoppedError: The file is one that the command reads.
        UnknownFormatError: The file name has the suffix of a spec, of another format, or of one that the command does
            not write.
    """
    endings: Endings | None = getattr(args, "endings", None)
    if endings is None:
        return
    if _is_input(args.output or "", args):
        raise StoppedError(
            f"{args.output}: is what this command reads, and would be overwritten: write to another file"
        )
    ending = Path(args.output or "").suffix.lower()
    if ending == ".acdl":  # it may well be another spec
        raise UnknownFormatError(
            f"{args.output}: is the name of a spec, which this command does not write; give the file another ending"
        )
    fitting = [name for name, suffixes in endings.items() if ending in suffixes]
    if args.format is None:
        if not fitting and ending in _OPENED_BY_SUFFIX:
            written = ", ".join(dict.fromkeys(each for suffixes in endings.values() for each in suffixes))
            raise UnknownFormatError(f"{args.output}: this command writes no {ending} file; it writes {written}")
        args.format = fitting[0] if fitting else args.default_format
    elif fitting and args.format not in fitting:
        raise UnknownFormatError(
            f"{args.output}: is the name of a {fitting[0]} file, but `--format {args.format}` asks for another format; "
            "leave --format out, or give the file another ending"
        )


def _is_input(output: str, args: argparse.Namespace) -> bool:
    """Return whether a file is among the other arguments, where `file.acdl#Name` is a spec of a file."""
    if not os.path.isfile(output):
        return False
    values = (value for name, value in vars(args).items() if name != "output")
    words = (each for value in values for each in (value if isinstance(value, list) else [value]))
    names = (each for word in words if isinstance(word, str) for each in (word, word.rpartition("#")[0]))
    return any(os.path.isfile(each) and os.path.samefile(each, output) for each in names)
