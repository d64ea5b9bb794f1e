"""Execution of each statement of a spec."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import assert_never

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.calculate import are_equal
from acdl_mkdocs.evaluation.context import EvaluationContext, LimitError
from acdl_mkdocs.evaluation.expressions import Expressions
from acdl_mkdocs.evaluation.functions import format_argument
from acdl_mkdocs.evaluation.machine import Block, Machine, OpenMessage, Rounds
from acdl_mkdocs.evaluation.pieces import Pieces
from acdl_mkdocs.evaluation.problems import Findings
from acdl_mkdocs.evaluation.ranges import Elements
from acdl_mkdocs.evaluation.scope import Here, PromptTime, Scope
from acdl_mkdocs.evaluation.state.sample_state import EmptyMode
from acdl_mkdocs.evaluation.times import is_all
from acdl_mkdocs.evaluation.transcript import Round
from acdl_mkdocs.evaluation.values import (
    Absent,
    Special,
    Time,
    Unknown,
    Value,
    drop_fields,
    find_unknowns,
    get_value,
    quote_value,
    to_time,
)
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.names.library import report_recursion
from acdl_mkdocs.language.names.resolve import Resolved, binding_part
from acdl_mkdocs.language.syntax.host_text import is_never_content, is_remark
from acdl_mkdocs.language.syntax.nodes import (
    ROLE_WORDS,
    Arm,
    Break,
    Broken,
    BrokenBlock,
    Comment,
    Content,
    Continue,
    Declaration,
    EndsHere,
    Expression,
    Field,
    ForEach,
    Fragment,
    FragUse,
    HostLine,
    HostValue,
    If,
    Label,
    Mark,
    NameDef,
    NameRef,
    Prompt,
    RoleMessage,
    Skipped,
    Statement,
    Switch,
    Symbol,
    Template,
    TimeIndex,
    Values,
    list_case_values,
    walk,
)

_MOST_SHOWN, _MOST_KEYS = 80, 4


class Loops:
    """The loops of one evaluation."""

    def __init__(self, context: EvaluationContext, expressions: Expressions, machine: Machine) -> None:
        self.context = context
        self.expressions = expressions
        self.machine = machine
        self._over_substeps: dict[ForEach, bool] = {}

    def begin_loop(self, node: ForEach, block: Block) -> None:
        """Begin a loop."""
        self.machine.count_statement(node, -1)  # it counts rounds
        if node.variable is None or node.iterable is None:
            _report_not_understood(self.context.findings, node.keyword, block.here)
            return
        elements = self.expressions.ranges.evaluate_elements(node.iterable, block.here, is_time=node.variable.is_time)
        if isinstance(elements, Unknown):
            self._skip_loop(node.iterable, elements, block.here)
            return
        self._check_length(node, elements, block.here)
        rounds = Rounds(node, node.variable, elements.each(), block.here, self._is_over_substeps(node, node.iterable))
        at_end = len(node.body)  # no round has run yet: the next one is the first
        self.machine.blocks.append(Block(node.body, block.here, node, block.message, rounds, at_end))

    def _check_length(self, node: ForEach, elements: Elements, here: Here) -> None:
        """Raise an error for a loop with too many rounds and no way out."""
        budget = self.context.budget
        if elements.count > budget.iterations and not any(
            isinstance(each, (Break, EndsHere, FragUse)) for each in walk(node)
        ):
            budget.take_rounds(here.source, node.span, elements.count)

    def _skip_loop(self, iterable: Expression, unknown: Unknown, here: Here) -> None:
        """Skip a loop over something unknown."""
        findings, text = self.context.findings, self.context.format_expression(iterable)
        if unknown.kind in ("function", "template"):
            cure = unknown.problem().help if unknown.problem is not None else ()
            kind = f"what `{unknown.text}` gives, and the state has nothing for it"
            findings.report_problem(here, problems.not_iterable(iterable.span, text, kind, "; ".join(cure)))
        elif unknown.kind == "missing" and findings.missing != "error":
            findings.report_undecided(here, iterable, text, unknown)
        else:
            findings.report_missing(here, (unknown,))

    def begin_next_round(self, block: Block, rounds: Rounds) -> bool:
        """Begin the next round; return false after the last one."""
        node, outside = rounds.node, rounds.outside
        for value in rounds.elements:
            self.context.budget.take_rounds(outside.source, node.span)
            here = self.expressions.ranges.enter_round(rounds.variable, value, outside)
            if here is None:
                continue
            self.machine.count_statement(node)
            bound = here.scope.variables[rounds.variable.name]
            turn = Round(outside.locate_span(node.span), "loop", rounds.variable.name, _summarize_value(bound))
            block.here = here.enter_round(turn, _find_substep(bound, rounds))
            block.at = 0
            return True
        return False

    def _is_over_substeps(self, node: ForEach, iterable: Expression) -> bool:
        """Return whether a loop counts steps: `range(1, @t.substeps)`, `range(1, I)`."""
        if node not in self._over_substeps:
            names = self.context.now.names[1:]
            self._over_substeps[node] = any(
                (isinstance(each, TimeIndex) and any(_is_field(part, "substeps") for part in each.parts))
                or (isinstance(each, (Symbol, TimeIndex)) and each.name in names)
                for each in walk(iterable)
            )
        return self._over_substeps[node]

    def leave_round(self, node: Break | Continue, block: Block) -> None:
        """Execute `break` and `continue`: of the nearest loop, never out of a message."""
        word = "break" if isinstance(node, Break) else "continue"
        blocks = self.machine.blocks
        depth, boundary = len(blocks) - 1, ""
        while depth >= 0 and blocks[depth].rounds is None:
            around = blocks[depth].node
            if not boundary and isinstance(around, (RoleMessage, Fragment)):
                boundary = "message" if isinstance(around, RoleMessage) else "fragment"
            depth -= 1
        if depth < 0 or boundary:
            message = f"`{word}` stands in no loop" if depth < 0 else f"`{word}` cannot leave a {boundary}"
            container = "messages" if boundary == "message" else "`Frag`"
            cure = "put it inside a `ForEach`" if depth < 0 else f"put `{word}` beside the {container}, inside the loop"
            self.context.findings.report_problem(block.here, problems.misplaced_statement(node.span, message, cure))
            return
        del blocks[depth + 1 :]
        loop = blocks[depth]
        loop.at = len(loop.statements)
        if isinstance(node, Break):
            loop.rounds = None


def _is_field(part: object, name: str) -> bool:
    return isinstance(part, Field) and part.name == name


def _find_substep(value: Value, rounds: Rounds) -> int | None:
    """Return the number of the step that a round is about, if any."""
    if isinstance(value, Time) and (len(value.parts) > 1 or rounds.is_over_substeps):
        return value.parts[-1]
    return value if isinstance(value, int) and rounds.is_over_substeps else None


def _summarize_value(value: Value) -> str:
    """Summarize a value without reading all of it: a map by its `id`, else by its keys."""
    if isinstance(value, (str, int, Time)):
        return quote_value(value, _MOST_SHOWN)
    name = get_value(value, "id")
    plain = drop_fields(value if isinstance(name, Absent) else name)
    if isinstance(plain, Mapping):
        return f"{{{', '.join(islice(plain, _MOST_KEYS))}{', …' if len(plain) > _MOST_KEYS else ''}}}"
    if isinstance(plain, Sequence) and not isinstance(plain, str):
        return "a list of 1" if len(plain) == 1 else f"a list of {len(plain)}"
    return quote_value(plain, _MOST_SHOWN)


class Fragments:
    """The fragments of one evaluation."""

    def __init__(self, context: EvaluationContext, resolved: Resolved, expressions: Expressions) -> None:
        self.context = context
        self.resolved = resolved
        self.expressions = expressions

    def enter_fragment(self, use: FragUse, here: Here) -> tuple[Fragment, Here] | None:
        """Return the fragment of a use, and the place inside it: it sees its parameters, the time and the state."""
        name, say = use.name.name, self.context.findings.report_problem
        entry = self.resolved.fragment_of(use, here.source)
        if entry is None or not isinstance(entry.node, Fragment):
            cure = f"define it: `StrFrag {name}[…]: {{ … }}` or `RolesFrag {name}[…]: {{ … }}`"
            say(here, problems.misplaced_statement(use.name.span, f"no fragment named `{name}`", cure))
            return None
        if entry.node in here.fragments:
            say(here, _make_cycle_problem(use, entry.node, entry.source, here))
            return None
        self.context.budget.take_fragment_use(here.source, use.span)
        depth = self.context.budget.limits.depth
        if len(here.fragments) >= depth:
            message = f"more than {depth} fragments stand in each other"
            raise LimitError(here.source, use.span, message, "put some of them together")
        arguments = [each for part in use.parts if isinstance(part, Values) for each in part.values]
        args = [self.expressions.evaluate_argument(each, here) for each in arguments]
        parameters = entry.node.parameters
        if len(args) > len(parameters):
            takes = f"{len(parameters)} argument{'' if len(parameters) == 1 else 's'}"
            message = f"`{name}` takes {takes} and is given {len(args)}"
            cure = "leave out the others, or add parameters to the fragment"
            say(here, problems.misplaced_statement(arguments[len(parameters)].span, message, cure))
        if entry.range is not None and not self.context.is_range_given:
            self.context.modes[entry.node] = entry.range
        now, scope = self.context.now, Scope()
        for number, parameter in enumerate(parameters):
            value = args[number] if number < len(args) else self._report_missing_argument(use, parameter)
            now = _bind_parameter(scope, parameter, value) or now
        turn = Round(here.locate_span(use.span), "fragment", name, ", ".join(map(format_argument, args)))
        inner = Here(entry.source, scope, now, None, None, (*here.stack, turn), (*here.fragments, entry.node))
        return entry.node, inner

    def _report_missing_argument(self, use: FragUse, parameter: Expression) -> Unknown:
        """Return an unknown value for a parameter without an argument."""
        text = self.context.format_expression(parameter)
        cure = f"write it where the fragment is used: `Frag {use.name.name}[…, {text}]`"
        return Unknown("error", text, lambda: problems.unbound_value(use.span, text, cure))


def _make_cycle_problem(use: FragUse, fragment: Fragment, source: Source, here: Here) -> Diagnostic:
    """Return the diagnostic for a fragment that uses itself."""
    around = here.fragments[here.fragments.index(fragment) :]
    defined = fragment.name.span if source is here.source else use.span
    return report_recursion(use, [each.name.name for each in around], defined)


def _bind_parameter(scope: Scope, parameter: Expression, value: Value) -> PromptTime | None:
    """Bind a parameter to its value; `@T.I` unpacks a time, which becomes the time of the fragment."""
    parameter = binding_part(parameter)
    if isinstance(parameter, Symbol):
        scope.variables[parameter.name] = value
    if not isinstance(parameter, TimeIndex):
        return None
    names = (parameter.name, *_list_names_below(parameter))
    time = to_time(value)
    if time is not None and is_all(parameter):  # `@t.*`: the whole turn
        time = Time(time.parts[:1])
    if time is None or len(names) == 1:
        scope.variables.update(dict.fromkeys(names, value) if time is None else {names[0]: time})
        return None
    scope.variables.update({name: time.get_part(level) for level, name in enumerate(names) if level})
    scope.variables[names[0]] = Time(time.parts[:1])
    return PromptTime(names, time)


def _report_not_understood(findings: Findings, span: Span, here: Here) -> None:
    """Report text that cannot be parsed; it sends nothing."""
    message = "this could not be understood, so what it sends is missing"
    findings.report_problem(here, problems.misplaced_statement(span, message, "ask `acdl check` what is wrong with it"))


def _list_names_below(parameter: TimeIndex) -> Sequence[str]:
    return [part.name for part in parameter.parts if isinstance(part, Field) and part.name != "*"]


class Statements:
    """One evaluation."""

    def __init__(self, context: EvaluationContext, resolved: Resolved, empty: EmptyMode, joiner: str) -> None:
        self.context = context
        self.findings = context.findings
        self.joiner = joiner
        self.expressions = Expressions(context, self.evaluate_fragment_text, lambda: len(self.machine.messages) + 1)
        self.pieces = Pieces(context, self.expressions)
        self.fragments = Fragments(context, resolved, self.expressions)
        self.machine = Machine(
            context, empty, joiner, self.run_statement, lambda block, rounds: self.loops.begin_next_round(block, rounds)
        )
        self.loops = Loops(context, self.expressions, self.machine)

    def run_statement(self, node: Statement, block: Block) -> None:  # noqa: C901  # one short case a construct
        """Execute a statement; comments, declarations and definitions send nothing."""
        self.machine.count_statement(node)
        match node:
            case Content(value=FragUse() as use):
                self._run_fragment(use, block)
            case Content():
                self._add_content(node, block)
            case RoleMessage():
                self._begin_message(node, block)
            case If():
                self._run_if(node, block)
            case ForEach():
                self.loops.begin_loop(node, block)
            case NameDef():
                self._define_name(node, block)
            case Switch():
                self._run_switch(node, block)
            case EndsHere():
                self._end_prompt(node, block)
            case Mark() | Label():  # only a frame in figures, not a scope
                self.machine.enter_block(node, node.body, block.here, block.message)
            case Break() | Continue():
                self.loops.leave_round(node, block)
            case HostLine():
                self._run_host_line(node, block)
            case Broken() | BrokenBlock():
                _report_not_understood(self.findings, node.span, block.here)
            case Comment() | Declaration() | Skipped() | Prompt() | Fragment():
                pass  # these send nothing
            case _:
                assert_never(node)

    # -------------------------------------------------------------------------------------------- messages and content

    def _begin_message(self, node: RoleMessage, block: Block) -> None:
        """Begin a message."""
        if block.message is not None:
            cure = f"close the message before: `{ROLE_WORDS[node.role]}` messages stand beside others"
            article = "an" if node.role == "assistant" else "a"
            message = f"{article} {ROLE_WORDS[node.role]} message cannot be inside another message"
            self.findings.report_problem(block.here, problems.misplaced_statement(node.marker, message, cure))
            return
        here = block.here.enter_block()
        self.machine.enter_block(node, node.body, here, OpenMessage(node, here))

    def _add_content(self, node: Content, block: Block) -> None:
        """Add a piece to a message."""
        here, message = block.here, block.message
        if message is None and isinstance(node.value, HostValue):
            self._run_host_line(HostLine(span=node.span, text=node.value.name), block)
            return
        if message is None:
            text = self.context.format_expression(node.value)
            problem = problems.misplaced_statement(
                node.span, f"`{text}` stands in no message", f"give it a role: `U: {text}`"
            )
            self.findings.report_problem(here, problem)
            return
        expression: Expression = node.value
        if isinstance(expression, Symbol):
            expression = self.expressions.add_namespace(expression, here)
        self.pieces.add_content(node, expression, here, message)

    def _define_name(self, node: NameDef, block: Block) -> None:
        """Evaluate `Name x := e` once, here."""
        value = self.expressions.evaluate_expression(node.value, block.here)
        for unknown in find_unknowns(value):
            if unknown.kind == "error" and unknown.problem is not None:  # a missing value is reported at its use
                self.findings.report_problem(block.here, unknown.problem())
        for target in node.targets[:1]:
            if isinstance(target, (NameRef, Symbol, Template, TimeIndex)):
                block.here.scope.names[target.name] = value

    def _run_host_line(self, node: HostLine, block: Block) -> None:
        """Add text inserted by another tool; inside a message, it is unknown content."""
        if is_remark(node.text):
            return
        if block.message is not None and not is_never_content(node.text):
            value = HostValue(span=node.span, name=node.text, name_end=node.span.end, parts=())
            self.pieces.add_content(Content(span=node.span, value=value), value, block.here, block.message)
            return
        text = " ".join(node.text.split())
        self.findings.report_once(
            block.here, "missing-value", node.span, lambda: problems.unread_host_value(node.span, text)
        )

    # --------------------------------------------------------------------------------------------------------- choices

    def _end_prompt(self, node: EndsHere, block: Block) -> None:
        """Execute `PromptEndsHere when c`."""
        if node.condition is None or self._decide_condition(node.condition, block.here):
            self.machine.ended = block.here.locate_span(node.span)

    def _run_if(self, node: If, block: Block) -> None:
        """Execute the first alternative whose condition holds."""
        for arm in self._list_arms(node, block):
            if arm.kind == "else" or self._decide_condition(arm.test, block.here):
                self._enter_arm(arm, block)
                return

    def _run_switch(self, node: Switch, block: Block) -> None:
        """Execute the first case with the value of the subject."""
        if node.subject is None:
            _report_not_understood(self.findings, node.keyword, block.here)
            return
        subject = drop_fields(self.expressions.evaluate_expression(node.subject, block.here))
        if isinstance(subject, Unknown):
            self.findings.report_undecided(
                block.here, node.subject, self.context.format_expression(node.subject), subject
            )
        for arm in self._list_arms(node, block):
            if arm.kind == "default" or self._matches_case(arm.test, subject, block.here):
                self._enter_arm(arm, block)
                return

    def _list_arms(self, node: If | Switch, block: Block) -> Iterator[Arm]:
        """Yield the alternatives; report those before the chosen one that are not understood."""
        for arm in node.arms:
            if isinstance(arm, (Broken, BrokenBlock)):
                _report_not_understood(self.findings, arm.span, block.here)
            elif isinstance(arm, Arm):
                if arm.test is None and arm.kind not in ("else", "default"):
                    _report_not_understood(self.findings, arm.keyword, block.here)
                yield arm

    def _matches_case(self, test: Expression | None, subject: Value, here: Here) -> bool:
        """Return whether a case matches the subject; `a | b` does if one of them does."""
        if test is None or isinstance(subject, Unknown):
            return False
        for each in list_case_values(test):
            value = drop_fields(self.expressions.evaluate_expression(each, here))
            if isinstance(value, Unknown):
                self.findings.report_undecided(here, each, self.context.format_expression(each), value)
            elif are_equal(subject, value):
                return True
        return False

    def _enter_arm(self, arm: Arm, block: Block) -> None:
        """Enter an alternative, which is a new scope."""
        self.machine.count_statement(arm)
        self.machine.enter_block(arm, arm.body, block.here.enter_block(), block.message)

    def _decide_condition(self, condition: Expression | None, here: Here) -> bool:
        """Return whether a condition holds; an undecided one does not."""
        if condition is None:
            return False
        holds = self.expressions.conditions.decide_condition(condition, here)
        if isinstance(holds, Unknown):
            self.findings.report_undecided(here, condition, self.context.format_expression(condition), holds)
            return False
        return holds

    # ------------------------------------------------------------------------------------------------------- fragments

    def _run_fragment(self, use: FragUse, block: Block) -> None:
        """Execute the body of a fragment."""
        entered = self.fragments.enter_fragment(use, block.here)
        if entered is not None:
            node, here = entered
            self.machine.enter_block(node, node.body, here, block.message)

    def evaluate_fragment_text(self, use: FragUse, here: Here) -> Value:
        """Return the words of a string fragment inside an expression."""
        entered = self.fragments.enter_fragment(use, here)
        if entered is None:
            return Unknown("error", self.context.format_expression(use))
        node, inner = entered
        message = OpenMessage(None, inner)
        self.machine.run_blocks(Block(node.body, inner, node, message))
        for part in (each for piece in message.pieces for each in piece.parts):
            self.findings.report_flattened(here, use.span, part if isinstance(part, Special) else None)
        return self.joiner.join(piece.text for piece in message.pieces)
