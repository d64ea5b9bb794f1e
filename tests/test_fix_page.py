"""Fixing a page fixes its blocks as if each was a file, and changes nothing else."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from exhaustive import each_once
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import files, soups

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import MAX_ROUNDS, Diagnostic, Fix, TextEdit, apply_fixes, fix_until_stable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.rules import RULES
from acdl_mkdocs.workspace.fences import scan_fences
from acdl_mkdocs.workspace.page_edits import fix_page
from acdl_mkdocs.workspace.read_block import Finding
from acdl_mkdocs.workspace.write_fence import PageLines

_EXAMPLE = re.compile(r"## Example\n.*?```acdl\n(.*?)```", re.DOTALL)
_IN_FENCE = Config(snippet=True)

EXAMPLES = {
    name: match[1].replace("\n    ", "\n").removeprefix("    ")
    for name, rule in RULES.items()
    if (match := _EXAMPLE.search(rule.__doc__ or ""))
}
GOLDEN = {
    f"{path.parent.name}/{path.stem}": path.read_text("utf-8")
    for path in sorted((Path(__file__).parent / "golden" / "check").rglob("*.acdl"))
}
CASES = {**EXAMPLES, **GOLDEN}
CONTAINERS = [
    ("", ""),
    ("    ", "    "),
    ("\t", "\t"),
    ("> ", "> "),
    ("- ", "  "),
    ("1. > ", "   > "),
    ("  > >", "  > >"),
    ("[^1]: ", "    "),
    (":   ", "    "),
]
"""What stands before the opening line of a fence, and before its other lines."""
N_PARTS = 3
"""While people wait, each container has one of so many parts of the cases."""


def in_page(text: str, first: str, others: str, line_end: str = "\n") -> str:
    """A page with the text in a fence, prose around it, and a blank line left blank."""
    lines = [f"{others}{line}" if line else others.rstrip() for line in text.removesuffix("\n").split("\n")]
    page = ["# Title  ", "", "user: env.q", "", f"{first}~~~~ acdl", *lines, f"{others}~~~~", "", "after", "", "\tx "]
    return line_end.join(page)


def findings(page: str) -> list[Finding]:
    """What is wrong with the blocks of a page, each for itself."""
    lines = PageLines(page).lines
    return [
        finding for fence in scan_fences(lines) if fence.language == "acdl" for finding in _of(fence.text, fence.first)
    ]


def _of(text: str, first: int) -> Iterator[Finding]:
    source = Source(text, "page.md", first + 2)
    yield from ((each, source) for each in analyse(source, _IN_FENCE).diagnostics)


def fixed_alone(text: str) -> str:
    """The text after all fixes, were it a file."""
    return fix_until_stable(text, lambda each: analyse(Source(each), _IN_FENCE).diagnostics, unsafe=True).text


@pytest.mark.parametrize(("container", "part"), each_once(CONTAINERS, range(N_PARTS)))
def test_as_in_a_file(container: tuple[str, str], part: int) -> None:
    """Every example and every golden case, in a container, is fixed as it is alone."""
    first, others = container
    cases = dict([*CASES.items()][part::N_PARTS])
    n_changed = 0
    for name, text in cases.items():
        text = "\n".join(line.rstrip() for line in text.split("\n")).rstrip() + "\n"
        alone = fixed_alone(text)
        n_changed += alone != text
        for line_end in ("\n", "\r\n"):
            fixed = fix_page(in_page(text, first, others, line_end), findings, unsafe=True)
            assert fixed.text == in_page(alone, first, others, line_end), name
    assert n_changed > len(cases) // 4


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_line_ends(text: str) -> None:
    """A file whose lines end with CR LF keeps them so, in what is put in as well."""
    assert fixed_alone(text.replace("\n", "\r\n")) == fixed_alone(text).replace("\n", "\r\n")


@pytest.mark.parametrize("text", EXAMPLES.values(), ids=EXAMPLES)
def test_safe_fixes(text: str) -> None:
    """Safe fixes come to an end before they are stopped, and do not make an error where there was none."""
    rounds: list[str] = []

    def check(current: str) -> tuple[Diagnostic, ...]:
        rounds.append(current)
        return analyse(Source(current), _IN_FENCE).diagnostics

    def errors(current: str) -> list[str]:
        return [each.rule for each in analyse(Source(current), _IN_FENCE).diagnostics if each.severity == "error"]

    fixed = fix_until_stable(text, check)
    assert len(rounds) < MAX_ROUNDS
    assert rounds[-1] == fixed.text
    again = fix_until_stable(fixed.text, check)
    assert (again.text, again.n_fixed) == (fixed.text, 0)
    assert set(errors(fixed.text)) <= set(errors(text))


@given(st.one_of(files, soups))
@example("a b ; c")  # without what separates them, three words in a row are text for the model
@example("a * b ; c")
@example("room door; A window")
def test_safe_fixes_of_any_text(text: str) -> None:
    """Whatever the text, safe fixes end, leave nothing for a second time, and make no error where there was none."""

    def check(current: str) -> tuple[Diagnostic, ...]:
        return analyse(Source(current), _IN_FENCE).diagnostics

    fixed = fix_until_stable(text, check)
    assert fixed.n_fixed == 0 or fixed.text != text
    assert fix_until_stable(fixed.text, check).n_fixed == 0
    if not any(each.severity == "error" for each in check(text)):
        assert not [each.message for each in check(fixed.text) if each.severity == "error"]


BLOCK = "A\n\n  B\nC\n"


@given(
    st.integers(0, len(BLOCK)),
    st.integers(0, len(BLOCK)),
    st.sampled_from(("", "x", "\n", "x\n", "\nx", "x\n\n  y", "\n\n")),
    st.sampled_from(CONTAINERS),
    st.sampled_from(("\n", "\r\n")),
)
def test_any_edit(one: int, other: int, new: str, container: tuple[str, str], line_end: str) -> None:
    """Whatever an edit does, the lines around the block and its closing marks stay as they are."""
    fix = Fix("edit", (TextEdit(Span(min(one, other), max(one, other)), new),))
    page = in_page(BLOCK, *container, line_end)
    lines = PageLines(page)
    fence = next(scan_fences(lines.lines))
    fixed = apply_fixes(page, [lines.move_fix(fix, fence)]).text
    alone = apply_fixes(BLOCK, [fix]).text
    if alone and not alone.endswith("\n"):
        alone += "\n"
    after = PageLines(fixed).lines
    changed = next(scan_fences(after))
    assert changed.text == alone
    assert (after[: fence.first + 1], after[changed.end - 1 :]) == (
        lines.lines[: fence.first + 1],
        lines.lines[fence.end - 1 :],
    )
    assert fixed.count("\r") == (fixed.count("\n") if line_end == "\r\n" else 0)


def test_only_its_own_lines_change() -> None:
    """Lines that are indented less, other line ends and trailing white space stay, to the byte."""
    page = "\ufeffa\r\n   ```acdl\r\n user: env.q  \n\t\r\nA: resp.a[@T-1]\r\n   ```\r\n\x0b\u2028 b\r"
    assert fix_page(page, findings).text == page.replace("user:", "U:")


def test_what_is_left_alone() -> None:
    """Fences that are no blocks, blocks that are not closed, and findings of other texts."""
    page = "```text\nuser: env.q\n```\n\n```acdl src=a.acdl\n```\n\n```acdl\nuser: env.q\n"
    source = Source("user: env.q\n", "a.acdl", 6)
    found = [(each, source) for each in analyse(source, _IN_FENCE).diagnostics]
    assert any(each.fix for each, _ in found)
    assert fix_page(page, lambda text: [*findings(text), *found]).text == page


def test_several_blocks() -> None:
    """All blocks are fixed at once; one that is not understood does not hold back the unsafe fixes of the others."""
    unused = "P[@T]: {\n    U: env.q[@T]\n    Name x := f(env.q[@T])\n}\n"
    broken = unused.replace("env.q[@T]\n", "env.q[@T\n")
    page = f"```acdl\n{unused}```\n\n```acdl\n{broken}```\n\n> ```acdl\n> user: env.q[@T]\n> ```\n"
    expected = f"```acdl\n{fixed_alone(unused)}```\n\n```acdl\n{broken}```\n\n> ```acdl\n> U: env.q[@T]\n> ```\n"
    assert "Name" not in fixed_alone(unused)
    fixed = fix_page(page, findings, unsafe=True)
    assert (fixed.text, fixed.n_fixed) == (expected, 2)
