"""A first state of a spec: every value that it reads, with a placeholder and the comments of the spec.

Two steps are filled in, each with two sub-steps where the spec reads sub-steps. Gives text; writes no file.
"""

from collections.abc import Iterator, Sequence

from acdl_mkdocs.evaluation.state.entries import PLACEHOLDER
from acdl_mkdocs.evaluation.state.read import VERSION
from acdl_mkdocs.evaluation.state.shapes import Inserted, Shape, SpecReads
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.write import Leaf, Map, lines_of, one_line
from acdl_mkdocs.language.syntax.nodes import NAMESPACES

N_STEPS = 2
_MOST_STEPS = 10
"""The number of steps if a spec reads a fixed step such as `@5`."""
_LEVELS = 4
"""Levels of times; deeper values are written at the deepest level."""


def skeleton(reads: SpecReads, spec: str, schema: str) -> str:
    """Return the text of a state file.

    Parameters:
        reads: What the spec reads.
        spec: Its name; empty for a text without a title.
        schema: Address of the schema of state files, for editors.
    """
    about = f"A sample state of {spec}" if spec else "A sample state"
    head = [
        f"# yaml-language-server: $schema={one_line(schema)}",
        f"# {about}: put what the agent really sees in the place of every {PLACEHOLDER}",
    ]
    return "\n".join([*head, *lines_of(first_values(reads, spec))]) + "\n"


def first_values(reads: SpecReads, spec: str, counts: Sequence[int] = ()) -> Map:
    """Return the entries of a state file.

    Parameters:
        reads: What the spec reads.
        spec: Its name; empty for a text without a title.
        counts: How many sub-steps each step has; without it, two steps with two sub-steps.
    """
    counts = counts or [N_STEPS] * _n_steps(reads)
    inner = [counts[-1], *[N_STEPS] * _LEVELS]
    point = ".".join(map(str, [len(counts), *inner[: min(reads.levels, _LEVELS) - 1]]))
    top: Map = {"acdl_state": Leaf(VERSION)}
    if spec:
        top["spec"] = Leaf(spec)
    top["at"] = Leaf(point, "the step to look at")
    sections = {
        "args": {name: _leaf(shape, _Place(0, 0)) for name, shape in reads.args.items()},
        "templates": {name: _template(each) for name, each in sorted(reads.templates.items())},
        **_records(reads.values, counts),
        "agents": {
            name: Leaf(dict(_maps(_records(_chosen(reads.agents), counts)))) for name in _agent_names(reads.agents)
        },
        "functions": {name: _sample(each) for name, each in sorted(reads.functions.items())},
    }
    return top | {name: Leaf(value) for name, value in sections.items() if value}


def _maps(sections: Map | dict[str, Map]) -> Iterator[tuple[str, Leaf]]:
    for name, value in sections.items():
        if value:
            yield name, value if isinstance(value, Leaf) else Leaf(value)


# -------------------------------------------------------------------------------------------------------------- records


@dataclass(frozen=True, slots=True)
class _Place:
    """The place for values in the file: without a time, at a step, or at a sub-step."""

    levels: int
    step: int


def _records(root: Shape, counts: Sequence[int]) -> dict[str, Map]:
    """Return `env`, `sys`, `resp` for constants, and `steps`."""
    found = {name: _constants(shape) for name, shape in _namespaces(root)}
    column = _only_series(root)
    if column is not None:
        namespace, shape = column
        steps = {str(n): Leaf(_leaf(shape, _Place(1, n)).value) for n in range(len(counts) + 1) if _is_read(shape, n)}
        found[namespace] = {shape.name: Leaf(dict(steps), _comment(shape))}
        return found
    deepest = min(_deepest(root), _LEVELS)
    steps = {}
    for step, n_substeps in enumerate(counts, 1):
        row = _row(root, _Place(1, step), deepest, n_substeps)
        if row:
            steps[str(step)] = Leaf(row)
    return {**found, "steps": steps}


def _row(root: Shape, place: _Place, deepest: int, n_substeps: int) -> Map:
    """Return the values and sub-steps of one step."""
    row = {name: Leaf(values) for name, shape in _namespaces(root) if (values := _fields(shape, place))}
    if place.levels < deepest:
        below = _Place(place.levels + 1, place.step)
        inner = {str(number): Leaf(_row(root, below, deepest, N_STEPS)) for number in range(1, n_substeps + 1)}
        if any(each.value for each in inner.values()):
            row["substeps"] = Leaf(dict(inner))
    return row


def _namespaces(root: Shape) -> list[tuple[str, Shape]]:
    return [(name, root.fields[name]) for name in NAMESPACES if name in root.fields]


def _deepest(root: Shape) -> int:
    """Return the largest number of levels of a time."""
    return max((levels for levels, _ in _times(root)), default=0)


def _times(root: Shape) -> Iterator[tuple[int, int | None]]:
    """Yield the times that the values below are read at."""
    waiting = [root]
    while waiting:
        shape = waiting.pop()
        yield from shape.times
        waiting += shape.fields.values()


def _only_series(root: Shape) -> tuple[str, Shape] | None:
    """Return the only variable that is read by step, if it is a plain value: then a column is simpler than rows."""
    found = [
        (name, shape)
        for name, tree in _namespaces(root)
        for shape in tree.fields.values()
        if any(levels for levels, _ in shape.times)
    ]
    if len(found) != 1 or not found[0][1].is_leaf or any(levels != 1 for levels, _ in found[0][1].times):
        return None
    others = [shape for name, tree in _namespaces(root) for shape in tree.fields.values() if name == found[0][0]]
    return found[0] if len(others) == 1 else None


def _constants(namespace: Shape) -> Map:
    """Return values read without a time and, as a column, values read at `@0`, which has no row."""
    found = _fields(namespace, _Place(0, 0))
    for name, shape in namespace.fields.items():
        if (1, 0) in shape.times and name not in found:
            found[name] = Leaf({"0": _leaf(shape, _Place(1, 0))})
    return found


def _is_read(shape: Shape, step: int) -> bool:
    """Return whether a series is read at a step; step 0 only if the spec names `@0`."""
    return (1, 0) in shape.times if step == 0 else shape.is_at(1, step)


def _n_steps(reads: SpecReads) -> int:
    """Return the number of steps to write: two, or up to a step that the spec names."""
    fixed = [step for root in (reads.values, _chosen(reads.agents)) for _, step in _times(root)]
    return min(max([N_STEPS, *(step for step in fixed if step is not None)]), _MOST_STEPS)


def _fields(shape: Shape, place: _Place) -> Map:
    """Return the fields of a namespace or value that are read at a place."""
    return {name: _leaf(each, place) for name, each in shape.fields.items() if each.is_at(place.levels, place.step)}


# --------------------------------------------------------------------------------------------------------------- values


def _leaf(shape: Shape, place: _Place, number: int = 1) -> Leaf:
    """Return a value with everything inside it that is read."""
    comment = _comment(shape) if place.step <= 1 else ""
    if shape.by_key is not None:
        return Leaf({name: _leaf(shape.by_key, place) for name in _key_names(shape)}, comment)
    if shape.element is not None:
        n_elements = 2 if shape.element.is_key else 1
        return Leaf([_leaf(shape.element, place, each) for each in range(1, n_elements + 1)], comment)
    fields = _fields(shape, place)
    if not fields:
        return Leaf(_word(shape, number), comment)
    if shape.is_text or shape.is_key or shape.words:
        return Leaf({"$value": Leaf(_word(shape, number)), **fields}, comment)
    return Leaf(fields, comment)


def _word(shape: Shape, number: int) -> str | int | bool:
    """Return a value of the kind that the spec expects."""
    if shape.is_key:
        return f"{shape.name or 'key'}_{number}"
    if shape.words:
        return next(iter(shape.words))
    if shape.is_number:
        return 1
    return True if shape.is_condition and not shape.is_text else PLACEHOLDER


def _key_names(shape: Shape) -> list[str]:
    """Return the keys under which something is read: the placeholders of their values."""
    names: dict[str, None] = {}
    for key in shape.keys:
        if isinstance(key, str):
            names[key] = None
        else:
            names |= {str(_word(key, number)): None for number in range(1, 3 if key.is_element else 2)}
    return list(names)


def _agent_names(root: Shape) -> list[str]:
    return _key_names(root) if root.by_key is not None else []


def _chosen(root: Shape) -> Shape:
    return root.by_key if root.by_key is not None else Shape()


def _comment(shape: Shape) -> str:
    return "; ".join(shape.comments)


def _said(inserted: Inserted) -> str:
    return "; ".join(inserted.comments)


def _sample(inserted: Inserted) -> Leaf:
    """Return a sample of a function, for any arguments."""
    returned = _leaf(inserted.result, _Place(0, 0)).value
    return Leaf([Leaf({"args": Leaf("*", "any arguments"), "returns": Leaf(returned)})], _said(inserted))


def _template(inserted: Inserted) -> Leaf:
    """Return the text of a template, with a slot for each argument."""
    if not inserted.params:
        return Leaf(PLACEHOLDER, _said(inserted))
    text = " ".join([PLACEHOLDER, *(f"{{{{{name}}}}}" for name in inserted.params)])
    params = [Leaf(name) for name in inserted.params]
    return Leaf({"params": Leaf(params), "text": Leaf(text)}, _said(inserted))
