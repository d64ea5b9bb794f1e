"""Every rule is listed, named like its file, and does what its own documentation says."""

import re
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language import rules
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.names.library import build_library
from acdl_mkdocs.language.rules import RULES
from acdl_mkdocs.language.syntax.nodes import Fragment
from acdl_mkdocs.language.syntax.parse import parse

FOLDER = Path(rules.__file__).parent
_FENCE = re.compile(r"## (Example|Use instead)\n.*?```acdl\n(.*?)```", re.DOTALL)


def test_every_file_is_listed() -> None:
    """A rule that is not in `RULES` never runs."""
    files = {path.stem.replace("_", "-") for path in FOLDER.glob("[!_]*.py")}
    unlisted = files - set(RULES)
    assert not unlisted, f"add to RULES in language/rules/__init__.py: {sorted(unlisted)}"
    assert set(RULES) == files
    assert list(RULES) == sorted(RULES)


@pytest.mark.parametrize("name", RULES)
def test_rule(name: str) -> None:
    """The first example of a rule triggers it alone, the second is clean of everything."""
    rule = RULES[name]
    assert rule.__name__ == name.replace("-", "_")
    documentation = "\n".join(line.removeprefix("    ") for line in (rule.__doc__ or "").splitlines())
    assert "## Why\n" in documentation
    assert re.search(r"Reference: .*, \".*\"\.", documentation)
    examples = dict(_FENCE.findall(documentation))
    assert set(examples) == {"Example", "Use instead"}
    others = re.findall(
        r"```acdl\n(.*?)```", documentation.partition("## Elsewhere\n")[2].partition("\n## ")[0], re.DOTALL
    )
    library = build_library(parse(Source(text, f"other-{number}.acdl")) for number, text in enumerate(others, 1))
    found = analyse(Source(examples["Example"]), library=library).diagnostics
    assert {each.rule for each in found} == {name}
    assert all(each.help for each in found)
    assert analyse(Source(examples["Use instead"])).diagnostics == ()


@pytest.mark.parametrize("name", RULES)
def test_sentences_stand_in_one_line(name: str) -> None:
    """Wherever a line of the example ends, what is said of it does not: it goes into logs."""
    text = dict(_FENCE.findall("\n".join(map(str.strip, (RULES[name].__doc__ or "").splitlines()))))["Example"]
    for cut in [found.end() for found in re.finditer(r"\w+|[^\w\s]", text)]:
        for each in analyse(Source(f"{text[:cut]}\n{text[cut:]}")).diagnostics:
            said = [each.message, *each.help, each.label.text, each.fix.title if each.fix else ""]
            assert "\n" not in "".join(said), said


def _without_fragments(text: str) -> tuple[str, str]:
    """A text with blanks for its fragments, and the fragments with blanks for the rest."""
    rest, fragments = text, re.sub(r"[^\n]", " ", text)
    for item in parse(Source(text)).file.items:
        if isinstance(item, Fragment):
            start, end = item.span.start, item.span.end
            fragments = fragments[:start] + text[start:end] + fragments[end:]
            rest = rest[:start] + re.sub(r"[^\n]", " ", text[start:end]) + rest[end:]
    return rest, fragments


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if re.search("Frag [A-Z]", rule.__doc__ or "")])
def test_fragments_of_another_text(name: str) -> None:
    """What is wrong with the use of a fragment is seen wherever the fragment is defined."""
    documentation = "\n".join(line.removeprefix("    ") for line in (RULES[name].__doc__ or "").splitlines())
    text = dict(_FENCE.findall(documentation))["Example"]
    rest, fragments = _without_fragments(text)

    def outside(found: tuple[Diagnostic, ...]) -> list[tuple[str, str, Span]]:
        spans = ((each.rule, each.message, each.label.span) for each in found)
        return [said for said in spans if rest[said[2].start : said[2].end].strip()]

    library = build_library([parse(Source(fragments, "other.acdl"))])
    assert outside(analyse(Source(rest), library=library).diagnostics) == outside(analyse(Source(text)).diagnostics)


@pytest.mark.parametrize("name", RULES)
def test_module_names_its_rule(name: str) -> None:
    """The module docstring begins with the name of the rule."""
    text = (FOLDER / f"{name.replace('-', '_')}.py").read_text("utf-8")
    assert text.startswith(f'"""Rule `{name}`: ')


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("ForEach(t: env.b) { X }", "ForEach"),
        ("for each t in env.b { X }", "for each"),
        ("If {# c #} a { X }", "If"),
        ("PromptEndHere when a", "PromptEndHere"),
        ("docs = env.docs", "docs"),
    ],
)
def test_a_statement_in_a_one_line_message_is_at_its_first_word(statement: str, place: str) -> None:
    """The label is on the keyword as it is written, however long the documented one is."""
    text = f"U: {statement}"
    found = [each for each in analyse(Source(text)).diagnostics if each.rule == "control-flow-in-one-line-role"]
    assert [text[each.label.span.start : each.label.span.end] for each in found] == [place]


def test_a_fix_that_changes_what_is_sent_is_not_safe() -> None:
    """A title with a fixed time is rewritten only if it is asked for."""
    (found,) = (each for each in analyse(Source("P[@T=2]: { S: A }")).diagnostics if each.rule == "fixed-time-header")
    assert found.fix is not None
    assert found.fix.is_safe is False
