"""What the page about the examples says of each: what its header says, where it is from, and the pages of its specs."""

import re
from functools import cache
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
    """A file of `examples/`: what its header says, where it is from, and the pages of its specs."""
    text = (ROOT / "examples" / file).read_text("utf-8")
    header = [line.removeprefix("//").strip() for line in text.partition("\n\n")[0].split("\n")]
    notes = [line for line in header if not re.match(r"(title|source|tags|acdl):", line)]
    sources = [line.partition(": ")[2] for line in header if line.startswith("source:")]
    title = next(line.partition(": ")[2] for line in header if line.startswith("title:"))
    links = ", ".join(f"[{name}](specs/{_spec_page(file, name)}.md)" for name in _definitions(file))
    about = f"{links}: `examples/{file}`, from {'; '.join(sources)}."
    return "\n\n".join((f"### {title} {{ #{file.removesuffix('.acdl')} }}", _marked(" ".join(notes)), about))


@cache
def _definitions(file: str) -> tuple[str, ...]:
    """The names that a file of `examples/` defines."""
    text = (ROOT / "examples" / file).read_text("utf-8")
    return tuple(analyse(Source(text, file)).resolved.definitions)


def _spec_page(file: str, name: str) -> str:
    """What the page of a spec is called: after the spec, and after its file too unless that is the first of several."""
    files = [path.name for path in sorted((ROOT / "examples").glob("*.acdl")) if name in _definitions(path.name)]
    return name if files[0] == file else f"{name}-{file.removesuffix('.acdl')}"


def _marked(text: str) -> str:
    """A sentence with the ACDL in it marked as code."""
    return _CODE.sub(r"`\1`", text)
