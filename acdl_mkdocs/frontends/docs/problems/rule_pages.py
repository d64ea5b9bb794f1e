"""The documentation of each problem, from rules and `assets/problems/`, with the message of its example."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from acdl_mkdocs.drawing.from_drawing.read import read_drawing
from acdl_mkdocs.evaluation.evaluate import evaluate
from acdl_mkdocs.evaluation.state.mismatches import find_unread_names
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Severity
from acdl_mkdocs.foundation.explanations import FAMILIES, Family, read_explanations
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.page_problems import list_unread_blocks, page_problems
from acdl_mkdocs.frontends.docs.pages.library import unknown_variants
from acdl_mkdocs.language.analyse import analyse, parse_and_resolve
from acdl_mkdocs.language.names.library import build_library
from acdl_mkdocs.language.rules import RULES, read_documentation
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.prompts.pml.document_problems import list_document_problems
from acdl_mkdocs.prompts.pml.problems import PML_RULES
from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.workspace.examine import examine_text
from acdl_mkdocs.workspace.fences import scan_fences
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.page_kinds import PagePart
from acdl_mkdocs.workspace.read_block import Finding, find_defined_names, read_block

Kind: TypeAlias = Literal["rule"] | Family
"""The finder of a problem: a rule, or the checker of a family of problems."""
Cure = Literal["", "safe", "unsafe"]
"""Whether `--fix` fixes the example: not at all, keeping its meaning, or perhaps changing it."""

_NO_PROJECT = Path(__file__).parent
"""A folder without specs, so that messages about files are the same everywhere."""

_INPUTS = ("Example", "Elsewhere", "State")
"""The sections with the texts that the message of the example depends on."""
_SECTION = re.compile(r"^## (.+)\n", re.MULTILINE)
_FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
_REFERENCE = re.compile(r"^Reference: (.+?)\.?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CodeSample:
    """A piece of code of a page."""

    language: str
    """`acdl`, `markdown` for a page, `python` for a file with a docstring, `yaml` for a state, `xml` for a PML
    document, `text` for a drawing."""
    text: str


@dataclass(frozen=True, slots=True)
class PageSection:
    """A part of a page under a heading."""

    title: str
    parts: tuple[str | CodeSample, ...]
    """Paragraphs of Markdown and code, in order."""


@dataclass(frozen=True, slots=True)
class RulePage:
    """The documentation of one problem."""

    name: str
    kind: Kind
    problem: str
    """The problem, as a clause that ends with a full stop."""
    about: str
    """The exact report, in Markdown; empty if `problem` suffices."""
    sections: tuple[PageSection, ...]
    reference: str
    """Where the language's own documents mention it; empty if they do not."""
    findings: tuple[Finding, ...]
    """The findings of the example; empty if there is no example."""

    @property
    def severity(self) -> Severity:
        """The severity unless a project sets another."""
        if self.findings:
            return self.findings[0][0].severity
        return "error" if self.kind == "rule" else read_explanations(self.kind)[self.name].severity

    @property
    def message_section(self) -> str:
        """The title of the section that the message of the example follows, after all that it depends on."""
        titles = [section.title for section in self.sections if section.title in _INPUTS]
        return titles[-1] if self.findings else ""

    @property
    def cure(self) -> Cure:
        """Whether the example can be fixed by machine."""
        fixes = [diagnostic.fix for diagnostic, _ in self.findings if diagnostic.fix]
        return "" if not fixes else "safe" if all(fix.is_safe for fix in fixes) else "unsafe"


def all_names() -> tuple[str, ...]:
    """Return the name of every problem that has a page: rules first, each group in its own order."""
    return (*RULES, *(name for family in FAMILIES for name in read_explanations(family)))


def rule_page(name: str) -> RulePage:
    """Return the documentation of a problem.

    Raises:
        KeyError: No problem has that name.
    """
    if name in RULES:
        about, text = read_documentation(name)
        return _parse_page(name, "rule", about.partition("\n")[0].partition(": ")[2], text)
    family = next((each for each in FAMILIES if name in read_explanations(each)), None)
    if family is None:
        raise KeyError(name)
    text = read_explanations(family)[name].text
    if family == "pml":
        return _parse_page(name, family, f"{PML_RULES[name]}.", text)
    problem, _, rest = text.partition("\n")
    return _parse_page(name, family, problem, rest.strip())


def _parse_page(name: str, kind: Kind, problem: str, documentation: str) -> RulePage:
    reference = _REFERENCE.search(documentation)
    about, *rest = _SECTION.split(_REFERENCE.sub("", documentation))
    sections = tuple(
        PageSection(title, tuple(_split_parts(body))) for title, body in zip(rest[::2], rest[1::2], strict=True)
    )
    return RulePage(
        name=name,
        kind=kind,
        problem=problem,
        about=re.sub(r"^Report\b", "Reports", about.strip()),
        sections=sections,
        reference=reference[1] if reference else "",
        findings=tuple(_list_findings(name, sections)),
    )


def _split_parts(body: str) -> Iterator[str | CodeSample]:
    at = 0
    for fence in _FENCE.finditer(body):
        if body[at : fence.start()].strip():
            yield body[at : fence.start()].strip()
        yield CodeSample(fence["language"], fence["text"])
        at = fence.end()
    if body[at:].strip():
        yield body[at:].strip()


def _list_findings(name: str, sections: tuple[PageSection, ...]) -> Iterator[Finding]:
    """Yield the findings of the example, with the texts of the section "Elsewhere" as the rest of the site."""
    samples = {section.title: [part for part in section.parts if isinstance(part, CodeSample)] for section in sections}
    for example in samples.get("Example", [])[:1]:
        if example.language == "markdown":
            findings = _page_findings(example.text)
        elif example.language == "python":
            findings = list_unread_blocks(example.text, "example.py", "python")
        elif example.language == "xml":
            findings = _pml_findings(example.text, is_lenient=name == "repaired")
        elif example.language == "yaml":
            findings = _state_findings(example.text)
        elif example.language == "text":
            findings = _drawing_findings(example.text)
        elif name in read_explanations("evaluation"):
            findings = _evaluation_findings(example.text, next((each.text for each in samples.get("State", [])), ""))
        else:
            others = enumerate(samples.get("Elsewhere", []), 1)
            parsed = [parse(Source(each.text, f"other-{number}.acdl")) for number, each in others]
            source = Source(example.text, "example.acdl")
            names = {name for each in parsed for name in find_defined_names(each.source.text)}
            diagnostics = analyse(source, library=build_library(parsed)).diagnostics
            findings = ((each, source) for each in (*diagnostics, *unknown_variants(source, names)))
        yield from (each for each in findings if each[0].rule == name)


def _pml_findings(text: str, *, is_lenient: bool) -> Iterator[Finding]:
    document = read(text, is_lenient=is_lenient, name="example.pml.xml")
    return ((each, document.source) for each in list_document_problems(document))


def _drawing_findings(text: str) -> Iterator[Finding]:
    source = Source(text, "whiteboard.txt")
    return ((each, source) for each in read_drawing(text).diagnostics)


def _state_findings(text: str) -> Iterator[Finding]:
    file = read_state(text, "example.state.yaml")
    resolved = parse_and_resolve(Source("Chat[@T]: { U: env.user_question[@T] }")).resolved
    unread = find_unread_names(resolved, file.state, file.source) if file.state is not None else ()
    return ((each, file.source) for each in (*file.problems, *unread))


def _evaluation_findings(text: str, state: str) -> Iterator[Finding]:
    resolved = parse_and_resolve(Source(text, "example.acdl")).resolved
    transcript = evaluate(resolved, read_state(state, "example.state.yaml").state)
    return ((each.diagnostic, each.source) for each in transcript.findings)


def _page_findings(text: str) -> Iterator[Finding]:
    page = Page(name="page.md", text=text, root=_NO_PROJECT)
    fences = [fence for fence in scan_fences(text.split("\n")) if fence.language == "acdl"]
    blocks = [read_block(fence, page.name, BlockOptions(), _NO_PROJECT) for fence in fences]
    for number, block in enumerate(blocks):
        page.catalog.add_text(block, f"#{number}")
    yield from page_problems(page, PagePart(page.name, text, "markdown"))
    for block in blocks:
        yield from block.findings
        if block.source.text.strip():
            yield from examine_text(block, Config(snippet=True)).findings
