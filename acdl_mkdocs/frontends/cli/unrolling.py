"""Run `app.unroll` for `acdl unroll` and `acdl tokens`, and print problems."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from acdl_mkdocs.app.understood import understand_input
from acdl_mkdocs.app.unroll import Unrolled, UnrollOptions
from acdl_mkdocs.app.unroll import unroll as unroll_text
from acdl_mkdocs.evaluation.formats import EXPORTS, TranscriptOptions
from acdl_mkdocs.evaluation.transcript import Finding
from acdl_mkdocs.frontends.cli.messages import map_with_progress, option_words, should_color
from acdl_mkdocs.frontends.cli.spec_and_state import choose_input, inputs_of, parse_spec_name, state_file_of
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.workspace.inputs import Input
from acdl_mkdocs.workspace.read_block import find_defined_names


def explain_wrong_combination(args: argparse.Namespace) -> str:
    """Explain which options do not work together; empty if all do."""
    requests = ", ".join(PROVIDERS)
    if args.curl and args.format not in PROVIDERS:
        return f"--curl sends a request: choose which with --format, one of {requests}"
    if args.model and args.format not in PROVIDERS:
        return f"--model is part of a request: choose which with --format, one of {requests}"
    if args.path == "-" and args.state == "-":
        return "standard input cannot be both the spec and the state"
    return ""


def unroll_spec(args: argparse.Namespace) -> Unrolled:
    """Evaluate a spec at all wanted points.

    Raises:
        AcdlError: The spec, its state or the point does not exist.
    """
    path, name = parse_spec_name(args)
    inputs = inputs_of(path)
    names = [each for spec_input in inputs for each in find_defined_names(spec_input.text.source.text)]
    file = state_file_of(args.state, path, names, name)
    name = name or (file.state.spec if file is not None and file.state is not None else None)
    spec_input = choose_input(inputs, name, path)
    text = understand_input(spec_input)
    options = UnrollOptions(
        spec=name,
        at=args.at,
        format=args.format,
        range=args.range,
        missing=args.missing,
        empty=args.empty,
        joiner=None if args.joiner is None else _unescape_text(args.joiner),
        show=_show_options(args),
    )
    unrolled = unroll_text(text, file, options, map_with_progress)
    if args.format != "html" or not unrolled.transcripts:
        return unrolled
    show = replace(options.show, figure=_draw_spec(spec_input, unrolled.transcripts[0].spec))
    return replace(unrolled, options=replace(options, show=show))


def refusal_of(unrolled: Unrolled) -> str:
    """Explain why there are no messages, in options of the command line; empty if there may be some."""
    return unrolled.refusal.write_sentence(option_words) if unrolled.refusal is not None else ""


def _unescape_text(text: str) -> str:
    """Replace the escapes that a person types for a line end or a tab."""
    return text.replace(r"\n", "\n").replace(r"\t", "\t")


def _show_options(args: argparse.Namespace) -> TranscriptOptions:
    """Build all options except the figure, so that errors are reported before any evaluation."""
    from acdl_mkdocs.prompts.tokens.counter import counter  # loads vocabularies

    is_counted = args.format not in EXPORTS and args.tokens != "none"
    return TranscriptOptions(
        counter=counter(args.tokens) if is_counted else None, model=args.model, is_command=args.curl
    )


def _draw_spec(spec_input: Input, spec: str) -> str:
    """The picture of the spec, to be shown beside its messages."""
    from acdl_mkdocs.app.render import render

    examined = spec_input.examine_names()
    return str(render(examined.resolved, view=replace(examined.view, spec=spec)))


def print_problems(findings: Sequence[Finding], args: argparse.Namespace) -> None:
    """Print problems on standard error in terminal format."""
    if findings:
        from acdl_mkdocs.foundation.reports.options import ReportOptions
        from acdl_mkdocs.foundation.reports.terminal import report

        color = ReportOptions(color=should_color(args.color, sys.stderr))
        for each in findings:
            print(report([each.diagnostic], each.source, color), file=sys.stderr)
