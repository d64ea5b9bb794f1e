"""Evaluate what `acdl unroll` is asked for, at every point, and say what is wrong with it."""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.formats import EXPORTS, ShowOptions
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.entries import PLACEHOLDER
from acdl_mkdocs.evaluation.state.mismatches import said_unfilled, unread_names
from acdl_mkdocs.evaluation.state.read import StateFile
from acdl_mkdocs.evaluation.state.sample_state import MissingMode, State
from acdl_mkdocs.evaluation.transcript import Finding, Piece, Transcript
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import visible
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.foundation.yaml.read import RULE as STATE_RULE
from acdl_mkdocs.frontends.cli.messages import progress, use_color
from acdl_mkdocs.frontends.cli.spec_and_state import chosen_input, inputs_of, named_spec, state_file_of
from acdl_mkdocs.language.analyse import diagnose
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.workspace.read_block import Examined, defined_names
from acdl_mkdocs.workspace.rejected import explain_rejected

_PATH = re.compile(r"`((?:agents|args|env|functions|resp|steps|sys|templates)\.[^`\s]+)`")
_MOST_NAMES = 5


def with_state_place(finding: Finding, state: State | None) -> Finding:
    """A finding that says where in the state file its cure belongs: at the nearest place that is there."""
    if state is None or not state.places:
        return finding
    places = [_place(found[1], state) for cure in finding.diagnostic.help for found in _PATH.finditer(cure)]
    new = tuple(dict.fromkeys(filter(None, places)))
    if not new:
        return finding
    return replace(finding, diagnostic=replace(finding.diagnostic, help=(*finding.diagnostic.help, *new)))


def _place(path: str, state: State) -> str:
    while path and path not in state.places:
        path = path.rpartition(".")[0]
    return f"`{path}` is at {state.place_of(path)}" if path else ""


def needs_state(transcripts: Sequence[Transcript]) -> bool:
    """Whether names stand in what is sent, or a condition is open, because nobody says what is there."""
    is_named = any(piece.status != "given" for transcript in transcripts for piece in transcript.pieces)
    return is_named or any(transcript.choices for transcript in transcripts)


def still_unfilled(transcripts: Sequence[Transcript], file: StateFile | None) -> str:
    """Which values that are sent are still the placeholder of a first state; empty if none is."""
    if file is None or not file.unfilled:
        return ""
    above: dict[str, str] = {}
    for path in file.unfilled:
        parts = path.split(".")
        above |= {".".join(parts[:size]): path for size in range(len(parts), 0, -1)}
    found: set[str] = set()
    for piece in (each for transcript in transcripts for each in transcript.pieces):
        path = piece.state_path or f"templates.{_name(piece)}"
        if path in above:
            found.add(above[path])
        elif not piece.state_path and piece.kind not in ("literal", "number") and _is_mixed(piece, file.state):
            found.add(piece.expression)
    return f"{said_unfilled(list(found))}: {_listed(found)}" if found else ""


def _is_mixed(piece: Piece, state: State | None) -> bool:
    """Whether a piece that is made of several values has a placeholder in it that is none of its template's words."""
    template = state.templates.get(_name(piece)) if state is not None else None
    own = template.text.count(PLACEHOLDER) if template is not None else 0
    return piece.status == "given" and piece.text.count(PLACEHOLDER) > own


def _name(piece: Piece) -> str:
    return re.split(r"[(\[]", piece.resolved)[0]


def stated_problems(
    transcripts: Sequence[Transcript], file: StateFile | None, *, is_sent: bool = False
) -> Iterator[str]:
    """What names and placeholders stand for in what is shown, or sent."""
    if still := still_unfilled(transcripts, file):
        yield still
    templates, functions, values = set[str](), set[str](), set[str]()
    for transcript in transcripts:
        for piece in transcript.pieces:
            name = _name(piece)
            if piece.status == "placeholder" and piece.kind == "function":
                functions.add(name)
            elif piece.status == "placeholder":
                templates.add(name)
            elif piece.status == "missing":
                values.add(piece.resolved)
    if templates:
        yield f"{_said(templates, 'template')} no text{_so(templates, is_sent)}: {_listed(templates)}"
    if functions:
        yield f"{_said(functions, 'function')} no sample{_so(functions, is_sent)}: {_listed(functions)}"
    if values:
        yield f"{counted(len(values), 'value')} {_be(values)} not in the state: {_listed(values)}"


def _said(names: set[str], noun: str) -> str:
    return f"{counted(len(names), noun)} {'has' if len(names) == 1 else 'have'}"


def _so(names: set[str], is_sent: bool) -> str:
    if not is_sent:
        return ""
    return ", so its name is sent" if len(names) == 1 else ", so their names are sent"


def _be(names: set[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _listed(names: set[str]) -> str:
    listed = ", ".join(f"`{visible(name)}`" for name in sorted(names)[:_MOST_NAMES])
    return listed if len(names) <= _MOST_NAMES else f"{listed} and {len(names) - _MOST_NAMES} more"


_LACKING = ("missing-value", "undecided-condition")
_LEFT_OUT = ("no-message", "missing-value", "undecided-condition")
"""Notes about what a request does not say."""


@dataclass(frozen=True, slots=True)
class Unrolled:
    """What became of a spec and a state."""

    transcripts: tuple[Transcript, ...]
    findings: tuple[Finding, ...]
    """What is wrong with the spec, with the state, and with both together."""
    options: ShowOptions
    state_file: StateFile | None = None
    refused: str = ""
    """Why this must not be sent, although nothing is wrong with it."""

    @property
    def has_errors(self) -> bool:
        """Whether what is shown is not what would be sent."""
        return any(each.diagnostic.severity == "error" for each in self.findings)

    @property
    def cure(self) -> str:
        """What can be done about errors of something that is to be sent."""
        is_lacking = any(each.diagnostic.rule in _LACKING for each in self.findings)
        return "solve the errors first" + (", or send names with `--missing placeholder`" if is_lacking else "")


def wrong_combination(args: argparse.Namespace) -> str:
    """Options that mean nothing together; empty if there are none."""
    requests = ", ".join(PROVIDERS)
    if args.curl and args.format not in PROVIDERS:
        return f"--curl sends a request: choose which with --format, one of {requests}"
    if args.model and args.format not in PROVIDERS:
        return f"--model is part of a request: choose which with --format, one of {requests}"
    if args.path == "-" and args.state == "-":
        return "standard input cannot be both the spec and the state"
    return ""


def unroll(args: argparse.Namespace) -> Unrolled:
    """Evaluate a spec at all wanted points.

    Raises:
        AcdlError: The spec, its state or the point is not there.
    """
    path, name = named_spec(args)
    inputs = inputs_of(path)
    names = [each for given in inputs for each in defined_names(given.text.source.text)]
    file = state_file_of(args.state, path, names, name)
    state = file.state if file is not None else None
    name = name or (state.spec if state is not None else None)
    given = chosen_input(inputs, name, path)
    examined = given.understood()
    found = [Finding(source, each) for each, source in given.all_findings(examined)]
    options = _show_options(args, state)
    if file is not None:
        found += [Finding(file.source, each) for each in file.problems]
        if state is None:
            return Unrolled((), tuple(found), options)
        unread = unread_names(examined.resolved, state, file.source)
        found += [Finding(file.source, each) for each in unread if each.severity != "note"]
    points = parse_points(args.at or (state.at if state is not None else None) or "1", state or State())
    config = Config(range=given.text.options.range)
    how = Options(
        spec=name,
        range=args.range,
        missing=_missing(args, state),
        empty=args.empty,
        joiner=None if args.joiner is None else _unescaped(args.joiner),
    )
    transcripts = tuple(progress(points, lambda point: evaluate(examined.resolved, state, point, how, config)))
    sent = [(each.diagnostic, each.source) for each in (with_state_place(each, state) for each in _once(transcripts))]
    checked = diagnose(examined.resolved, replace(given.config, range=given.text.options.range))
    explained = explain_rejected(sent, checked, examined.resolved, transcripts[0].spec)
    found += [each for each in (Finding(source, said) for said, source in explained) if each not in found]
    if args.format == "html":
        options = replace(options, figure=_figure(examined, transcripts[0].spec))
    refused = ""
    if file is None and args.missing is None and needs_state(transcripts):
        refused = "there is no state; name one with `--state FILE`, or send names with `--missing placeholder`"
    elif how.missing != "placeholder" and (still := still_unfilled(transcripts, file)):
        refused = f"{still}; fill in what the agent sees, or send it as it is with `--missing placeholder`"
    return Unrolled(transcripts, tuple(found), options, file, refused)


def _missing(args: argparse.Namespace, state: State | None) -> MissingMode | None:
    """What becomes of what the state lacks: names stand for it where a person looks, and nobody sends it."""
    wanted: MissingMode | None = args.missing
    if wanted or (state is not None and state.options.missing):
        return wanted
    return "error" if state is not None and args.format in EXPORTS else "placeholder"


def _unescaped(text: str) -> str:
    """What a person types for a line end or a tab."""
    return text.replace(r"\n", "\n").replace(r"\t", "\t")


def _show_options(args: argparse.Namespace, state: State | None) -> ShowOptions:
    """Everything but the figure, so that what cannot be had is said before anything is worked out."""
    from acdl_mkdocs.prompts.tokens.counter import counter  # loads vocabularies

    is_counted = args.format not in EXPORTS and args.tokens != "none"
    return ShowOptions(
        counter=counter(args.tokens) if is_counted else None,
        model=args.model,
        is_command=args.curl,
        place_of=state.place_of if state is not None else None,
    )


def _figure(examined: Examined, spec: str) -> str:
    """The picture of the spec, to be shown beside its messages."""
    from acdl_mkdocs.drawing.figure.describe import describe
    from acdl_mkdocs.drawing.formats import OUTPUTS
    from acdl_mkdocs.drawing.formats.options import OutputOptions

    return OUTPUTS["svg"](describe(examined.resolved, replace(examined.view, spec=spec)), OutputOptions())


def _once(transcripts: Iterable[Transcript]) -> list[Finding]:
    """What was found at any point, each once."""
    found: dict[tuple[object, ...], Finding] = {}
    for transcript in transcripts:
        for each in transcript.findings:
            said = each.diagnostic
            message = said.message if said.severity == "error" else ""
            found.setdefault((each.source.name, said.rule, said.label.span, message), each)
    return list(found.values())


def print_problems(findings: Sequence[Finding], args: argparse.Namespace) -> None:
    """Print errors, warnings and notes about the state; for a request also the notes about what is left out of it."""
    said = (STATE_RULE, *(_LEFT_OUT if args.format in EXPORTS else ()))
    shown = [each for each in findings if each.diagnostic.severity != "note" or each.diagnostic.rule in said]
    if shown:
        from acdl_mkdocs.foundation.reports.options import ReportOptions
        from acdl_mkdocs.foundation.reports.terminal import report

        color = ReportOptions(color=use_color(args.color, sys.stderr))
        for each in shown:
            print(report([each.diagnostic], each.source, color), file=sys.stderr)
