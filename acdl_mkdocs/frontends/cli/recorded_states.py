"""Recorded conversations as states on the command line: of a named spec, or of any."""

import argparse
import os
import sys
from pathlib import Path

from acdl_mkdocs.evaluation.state.fill import FilledState, fill_state
from acdl_mkdocs.evaluation.state.from_prompt import CONVERSATION, PromptState, make_state
from acdl_mkdocs.evaluation.state.mismatches import find_prompts
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.findings import print_on_terminal
from acdl_mkdocs.frontends.cli.messages import StoppedError, print_error
from acdl_mkdocs.frontends.cli.pml.files import bytes_at, read_usable
from acdl_mkdocs.frontends.cli.spec_and_state import (
    UnusableStateError,
    choose_input,
    inputs_of,
    no_such_spec,
    parse_spec_name,
    write_state,
)
from acdl_mkdocs.frontends.cli.writing import print_sentence
from acdl_mkdocs.language.names.times import range_mode
from acdl_mkdocs.prompts.prompt import Prompt

_MOST_LISTED = 5
_SCHEMA = "state.schema.json"


@dataclass(frozen=True, slots=True)
class _StateResult:
    """A state, with notes about it."""

    state: PromptState
    is_of_any: bool
    remarks: tuple[str, ...] = ()


def from_pml(args: argparse.Namespace) -> int:
    """Write a state; return 1 if the document or the spec has errors, 2 if something could not be read or written."""
    try:
        _refuse_bodies(args.path)
        args.file = args.path
        _, prompt = read_usable(args)
        result = _make_state(args, prompt, args.schema or _SCHEMA)
        if result is None:
            print_error("nothing was made: solve the errors of the spec first")
            return 1
        for remark in (*result.state.changes, *result.remarks):
            print_error(remark)
        _write_result(args, result, None if args.schema else _SCHEMA)
    except StoppedError as reason:
        print_error(str(reason))
        return reason.status
    except (UnusableStateError, AcdlError) as reason:
        print_error(str(reason))
        return 2
    return 0


def _refuse_bodies(path: str) -> None:
    """Refuse the request of a provider, and name the command that makes a document of it.

    Raises:
        StoppedError: The file is one, or cannot be read.
    """
    if path != "-" and bytes_at(path)[:100].lstrip()[:1] in (b"{", b"["):
        cure = f"first run `acdl pml convert {path} --to pml -o chat.pml.xml`"
        raise StoppedError(f"{path}: is JSON, and a PML document is needed; {cure}")


def _make_state(args: argparse.Namespace, prompt: Prompt, schema: str) -> _StateResult | None:
    """Return the state; nothing if the spec has errors, which are printed.

    Raises:
        StoppedError: A state file cannot hold the conversation.
        UnusableRequestError: There is no such spec.
    """
    if args.spec is None:
        result = _StateResult(make_state(prompt, schema), is_of_any=True)
    else:
        filled = _fill_spec_state(args, prompt, schema)
        if filled is None:
            return None
        result = _StateResult(filled.state, is_of_any=False, remarks=_list_remarks(filled))
    problems = [each for each in read_state(result.state.text).problems if each.severity == "error"]
    if problems:
        raise StoppedError(f"{args.path}: no state file can hold this: {problems[0].message}", 1)
    return result


def _fill_spec_state(args: argparse.Namespace, prompt: Prompt, schema: str) -> FilledState | None:
    path, name = parse_spec_name(argparse.Namespace(path=args.spec, spec=None))
    inputs = inputs_of(path)
    spec_input = choose_input(inputs, name, path)
    examined = spec_input.examine_names()
    errors = tuple(each for each in spec_input.collect_findings(examined) if each[0].severity == "error")
    prompts = find_prompts(examined.resolved, None)
    chosen = [each for each in prompts if name in (None, each.name.name)]
    if errors:
        print_on_terminal(errors, args)
        return None
    if not chosen:
        raise no_such_spec(path, name or "", inputs)
    mode = range_mode(examined.resolved, Config(range=spec_input.text.options.range))
    return fill_state(examined.resolved, chosen[0], prompt, schema, mode)


def _list_remarks(filled: FilledState) -> tuple[str, ...]:
    """List the values from the document, those to fill in, and those that the spec does not read."""
    groups = (
        (filled.n_filled, "value", "from the document"),
        (filled.unfilled, "value", "still `…`"),
        (filled.unplaced, "message", "not in the state, or not as a whole"),
    )
    return tuple(
        f"{format_count(len(names), noun)} {'is' if len(names) == 1 else 'are'} {what}: {_join_names(names)}"
        for names, noun, what in groups
        if names
    )


def _join_names(names: tuple[str, ...]) -> str:
    listed = ", ".join(f"`{name}`" for name in names[:_MOST_LISTED])
    return listed if len(names) <= _MOST_LISTED else f"{listed} and {len(names) - _MOST_LISTED} more"


def _write_result(args: argparse.Namespace, result: _StateResult, schema: str | None) -> None:
    """Print the state, or write it, with its schema and its spec beside it.

    Raises:
        UnusableStateError: There is such a file already.
    """
    if args.output in (None, "-"):
        sys.stdout.write(result.state.text)
        return
    path = Path(args.output)
    spec = path.with_name(path.name.split(".")[0] + ".acdl")
    is_made = result.is_of_any and not os.path.lexists(spec)
    sentence, _, _ = write_state(path, result.state.text, schema, {spec: CONVERSATION} if is_made else None).partition(
        "; next: "
    )
    if not result.is_of_any:
        print_sentence(f"{sentence}; next: fill in the placeholders, then `acdl state check {path}`")
    elif is_made:
        print_sentence(f"{sentence}; next: `acdl unroll {spec}`")
    else:
        print_sentence(f"{sentence}; {spec} exists already, so the spec that sends it was not made")
