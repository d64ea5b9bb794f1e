"""The inputs of `acdl tokens`: a prompt of any format, the messages of a spec with a state, or a plain text."""

import argparse
import re
import sys
from pathlib import Path

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.cli.messages import StoppedError, print_error
from acdl_mkdocs.frontends.cli.pml.reporting import line_of
from acdl_mkdocs.prompts.changes import Change
from acdl_mkdocs.prompts.parse_input import parse_input
from acdl_mkdocs.prompts.prompt import Prompt
from acdl_mkdocs.prompts.providers.sniff import sniff
from acdl_mkdocs.prompts.tokens.differences import make_comparable
from acdl_mkdocs.workspace.inputs import UnusableInputError, read_named
from acdl_mkdocs.workspace.search import NamedFile

_MOST_TOLD = 20
_OF_SPECS = ("state", "at", "spec", "missing")
"""Options that apply to specs only."""
_PROMPTS = (".json", ".xml")
"""Suffixes of files that are not specs."""
_OF_REQUESTS = re.compile(r'"(?:messages|contents|input|tools)"\s*:')
"""Keys of a JSON request, also of an unreadable one."""


@dataclass(frozen=True, slots=True)
class TokenInput:
    """A prompt or text to count."""

    name: str
    """The display name."""
    prompt: Prompt | str
    left_out: tuple[str, ...] = ()
    """Parts that a comparison of spellings leaves out."""


@dataclass(frozen=True, slots=True)
class TokenInputs:
    """Everything to count."""

    inputs: tuple[TokenInput, ...]
    has_errors: bool = False
    """Whether the inputs have errors."""


def read_inputs(args: argparse.Namespace) -> TokenInputs:
    """Read the inputs named by the arguments; their problems are printed.

    Raises:
        StoppedError: It cannot be read, or has errors.
        AcdlError: The spec, its state or the point does not exist.
    """
    path = args.path.partition("#")[0] if not Path(args.path).exists() else args.path
    if path.endswith(".acdl") or path != args.path:
        return _read_spec_inputs(args)
    spec_options = [f"--{name}" for name in _OF_SPECS if getattr(args, name) is not None]
    if spec_options and Path(path).suffix in _PROMPTS:
        raise StoppedError(f"{spec_options[0]} belongs to an .acdl file or a page with a spec, and not to {path}")
    return _read_spec_inputs(args) if spec_options else _read_text_inputs(args)


def _read_spec_inputs(args: argparse.Namespace) -> TokenInputs:
    """Return the messages of a spec at each point."""
    from acdl_mkdocs.evaluation.transcript import build_prompt
    from acdl_mkdocs.frontends.cli.unrolling import print_problems, refusal_of, unroll_spec

    unset = dict.fromkeys(("range", "empty", "joiner", "model"))
    unroll_args = argparse.Namespace(**{**vars(args), **unset, "format": "openai", "curl": False, "tokens": "none"})
    unrolled = unroll_spec(unroll_args)
    print_problems(unrolled.reported, unroll_args)
    if why := refusal_of(unrolled):
        raise StoppedError(f"nothing is counted: {why}", 1)
    return TokenInputs(
        tuple(_build_input(f"{each.spec} at @{each.at}", build_prompt(each)) for each in unrolled.transcripts)
    )


def _build_input(name: str, prompt: Prompt) -> TokenInput:
    return TokenInput(name, prompt, make_comparable(prompt).left_out)


def _read_text_inputs(args: argparse.Namespace) -> TokenInputs:
    named = NamedFile(None if args.path == "-" else Path(args.path), Path("prompt"))
    try:
        text, name = read_named(named)
    except UnusableInputError as reason:
        raise StoppedError(str(reason)) from None
    is_json = text.lstrip()[:1] in ("{", "[")
    if not is_json and sniff(text) is None:
        return TokenInputs((TokenInput(name, text),))
    parsed = parse_input(text, None, is_lenient=args.lenient)
    if parsed.format is None:
        why = parsed.changes[0]
        if _OF_REQUESTS.search(text):
            raise StoppedError(f"{_format_place(name, why)}: nothing is counted: {why.sentence}", 1)
        print_error(f"{name}: counted as a text: {why.sentence}")
        return TokenInputs((TokenInput(name, text),))
    errors = [each for each in parsed.changes if each.kind == "error"]
    remarks = [each for each in parsed.changes if each.kind in ("error", "repair", "loss")]
    for each in remarks[:_MOST_TOLD]:
        print(line_of(each, name), file=sys.stderr)
    if len(remarks) > _MOST_TOLD:
        print_error(f"{name}: and {len(remarks) - _MOST_TOLD} more, which `acdl pml convert` lists")
    if parsed.prompt is None:
        hint = "" if args.lenient else ", or count what can be read with `--lenient`"
        raise StoppedError(f"{name}: nothing is counted: solve the errors first{hint}", 1)
    return TokenInputs((_build_input(name, parsed.prompt),), has_errors=bool(errors))


def _format_place(name: str, change: Change) -> str:
    return name if change.line is None else f"{name}:{change.line}:{change.column}"
