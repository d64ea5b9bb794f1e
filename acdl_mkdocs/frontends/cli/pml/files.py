"""Shared parts of the actions of `acdl pml`: their files, and the output of problems and results."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.reports.options import ReportOptions
from acdl_mkdocs.foundation.reports.terminal import report
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.cli.messages import StoppedError, should_color
from acdl_mkdocs.frontends.cli.writing import format_for_stdout, replace_file
from acdl_mkdocs.prompts.pml.document_problems import list_read_problems
from acdl_mkdocs.prompts.pml.limits import LIMITS
from acdl_mkdocs.prompts.pml.read import ReadPml, read
from acdl_mkdocs.prompts.prompt import Json, Prompt
from acdl_mkdocs.workspace.files import (
    MissingFileError,
    UnreadableFileError,
    decode_text,
    find_nearest_file,
    read_bytes,
)
from acdl_mkdocs.workspace.page_kinds import kind_of

JSON_VERSION = 1
"""The version of the JSON that actions print."""


def add_document(parser: argparse.ArgumentParser) -> None:
    """Declare the document that an action works on, and how it is read."""
    parser.add_argument("file", metavar="FILE", help="a PML document; `-` is standard input")
    add_lenient(parser)


def add_lenient(parser: argparse.ArgumentParser, what: str = "") -> None:
    """Declare how documents are read; `what` names them, if there are others."""
    where = f" in {what}" if what else ""
    parser.add_argument(
        "--lenient",
        action="store_true",
        help=f"repair mistakes{where} that have only one possible meaning, and report them",
    )


def add_output(parser: argparse.ArgumentParser, default: str = "standard output") -> None:
    """Declare the output file; `default` describes the destination without one."""
    parser.add_argument("-o", "--output", metavar="FILE", help=f"file to write (default: {default})")


def add_style(parser: argparse.ArgumentParser) -> None:
    """Declare the layout of written documents."""
    parser.add_argument("--style", choices=("pretty", "min"), default="pretty", help="with or without indentation")


def bytes_at(path: str) -> bytes:
    """Return the contents of a file, or of standard input.

    Raises:
        StoppedError: It cannot be read.
    """
    if path == "-":
        if sys.stdin is None:
            raise StoppedError("standard input is closed")
        return sys.stdin.buffer.read(LIMITS.size_bytes + 1)
    try:
        if path.startswith(_DESCRIPTORS):
            return _read_pipe(path)
        return read_bytes(Path(path), LIMITS.size_bytes)
    except UnreadableFileError as reason:
        near = find_nearest_file(path, Path()) if isinstance(reason, MissingFileError) else None
        raise StoppedError(f"{path}: {reason}" + (f"; did you mean {near}?" if near else "")) from None


_DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/")
"""The paths of a shell for the output of a command, as in `--tools <(jq .tools body.json)`."""


def _read_pipe(path: str) -> bytes:
    """Read an open file descriptor, also a pipe that is still being written."""
    try:
        with open(path, "rb") as file:
            return file.read(LIMITS.size_bytes + 1)
    except OSError:
        raise MissingFileError("does not exist") from None


def text_at(path: str) -> str:
    """Return the text of a file, or of standard input.

    Raises:
        StoppedError: It cannot be read, or is not text in UTF-8.
    """
    try:
        return decode_text(bytes_at(path))
    except UnreadableFileError as reason:
        raise StoppedError(f"{path}: {reason}") from None


def document_at(path: str, *, is_lenient: bool) -> ReadPml:
    """Read a document, with its problems.

    Raises:
        StoppedError: It cannot be read, or is a page.
    """
    if kind_of(path) == "markdown":
        raise StoppedError(f"{path}: is a page, no document; `acdl check {path}` checks its blocks")
    return read(bytes_at(path), is_lenient=is_lenient, name="<stdin>" if path == "-" else path)


def print_problems(problems: Sequence[Diagnostic], source: Source, args: argparse.Namespace) -> None:
    """Print problems on standard error."""
    if problems:
        options = ReportOptions(color=should_color(args.color, sys.stderr))
        for problem in problems:
            print(report([problem], source, options), file=sys.stderr)


def read_usable(args: argparse.Namespace) -> tuple[ReadPml, Prompt]:
    """Return the document of an action and its prompt; all problems are printed.

    Raises:
        StoppedError: It cannot be read, or has no prompt.
    """
    document = document_at(args.file, is_lenient=args.lenient)
    print_problems(list_read_problems(document), document.source, args)
    if document.prompt is None:
        hint = "" if args.lenient else ", or try `--lenient`"
        raise StoppedError(f"{args.file}: cannot be read: solve the errors first{hint}", 1)
    return document, document.prompt


def write_text(text: str, output: str | None) -> bool:
    """Print a text, or write it to a file; return True on success.

    Raises:
        StoppedError: No file in UTF-8 can have the text.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        what = f"character {error.start + 1} is half of one, U+{ord(text[error.start]):04X}, which UTF-8 does not have"
        raise StoppedError(f"nothing is written: {what}", 1) from None
    if output not in (None, "-"):
        return replace_file(Path(output), data)
    text = format_for_stdout(text)
    print(text, end="\n" if sys.stdout.isatty() and not text.endswith("\n") else "")
    return True


def print_json(data: dict[str, Json]) -> None:
    """Print a result for programs; characters that act on a terminal are escaped, as JSON allows."""
    print(json_text({"schema_version": JSON_VERSION, **data}, 2))
