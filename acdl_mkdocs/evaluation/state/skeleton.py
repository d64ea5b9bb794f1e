"""A first state of a spec: every value that it reads, with a placeholder and the comments of the spec.

Two steps are filled in, each with two sub-steps where the spec reads sub-steps. Returns text; writes no file.
"""

from collections.abc import Iterator, Sequence

from acdl_mkdocs.evaluation.state.entries import PLACEHOLDER
from acdl_mkdocs.evaluation.state.read import VERSION
from acdl_mkdocs.evaluation.state.shapes import InsertedText, SpecReads, ValueShape
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.write import CommentedValue, Map, clean_comment, format_map
from acdl_mkdocs.language.syntax.nodes import NAMESPACES

N_STEPS = 2
_MOST_STEPS = 10
"""The number of steps if a spec reads a fixed step such as `@5`."""
_LEVELS = 4
"""Levels of times; deeper values are written at the deepest level."""


def write_skeleton(reads: SpecReads, spec: str, schema: str) -> str:
    """Return the text of a state file.

    Parameters:
        reads: What the spec reads.
        spec: Its name; empty for a text without a title.
        schema: Address of the schema of state files, for editors.
    """
    about = f"A sample state of {spec}" if spec else "A sample state"
    head = [
        f"# yaml-language-server: $schema={clean_comment(schema)}",
        f"# {about}: put what the agent really sees in the place of every {PLACEHOLDER}",
    ]
    return "\n".join([*head, *format_map(build_first_values(reads, spec))]) + "\n"


def build_first_values(reads: SpecReads, spec: str, counts: Sequence[int] = ()) -> Map:
    """Return the entries of a state file.

    Parameters:
        reads: What the spec reads.
        spec: Its name; empty for a text without a title.
        counts: How many sub-steps each step has; without it, two steps with two sub-steps.
    """
    counts = counts or [N_STEPS] * _count_steps(reads)
    inner = [counts[-1], *[N_STEPS] * _LEVELS]
    point = ".".join(map(str, [len(counts), *inner[: min(reads.levels, _LEVELS) - 1]]))
    top: Map = {"acdl_state": CommentedValue(VERSION)}
    if spec:
        top["spec"] = CommentedValue(spec)
    top["at"] = CommentedValue(point, "the step to look at")
    sections = {
        "args": {name: _write_leaf(shape, _RowPosition(0, 0)) for name, shape in reads.args.items()},
        "templates": {name: _write_template(each) for name, each in sorted(reads.templates.items())},
        **_write_records(reads.values, counts),
        "agents": {
            name: CommentedValue(dict(_list_maps(_write_records(_choose_agent(reads.agents), counts))))
            for name in _list_agent_names(reads.agents)
        },
        "functions": {name: _write_sample(each) for name, each in sorted(reads.functions.items())},
    }
    return top | {name: CommentedValue(value) for name, value in sections.items() if value}


def _list_maps(sections: Map | dict[str, Map]) -> Iterator[tuple[str, CommentedValue]]:
    for name, value in sections.items():
        if value:
            yield name, value if isinstance(value, CommentedValue) else CommentedValue(value)


# -------------------------------------------------------------------------------------------------------------- records


@dataclass(frozen=True, slots=True)
class _RowPosition:
    """The place for values in the file: without a time, at a step, or at a sub-step."""

    levels: int
    step: int


def _write_records(root: ValueShape, counts: Sequence[int]) -> dict[str, Map]:
    """Return `env`, `sys`, `resp` for constants, and `steps`."""
    sections = {name: _write_constants(shape) for name, shape in _list_namespaces(root)}
    column = _find_only_series(root)
    if column is not None:
        namespace, shape = column
        steps = {
            str(n): CommentedValue(_write_leaf(shape, _RowPosition(1, n)).value)
            for n in range(len(counts) + 1)
            if _is_read(shape, n)
        }
        sections[namespace] = {shape.name: CommentedValue(dict(steps), _format_comment(shape))}
        return sections
    deepest = min(_find_deepest(root), _LEVELS)
    steps = {}
    for step, n_substeps in enumerate(counts, 1):
        row = _write_row(root, _RowPosition(1, step), deepest, n_substeps)
        if row:
            steps[str(step)] = CommentedValue(row)
    return {**sections, "steps": steps}


def _write_row(root: ValueShape, position: _RowPosition, deepest: int, n_substeps: int) -> Map:
    """Return the values and sub-steps of one step."""
    row = {
        name: CommentedValue(values)
        for name, shape in _list_namespaces(root)
        if (values := _write_fields(shape, position))
    }
    if position.levels < deepest:
        below = _RowPosition(position.levels + 1, position.step)
        inner = {
            str(number): CommentedValue(_write_row(root, below, deepest, N_STEPS))
            for number in range(1, n_substeps + 1)
        }
        if any(each.value for each in inner.values()):
            row["substeps"] = CommentedValue(dict(inner))
    return row


def _list_namespaces(root: ValueShape) -> list[tuple[str, ValueShape]]:
    return [(name, root.fields[name]) for name in NAMESPACES if name in root.fields]


def _find_deepest(root: ValueShape) -> int:
    """Return the largest number of levels of a time."""
    return max((levels for levels, _ in _list_times(root)), default=0)


def _list_times(root: ValueShape) -> Iterator[tuple[int, int | None]]:
    """Yield the times that the values below are read at."""
    stack = [root]
    while stack:
        shape = stack.pop()
        yield from shape.times
        stack += shape.fields.values()


def _find_only_series(root: ValueShape) -> tuple[str, ValueShape] | None:
    """Return the only variable that is read by step, if it is a plain value: then a column is simpler than rows."""
    series = [
        (name, shape)
        for name, tree in _list_namespaces(root)
        for shape in tree.fields.values()
        if any(levels for levels, _ in shape.times)
    ]
    if len(series) != 1 or not series[0][1].is_leaf or any(levels != 1 for levels, _ in series[0][1].times):
        return None
    others = [shape for name, tree in _list_namespaces(root) for shape in tree.fields.values() if name == series[0][0]]
    return series[0] if len(others) == 1 else None


def _write_constants(namespace: ValueShape) -> Map:
    """Return values read without a time and, as a column, values read at `@0`, which has no row."""
    fields = _write_fields(namespace, _RowPosition(0, 0))
    for name, shape in namespace.fields.items():
        if (1, 0) in shape.times and name not in fields:
            fields[name] = CommentedValue({"0": _write_leaf(shape, _RowPosition(1, 0))})
    return fields


def _is_read(shape: ValueShape, step: int) -> bool:
    """Return whether a series is read at a step; step 0 only if the spec names `@0`."""
    return (1, 0) in shape.times if step == 0 else shape.is_at(1, step)


def _count_steps(reads: SpecReads) -> int:
    """Return the number of steps to write: two, or up to a step that the spec names."""
    fixed = [step for root in (reads.values, _choose_agent(reads.agents)) for _, step in _list_times(root)]
    return min(max([N_STEPS, *(step for step in fixed if step is not None)]), _MOST_STEPS)


def _write_fields(shape: ValueShape, position: _RowPosition) -> Map:
    """Return the fields of a namespace or value that are read at a place."""
    return {
        name: _write_leaf(each, position)
        for name, each in shape.fields.items()
        if each.is_at(position.levels, position.step)
    }


# --------------------------------------------------------------------------------------------------------------- values


def _write_leaf(shape: ValueShape, position: _RowPosition, number: int = 1) -> CommentedValue:
    """Return a value with everything inside it that is read."""
    comment = _format_comment(shape) if position.step <= 1 else ""
    if shape.by_key is not None:
        return CommentedValue({name: _write_leaf(shape.by_key, position) for name in _list_key_names(shape)}, comment)
    if shape.element is not None:
        n_elements = 2 if shape.element.is_key else 1
        return CommentedValue(
            [_write_leaf(shape.element, position, each) for each in range(1, n_elements + 1)], comment
        )
    fields = _write_fields(shape, position)
    if not fields:
        return CommentedValue(_choose_placeholder(shape, number), comment)
    if shape.is_text or shape.is_key or shape.words:
        return CommentedValue({"$value": CommentedValue(_choose_placeholder(shape, number)), **fields}, comment)
    return CommentedValue(fields, comment)


def _choose_placeholder(shape: ValueShape, number: int) -> str | int | bool:
    """Return a value of the kind that the spec expects."""
    if shape.is_key:
        return f"{shape.name or 'key'}_{number}"
    if shape.words:
        return next(iter(shape.words))
    if shape.is_number:
        return 1
    return True if shape.is_condition and not shape.is_text else PLACEHOLDER


def _list_key_names(shape: ValueShape) -> list[str]:
    """Return the keys under which something is read: the placeholders of their values."""
    names: dict[str, None] = {}
    for key in shape.keys:
        if isinstance(key, str):
            names[key] = None
        else:
            names |= {str(_choose_placeholder(key, number)): None for number in range(1, 3 if key.is_element else 2)}
    return list(names)


def _list_agent_names(root: ValueShape) -> list[str]:
    return _list_key_names(root) if root.by_key is not None else []


def _choose_agent(root: ValueShape) -> ValueShape:
    return root.by_key if root.by_key is not None else ValueShape()


def _format_comment(shape: ValueShape) -> str:
    return "; ".join(shape.comments)


def _format_inserted_comment(inserted: InsertedText) -> str:
    return "; ".join(inserted.comments)


def _write_sample(inserted: InsertedText) -> CommentedValue:
    """Return a sample of a function, for any arguments."""
    returned = _write_leaf(inserted.result, _RowPosition(0, 0)).value
    return CommentedValue(
        [CommentedValue({"args": CommentedValue("*", "any arguments"), "returns": CommentedValue(returned)})],
        _format_inserted_comment(inserted),
    )


def _write_template(inserted: InsertedText) -> CommentedValue:
    """Return the text of a template, with a slot for each argument."""
    if not inserted.params:
        return CommentedValue(PLACEHOLDER, _format_inserted_comment(inserted))
    text = " ".join([PLACEHOLDER, *(f"{{{{{name}}}}}" for name in inserted.params)])
    params = [CommentedValue(name) for name in inserted.params]
    return CommentedValue(
        {"params": CommentedValue(params), "text": CommentedValue(text)}, _format_inserted_comment(inserted)
    )
