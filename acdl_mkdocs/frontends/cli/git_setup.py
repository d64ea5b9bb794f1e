"""Set git up to compare specs with this program, or undo that; the changes are printed."""

import argparse
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from acdl_mkdocs.frontends.cli.git_config import (
    append_lines,
    attributes_file,
    explain_failure,
    read_attributes,
    run_git,
)
from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.frontends.cli.writing import print_sentence, replace_file

LINE = "*.acdl diff=acdl"
"""The line in `.gitattributes` for files that are compared as specs."""
_OWN_COMMAND = " -m acdl_mkdocs "
"""Part of every setting that this program wrote."""


def git_settings() -> dict[str, str]:
    """Return the settings for git.

    Programs are started with `-P`, so that no file of the repository is taken for a module of Python. If the program
    is gone, or ends with an error, lines are compared, so that `git diff` continues.
    """
    program = f"{shlex.quote(Path(sys.executable).as_posix())} -P -m acdl_mkdocs"
    lines = 'diff -u -L "a/$1" -L "b/${8:-$1}" -- "$2" "$5"'
    return {
        "diff.acdl.command": f'f() {{ {program} git driver -- "$@" 2>/dev/null || {lines}; true; }}; f',
        "difftool.acdl.cmd": f'{program} git difftool -- "$LOCAL" "$REMOTE" "$MERGED"',
    }


def set_up(args: argparse.Namespace) -> int:
    """Set git up, or undo that; return 2 if git is missing or refuses."""
    where = "--global" if args.is_global else "--local"
    try:
        path = attributes_file(is_global=args.is_global)
        text = read_attributes(path)
        for sentence in _remove_settings(where, args) if args.remove else _add_settings(where, args):
            print_sentence(sentence)
    except (OSError, UnicodeDecodeError, subprocess.CalledProcessError) as problem:
        print_error(explain_failure(problem))
        return 2
    return 0 if _write_attributes(path, text, args) else 2


def _add_settings(where: str, args: argparse.Namespace) -> Iterator[str]:
    """Add the settings that are missing."""
    for key, value in git_settings().items():
        before = _read_value(where, key)
        yield f"git config {where} {key} {shlex.quote(value)}" + ("  # as it is" if before == value else "")
        if before not in (None, value):
            yield f"  # instead of {shlex.quote(before or '')}"
        if before != value and not args.is_print:
            run_git("config", where, key, value)


def _remove_settings(where: str, args: argparse.Namespace) -> Iterator[str]:
    """Remove the settings, unless somebody else changed them."""
    for key in git_settings():
        value = _read_value(where, key)
        if value is None:
            yield f"{key} is not set"
            continue
        if _OWN_COMMAND not in value:
            yield f"{key} is kept, since it is not of this program: {value}"
            continue
        yield f"git config {where} --unset-all {key}"
        if not args.is_print:
            run_git("config", where, "--unset-all", key)


def _read_value(where: str, key: str) -> str | None:
    try:
        return run_git("config", where, "--get", key)
    except subprocess.CalledProcessError as refused:
        if refused.returncode == 1:  # it is not set
            return None
        raise


def _write_attributes(path: Path, text: str, args: argparse.Namespace) -> bool:
    """Add the line to the attributes file or remove it, or print that; return True on success."""
    lines = text.splitlines()
    if (LINE in lines) != args.remove:
        print_sentence(f"{path}: has `{LINE}`" if not args.remove else f"{path}: does not have `{LINE}`")
        return True
    is_written = args.attributes and not args.is_print
    done, wish = ("removed", "remove") if args.remove else ("added", "add")
    print_sentence(f"{path}: {done if is_written else wish} `{LINE}`")
    if not is_written:
        print("  (`--attributes` does that too)" if not args.attributes else "  (--print: nothing was done)")
        return True
    other_lines = (line for line in text.splitlines(keepends=True) if line.strip("\r\n") != LINE)
    changed = "".join(other_lines) if args.remove else append_lines(text, [LINE])
    return replace_file(path, changed.encode())
