"""Results of functions: `max` and `min` are built in, for others the state has samples."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property, cmp_to_key, partial

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.calculate import IncomparableError, compare_order, to_number
from acdl_mkdocs.evaluation.context import EvaluationContext
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.state.sample_state import Sample, TemplateText
from acdl_mkdocs.evaluation.values import (
    Time,
    Unknown,
    Value,
    describe_kind,
    drop_fields,
    find_unknowns,
    format_value,
    quote_value,
    to_json,
    to_time,
)
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.nodes import Template

BUILT_IN = ("max", "min")
"""`range` is a construct of the language."""
_ANY = "*"


class Functions:
    """The samples of a state."""

    def __init__(self, samples: Mapping[str, tuple[Sample, ...]]) -> None:
        self.samples = samples

    @cached_property
    def by_arguments(self) -> dict[tuple[str, str], Value]:
        """The samples that give all arguments."""
        values: dict[tuple[str, str], Value] = {}
        for name, samples in self.samples.items():
            for sample in samples:
                if sample.args is not None:
                    values.setdefault((name, hash_arguments(sample.args)), sample.returns)
        return values

    def call_function(self, names: Sequence[str], args: Sequence[Value], arguments: str, span: Span) -> Value:
        """Return the result of a function for arguments; `Unknown` without a sample for them.

        Parameters:
            names: Names of the function; the first name that the state has is used.
            args: The values of the arguments.
            arguments: Their fingerprint.
            span: The call.
        """
        name = next((each for each in names if each in self.samples), names[0])
        if name in BUILT_IN and name not in self.samples:
            return find_extreme(name, args, span)
        if (name, arguments) in self.by_arguments:
            return self.by_arguments[name, arguments]
        for sample in self.samples.get(name, ()):
            if sample.args is None or _matches_pattern(sample.args, args):
                return sample.returns
        text = format_call(name, args)

        def problem() -> Diagnostic:
            missing = next((each for value in args for each in find_unknowns(value)), None)
            if missing is not None:
                return problems.no_text(
                    span, text, f"give its argument first, `{missing.text}`: {_suggest_help(missing)}"
                )
            listed = quote_value(json.dumps([to_json(each) for each in args], ensure_ascii=False))
            where = f"give a sample in the state file: `functions: {{{name}: [{{args: {listed}, returns: …}}]}}`"
            return problems.no_text(span, text, where)

        return Unknown("function", text, problem)


def _suggest_help(unknown: Unknown) -> str:
    diagnostic = unknown.problem() if unknown.problem is not None else None
    return "; ".join(diagnostic.help) if diagnostic is not None and diagnostic.help else "the state has nothing for it"


def find_extreme(name: str, args: Sequence[Value], span: Span) -> Value:
    """Return `max` or `min` of numbers and times, or of one list of them."""
    if len(args) == 1:
        argument = drop_fields(args[0])
        args = argument if isinstance(argument, Sequence) and not isinstance(argument, str) else args
    unknown = next((each for value in args for each in find_unknowns(value)), None)
    if unknown is not None:
        return unknown
    values = [drop_fields(each) for each in args]
    wrong = next((each for each in values if to_number(each) is None and not isinstance(each, Time)), None)
    is_wrong = any(to_number(each) is None and not isinstance(each, Time) for each in values)
    what = f"`{quote_value(wrong)}` is {describe_kind(wrong)}" if values else "it is given none"
    message = f"`{name}` needs numbers or times, and {what}"
    if values and not is_wrong:
        try:
            best = (max if name == "max" else min)(values, key=cmp_to_key(compare_order))
        except IncomparableError as why:  # steps of which turn?
            message = f"`{name}` cannot choose: {why}"
        else:
            return to_time(best) if any(isinstance(each, Time) for each in values) else best
    return Unknown("error", format_call(name, args), partial(problems.not_computable, span, message))


def format_call(name: str, args: Sequence[Value]) -> str:
    """Format a call with the values of its arguments."""
    return f"{name}({', '.join(map(format_argument, args))})"


def hash_arguments(args: Sequence[Value]) -> str:
    """Return a text that is equal for equal arguments."""
    return json.dumps([to_json(each) for each in args], ensure_ascii=False, sort_keys=True)


def format_argument(value: Value) -> str:
    """Format an argument of a call: text in quotes, long values shortened."""
    plain = drop_fields(value)
    if isinstance(plain, Unknown):
        return plain.text
    if isinstance(plain, Time):
        return f"@{plain}"
    return quote_value(json.dumps(to_json(plain), ensure_ascii=False))


def _matches_pattern(pattern: Sequence[Value], args: Sequence[Value]) -> bool:
    if len(pattern) != len(args):
        return False
    return all(
        one == _ANY or hash_arguments([one]) == hash_arguments([other])
        for one, other in zip(pattern, args, strict=True)
    )


SLOT = re.compile(r"\{\{\s*([^\s{}]+)\s*\}\}")
"""The slot of an argument: `{{role}}`."""


class Templates:
    """The texts of a state."""

    def __init__(self, texts: Mapping[str, TemplateText], context: EvaluationContext) -> None:
        self.texts = texts
        self.context = context
        self.slots: dict[str, list[str]] = {}

    def fill_template(self, node: Template, args: Sequence[Value], here: Here) -> Value:
        """Return the text of a template with its slots filled; inserted text is not filled again."""
        template = self.texts.get(node.name)
        if template is None:
            text = format_call(node.name, args) if args else node.name
            where = f"give its text in the state file: `templates: {{{node.name}: {{text: …}}}}`"
            return Unknown("template", text, partial(problems.no_text, node.span, text, where))
        slots = self._find_slots(node.name, template)
        if not slots and not args and not template.params:
            return template.text
        self.context.findings.report_flattened(here, node.span, args)
        names = template.params if template.params is not None else tuple(dict.fromkeys(slots))
        if len(names) != len(args):
            unfilled = partial(_make_unfilled_problem, node, names, len(args))
            self.context.findings.report_once(here, "unfilled-template", node.span, unfilled)
        fillings = {name: self._format_filling(value) for name, value in zip(names, args, strict=False)}
        length = len(template.text) + sum(len(fillings.get(name, "")) for name in slots)
        self.context.budget.take_built_text(here.source, node.span, length)
        return SLOT.sub(lambda slot: fillings.get(slot[1], slot[0]), template.text)

    def _format_filling(self, value: Value) -> str:
        """Return the text for an argument; empty for a missing one that may be left out."""
        is_left_out = (
            self.context.findings.missing == "empty" and isinstance(value, Unknown) and value.kind == "missing"
        )
        return "" if is_left_out else format_value(value)

    def _find_slots(self, name: str, template: TemplateText) -> list[str]:
        if name not in self.slots:
            self.slots[name] = SLOT.findall(template.text)
        return self.slots[name]


def _make_unfilled_problem(node: Template, names: Sequence[str], n_args: int) -> Diagnostic:
    counted = "no argument" if n_args == 0 else "1 argument" if n_args == 1 else f"{n_args} arguments"
    if n_args < len(names):
        left = ", ".join(f"`{{{{{name}}}}}`" for name in names[n_args:])
        message = f"`{node.name}` is given {counted}, so {left} stays as it is"
    else:
        message = f"`{node.name}` is given {counted}, and its text has a place for {len(names)}"
    listed = ", ".join((*names, "…") if n_args > len(names) else names)
    cure = f"name what it takes in the state file: `templates: {{{node.name}: {{params: [{listed}], text: …}}}}`"
    return problems.unfilled_template(node.span, message, cure)
