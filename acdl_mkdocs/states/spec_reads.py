"""Everything that a spec reads of a state, also through fragments, with what it expects of each value.

Runs over the statements once, whatever conditions say, with shapes in the place of values.
"""

from collections.abc import Iterable, Sequence

from acdl_mkdocs.language.names.outline import body_of
from acdl_mkdocs.language.names.resolve import Resolved, bare
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Comment,
    Content,
    EndsHere,
    Field,
    ForEach,
    Fragment,
    FragUse,
    NameDef,
    Node,
    Path,
    Prompt,
    Switch,
    Symbol,
    TimeIndex,
)
from acdl_mkdocs.states.bound import Scope, mark, values_of, word_of
from acdl_mkdocs.states.expected import Expected
from acdl_mkdocs.states.shapes import Shape, SpecReads

_MOST_FRAGMENTS = 2000
_DEEPEST = 60
"""Fragments in fragments."""


def reads_of(resolved: Resolved, prompts: Sequence[Prompt]) -> SpecReads:
    """What specs of a text read together; the whole text if it has none."""
    run = _Run(resolved)
    for prompt in prompts:
        run.prompt(prompt)
    if not prompts:
        run.statements(resolved.parsed.file.items, Scope(resolved.source))
    return run.reads


class _Run:
    """What has been found, and which fragments were looked at with which arguments."""

    def __init__(self, resolved: Resolved) -> None:
        self.resolved = resolved
        self.reads = SpecReads()
        self.fragments: set[tuple[object, ...]] = set()
        self.depth = 0
        self.expected = Expected(self.reads, self.fragment)

    def prompt(self, prompt: Prompt) -> None:
        scope = Scope(self.resolved.source)
        for parameter in map(bare, prompt.parameters):
            if isinstance(parameter, TimeIndex):
                fields = [part.name for part in parameter.parts if isinstance(part, Field)]
                self.reads.times = tuple(dict.fromkeys((*self.reads.times, parameter.name, *fields)))
                self.reads.levels = max(self.reads.levels, 1 + len(fields))
                scope.variables |= dict.fromkeys((parameter.name, *fields), "time")
            elif isinstance(parameter, Symbol):
                shape = self.reads.args.setdefault(parameter.name, Shape(parameter.name))
                scope.variables[parameter.name] = shape
        self.statements(prompt.body, scope)

    # ------------------------------------------------------------------------------------------------------ statements

    def statements(self, items: Iterable[Node], scope: Scope) -> None:
        for item in items:
            comment = getattr(item, "comment", None)
            is_beside = isinstance(comment, Comment) and not body_of(item)
            scope.comment = comment.text.strip() if comment is not None and is_beside else ""
            self.statement(item, scope)

    def statement(self, item: Node, scope: Scope) -> None:
        match item:
            case Content():
                mark(self.expected.value(item.value, scope), "is_text")
            case NameDef():
                bound = self.expected.value(item.value, scope)
                for target in item.targets:
                    if isinstance(target, Path | TimeIndex):
                        scope.names[target.name] = bound
            case ForEach():
                name = item.variable.name if item.variable is not None else ""
                self.statements(item.body, scope.inside(name, self.expected.element(item.iterable, name, scope)))
            case Arm():
                self.expected.condition(item.test, scope)
                self.statements(item.body, scope)
            case Switch():
                self.switch(item, scope)
            case EndsHere():
                self.expected.condition(item.condition, scope)
            case Prompt() | Fragment():
                pass
            case _:
                self.statements(body_of(item), scope)

    def switch(self, item: Switch, scope: Scope) -> None:
        subject = self.expected.value(item.subject, scope) if item.subject is not None else None
        for arm in item.arms:
            if isinstance(arm, Arm):
                word = word_of(arm.test)
                if word is None and arm.test is not None:
                    self.expected.value(arm.test, scope)
                elif isinstance(subject, Shape) and word is not None:
                    subject.words[word] = None
                self.statements(arm.body, scope)

    def fragment(self, use: FragUse, scope: Scope) -> None:
        """The body of a fragment, with its parameters bound to the arguments."""
        entry = self.resolved.fragment_of(use, scope.source)
        if entry is None or len(self.fragments) > _MOST_FRAGMENTS:
            return
        given = [self.expected.value(each, scope) for part in use.parts for each in values_of(part)]
        seen = (entry.node, *given)
        if seen in self.fragments or self.depth > _DEEPEST:
            return
        self.fragments.add(seen)
        self.depth += 1
        inner = Scope(entry.source, dict.fromkeys(self.reads.times, "time"))
        for parameter, value in zip(map(bare, entry.node.parameters), given, strict=False):
            if isinstance(parameter, TimeIndex):
                inner.variables[parameter.name] = "time"
                inner.variables |= {part.name: "number" for part in parameter.parts if isinstance(part, Field)}
            elif isinstance(parameter, Symbol):
                inner.variables[parameter.name] = value
        self.statements(entry.node.body, inner)
        self.depth -= 1
