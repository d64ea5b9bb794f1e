"""What a state has to say so that a spec can be evaluated, in words."""

from collections.abc import Iterator, Sequence

from acdl_mkdocs.explanation.told import Needed
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import NAMESPACES, Prompt
from acdl_mkdocs.states.shapes import Inserted, Shape
from acdl_mkdocs.states.spec_reads import reads_of

_ORIGINS = {
    "env": "the world outside: users, tools, documents",
    "sys": "the program itself",
    "resp": "earlier answers of the model",
}
_MOST_WORDS = 6


def needed(resolved: Resolved, prompts: Sequence[Prompt]) -> tuple[Needed, ...]:
    """The entries of a state that specs of a text read, by where they come from."""
    reads = reads_of(resolved, prompts)
    found = [
        Needed(f"args.{name}", "who asks for the prompt", _expected(shape), "", tuple(shape.comments))
        for name, shape in reads.args.items()
    ]
    for namespace in NAMESPACES:
        found += _values(namespace, reads.values.fields.get(namespace, Shape()), "")
    agent = reads.agents.by_key or Shape()
    for namespace in NAMESPACES:
        found += _values(namespace, agent.fields.get(namespace, Shape()), "agents.NAME.")
    for name, inserted in sorted(reads.templates.items()):
        found.append(Needed(f"templates.{name}", "the author of the prompts", _text(inserted), "", _said(inserted)))
    for name, inserted in sorted(reads.functions.items()):
        found.append(Needed(f"functions.{name}", "a function of the program", _result(inserted), "", _said(inserted)))
    return tuple(found)


def _values(namespace: str, tree: Shape, prefix: str) -> Iterator[Needed]:
    for name, shape in tree.fields.items():
        path = f"{prefix}{namespace}.{name}"
        yield Needed(path, _ORIGINS[namespace], _expected(shape), _when(shape), tuple(shape.comments))


def _when(shape: Shape) -> str:
    """How often a value changes, or one inside it."""
    times = set(shape.times)
    for each in (*shape.fields.values(), *filter(None, (shape.by_key,))):
        times |= each.times
    fixed = sorted({step for levels, step in times if levels and step is not None})
    levels = max((levels for levels, step in times if step is None), default=0)
    if levels:
        return "one for each step" if levels > 1 else "one for each turn"
    return f"only at turn {' and '.join(map(str, fixed))}" if fixed else "the same at all times"


def _expected(shape: Shape) -> str:
    """What is done with a value."""
    said: list[str] = []
    if shape.element is not None:
        inner = _fields(shape.element)
        said.append(f"a list whose items have {inner}" if inner else "a list")
    if shape.by_key is not None:
        said.append("a map that is looked into by key")
    if shape.fields:
        said.append(f"a value with {_fields(shape)}")
    if shape.is_number:
        said.append("a number")
    if shape.words:
        said.append(f"a word such as {', '.join(f'`{each}`' for each in list(shape.words)[:_MOST_WORDS])}")
    if shape.is_text:
        said.append("sent")
    if shape.is_condition:
        said.append("looked at by a condition")
    return ", ".join(said) or "read"


def _fields(shape: Shape) -> str:
    names = [f"`{name}`" for name in shape.fields]
    return ", ".join(names[:_MOST_WORDS]) + (" and more" if len(names) > _MOST_WORDS else "")


def _text(inserted: Inserted) -> str:
    slots = ", ".join(f"`{name}`" for name in inserted.params)
    return f"a text with slots for {slots}" if slots else "a text"


def _result(inserted: Inserted) -> str:
    return f"a sample of what it gives: {_expected(inserted.result)}"


def _said(inserted: Inserted) -> tuple[str, ...]:
    return tuple(inserted.comments)
