"""Differences between a state and its spec: names that are never read, and values that are missing."""

from collections.abc import Iterator, Mapping, Sequence

from acdl_mkdocs.evaluation.state.read import StateFile
from acdl_mkdocs.evaluation.state.sample_state import Records, State
from acdl_mkdocs.evaluation.state.shapes import SpecReads, ValueShape
from acdl_mkdocs.evaluation.state.spec_reads import collect_reads
from acdl_mkdocs.evaluation.values import Value, ValueWithFields, is_series
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, Severity, diagnostic
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.foundation.yaml.read import RULE
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import NAMESPACES, Prompt

_MOST = 100
"""Limit of listed names."""
_MOST_PLACES = 10
"""Limit of unfilled values in one note."""


def find_unread_names(resolved: Resolved, state: State, source: Source) -> tuple[Diagnostic, ...]:
    """Find the names that the spec never reads, in the order of the file; a near miss is a warning.

    Parameters:
        resolved: The text with the spec.
        state: The state; one that names no spec is for the whole text.
        source: The text of the state file.
    """
    reads = collect_reads(resolved, find_prompts(resolved, state.spec))
    diagnostics = list({each.label.span: each for each in _UnreadFinder(reads, state, source).find_all()}.values())
    return tuple(sorted(diagnostics, key=lambda each: each.label.span.start)[:_MOST])


def find_missing_names(resolved: Resolved, state: State) -> tuple[Diagnostic, ...]:
    """Find values that the spec reads and the state does not have, as notes about the whole state."""
    reads = collect_reads(resolved, find_prompts(resolved, state.spec))
    names = [*_find_missing_values(reads, state), *_find_missing_texts(reads, state)][:_MOST]
    label = Label(Span(0, 0), "nowhere in this file")
    return tuple(diagnostic("note", RULE, f"the spec reads {name}, and the state has none", label) for name in names)


def report_unfilled_values(file: StateFile) -> tuple[Diagnostic, ...]:
    """Find the values of a first state that are not filled in, as one note with all positions."""
    if not file.unfilled:
        return ()
    first, *others = ((path, span) for path, span in sorted(file.unfilled.items(), key=lambda each: each[1].start))
    message = f"{describe_unfilled(list(file.unfilled))}; the first is `{first[0]}`"
    related = [Label(span, f"`{path}`") for path, span in others[: _MOST_PLACES - 1]]
    n_unlisted = len(others) - len(related)
    cure = "write what the agent really sees" + (f"; {n_unlisted} more are not listed" if n_unlisted else "")
    return (diagnostic("note", RULE, message, Label(first[1], f"`{first[0]}`"), related=related, help=cure),)


def describe_unfilled(paths: Sequence[str]) -> str:
    """Describe how many values are still placeholders."""
    return "1 value is still `…`" if len(paths) == 1 else f"{len(paths)} values are still `…`"


def find_prompts(resolved: Resolved, name: str | None) -> list[Prompt]:
    """Return the specs that a state is for: the one of that name, else all."""
    prompts = [item for item in resolved.parsed.file.items if isinstance(item, Prompt)]
    return [each for each in prompts if each.name.name == name] or prompts


class _UnreadFinder:
    """Finds values of a state that its spec does not read."""

    def __init__(self, reads: SpecReads, state: State, source: Source) -> None:
        self.reads = reads
        self.state = state
        self.source = source

    def find_all(self) -> Iterator[Diagnostic]:
        yield from self.find_in_records(self.state.records, self.reads.values)
        agents = self.reads.agents.by_key
        for name, records in self.state.agents.items():
            if agents is None:
                yield self.make_diagnostic(f"agents.{name}", "is never read by the spec", "note")
            else:
                yield from self.find_in_records(records, agents)
        yield from self.find_in_section("templates", self.state.templates, list(self.reads.templates))
        functions = [*self.reads.functions, *map(_drop_namespace, self.reads.functions)]
        yield from self.find_in_section("functions", self.state.functions, functions)
        yield from self.find_in_args()

    def find_in_args(self) -> Iterator[Diagnostic]:
        for name in self.state.args:
            if name in self.reads.times:
                yield self.make_diagnostic(f"args.{name}", "is a time of the spec: give it with `at`", "error")
            elif name not in self.reads.args:
                yield self.report_unread_name("args", name, self.reads.args)

    def find_in_section(self, title: str, has: Mapping[str, object], read: Sequence[str]) -> Iterator[Diagnostic]:
        for name in has:
            if name not in read:
                yield self.report_unread_name(title, name, [each for each in read if each not in has])

    def find_in_records(self, records: Records, root: ValueShape) -> Iterator[Diagnostic]:
        trees = [(records.prefix, records.base)]
        for key, row in records.steps.items():
            trees.append((f"{records.prefix}steps.{'.substeps.'.join(map(str, key))}.", row))
        for prefix, row in trees:
            for namespace in NAMESPACES:
                shape = root.fields.get(namespace, ValueShape())
                for name, value in row.get(namespace, {}).items():
                    if name in shape.fields:
                        yield from self.find_misspelled_fields(f"{prefix}{namespace}.{name}", value, shape.fields[name])
                    else:
                        yield self.report_unread_name(f"{prefix}{namespace}", name, shape.fields)
        for path in sorted(records.hold):
            namespace, _, name = path.partition(".")
            shape = root.fields.get(namespace, ValueShape())
            if name.partition(".")[0] not in shape.fields:
                near = find_closest(name, shape.fields)
                message = f": did you mean {namespace}.{near}?" if near else f" has {path}, which the spec never reads"
                yield self.make_diagnostic(f"{records.prefix}hold", message, "warning" if near else "note")

    def find_misspelled_fields(self, path: str, value: Value, shape: ValueShape) -> Iterator[Diagnostic]:
        """Find fields with names close to those that are read; others do no harm."""
        stack: list[tuple[str, Value, ValueShape]] = [(path, value, shape)]
        while stack:
            at, each, expected = stack.pop()
            fields = each.fields if isinstance(each, ValueWithFields) else each
            if expected.element is not None and isinstance(fields, Sequence) and not isinstance(fields, str):
                stack += [(f"{at}.{n}", item, expected.element) for n, item in enumerate(fields, 1)]
            if not isinstance(fields, Mapping):
                continue
            if is_series(fields):
                stack += [(f"{at}.{key}", item, expected) for key, item in fields.items()]
            elif expected.by_key is not None:
                stack += [(f"{at}.{key}", item, expected.by_key) for key, item in fields.items()]
            else:
                missing = [name for name in expected.fields if name not in fields]
                for key, item in fields.items():
                    if key in expected.fields:
                        stack.append((f"{at}.{key}", item, expected.fields[key]))
                    elif near := find_closest(key, missing):
                        yield self.make_diagnostic(f"{at}.{key}", f": did you mean {near}?", "warning")

    def report_unread_name(self, section: str, name: str, read: Sequence[str] | Mapping[str, object]) -> Diagnostic:
        """Return the diagnostic for a name that is never read."""
        near = find_closest(name, read)
        if near:
            return self.make_diagnostic(
                f"{section}.{name}", f": did you mean {near}?", "warning", f"rename it to `{near}`"
            )
        return self.make_diagnostic(
            f"{section}.{name}", "is never read by the spec", "note", "remove it, or read it in the spec"
        )

    def make_diagnostic(self, path: str, message: str, severity: Severity, help: str = "") -> Diagnostic:
        joined = message if message.startswith((":", " ")) else f" {message}"
        label = Label(self.find_span(path), "here")
        return diagnostic(severity, RULE, f"{path}{joined}", label, help=help or ())

    def find_span(self, path: str) -> Span:
        """Return the span of a path in the file: of its key, or of the value around it."""
        while path:
            place = self.state.places.get(path)
            if place is not None:
                start = self.source.line_starts[place.line - self.source.first_line] + place.column - 1
                key = path.rpartition(".")[2]
                is_there = self.source.text.startswith(key, start)
                return Span(start, start + (len(key) if is_there else 1))
            path = path.rpartition(".")[0]
        return Span(0, 0)


def _find_missing_values(reads: SpecReads, state: State) -> Iterator[str]:
    for namespace in NAMESPACES:
        for name in reads.values.fields.get(namespace, ValueShape()).fields:
            if not _has_value(state.records, namespace, name):
                yield f"`{namespace}.{name}`"
        agents = reads.agents.by_key or ValueShape()
        for name in agents.fields.get(namespace, ValueShape()).fields:
            if not any(_has_value(each, namespace, name) for each in state.agents.values()):
                yield f"`{name}` of {namespace} of an agent"


def _has_value(records: Records, namespace: str, name: str) -> bool:
    return any(name in each.get(namespace, {}) for each in (records.base, *records.steps.values()))


def _find_missing_texts(reads: SpecReads, state: State) -> Iterator[str]:
    yield from (f"the parameter `{name}`" for name in reads.args if name not in state.args)
    yield from (f"the template `{name}`" for name in sorted(reads.templates) if name not in state.templates)
    yield from (f"the function `{name}`" for name in _find_missing_functions(reads, state))


def _find_missing_functions(reads: SpecReads, state: State) -> list[str]:
    has = state.functions
    return [name for name in sorted(reads.functions) if name not in has and _drop_namespace(name) not in has]


def _drop_namespace(name: str) -> str:
    """Return the name of a function without its namespace: `env.in_dialog` may be called `in_dialog`."""
    namespace, _, rest = name.partition(".")
    return rest if namespace in NAMESPACES and rest else name
