"""Playbooks in git: the merge driver, and its set-up in a repository.

Git runs this for every file that it merges: modules that only the set-up needs are imported there.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acdl_mkdocs.foundation.system import find_program
from acdl_mkdocs.frontends.cli.git_config import (
    append_lines,
    attributes_file,
    explain_failure,
    read_attributes,
    run_git,
)
from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.frontends.cli.writing import print_sentence, replace_file

NAME = "acdl-playbook"
PATTERNS = ("*playbook.yaml", "*playbook.history.jsonl")
"""The patterns of playbooks and histories in a repository."""
_HISTORY = ".history.jsonl"


def merge_files(args: argparse.Namespace) -> int:
    """Merge three files into the second; return 1 if one cannot be understood, 2 if one cannot be read or written."""
    from acdl_mkdocs.playbook.store.merge import merge_contents

    if args.theirs is None:
        print_error(
            "three files are needed: BASE OURS THEIRS, as git gives them (%O %A %B); --setup tells git to do so"
        )
        return 2
    try:
        base, ours, theirs = (Path(name).read_bytes() for name in (args.base, args.ours, args.theirs))
    except OSError as problem:
        print_error(f"{problem.filename}: cannot be read: {(problem.strerror or str(problem)).lower()}")
        return 2
    name = args.path or args.ours
    merged = merge_contents(base, ours, theirs, name)
    for each in merged.problems:
        print_error(each)
    if merged.data is None:
        return 1
    for note in merged.notes if not name.endswith(_HISTORY) else ():
        print_error(f"{name}: {note}")
    if merged.data != ours and not replace_file(Path(args.ours), merged.data):
        return 2
    return 0


def set_up(args: argparse.Namespace) -> int:
    """Set git up to merge playbooks with `acdl`; return 2 if git is missing or refuses."""
    import shlex
    import subprocess

    settings = {
        f"merge.{NAME}.name": "playbooks of agents, bullet by bullet",
        f"merge.{NAME}.driver": f"{_command_of_git()} playbook merge -- %O %A %B %P",
    }
    try:
        path = attributes_file(is_global=args.is_global)
        text = read_attributes(path)
        names = args.file if args.is_global else [*args.file, *_find_other_playbooks()]
        lines = [f"{pattern} text eol=lf merge={NAME}" for pattern in PATTERNS] + _format_lines(names)
        missing = [line for line in lines if line not in text.splitlines()]
        where = "--global" if args.is_global else "--local"
        print_sentence(f"{path}: " + ("has what is needed" if not missing else "add"))
        for line in missing:
            print_sentence(f"  {line}")
        for key, value in settings.items():
            print_sentence(f"git config {where} {key} {shlex.quote(value)}")
        if args.is_print:
            return 0
        for key, value in settings.items():
            run_git("config", where, key, value)
    except (OSError, UnicodeDecodeError, subprocess.CalledProcessError) as problem:
        print_error(explain_failure(problem))
        return 2
    return 0 if not missing or replace_file(path, append_lines(text, missing).encode()) else 2


@contextmanager
def cover_new_playbook(playbook: Path) -> Iterator[None]:
    """Cover a playbook whose history begins within the block: its file was made by a person or another program."""
    is_begun = (playbook.parent / f"{playbook.stem}{_HISTORY}").exists()
    yield
    if not is_begun and playbook.exists():
        cover_playbook(playbook)


def cover_playbook(playbook: Path) -> None:
    """Set git up to merge a new playbook, if this repository was set up before and its name is unusual.

    Does nothing where there is no git, no repository or no set-up.
    """
    import subprocess

    folder, names = str(playbook.parent), (playbook.name, f"{playbook.stem}{_HISTORY}")
    try:
        run_git("-C", folder, "config", "--get", f"merge.{NAME}.driver")
        output = run_git("-C", folder, "check-attr", "-z", "merge", "--", *names)
        path = attributes_file(is_global=False, folder=playbook.parent)
        text = read_attributes(path)
    except (OSError, UnicodeDecodeError, subprocess.CalledProcessError):
        return
    is_covered = all(value == NAME for value in output.split("\0")[2::3])
    if not is_covered and replace_file(path, append_lines(text, _format_lines([playbook.name])).encode()):
        print_error(
            f"{path}: `{playbook.name}` and its history are added, so that git merges them with acdl; commit it too"
        )


def _format_lines(names: list[str]) -> list[str]:
    """Return the lines of an attributes file for playbooks with other names."""
    return [f"{pattern} text eol=lf merge={NAME}" for pattern in _patterns_of(names)]


def _patterns_of(names: list[str]) -> list[str]:
    """Return patterns for playbooks with other names, and for their histories."""
    patterns = [pattern for name in names for pattern in (Path(name).name, f"{Path(name).stem}{_HISTORY}")]
    return [_pattern_for(each) for each in dict.fromkeys(patterns)]


def _pattern_for(name: str) -> str:
    """Return a pattern for only this name: special characters escaped, and quoted where git requires it."""
    pattern = re.sub(r"[\[\]*?\\]", r"\\\g<0>", name)
    pattern = f"\\{pattern}" if pattern.startswith(("#", "!")) else pattern
    if not re.search(r'[\s"]', pattern):
        return pattern
    quoted = pattern.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\n", "\\n")
    return f'"{quoted}"'


def _find_other_playbooks() -> list[str]:
    """Return the playbooks of this repository that have other names: files with a history beside them."""
    listed = run_git("ls-files", "-co", "--full-name", "--exclude-standard", "-z", "--", f"*{_HISTORY}").split("\0")
    stems = [Path(name.removesuffix(_HISTORY)) for name in listed if name]
    root = Path(run_git("rev-parse", "--show-toplevel"))
    names = {
        f"{stem.name}{suffix}"
        for stem in stems
        for suffix in (".yaml", ".yml")
        if (root / stem).with_name(f"{stem.name}{suffix}").exists() or suffix == ".yaml"
    }
    return sorted(name for name in names if not name.endswith("playbook.yaml"))


def _command_of_git() -> str:
    """Return the command by which git finds this program: its name, or its path if it is in a virtual environment."""
    import shlex

    script = Path(sys.executable).with_name("acdl")
    if sys.prefix == sys.base_prefix and find_program("acdl"):
        return "acdl"
    if script.exists():
        return shlex.quote(script.as_posix())
    return f"{shlex.quote(Path(sys.executable).as_posix())} -P -m acdl_mkdocs"
