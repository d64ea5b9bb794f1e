"""Evaluation of a spec: the messages that it sends at one point in time, with a sample state.

The rules are those of `site_src/reference/evaluation.md`. Knows nothing about files or about formats of transcripts.
"""

from collections.abc import Mapping
from dataclasses import field
from functools import partial

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.context import Budget, EvaluationContext, LimitError, Limits
from acdl_mkdocs.evaluation.machine import Block
from acdl_mkdocs.evaluation.point import parse_point, parse_points
from acdl_mkdocs.evaluation.problems import Findings
from acdl_mkdocs.evaluation.scope import Here, PromptTime, Scope
from acdl_mkdocs.evaluation.state.sample_state import EmptyMode, MissingMode, State
from acdl_mkdocs.evaluation.statements import Statements
from acdl_mkdocs.evaluation.transcript import Finding, Transcript
from acdl_mkdocs.evaluation.values import Time, Unknown, Value
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.errors import UnknownSpecError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.names.answers import find_answer_source
from acdl_mkdocs.language.names.resolve import Resolved, binding_part
from acdl_mkdocs.language.names.times import range_mode
from acdl_mkdocs.language.syntax.nodes import Field, Prompt, Symbol, TimeIndex

_LEVELS = ("T", "I")
"""Names of the parts of a point that a title does not name."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of an evaluation; `None` means the setting of the state or the text."""

    spec: str | None = None
    """Name of the spec; without it the one that the state names, else the first of the text."""
    range: RangeMode | None = None
    missing: MissingMode | None = None
    """How to treat content that is missing in the state; `error` unless the state says otherwise."""
    empty: EmptyMode | None = None
    """How to treat a message without any piece."""
    joiner: str | None = None
    """The text between the pieces of a message."""
    limits: Limits = field(default_factory=Limits)


def evaluate(
    resolved: Resolved,
    state: State | None = None,
    at: Time | str | None = None,
    options: Options | None = None,
    config: Config | None = None,
) -> Transcript:
    """Evaluate a spec at one point in time; never raises because of the content of the spec or the state.

    Parameters:
        resolved: The text with the spec, with resolved names.
        state: Values, texts and samples; empty by default.
        at: The point, `@3.2` as `"3.2"`; by default the first one that the state names, else the first turn.
        options: Options of the evaluation.
        config: How to read ranges if neither options, state nor text specify it.

    Raises:
        PointError: `at` is not a point in time.
        UnknownSpecError: The text has no spec of that name, or no spec.
    """
    state, options = state or State(), options or Options()
    prompt = find_spec(resolved, options.spec or state.spec)
    missing: MissingMode = options.missing or state.options.missing or "error"
    context = EvaluationContext(
        state=state,
        now=PromptTime(
            find_time_names(prompt, state.args),
            parse_points(state.at or "1", state)[0] if at is None else parse_point(str(at)),
        ),
        range_mode=options.range or state.range or range_mode(resolved, config or Config()),
        budget=Budget(options.limits),
        findings=Findings(missing),
        is_range_given=bool(options.range or state.range),
        find_answer_source=lambda answer: find_answer_source(answer, resolved),
    )
    joiner = state.options.joiner if options.joiner is None else options.joiner
    return _build_transcript(
        Statements(context, resolved, options.empty or state.options.empty, joiner), resolved, prompt
    )


def find_spec(resolved: Resolved, name: str | None) -> Prompt | None:
    """Return the spec of that name, or the first of the text; `None` for a text without a title.

    Raises:
        UnknownSpecError: There is no spec of that name, or the text has only fragments.
    """
    file = resolved.parsed.file
    prompts = [item for item in file.items if isinstance(item, Prompt)]
    if name is None and (prompts or file.is_snippet):
        return prompts[0] if prompts else None
    spec = next((item for item in prompts if item.name.name == name), None)
    if spec is None:
        near = find_closest(name or "", [item.name.name for item in prompts])
        names = ", ".join(f"`{item.name.name}`" for item in prompts)
        hint = f"did you mean `{near}`?" if near else f"there are {names}" if names else "write one: `Chat[@T]: { … }`"
        raise UnknownSpecError(f"{resolved.source.name} has no spec{f' `{name}`' if name else ''}; {hint}")
    return spec


def _build_transcript(run: Statements, resolved: Resolved, prompt: Prompt | None) -> Transcript:
    """Run the statements and return the transcript."""
    context, machine = run.context, run.machine
    node = prompt or resolved.parsed.file
    here = Here(resolved.source, Scope(variables=read_parameter_values(prompt, context)), context.now)
    try:
        with system.pause_collector():
            machine.run_blocks(Block(prompt.body if prompt is not None else resolved.parsed.file.items, here, node))
    except LimitError as why:
        _report_stop(context, here, Finding(why.source, problems.evaluation_limit(why.span, why.message, why.cure)))
    except RecursionError:
        message, cure = "expressions and fragments are nested too deep", "give parts of the expression a `Name`"
        _report_stop(context, here, Finding(resolved.source, problems.evaluation_limit(node.span, message, cure)))
    return Transcript(
        spec=prompt.name.name if prompt is not None else "",
        source=resolved.source,
        at=context.at,
        range=context.range_mode,
        messages=tuple(machine.messages),
        findings=tuple(context.findings.found.values()),
        choices=context.findings.choices,
        ended=machine.ended,
        counts=machine.counts,
        tools=context.state.tools,
        memory=context.state.memory,
    )


def _report_stop(context: EvaluationContext, here: Here, finding: Finding) -> None:
    stopped = Here(finding.source, here.scope, here.now)
    context.findings.report_problem(stopped, finding.diagnostic)


# ---------------------------------------------------------------------------------------------------------- the title


def find_time_names(prompt: Prompt | None, args: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the names of the parts of the point in the title: `T`, `I` for `[@T.I]` and `[@T, I]`, `t` for `[t]`."""
    parameters = [binding_part(each) for each in prompt.parameters] if prompt is not None else []
    has_time = any(isinstance(each, TimeIndex) for each in parameters)
    names: list[str] = []
    for each in parameters:
        if isinstance(each, TimeIndex):
            below = [part.name for part in each.parts if isinstance(part, Field) and part.name != "*"]
            names.extend(name for name in (each.name, *below) if name and name not in args and not name.isdigit())
        elif isinstance(each, Symbol) and len(each.name) == 1 and each.name not in args:
            is_part = bool(names) and each.name.isupper() if has_time else not names
            names += [each.name] if is_part else []
    named = dict.fromkeys(names)
    return (*named, *(name for name in _LEVELS[len(named) :] if name not in named))


def read_parameter_values(prompt: Prompt | None, context: EvaluationContext) -> dict[str, Value]:
    """Return the values of the parameters of the spec, without those that are parts of the time."""
    values: dict[str, Value] = {}
    for parameter in map(binding_part, prompt.parameters) if prompt is not None else ():
        if not isinstance(parameter, (Symbol, TimeIndex)):
            continue
        name = parameter.name
        if name in context.state.args:
            values[name] = context.state.args[name]
        elif name not in context.now.names:
            where = f"give it in the state file: `args: {{{name}: …}}`"
            near = (name, list(context.state.args))
            problem = partial(problems.missing_value, parameter.span, name, where, near)
            values[name] = Unknown("missing", name, problem)
    return values
