"""Text that belongs to another tool: where it is found, that it stays in place, and what is not said because of it."""

import pytest
from exhaustive import few

from acdl_mkdocs import explain
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.format import format_text
from acdl_mkdocs.language.syntax.nodes import Comment, HostLine, HostValue, walk
from acdl_mkdocs.language.syntax.parse import parse

LINES = [
    '--8<-- "agent.acdl"',
    "--8<-- 'agent.acdl'",
    '-8<- "agent.acdl:section"',
    '------8<--- "agent.acdl:3:9"',
    '--8<-- "agent.acdl::9"',
    '--8<-- "agent.acdl:1:3,5:6"',
    '--8<-- "https://example.org/agent.acdl"',
    ';--8<-- "agent.acdl"',
    ';;--8<-- "agent.acdl"',
    '; --8<-- "agent.acdl"',
    '--8<-- "agent.acdl" ',
    "--8<-- agent.acdl",
    '-->8-- "agent.acdl"',
    "--8<--\nagent.acdl\n\n; other.acdl\n--8<--",
    ";--8<--\nagent.acdl\n;--8<--",
    "--8<-- [start:chat]",
    "!include agent.acdl",
    '!include "agent.acdl"',
    "!include <agent>",
    "!include_once agent.acdl",
    "!INCLUDE agent.acdl",
    "@include agent.acdl",
    '@include "agent.acdl"',
    "@include(agent.acdl)",
    "@import 'agent.acdl'",
    "{!agent.acdl!}",
    "{! ../agent.acdl !}",
    "{!agent.acdl!lines=1 4-9}",
    '#include "agent.acdl"',
    "#include <agent.acdl>",
    '{% include "agent.acdl" %}',
    "{%- include 'agent.acdl' -%}",
    "{%+ include agent %}",
    '{%\n  include-markdown "agent.md"\n  start="<!--start-->"\n%}',
    "{% if pro %}",
    "{%- endif -%}",
    "{# a comment #}",
    "{# a comment\n   of two lines #}",
    "{{ question }}",
    "{{- question | upper -}}",
    '{{ macro("x", {"a": {"b": 1}}) }}',
    "{{ macro(\n    'x',\n    y,\n) }}",
    "{{ table[1:3] }}",
    "{{ a }} {{ b }}",
    '{{< include "agent.acdl" >}}',
    '{{ spec("agent.acdl") }} {# why #}',
]
"""What has a line for itself, as other tools look for it."""

PLACES = [
    "{}\n",
    "{}\n\nP[@T]: {{\n    U: X\n}}\n",
    "P[@T]: {{\n    S: A\n    {}\n    U: X\n}}\n",
    "P[@T]: {{\n    S: {{\n        A\n        {}\n        f(B)\n    }}\n}}\n",
    "P[@T]: {{\n    ForEach(t: range(1, @T)) {{\n        {}\n    }}\n}}\n",
    "P[@T]: {{\n    If env.a[@T] {{\n        U: X\n    }}\n    {}\n    Else {{\n        U: Y\n    }}\n}}\n",
    "P[@T]: {{\n    Switch env.a[@T] {{\n        {}\n        Default {{\n            U: Y\n        }}\n    }}\n}}\n",
    "P[@T]: {{\n    Name x := env.a[@T]\n    {}\n    U: $x\n}}\n",
]
"""Where it may be: alone, between definitions, messages, contents, arms and cases."""


def words_by_line(text: str) -> list[str]:
    """The lines that are not empty, without their indentation."""
    return [each.strip() for each in text.split("\n") if each.strip()]


def put(line: str, place: str) -> str:
    """A line, or lines, with the indentation of their place."""
    before = place.partition("{}")[0].rpartition("\n")[2]
    return place.format(line.replace("\n", f"\n{before}"))


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("place", PLACES)
def test_a_line_stays_where_it_is(line: str, place: str) -> None:
    """It is one node, with all of its text; the normal form of the text around it leaves it in place."""
    text = put(line, place)
    parsed = parse(Source(text))
    assert parsed.diagnostics == ()
    (found,) = (each for each in walk(parsed.file) if isinstance(each, HostLine))
    assert [each.strip() for each in found.text.split("\n")] == [each.strip() for each in line.split("\n")]
    made = format_text(Source(text))
    assert (made.text.replace("\n\n", "\n"), made.diagnostics) == (text.replace("\n\n", "\n"), ())
    loose = text.replace("    ", "\t").replace("U: X", "U:X")
    again = format_text(Source(loose))
    assert again.diagnostics == ()
    assert words_by_line(again.text) == words_by_line(text)


@pytest.mark.parametrize("line", LINES)
def test_what_it_brings_is_not_read(line: str) -> None:
    """One note says so, and nothing else is said that it could make wrong; what brings nothing is left alone."""
    text = put(line, "P[@T]: {{\n    Name y := env.a[@T]\n    {}\n    U: {{ $x Frag F[@T] mem.notes[@T] }}\n}}\n")
    found = {each.rule for each in analyse(Source(text)).diagnostics}
    if line.startswith(("{#", "--8<-- [", "{% if", "{%- endif")):
        assert {"undefined-name", "unknown-fragment", "unknown-namespace", "unused-name"} <= found
    else:
        assert found == {"unread-include"}
    assert explain(text)


def test_the_file_holds_the_lines_around_definitions() -> None:
    """The span of a file begins and ends with them; comments around it are outside, as beside any other node."""
    text = "// a\n{% if env.a %}\nP[@T]: {\n    U: env.q[@T]\n}\n{% endif %}\n// b\n"
    file = parse(Source(text)).file
    assert text[file.span.start : file.span.end] == text.removeprefix("// a\n").removesuffix("\n// b\n")
    assert parse(Source("// a\n{% if env.a %}\n")).file.span == Span(5, 19)


def test_definitions_without_such_a_line_are_checked_as_ever() -> None:
    """A name can only be brought into the definition that has the line; a fragment into the whole text."""
    text = "P[@T]: {\n    {{ history }}\n    U: { $x Frag F[@T] }\n}\nQ[@T]: {\n    U: { $y Frag F[@T] }\n}\n"
    found = {each.rule: each.label.span.start for each in analyse(Source(text)).diagnostics}
    assert found == {"unread-include": text.index("{{"), "undefined-name": text.index("$y")}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("U: {{ question }}", "{{ question }}"),
        ("U: {{ ns }}.query[@T]", "{{ ns }}"),
        ("U: env.{{ field }}[@T]", "env.{{ field }}"),
        ("U: {{ kind }}_docs", "{{ kind }}_docs"),
        ('U: {% include "question.acdl" %}', '{% include "question.acdl" %}'),
        ("U: {!question.acdl!}", "{!question.acdl!}"),
        ("U: FIND(env.q[@T], {{ n }})", "{{ n }}"),
        ("ForEach(t: {{ turns }}) {\n    U: env.q[@t]\n}", "{{ turns }}"),
        ("If {{ flag }} == 1 {\n    U: X\n}", "{{ flag }}"),
        ("Name x := {{ x }}", "{{ x }}"),
    ],
)
def test_a_value(text: str, value: str) -> None:
    """Inside of a statement it stands for an expression, and is written as it is."""
    (found,) = (each for each in walk(parse(Source(text)).file) if isinstance(each, HostValue))
    assert found.name == value
    assert format_text(Source(text)).text == f"{text}\n"
    rules = {each.rule for each in analyse(Source(text), Config(snippet=True)).diagnostics}
    assert rules - {"unused-name"} == {"unread-include"}


@pytest.mark.parametrize(
    "text", ['"{{ product }}"', "'{{ product }}'", '"{{ name("x") }}"', "'{% if \"x\" %}a{% endif %}'"]
)
def test_a_string(text: str) -> None:
    """In a string it is a part of its text; the quotes around stay, since others may be put in."""
    assert format_text(Source(f"U: {text}\n")).text == f"U: {text}\n"
    found = analyse(Source(f"U: {text}\n"), Config(snippet=True)).diagnostics
    assert [(each.rule, each.fix) for each in found] == [("literal-content", None)]


@pytest.mark.parametrize(
    "text",
    [
        '// --8<-- "agent.acdl"',
        "// {{ question }}",
        "/* {% if x %} */",
        "# {{ question }}",
        "-- a comment with {{ question }}",
    ],
)
def test_a_comment(text: str) -> None:
    """In a comment it is a part of the comment."""
    assert isinstance(parse(Source(f"{text}\nU: A\n")).file.items[0], Comment)


@pytest.mark.parametrize(
    "text",
    [
        "P[@T]: {{ S: RULES }}",
        "S: {{\n    RULES\n    TOOLS\n}}",
        "P: {# an unfinished comment\n    U: A\n}",
        "If env.a ==\n    @include & !include {\n    U: A\n}",
        "ForEach(@include: range(1, @T)) {\n    U: env.q[@include]\n}",
        "If !included(env.a) {\n    U: A\n}",
    ],
)
def test_what_only_looks_like_it(text: str) -> None:
    """A brace too many, `#` behind a brace and names that begin alike are read as ever."""
    assert not [each for each in walk(parse(Source(text)).file) if isinstance(each, HostLine | HostValue)]


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ('P[@T]: {\n    S:\n        --8<-- "rules.acdl"\n}\n', "--8<--"),
        ("P[@T]: {\n    U: f(\n        @include a.acdl\n    )\n}\n", "@include"),
        ("P[@T]: {\n    If env.a &\n    {# why #}\n    env.b { U: X }\n}\n", "{#"),
    ],
)
def test_a_text_that_would_lose_it_is_left_alone(text: str, moved: str) -> None:
    """Where the normal form would move it away from its place, the text stays as it is, and that is said."""
    made = format_text(Source(text))
    assert made.text == text
    assert [(each.rule, each.label.span.start) for each in made.diagnostics] == [("not-formatted", text.index(moved))]


@pytest.mark.parametrize(
    "sign", few(["{{", "{%", "--8<--\n", "{#", "{!", "{{ (", ";--8<--\n", "{{ {", '"{{ ', "a.{{"], 3)
)
def test_time_grows_with_the_length(sign: str) -> None:
    """What begins like it again and again and never ends is read in linear time."""
    assert parse(Source(sign * 20_000)).file is not None


def test_lines_left_of_the_first_stay() -> None:
    """Only what begins as the first line moves with it, so that formatting again changes nothing."""
    made = format_text(Source("P: {\n  {{ a(\n  b,\nc) }}\n}\n"))
    assert made.text == "P: {\n    {{ a(\n    b,\nc) }}\n}\n"
    assert format_text(Source(made.text)).text == made.text
