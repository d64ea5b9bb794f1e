"""Infer a spec for `acdl infer` with progress, and write it with its states and its report."""

import argparse
import os
import shlex
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from acdl_mkdocs.app.extend_state import move_long_texts
from acdl_mkdocs.app.infer import NAME, InferOptions, Inferred, explain_wrong_name
from acdl_mkdocs.app.infer_recording import infer_or_refine
from acdl_mkdocs.app.infer_report import build_report, describe_inferred
from acdl_mkdocs.app.new_state import SCHEMA
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.frontends.cli.messages import SlowProgress, StoppedError, clear_bar, print_error
from acdl_mkdocs.frontends.cli.spec_and_state import write_schema
from acdl_mkdocs.frontends.cli.writing import format_for_stdout, make_files, replace_file
from acdl_mkdocs.runs.check_files import open_recordings

STANDARD = "-"
STATE = ".state.yaml"


def explain_wrong_combination(args: argparse.Namespace) -> str:
    """Explain which options do not work together; empty if all do."""
    if args.into is not None or args.check:
        return _explain_wrong_refinement(args)
    has_file = args.output not in (None, STANDARD)
    if args.recordings.count(STANDARD) > 1:
        return "standard input can be named only once"
    if args.manifest == STANDARD:
        return "the manifest cannot come from standard input; name a file"
    if args.state == STANDARD:
        return "the state cannot go to standard output; name a file"
    if args.report == STANDARD and not has_file:
        return "the spec and the report cannot both go to standard output; name a file for one with -o or --report"
    if args.all_states and not has_file:
        return "--all-states writes beside the file of the spec; name it with -o"
    return explain_wrong_name(NAME if args.name is None else args.name) or _explain_wrong_files(args)


def _explain_wrong_files(args: argparse.Namespace) -> str:
    """Explain why the named files cannot be written; empty if they can."""
    paths = [each for each in (args.output, _find_state_path(args), args.report) if each not in (None, STANDARD)]
    if len({os.path.abspath(each) for each in paths}) < len(paths):
        return "the spec, its state and its report need a file each"
    existing = [each for each in paths if os.path.lexists(each)]
    if existing and not args.force:
        return explain_existing(existing)
    if args.texts is not None and _find_texts_folder(args) is None:
        return "--texts needs a state, and a folder beside it or below: states name no other files"
    return ""


def _find_texts_folder(args: argparse.Namespace) -> str | None:
    """Return the folder of long texts as states name it; `None` if they cannot."""
    state = _find_state_path(args)
    if state is None:
        return None
    relative = os.path.relpath(args.texts, Path(state).parent)
    return None if relative.split(os.sep)[0] == os.pardir else Path(relative).as_posix()


def _explain_wrong_refinement(args: argparse.Namespace) -> str:
    """Explain which options do not work together if a spec is refined; empty if all do."""
    if args.texts is not None:
        return "--texts is for a new spec; states that exist keep their texts"
    if args.into is None:
        return "--check is about a spec that exists; name it with --into"
    if args.into == STANDARD:
        return "the spec to refine cannot come from standard input; name a file"
    if args.manifest == STANDARD or args.recordings.count(STANDARD) > 1:
        return "standard input can be only one recording; name files"
    if args.state == STANDARD or (args.output == args.report == STANDARD):
        return "only one of the spec and the report can go to standard output; name files"
    paths = [each for each in (args.output, args.state, args.report) if each not in (None, STANDARD)]
    if len({os.path.abspath(each) for each in (args.into, *paths)}) <= len(paths):
        return "the spec, its state and its report need a file each; without -o, the spec is written in place"
    existing = [each for each in paths if os.path.lexists(each)]
    return explain_existing(existing) if existing and not (args.force or args.check) else ""


def explain_existing(paths: list[str]) -> str:
    """Explain that files exist."""
    verb, which = ("exists", "it") if len(paths) == 1 else ("exist", "them")
    return f"nothing was made: {', '.join(paths)} {verb} already; --force writes over {which}"


def _find_state_path(args: argparse.Namespace) -> str | None:
    """Return the file of the state of the first prompt; `None` if none is written."""
    if args.state is not None or args.output in (None, STANDARD):
        return None if args.state is None else str(args.state)
    return str(Path(args.output).with_suffix(STATE))


def infer_recordings(args: argparse.Namespace) -> Inferred:
    """Infer the spec of the recordings.

    Raises:
        AcdlError: A named file does not exist, or the recordings have no requests.
    """
    recordings = partial(open_recordings, args.recordings, args.source, args.manifest)
    options = InferOptions(
        args.name or NAME,
        args.into or (args.output if args.output not in (None, STANDARD) else "spec"),
        args.at,
        args.only,
        args.mutants,
        report=SlowProgress().show_count,
    )
    try:
        return infer_or_refine(recordings, args.into, options)
    finally:
        clear_bar()


def write_inferred(inferred: Inferred, args: argparse.Namespace) -> None:
    """Write the spec, its states and its report, and print what it is worth.

    Raises:
        StoppedError: There is such a file already, or it cannot be written.
    """
    has_file = args.output not in (None, STANDARD)
    name = args.output if has_file else "spec"
    report = json_text(build_report(inferred, name)) + "\n"
    files = {Path(args.output): inferred.text} if has_file else {}
    files |= _list_states(inferred, args)
    if args.report not in (None, STANDARD):
        files[Path(args.report)] = report
    written = write_files(files, is_forced=args.force)
    if not has_file:
        sys.stdout.write(format_for_stdout(inferred.text))
    elif args.report == STANDARD:
        sys.stdout.write(format_for_stdout(report))
    for sentence in describe_inferred(inferred, name):
        print_error(sentence)
    if has_file:
        recordings = " ".join(map(shlex.quote, args.recordings))
        following = f"acdl check-run {shlex.quote(args.output)} {recordings}"
        print_error(f"made {', '.join(written)}; next: `{following}`")


def _list_states(inferred: Inferred, args: argparse.Namespace) -> Mapping[Path, str]:
    """Return the states to write: of each prompt that of its longest run, and the other ones if asked for.

    The workspace takes the first of several states of a prompt: names are in the order of the alphabet.
    """
    state_path = _find_state_path(args)
    if state_path is None:
        return {}
    path = Path(state_path)
    stem = path.name.removesuffix(STATE).removesuffix(path.suffix)
    states: dict[Path, str] = {}
    for prompt_idx, prompt in enumerate(inferred.prompts):
        name = f"{stem}.{prompt.name}" if prompt_idx else stem
        for number, text in enumerate(prompt.states, 1):
            if number == 1:
                states[path if prompt_idx == 0 else path.with_name(name + STATE)] = text
            elif args.all_states:
                states[path.with_name(f"{name}.take{number}{STATE}")] = text
    if args.texts is not None and (folder := _find_texts_folder(args)) is not None:
        texts: dict[str, str] = {}
        for state, text in states.items():
            states[state], texts = move_long_texts(text, folder, texts)
        states |= {path.parent / each: text for each, text in texts.items()}
    return states


def write_files(files: Mapping[Path, str], *, is_forced: bool) -> list[str]:
    """Write the files, and the schema of the states beside them; return their names.

    Raises:
        StoppedError: There is such a file already, or it cannot be written.
    """
    existing = [str(path) for path in files if os.path.lexists(path)]
    if existing and not is_forced:
        raise StoppedError(explain_existing(existing))
    folders = {path.parent for path in files if path.name.endswith(STATE)}
    schemas = [name for folder in sorted(folders) for name in write_schema(folder / SCHEMA)]
    if not existing:
        make_files(files)
    for path in files if existing else ():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not replace_file(path, files[path].encode("utf-8")):
            raise StoppedError(f"not all was made: {path}")
    return [*map(str, files), *schemas]
