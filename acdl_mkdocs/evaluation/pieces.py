"""One piece of a message: its words or its part, its origin, and whether the state has its value."""

from collections.abc import Mapping, Sequence
from functools import partial

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.context import EvaluationContext
from acdl_mkdocs.evaluation.expressions import Expressions
from acdl_mkdocs.evaluation.machine import OpenMessage
from acdl_mkdocs.evaluation.reading import ReadValue
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.times import is_all
from acdl_mkdocs.evaluation.transcript import Kind, Piece, Status
from acdl_mkdocs.evaluation.values import (
    Special,
    Time,
    Unknown,
    Value,
    drop_fields,
    drop_missing,
    find_unknowns,
    flatten_lists,
    format_value,
    is_nothing,
    quote_value,
)
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.nodes import (
    Call,
    Comment,
    Content,
    ContextVar,
    Expression,
    MessageNumber,
    NameRef,
    Node,
    Number,
    String,
    Symbol,
    Template,
)
from acdl_mkdocs.prompts import prompt

_KINDS: Mapping[type[Node], Kind] = {
    Template: "template",
    ContextVar: "variable",
    Call: "function",
    NameRef: "name",
    Symbol: "loop-variable",
    String: "literal",
    Number: "number",
    MessageNumber: "number",
}
_STATUS: Mapping[str, Status] = {
    "template": "placeholder",
    "function": "placeholder",
    "missing": "missing",
    "error": "error",
}
_WORST: Sequence[Status] = ("error", "missing", "placeholder", "given")


class Pieces:
    """Makes the pieces of one transcript."""

    def __init__(self, context: EvaluationContext, expressions: Expressions) -> None:
        self.context = context
        self.expressions = expressions
        self.findings = context.findings
        self.n_calls: dict[str, int] = {}
        self.ids: dict[int, str] = {}
        self.depth = 0

    def add_content(self, content: Content, node: Expression, here: Here, message: OpenMessage) -> None:
        """Add content to a message: usually one piece; none, or several for `[@T.*]`.

        Parameters:
            content: The content in the tree.
            node: The expression that it means.
            here: The place of the content.
            message: The message.
        """
        before = len(self.findings.required_unknowns)
        self.depth += 1
        reads = self._read_values(node, here)
        around = len(self.findings.required_unknowns)
        for read in reads:
            del self.findings.required_unknowns[around:]
            self.findings.report_missing(here, find_unknowns(read.value))
            self._add_value(content, node, here, message, read, self.findings.required_unknowns[before:])
        self.depth -= 1
        if not self.depth:  # no fragment in an expression
            self.findings.required_unknowns.clear()

    def _read_values(self, node: Expression, here: Here) -> Sequence[ReadValue]:
        """Return the values of content, one by one."""
        if isinstance(node, ContextVar):
            values = self.expressions.read_values(node, here)
            return (values,) if isinstance(values, ReadValue) else values
        value = self.expressions.evaluate_expression(node, here)
        if is_all(node) and isinstance(value, Sequence) and not isinstance(value, str):
            return [ReadValue(each, quote_value(each)) for each in value]
        return (ReadValue(value, ""),)

    def _add_value(
        self,
        content: Content,
        node: Expression,
        here: Here,
        message: OpenMessage,
        read: ReadValue,
        missing: Sequence[Unknown],
    ) -> None:
        """Add one value to a message."""
        value = drop_fields(read.value)
        if isinstance(value, Time) and min(value.parts) < 0:
            self._report_early(node, here)
            return
        text = self.format_text(value, content.comment)
        is_empty = text is None and self.is_content(value, message)
        if text is None and not is_empty:
            return
        expression = self.context.format_expression(content.value)
        piece = Piece(
            kind=_KINDS.get(type(node), "expression"),
            origin=here.locate_span(node.span),
            expression=expression,
            resolved=(value.text if isinstance(value, Unknown) else read.text) or expression,
            text=format_value(value) if text is None else text,
            parts=self.list_parts(value, read.time or here.loop_time, here, node.span),
            status=min((_STATUS[each.kind] for each in missing), key=_WORST.index, default="given"),
            state_path=read.state_path,
            stack=here.stack[len(message.here.stack) :],
        )
        if is_empty:
            if message.empty is None:
                message.empty, message.empty_at = piece, len(message.pieces)
            return
        self.context.budget.take_sent_text(here.source, content.span, len(piece.text))
        message.pieces.append(piece)

    def is_content(self, value: Value, message: OpenMessage) -> bool:
        """Return whether a value without words is content: an empty text in the state, or the answer of a tool."""
        if message.node is None:
            return False
        return value == "" or (message.node.role == "tool" and is_nothing(value))

    def _report_early(self, node: Expression, here: Here) -> None:
        text, meaning = self.context.format_expression(node), "nothing: there is no step or sub-step before the first"
        problem = partial(
            problems.ambiguous_reading, node.span, text, meaning, "send it behind a condition: `If @T > 1`"
        )
        self.findings.report_once(here, "read-as", node.span, problem)

    def format_text(self, value: Value, comment: Comment | None) -> str | None:
        """Return a value as sent words; `None` if there is nothing to send, or it is missing and left out."""
        if not isinstance(value, Unknown):
            available = drop_missing(value) if self.findings.missing == "empty" else value
            return None if is_nothing(available) else format_value(available)
        if self.findings.missing == "empty" and value.kind == "missing":
            return None
        if comment is None or value.kind == "error":
            return value.placeholder
        return Unknown(value.kind, f"{value.text}: {comment.text}").placeholder

    def list_parts(self, value: Value, time: Time | None, here: Here, span: Span) -> tuple[prompt.Part, ...]:
        """Return the parts of a value: calls, results, images and thoughts, also in lists, with texts between them."""
        if isinstance(value, (str, int, Unknown)):
            return ()
        values = list(flatten_lists(value))
        for each in values:
            if isinstance(each, Mapping):
                self.findings.report_flattened(here, span, each)
        if not any(isinstance(each, Special) for each in values):
            return ()
        parts: list[prompt.Part] = []
        for each in values:
            if isinstance(each, Special):
                parts.append(self.name_call(each, time, here.substep))
            elif text := self.format_text(each, None):
                parts.append(prompt.Text(text))
        return tuple(parts)

    def name_call(self, part: Special, time: Time | None, substep: int | None) -> prompt.Part:
        """Give a call without an id one from its turn and step, so that it is the same in every later prompt."""
        if not isinstance(part, prompt.Call) or part.id:
            return part
        if id(part) not in self.ids:
            at = time or self.context.at
            step = f"{at.get_part(0)}_{at.get_part(1) or substep or 0}"
            self.n_calls[step] = self.n_calls.get(step, 0) + 1
            self.ids[id(part)] = f"call_{step}_{self.n_calls[step]}"
        return prompt.Call(part.tool, part.args, self.ids[id(part)], part.args_raw, part.signature)
