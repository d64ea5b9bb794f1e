"""The public functions for text or paths, and `Spec`, which a notebook shows."""

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, overload

from acdl_mkdocs.app.format import format as format_text
from acdl_mkdocs.app.render import render as render_resolved
from acdl_mkdocs.drawing.figure.describe import View
from acdl_mkdocs.drawing.formats import PictureFormat, TextFormat
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.errors import EvaluationError, PathAsTextError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import Analysis, check_analysis, parse_and_resolve
from acdl_mkdocs.language.syntax.parse import Parsed
from acdl_mkdocs.language.syntax.parse import parse as parse_source

if TYPE_CHECKING:
    from acdl_mkdocs.app.understood import ResolvedText
    from acdl_mkdocs.compare.sent.sent import SentDifference
    from acdl_mkdocs.compare.structure.edits import Difference
    from acdl_mkdocs.evaluation.explain.model import Explanation
    from acdl_mkdocs.evaluation.state.read import StateFile
    from acdl_mkdocs.evaluation.state.sample_state import EmptyMode, MissingMode, State
    from acdl_mkdocs.evaluation.transcript import Finding, SentMessage, Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem(Diagnostic):
    """A diagnostic with its text: `str()` gives `file:line:column: severity[rule]: message`."""

    source: Source
    """The text with the problem; the spans of the labels refer to it."""

    @property
    def line(self) -> int:
        """The line of the file, from 1."""
        return self.source.find_place(self.label.span.start).line

    @property
    def column(self) -> int:
        """The column of the line, from 1, in code points."""
        return self.source.find_place(self.label.span.start).column

    def __str__(self) -> str:
        """Return the line that build logs show."""
        from acdl_mkdocs.foundation.reports.log_line import format_log_line  # most callers never print it

        return format_log_line(self, self.source)


def make_problem(diagnostic: Diagnostic, source: Source) -> Problem:
    """Add the text to a diagnostic."""
    values = {field.name: getattr(diagnostic, field.name) for field in dataclasses.fields(Diagnostic)}
    return Problem(**values, source=source)


@dataclasses.dataclass(frozen=True)
class Spec(Parsed):
    """ACDL text, parsed once. A notebook shows its figure, with the problems below it."""

    config: Config = dataclasses.field(default_factory=lambda: Config(snippet=True))
    """How the text is read and checked."""

    @cached_property
    def understood(self) -> Analysis:
        """The tree and the names, without the rules."""
        return parse_and_resolve(self.source, parsed=self)

    @cached_property
    def analysis(self) -> Analysis:
        """The tree, the names and all diagnostics."""
        return check_analysis(self.understood, self.config)

    def check(self) -> tuple[Problem, ...]:
        """Return all problems of the text, in source order."""
        return tuple(self.problem_of(each, self.source) for each in self.analysis.diagnostics)

    def problem_of(self, diagnostic: Diagnostic, source: Source) -> Problem:
        """Add the text to a diagnostic of this spec, or of a state for it.

        Parameters:
            diagnostic: The diagnostic.
            source: The text that it is about: this spec, a fragment or a state.
        """
        return make_problem(diagnostic, source)

    def messages(
        self, state: "str | PathLike[str] | Mapping[str, object] | State | None" = None, at: str | None = None
    ) -> "tuple[SentMessage, ...]":
        """Return the messages that are sent at a point in time, in order.

        Parameters:
            state: Values for names, as for `acdl_mkdocs.evaluate`. Without it, the file `NAME.state.yaml` beside the
                spec; without that, names replace unknown values.
            at: The point, such as `"3"` or `"3.2"`; by default the one that the state names, else the first turn.

        Raises:
            OSError: A file cannot be read.
            PointError: `at` is not a point in time.
            EvaluationError: The spec or the state has errors, or the state lacks a value; the message lists them.
        """
        beside = Path(self.source.name).with_suffix(".state.yaml")
        if state is None and self.source.name.endswith(".acdl") and beside.exists():
            state = beside
        transcript = evaluate(self, state, at, missing="placeholder" if state is None else None)
        if transcript.errors:
            raise EvaluationError("\n".join(str(each.diagnostic) for each in transcript.errors))
        return transcript.messages

    def diff(self, other: "Text") -> "Difference":
        """Return the difference from this spec to another one; see `acdl_mkdocs.diff`.

        Parameters:
            other: The text itself, a path object, the name of an `.acdl` file, or a spec.
        """
        from acdl_mkdocs.compare.choose_specs import diff_specs  # most callers only draw or check

        new = other if isinstance(other, Spec) else read_spec(other, self.config)
        return diff_specs(self, new, None, None, (self.config.range, new.config.range))

    def format(self) -> str:
        """Return the text in its normal form; the file is not written."""
        return format_text(self.analysis, None, self.config.range).text

    def render(
        self, format: str = "svg", *, view: View | None = None, options: OutputOptions | None = None
    ) -> str | bytes:
        """Return the figure; see `acdl_mkdocs.render` for the formats and errors.

        Parameters:
            format: `svg`, `text`, `html` or `json`; `png` or `pdf` give bytes.
            view: The part of the text to show.
            options: Options of the output.
        """
        return render_resolved(self.understood.resolved, format, view, options)

    def __str__(self) -> str:
        """Return the text itself."""
        return self.source.text

    def __repr__(self) -> str:
        names = ", ".join(self.analysis.resolved.definitions) or "no definition"
        return f"<Spec {self.source.name}: {names}>"

    def _repr_svg_(self) -> str:
        return str(self.render())

    def _repr_html_(self) -> str:
        from acdl_mkdocs.foundation.reports import REPORTS

        return self._repr_svg_() + REPORTS["html"](self.analysis.diagnostics, self.source, None)


Text: TypeAlias = str | PathLike[str] | Spec
"""ACDL as the public functions accept it: text, a path object, the name of an `.acdl` file, or a spec."""


def read_spec(text: "Text", config: Config | None = None) -> Spec:
    """Parse ACDL text, or the file at a path.

    Parameters:
        text: The text itself, a path object, or the name of an `.acdl` file.
        config: How the text is read and checked; by default, a text without a title is allowed.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
        PathAsTextError: The text is the name of another file.
    """
    if isinstance(text, Spec):
        return text if config is None else replace(text, config=config)
    parsed = parse_source(read_source(text))
    return Spec(parsed.source, parsed.file, parsed.diagnostics, config or Config(snippet=True))


def read_source(text: str | PathLike[str]) -> Source:
    """Return the text of a file, or text itself: one line that ends in `.acdl` is the name of a file.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
        PathAsTextError: The text is the name of another file.
    """
    if isinstance(text, str) and ("\n" in text or not text.endswith(".acdl")):
        if _is_file_name(text):
            raise PathAsTextError(
                f"`{text}` is the name of a file, not ACDL text; pass `Path({text!r})` to read an ACDL file, "
                f"and give the text of a Markdown block itself"
            )
        return Source(text)
    path = Path(text)
    return Source(path.read_text("utf-8-sig"), str(path))  # without a byte order mark, as on the command line


def _is_file_name(text: str) -> bool:
    """Return whether a text is the name of an existing file, or of a Markdown page."""
    if "\n" in text or not text.strip() or "{" in text:
        return False
    try:
        return text.lower().endswith((".md", ".markdown")) or os.path.isfile(text)
    except ValueError:
        return False


def spec(text: Text, config: Config | None = None) -> Spec:
    """Return a spec to check, draw, evaluate and compare; a notebook shows its figure.

    Parameters:
        text: The text itself, a path object, or the name of an `.acdl` file.
        config: How the text is read and checked; without it, a text without a title is fine.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
        PathAsTextError: The text is the name of another file.
    """
    return read_spec(text, config)


def parse(text: Text) -> Spec:
    """Parse ACDL text, or a file. Syntax problems are in `Spec.diagnostics`, all problems in `Spec.check()`.

    Parameters:
        text: The text itself, a path object, or the name of an `.acdl` file.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
        PathAsTextError: The text is the name of another file.
    """
    return read_spec(text)


def check(text: Text, config: Config | None = None) -> tuple[Problem, ...]:
    """Return all problems of ACDL text or of a file, in source order.

    `str()` of a problem is the line that build logs show: `rag.acdl:3:8: error[undefined-name]: ...`.

    Parameters:
        text: The text itself, a path object, the name of an `.acdl` file, or a spec.
        config: How the text is read, and the levels of rules. By default those of the spec; for other text, a missing
            title is an error.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
        PathAsTextError: The text is the name of another file.
    """
    if config is None and not isinstance(text, Spec):
        config = Config()
    return read_spec(text, config).check()


def format(  # noqa: A001  # the word that users know it by
    text: Text, *, lines: tuple[int, int] | None = None, range: RangeMode = "half-open"
) -> str:
    """Return ACDL text, or that of the file at a path, in its normal form; the file is not written.

    A definition that contains an error is returned unchanged: `check` reports the errors. Text without a title is read
    as a piece of a spec.

    Parameters:
        text: The text itself, or a path object.
        lines: First and last line to format, counted from 1: the smallest group of whole statements that holds them.
        range: How `range(a, b)` is read unless the text sets it. With `inclusive`, a loop over `a ... b` becomes
            one over `range(a, b)`.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
        PathAsTextError: The text is the name of another file.
    """
    return format_text(read_spec(text, Config(range=range, snippet=True)).analysis, lines, range).text


@overload
def render(
    text: Text,
    format: PictureFormat,
    *,
    view: View | None = None,
    options: OutputOptions | None = None,
) -> bytes: ...


@overload
def render(
    text: Text,
    format: TextFormat = "svg",
    *,
    view: View | None = None,
    options: OutputOptions | None = None,
) -> str: ...


@overload
def render(
    text: Text, format: str, *, view: View | None = None, options: OutputOptions | None = None
) -> str | bytes: ...


def render(
    text: Text, format: str = "svg", *, view: View | None = None, options: OutputOptions | None = None
) -> str | bytes:
    """Draw the figure of ACDL text, or of the file at a path; a text without a title is drawn too.

    Parts that are not understood are drawn as written, without a message: use `check` for that.

    Parameters:
        text: The text itself, or a path object.
        format: `svg`, `text`, `html` or `json`, which give text; `png` or `pdf`, which give bytes and need the extra of
            that name.
        view: The part of the text to show.
        options: Options of the output.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
        PathAsTextError: The text is the name of another file.
        UnknownFormatError: There is no such format.
        UnknownSpecError: `view.spec` names no definition of the text.
        MissingExtraError: The packages that the format needs are not installed.
        TooLargeError: A PNG would have more pixels than programs can open.
        UnusableFontError: One of `options.fonts` is not a font.
    """
    with system.pause_collector():
        return read_spec(text).render(format, view=view, options=options)


def evaluate(
    text: Text,
    state: "str | PathLike[str] | Mapping[str, object] | State | None" = None,
    at: str | None = None,
    *,
    spec: str | None = None,
    range: RangeMode | None = None,
    missing: "MissingMode | None" = None,
    empty: "EmptyMode | None" = None,
    joiner: str | None = None,
) -> "Transcript":
    """Return the messages that a spec sends at a point in time, every piece with its sources.

    Problems of the spec, the state, or both together are in `Transcript.findings`; with errors among them the messages
    are not those that would be sent.

    Parameters:
        text: The text with the spec itself, or a path object.
        state: Values, texts and samples: the text of a state file, its name or path, or the same as plain data.
        at: The point, such as `"3"` or `"3.2"`; by default the one that the state names, else the first turn.
        spec: Name of the spec; by default the one that the state names, else the first of the text.
        range: How `range(a, b)` is read; by default as the state or the text sets it.
        missing: How content that the state lacks is handled: as an `error`, by a `placeholder`, or as `empty`.
        empty: Whether messages without content are dropped (`drop`) or sent (`keep`).
        joiner: Separates the pieces of a message; by default a line end.

    Raises:
        OSError: A file cannot be read.
        UnicodeDecodeError: A file is not UTF-8.
        PathAsTextError: A text is the name of another file.
        PointError: `at` is not a point in time.
        UnknownSpecError: The text has no spec of that name.
    """
    from acdl_mkdocs.app.unroll import UnrollOptions, unroll  # most callers only draw or check
    from acdl_mkdocs.evaluation.point import parse_point
    from acdl_mkdocs.evaluation.transcript import Finding

    parsed, file = read_spec(text), None if state is None else state_file_of(state)
    resolved = replace(_resolve_spec(parsed), known_diagnostics=parsed.analysis.diagnostics)
    options = UnrollOptions(
        spec=spec,
        at=(parse_point(at),) if at else None,
        range=range,
        missing=missing or _choose_missing_mode(file),
        empty=empty,
        joiner=joiner,
    )
    unrolled = unroll(resolved, file, options)
    transcripts = unrolled.transcripts or unroll(resolved, None, replace(options, missing="placeholder")).transcripts
    findings = tuple(
        Finding(each.source, parsed.problem_of(each.diagnostic, each.source)) for each in unrolled.findings
    )
    return replace(transcripts[0], findings=findings)


def _resolve_spec(spec: Spec) -> "ResolvedText":
    """Convert a spec for the other functions of `app`."""
    from acdl_mkdocs.app.understood import ResolvedText  # most callers only draw or check

    findings = tuple((each, spec.source) for each in spec.diagnostics)
    return ResolvedText(spec.understood.resolved, spec.config, findings)


def _choose_missing_mode(file: "StateFile | None") -> "MissingMode | None":
    """Return how missing values are handled by default: as the state sets it, else as errors."""
    return "error" if file is None or file.state is None or file.state.options.missing is None else None


def explain(text: Text, spec: str | None = None, range: RangeMode = "half-open") -> "tuple[Explanation, ...]":
    """Explain the specs of a text: their messages, when each is sent, what grows, and the values a state needs.

    For a text with only fragments, these are explained; for one without a title, the text itself. The result depends
    only on the text.

    Parameters:
        text: The text itself, or a path object.
        spec: Name of the one spec or fragment to explain.
        range: How `range(a, b)` is read unless the text sets it.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
        PathAsTextError: The text is the name of another file.
        UnknownSpecError: The text has no definition of that name.
    """
    from acdl_mkdocs.evaluation.explain.explain import explain as explain_resolved  # most callers only draw or check

    return explain_resolved(read_spec(text).understood.resolved, spec, Config(range=range))


def diff(
    old: Text,
    new: Text,
    *,
    spec: str | None = None,
    new_spec: str | None = None,
    range: RangeMode = "half-open",
) -> "Difference":
    """Compare two texts: edits of the tree with their positions on both sides.

    Spacing, redundant parentheses and equivalent spellings do not count. `Difference.is_empty` is true if nothing
    differs, `is_equal_sent` if the messages certainly stay the same. Parts that are not understood are compared as
    text. Text passed directly cannot load files named by `// acdl: use`; if it uses one, the result is never reported
    as equal.

    Parameters:
        old: The text itself, or a path object.
        new: The other text, or its path.
        spec: Name of the one definition of `old` that is compared, with the fragments that it uses.
        new_spec: Name of the one of `new`; by default the one that `spec` has become. Two different names are no
            difference.
        range: How `range(a, b)` is read unless a text sets it.

    Raises:
        OSError: A file cannot be read.
        UnicodeDecodeError: A file is not UTF-8.
        PathAsTextError: A text is the name of another file.
        UnknownSpecError: A text has no definition of that name.
    """
    from acdl_mkdocs.compare.choose_specs import diff_specs  # most callers only draw or check

    return diff_specs(read_spec(old), read_spec(new), spec, new_spec, (range, range))


def diff_sent(
    old: Text,
    new: Text,
    state: "str | PathLike[str] | Mapping[str, object] | State",
    at: str | None = None,
    *,
    new_state: "str | PathLike[str] | Mapping[str, object] | State | None" = None,
    spec: str | None = None,
    new_spec: str | None = None,
    range: RangeMode | None = None,
    tokens: str | None = None,
) -> "SentDifference":
    """Compare the messages of two specs at the points of a state: added, removed, moved or changed, and model tokens.

    Different specs may send the same messages; `SentDifference.is_same` is true if they do at all tested points. A
    point at which either cannot be evaluated has the verdict `failed`, and one that depends on a condition which the
    state does not decide `undecided`; they count as neither.

    Parameters:
        old: The text itself, or a path object.
        new: The other text, or its path.
        state: Values for both, as for `evaluate`.
        at: The points, such as `"3.2"` or `"1..5"`; by default all points of the state.
        new_state: Values for `new`, if it needs others.
        spec: Name of the spec of `old`; by default the one that the state names, else the first.
        new_spec: Name of the spec of `new`; by default the one that `spec` has become.
        range: How `range(a, b)` is read; by default as the state or the text sets it.
        tokens: How model tokens are counted, one of `acdl_mkdocs.prompts.tokens.counter.ENCODINGS`, or `none`; by
            default exactly, if the packages for that are installed.

    Raises:
        OSError: A file cannot be read.
        UnicodeDecodeError: A file is not UTF-8.
        PathAsTextError: A text is the name of another file.
        PointError: `at` is not a point in time, or there are too many.
        UnknownSpecError: A text has no spec of that name.
        UnknownFormatError: There is no such encoding.
        MissingExtraError: The packages that it needs are not installed.
    """
    from acdl_mkdocs.app.compare import Side, SideState, compare_sent  # most callers only draw or check
    from acdl_mkdocs.prompts.tokens.counter import counter

    sides = Side(_resolve_spec(read_spec(old)), spec), Side(_resolve_spec(read_spec(new)), new_spec)
    states = (
        SideState(*_read_given_state(state)),
        None if new_state is None else SideState(*_read_given_state(new_state)),
    )
    return compare_sent(sides, states, at, range, counter=None if tokens == "none" else counter(tokens))


def _read_given_state(
    state: "str | PathLike[str] | Mapping[str, object] | State",
) -> "tuple[State, tuple[Finding, ...]]":
    """Return a state and its problems."""
    from acdl_mkdocs.evaluation.state.sample_state import State
    from acdl_mkdocs.evaluation.transcript import Finding

    file = state_file_of(state)
    return file.state or State(), tuple(Finding(file.source, each) for each in file.problems)


def state_file_of(state: "str | PathLike[str] | Mapping[str, object] | State") -> "StateFile":
    """Read a state: the text of a file, its name or path, plain data, or a state.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
    """
    from acdl_mkdocs.evaluation.state.read import StateFile, read_state, state_of
    from acdl_mkdocs.evaluation.state.sample_state import State

    if isinstance(state, State):
        return StateFile(Source("", state.name), state)
    if isinstance(state, str) and ("\n" in state or not state.endswith((".yaml", ".yml", ".json"))):
        return read_state(state)
    if isinstance(state, Mapping):
        return state_of(state)
    path = Path(state)
    return read_state(path.read_text("utf-8"), str(path), path.parent)
