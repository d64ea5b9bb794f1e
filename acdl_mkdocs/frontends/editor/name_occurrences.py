"""Every name in a piece: its span, and what it refers to. One table answers all questions about names.

Two names refer to the same thing exactly if their targets are equal. Knows one resolved text; a target
says which text it is in.
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved, binding_part
from acdl_mkdocs.language.syntax.letters import INVISIBLE, end_of_word, normalize_name
from acdl_mkdocs.language.syntax.nodes import (
    Call,
    Comprehension,
    Content,
    ContextVar,
    Field,
    ForEach,
    Fragment,
    FragUse,
    Identifier,
    NameDef,
    NameRef,
    Node,
    Path,
    Prompt,
    Symbol,
    Template,
    TimeIndex,
    children,
)

Kind: TypeAlias = Literal["spec", "fragment", "name", "loop", "parameter", "template", "function", "variable"]

LOCAL: tuple[Kind, ...] = ("name", "loop", "parameter")
"""Kinds that are visible in one spec or fragment only."""
_SIGNS = "@$*+ \t"


@dataclass(frozen=True, slots=True)
class Target:
    """What a name refers to."""

    kind: Kind
    name: str
    """The name of a variable, with its namespace and fields: `env.user.name`."""
    source: Source | None = None
    """The text that defines it; `None` if it is only used: templates, functions and variables of the program."""
    start: int = 0
    """The offset in that text of the first name that defines it."""


@dataclass(frozen=True, slots=True)
class NameOccurrence:
    """A name as written somewhere."""

    span: Span
    """The name alone, without `@` and `$`, in the offsets of its text."""
    targets: tuple[Target, ...]
    """What the name refers to; several targets if it is ambiguous."""
    is_definition: bool = False
    is_write: bool = False
    """Whether it assigns a value: a `Name`, the variable of a loop, a parameter."""

    @property
    def target(self) -> Target:
        """The first target, which counts."""
        return self.targets[0]


def names_of(resolved: Resolved) -> tuple[NameOccurrence, ...]:
    """Return all names of a text, in source order."""
    occurrences: dict[Span, NameOccurrence] = {}
    for site in _NameFinder(resolved).list_names():  # definitions come first
        if _is_written(site, resolved.source):
            occurrences.setdefault(site.span, site)
    return tuple(sorted(occurrences.values(), key=lambda each: each.span.start))


def name_span(text: str, start: int) -> Span:
    """Return the span of the name that begins at an offset, after its signs."""
    while start < len(text) and (text[start] in _SIGNS or ord(text[start]) in INVISIBLE):
        start += 1
    return Span(start, end_of_word(text, start))


def _is_written(site: NameOccurrence, source: Source) -> bool:
    """Return whether the text has the name there; some names are inferred from other spellings."""
    name = site.target.name.rpartition(".")[2] if site.target.kind == "variable" else site.target.name
    return normalize_name(source.text[site.span.start : site.span.end]) == name


class _NameFinder:
    """Collects the names of one text."""

    def __init__(self, resolved: Resolved) -> None:
        self.resolved = resolved
        self.source = resolved.source
        self.tree = build_outline(resolved.parsed.file)
        self.first_of: dict[tuple[Node | None, str], Node] = {}
        self.parameters: dict[Node, dict[str, Span]] = {}
        self.definitions: list[Prompt | Fragment] = [*self.tree.nodes_of(Prompt), *self.tree.nodes_of(Fragment)]

    def list_names(self) -> Iterator[NameOccurrence]:
        """Yield all names, definitions first."""
        yield from self._list_definitions()
        yield from self._list_bound_names()
        yield from self._loops_and_parameters()
        yield from self._list_uses()
        yield from self._list_time_steps()
        yield from self._list_fragment_uses()
        yield from self._list_specs_as_fragments()
        yield from self._of_program()

    def _list_definitions(self) -> Iterator[NameOccurrence]:
        for node in self.definitions:
            yield NameOccurrence(
                self._span_of_name(node.name), (self._target_of_definition(node, self.source),), is_definition=True
            )

    def _list_bound_names(self) -> Iterator[NameOccurrence]:
        """Yield the names that `Name`s define. All of one name in a definition are the same target."""
        for node in self.tree.nodes_of(NameDef):
            owner = self.tree.definition_of(node)
            for target in node.targets:
                if isinstance(target, (Path, TimeIndex)) and target.name:
                    first = self.first_of.setdefault((owner, target.name), target)
                    yield NameOccurrence(
                        self._span_of_name(target), (self._target_of_binder("name", first, target.name),), True, True
                    )

    def _loops_and_parameters(self) -> Iterator[NameOccurrence]:
        loops: list[ForEach | Comprehension] = [*self.tree.nodes_of(ForEach), *self.tree.nodes_of(Comprehension)]
        for loop in loops:
            if loop.variable is not None:
                target = self._target_of_binder("loop", loop.variable, loop.variable.name)
                yield NameOccurrence(self._span_of_name(loop.variable), (target,), True, True)
        for node in self.definitions:
            for name, span in self._find_parameter_spans(node).items():
                yield NameOccurrence(span, (self._target_of_parameter(node, name),), True, True)

    def _list_uses(self) -> Iterator[NameOccurrence]:
        for node, binder in self.resolved.bindings.items():
            if isinstance(node, (NameRef, Symbol, TimeIndex)):
                target = self._resolve_target(node, binder, node.name)
                if target is not None:
                    yield NameOccurrence(self._span_of_name(node), (target,))

    def _list_time_steps(self) -> Iterator[NameOccurrence]:
        """Yield the steps of indices: the `i` of `@t.i`."""
        for node in self.tree.nodes_of(TimeIndex):
            for part in node.parts:
                target = self._resolve_step(node, part.name) if isinstance(part, Field) else None
                if target is not None:
                    yield NameOccurrence(part.span, (target,))

    def _resolve_step(self, node: Node, name: str) -> Target | None:
        """Return the target of a step: the enclosing loop or parameter that has the name."""
        inner, outer = node, self.tree.parents.get(node)
        while outer is not None:
            if isinstance(outer, (ForEach, Comprehension)) and inner is not outer.iterable and outer.variable:
                if outer.variable.name == name:
                    return self._target_of_binder("loop", outer.variable, name)
            elif isinstance(outer, (Prompt, Fragment)):
                return self._target_of_parameter(outer, name) if name in self._find_parameter_spans(outer) else None
            inner, outer = outer, self.tree.parents.get(outer)
        return None

    def _list_fragment_uses(self) -> Iterator[NameOccurrence]:
        for use in self.tree.nodes_of(FragUse):
            binding = self.resolved.bindings.get(use)
            if isinstance(binding, Fragment):
                targets = [self._target_of_definition(binding, self.source)]
            else:
                targets = [
                    self._target_of_definition(each.node, each.source)
                    for each in self.resolved.library_uses.get(use, ())
                ]
            if targets:
                yield NameOccurrence(self._span_of_name(use.name), tuple(targets))

    def _list_specs_as_fragments(self) -> Iterator[NameOccurrence]:
        """Yield specs of the text that are used like a fragment: accepted, with a warning."""
        prompts = {each.name.name: each for each in reversed(self.definitions)}
        for node in (*self.tree.nodes_of(Symbol), *self.tree.nodes_of(Call), *self.tree.nodes_of(Template)):
            outer, definition = self.tree.parents.get(node), prompts.get(node.name)
            is_block = isinstance(outer, Content) and outer.value is node and node not in self.resolved.bindings
            if is_block and isinstance(definition, Prompt) and (node.parts or not isinstance(node, Template)):
                yield NameOccurrence(self._span_of_name(node), (self._target_of_definition(definition, self.source),))

    def _of_program(self) -> Iterator[NameOccurrence]:
        """Yield names that are only used: nothing is known but the name."""
        for template in self.tree.nodes_of(Template):
            yield NameOccurrence(self._span_of_name(template), (Target("template", template.name),))
        for call in self.tree.nodes_of(Call):
            outer = self.tree.parents.get(call)
            if not isinstance(outer, NameDef) or call is outer.value:
                yield NameOccurrence(self._span_of_name(call), (Target("function", call.name),))
        for variable in self.tree.nodes_of(ContextVar):
            fields = [part for part in variable.parts if isinstance(part, Field)]
            name = variable.namespace
            for part in fields:
                name = f"{name}.{part.name}"
                yield NameOccurrence(part.span, (Target("variable", name),))

    def _resolve_target(self, node: Node, binder: Node, name: str) -> Target | None:
        """Return the target of a use."""
        if isinstance(node, NameRef) or (isinstance(node, TimeIndex) and node.is_reference):
            owner = self.tree.definition_of(binder)
            return self._target_of_binder("name", self.first_of.get((owner, name), binder), name)
        if isinstance(binder, Identifier):
            return self._target_of_binder("loop", binder, name)
        definition = self.tree.definition_of(binder)
        return (
            self._target_of_parameter(definition, name)
            if definition and name in self._find_parameter_spans(definition)
            else None
        )

    def _target_of_parameter(self, definition: Prompt | Fragment, name: str) -> Target:
        return Target("parameter", name, self.source, self._find_parameter_spans(definition)[name].start)

    def _find_parameter_spans(self, definition: Prompt | Fragment) -> dict[str, Span]:
        """Return the spans of the names of the parameters; `@T.I` is two."""
        if definition not in self.parameters:
            binding = [node for each in definition.parameters for node in _list_binding_nodes(binding_part(each))]
            places = {each.name: each.span if isinstance(each, Field) else self._span_of_name(each) for each in binding}
            self.parameters[definition] = places
        return self.parameters[definition]

    def _target_of_definition(self, node: Prompt | Fragment, source: Source) -> Target:
        start = name_span(source.text, node.name.span.start).start
        return Target("spec" if isinstance(node, Prompt) else "fragment", node.name.name, source, start)

    def _target_of_binder(self, kind: Kind, binder: Node, name: str) -> Target:
        return Target(kind, name, self.source, self._span_of_name(binder).start)

    def _span_of_name(self, node: Node) -> Span:
        return name_span(self.source.text, node.span.start)


def _list_binding_nodes(parameter: Node) -> list[TimeIndex | Symbol | Field]:
    """Return the nodes of a parameter that bind names, in lookup order."""
    if isinstance(parameter, TimeIndex):
        return [parameter, *(part for part in parameter.parts if isinstance(part, Field))]
    if isinstance(parameter, Symbol):
        return [parameter]
    inner = (child for child in children(parameter) if isinstance(child, (TimeIndex, Symbol)))
    return [each for child in inner for each in _list_binding_nodes(child)]
