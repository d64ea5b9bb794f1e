"""What the pages of examples show: a file of `examples/` with its header, its comments and its figures."""

import re
from pathlib import Path

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse

ROOT = Path(__file__).parent.parent

_CODE = re.compile(
    r"(?<![\w`])("
    r"\[@[^\]]*\]|(?:sys|env|resp)(?:\[[^\]]*\])*(?:\.\w+)*(?:\[[^\]]*\])*|@[tT]\b(?:\.\w+)*(?:-\d+)?|range\([^)]*\)|\w[\w-]*\.acdl"
    r")(?![\w`])"
)


def example(file: str) -> str:
    """A file of `examples/`: what its header says, then a figure for each definition."""
    text = (ROOT / "examples" / file).read_text("utf-8")
    header = [line.removeprefix("//").strip() for line in text.partition("\n\n")[0].split("\n")]
    told = [line for line in header if not re.match(r"(title|source|tags|acdl):", line)]
    sources = [line.partition(": ")[2] for line in header if line.startswith("source:")]
    title = next(line.partition(": ")[2] for line in header if line.startswith("title:"))
    stem = file.removesuffix(".acdl")
    parts = [f"### {title} {{ #{stem} }}", _marked(" ".join(told)), f"`examples/{file}`, from {'; '.join(sources)}."]
    names = list(analyse(Source(text, file)).resolved.definitions)
    for name in names:
        if name.removesuffix("Corrected") in names and name.endswith("Corrected"):
            continue
        figure = f"{_above(text, name)}\n\n{_figure(file, stem, name)}"
        if f"{name}Corrected" in names:
            corrected = f"{_above(text, f'{name}Corrected')}\n\n{_figure(file, stem, f'{name}Corrected')}"
            figure = f'=== "As published"\n\n{_indented(figure)}\n\n=== "Corrected"\n\n{_indented(corrected)}'
        parts += [f"#### {name} {{ #{stem}-{name.lower()}-spec }}", figure]
    return "\n\n".join(parts)


def _figure(file: str, stem: str, name: str) -> str:
    return f'```acdl src="examples/{file}#{name}" id={stem}-{name}\n```'


def _above(text: str, name: str) -> str:
    """The comment above a definition, as a sentence of the page."""
    lines = text[: _definition_at(text, name)].split("\n")[:-1]
    told: list[str] = []
    while lines and lines[-1].startswith("//"):
        told.insert(0, lines.pop().removeprefix("//").strip())
    return _marked(" ".join(told))


def _definition_at(text: str, name: str) -> int:
    found = re.search(rf"^(?:StrFrag |RolesFrag )?{name}\b.*\{{$", text, re.MULTILINE)
    assert found, f"{name} is not defined at the beginning of a line"
    return found.start()


def _marked(text: str) -> str:
    """A sentence with the ACDL in it marked as code."""
    return _CODE.sub(r"`\1`", text)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.split("\n"))
