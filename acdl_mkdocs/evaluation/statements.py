"""What each statement of a spec does while it is evaluated."""

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.calculate import equal
from acdl_mkdocs.evaluation.expressions import Expressions
from acdl_mkdocs.evaluation.fragments import Fragments
from acdl_mkdocs.evaluation.loops import Loops
from acdl_mkdocs.evaluation.machine import Block, Machine, OpenMessage
from acdl_mkdocs.evaluation.moment import Moment
from acdl_mkdocs.evaluation.pieces import Pieces
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.state import EmptyMode
from acdl_mkdocs.evaluation.values import Special, Unknown, Value, plain, unknowns_in
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.host_text import is_never_content, is_remark
from acdl_mkdocs.language.syntax.nodes import (
    ROLE_WORDS,
    Arm,
    Break,
    Broken,
    BrokenBlock,
    Content,
    Continue,
    EndsHere,
    Expression,
    ForEach,
    FragUse,
    HostLine,
    HostValue,
    If,
    Label,
    Mark,
    NameDef,
    NameRef,
    RoleMessage,
    Statement,
    Switch,
    Symbol,
    TimeIndex,
)


class Statements:
    """One evaluation."""

    def __init__(self, moment: Moment, resolved: Resolved, empty: EmptyMode, joiner: str) -> None:
        self.moment = moment
        self.findings = moment.findings
        self.joiner = joiner
        self.expressions = Expressions(moment, self.fragment_text, lambda: len(self.machine.messages) + 1)
        self.pieces = Pieces(moment, self.expressions)
        self.fragments = Fragments(moment, resolved, self.expressions)
        self.machine = Machine(moment, empty, joiner, self.step, lambda block, rounds: self.loops.again(block, rounds))
        self.loops = Loops(moment, self.expressions, self.machine)

    def step(self, node: Statement, block: Block) -> None:  # noqa: C901  # one short case a construct
        """Do what a statement says; comments, declarations and definitions send nothing."""
        self.machine.count(node)
        match node:
            case Content(value=FragUse() as use):
                self._fragment(use, block)
            case Content():
                self._content(node, block)
            case RoleMessage():
                self._message(node, block)
            case If():
                self._if(node, block)
            case ForEach():
                self.loops.begin(node, block)
            case NameDef():
                self._name(node, block)
            case Switch():
                self._switch(node, block)
            case EndsHere():
                self._ends(node, block)
            case Mark() | Label():  # drawn around what it holds, and no scope
                self.machine.enter(node, node.body, block.here, block.message)
            case Break() | Continue():
                self.loops.steer(node, block)
            case HostLine():
                self._host_line(node, block)
            case Broken() | BrokenBlock():
                self._broken(node, block)

    # -------------------------------------------------------------------------------------------- messages and content

    def _message(self, node: RoleMessage, block: Block) -> None:
        """A message begins."""
        if block.message is not None:
            cure = f"close the message before: `{ROLE_WORDS[node.role]}` messages stand beside others"
            article = "an" if node.role == "assistant" else "a"
            message = f"{article} {ROLE_WORDS[node.role]} message cannot be inside another message"
            self.findings.say(block.here, problems.misplaced(node.marker, message, cure))
            return
        here = block.here.block()
        self.machine.enter(node, node.body, here, OpenMessage(node, here))

    def _content(self, node: Content, block: Block) -> None:
        """A piece of a message."""
        here, message = block.here, block.message
        if message is None and isinstance(node.value, HostValue):
            self._host_line(HostLine(span=node.span, text=node.value.name), block)
            return
        if message is None:
            text = self.moment.written(node.value)
            problem = problems.misplaced(node.span, f"`{text}` stands in no message", f"give it a role: `U: {text}`")
            self.findings.say(here, problem)
            return
        expression: Expression = node.value
        if isinstance(expression, Symbol):
            expression = self.expressions.with_namespace(expression, here)
        self.pieces.add(node, expression, here, message)

    def _name(self, node: NameDef, block: Block) -> None:
        """`Name x := e`: computed once, here."""
        value = self.expressions.value(node.value, block.here)
        for unknown in unknowns_in(value):
            if unknown.kind == "error" and unknown.problem is not None:  # what is missing matters where it is used
                self.findings.say(block.here, unknown.problem())
        for target in node.targets[:1]:
            if isinstance(target, NameRef | Symbol | TimeIndex):
                block.here.scope.names[target.name] = value

    def _broken(self, node: Broken | BrokenBlock, block: Block) -> None:
        """Text that nobody understands sends nothing, and that is said."""
        message = "this could not be understood, so what it sends is missing"
        self.findings.say(block.here, problems.misplaced(node.span, message, "ask `acdl check` what is wrong with it"))

    def _host_line(self, node: HostLine, block: Block) -> None:
        """What another tool puts in: inside a message it is content that is not known."""
        if is_remark(node.text):
            return
        if block.message is not None and not is_never_content(node.text):
            value = HostValue(span=node.span, name=node.text, name_end=node.span.end, parts=())
            self.pieces.add(Content(span=node.span, value=value), value, block.here, block.message)
            return
        text = " ".join(node.text.split())
        self.findings.say_once(block.here, "missing-value", node.span, lambda: problems.unread(node.span, text))

    # --------------------------------------------------------------------------------------------------------- choices

    def _ends(self, node: EndsHere, block: Block) -> None:
        """`PromptEndsHere when c`."""
        if node.condition is None or self._holds(node.condition, block.here):
            self.machine.ended = block.here.origin(node.span)

    def _if(self, node: If, block: Block) -> None:
        """The first alternative whose condition holds."""
        for arm in node.arms:
            if isinstance(arm, Arm) and (arm.kind == "else" or self._holds(arm.test, block.here)):
                self._take(arm, block)
                return

    def _switch(self, node: Switch, block: Block) -> None:
        """The first case with the value of the subject."""
        if node.subject is None:
            return
        subject = plain(self.expressions.value(node.subject, block.here))
        if isinstance(subject, Unknown):
            self.findings.undecided(block.here, node.subject, self.moment.written(node.subject), subject)
        for arm in node.arms:
            if isinstance(arm, Arm) and (arm.kind == "default" or self._matches(arm, subject, block.here)):
                self._take(arm, block)
                return

    def _matches(self, arm: Arm, subject: Value, here: Here) -> bool:
        """Whether a case is the one."""
        if arm.test is None or isinstance(subject, Unknown):
            return False
        value = plain(self.expressions.value(arm.test, here))
        if isinstance(value, Unknown):
            self.findings.undecided(here, arm.test, self.moment.written(arm.test), value)
            return False
        return equal(subject, value)

    def _take(self, arm: Arm, block: Block) -> None:
        """Go into an alternative; it is a scope of its own."""
        self.machine.count(arm)
        self.machine.enter(arm, arm.body, block.here.block(), block.message)

    def _holds(self, condition: Expression | None, here: Here) -> bool:
        """Whether a condition holds; one that the state does not decide does not."""
        if condition is None:
            return False
        holds = self.expressions.conditions.holds(condition, here)
        if isinstance(holds, Unknown):
            self.findings.undecided(here, condition, self.moment.written(condition), holds)
            return False
        return holds

    # ------------------------------------------------------------------------------------------------------- fragments

    def _fragment(self, use: FragUse, block: Block) -> None:
        """The body of a fragment stands where it is used."""
        found = self.fragments.inside(use, block.here)
        if found is not None:
            node, here = found
            self.machine.enter(node, node.body, here, block.message)

    def fragment_text(self, use: FragUse, here: Here) -> Value:
        """The words of a string fragment inside an expression."""
        found = self.fragments.inside(use, here)
        if found is None:
            return Unknown("error", self.moment.written(use))
        node, inner = found
        message = OpenMessage(None, inner)
        self.machine.work(Block(node.body, inner, node, message))
        for part in (each for piece in message.pieces for each in piece.parts):
            self.findings.tell_flattened(here, use.span, part if isinstance(part, Special) else None)
        return self.joiner.join(piece.text for piece in message.pieces)
