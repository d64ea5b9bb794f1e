"""What the pages about PML have from the code: the table of elements, and the repairs of the blocks of the proposal."""

import re
from pathlib import Path

from acdl_mkdocs.prompts.pml.grammar import KINDS, Attribute, ElementKind, OptionalSteps, Step
from acdl_mkdocs.prompts.pml.problems import PML_RULES
from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.pml.write import write

_BLOCKS = Path(__file__).parent / "pml" / "seed_blocks"
_TITLES = {
    "1-tools": "The list of tools",
    "2-call": "A thought and a call, as a model writes them",
    "3-wrapper": "A conversation without turns",
    "4-turn": "A turn alone",
    "5-files": "A message with files",
    "6-inline-context": "A document alone",
    "7-memory": "Memory",
    "8-tool-output": "A result in an answer",
    "9-example": "The long example, with two roots",
}


def elements() -> str:
    """Every element: what it is, what may be in it, its attributes."""
    return "\n\n".join(_element(kind) for kind in KINDS.values())


def _element(kind: ElementKind) -> str:
    name = f"`<{kind.name}>`" if kind.key == kind.name else f"`<{kind.name}>` of `<{_home(kind)}>`"
    lines = [f"### {name} {{ #{kind.key.replace(':', '-')} }}", f"{kind.summary[0].upper()}{kind.summary[1:]}."]
    inside = " or ".join(f"`{_model(model)}`" for model in kind.models if model)
    text = ["text"] if kind.is_text else []
    lines.append(f"In it: {' or '.join([*text, *([inside] if inside else [])]) or 'nothing'}.")
    attributes = [*kind.attributes, *kind.extension_attributes]
    if attributes:
        rows = [f"| `{each.name}` | {'yes' if each.is_required else ''} | {_meaning(each)} |" for each in attributes]
        lines.append("\n".join(["| attribute | needed | meaning |", "|---|---|---|", *rows]))
    return "\n\n".join(lines)


def _home(kind: ElementKind) -> str:
    return next(each.name for each in KINDS.values() if kind.key in each.children.values())


def _model(model: tuple[Step, ...]) -> str:
    return ", ".join(_step(step) for step in model)


def _step(step: Step) -> str:
    if isinstance(step, OptionalSteps):
        return f"({', '.join(map(_step, step.steps))})?"
    names = " | ".join(KINDS[kind].name for kind in step.kinds)
    count = {(0, 1): "?", (1, 1): ""}.get((step.least, step.most or 0), "*" if step.least == 0 else "+")
    return f"({names}){count}" if len(step.kinds) > 1 else f"{names}{count}"


def _meaning(attribute: Attribute) -> str:
    meaning = attribute.summary.replace("|", "\\|")
    choices = " or ".join(f"`{each}`" for each in attribute.choices)
    return meaning if not choices or attribute.choices[0] in meaning else f"{meaning} ({choices})"


def repairs() -> str:
    """The blocks of the proposal, each with what is said about it and how it is read."""
    return "\n\n".join(_block(name, title) for name, title in _TITLES.items())


def _block(name: str, title: str) -> str:
    text = (_BLOCKS / f"{name}.xml").read_text("utf-8")
    strict = read(text)
    if strict.prompt is not None:
        told = "Is read as it is."
    else:
        rule = strict.problems[0].rule
        assert rule in PML_RULES
        said = "; ".join(dict.fromkeys(_words(repair.message) for repair in read(text, is_lenient=True).repairs))
        told = f"Strictly `{rule}`: {strict.problems[0].message}. With `--lenient`: {said}."
    prompt = read(text, is_lenient=True).prompt
    assert prompt is not None
    parts = [f"### {title}", told, f"```text\n{text.rstrip()}\n```", "is written as", f"```xml\n{write(prompt)}```"]
    return "\n\n".join(parts)


def _words(message: str) -> str:
    return re.sub(r"\s+", " ", message)
