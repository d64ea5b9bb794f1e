"""Spec to drawing to spec: the same tree; drawing to spec to drawing: the same text."""

import re
from pathlib import Path

import pytest
import strategies
from exhaustive import examples, few
from hypothesis import given

from acdl_mkdocs.app.python import parse, render
from acdl_mkdocs.drawing.figure.describe import View
from acdl_mkdocs.drawing.from_drawing.read import bare_parameters, read_drawing, structural_problems
from acdl_mkdocs.drawing.from_drawing.write import is_no_list, truth_values
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.format import format_text
from acdl_mkdocs.language.syntax.nodes import (
    Declaration,
    File,
    ForEach,
    Fragment,
    HostLine,
    HostValue,
    NameRef,
    Prompt,
    Skipped,
    TimeIndex,
    walk,
)
from drawn.shapes import drawn_shape

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = sorted(path for path in (ROOT / "examples").rglob("*.acdl") if ".cache" not in path.parts)
GOLDEN = ROOT / "tests" / "golden"
STAGES = sorted({path.relative_to(GOLDEN).parts[0] for path in GOLDEN.rglob("*.acdl")})

NOT_DRAWN = {
    "check/bare-time-variable/parameter.acdl": "a time without its sign gets it",
    "check/label-block/role-without-colon.acdl": "a group with the name of a role reads as that role",
    "check/loop-over-one-value/count.acdl": "on a whiteboard a loop over a number is a range without its end",
    "check/loop-over-one-value/text.acdl": "on a whiteboard a loop over a text or a comparison is not a loop",
    "check/loop-over-one-value/time.acdl": "on a whiteboard a loop over a time is a range without its end",
    "check/snippet-in-file/after-a-spec.acdl": "statements behind a spec read as part of it",
    "check/snippet-in-file/between-fragments.acdl": "statements behind a fragment read as part of it",
    "check/time-without-turn/in-brackets.acdl": "a time without its sign gets it",
    "check/unknown-block/frag.acdl": "a block behind the use of a fragment, which is an error, reads as a group",
    "format/kept-as-written.acdl": "of a block that is not ACDL only the beginning is drawn",
    "format/snippet.acdl": "statements behind a fragment read as part of it",
    "parse/file.acdl": "statements behind a spec read as part of it",
    "tolerated/snippet-in-fence-with-fragment.acdl": "statements behind a fragment read as part of it",
}
"""Specs that do not come back, each with its reason."""
BROKEN_RULES = ("nested-role", "content-outside-role")
"""What a drawing cannot have: its reading puts it right."""


def drawn(text: str, mode: RangeMode = "half-open") -> str:
    """The drawing of a text."""
    return render(text, "text", view=View(range=mode))


def has_nested_definition(file: File) -> bool:
    """Whether a fragment is defined in a spec: it is drawn behind it."""
    definitions = [node for node in walk(file) if isinstance(node, Prompt | Fragment)]
    return len(definitions) > sum(isinstance(item, Prompt | Fragment) for item in file.items)


def specs(stage: str) -> list[Path]:
    """The golden specs of a stage without errors, which have a normal form."""
    found: list[Path] = []
    for path in sorted((GOLDEN / stage).rglob("*.acdl")):
        text = path.read_text("utf-8")
        errors = {
            each.rule for each in analyse(Source(text), Config(snippet=True)).diagnostics if each.severity == "error"
        }
        if not format_text(Source(text)).diagnostics and not errors & {*BROKEN_RULES, "syntax"}:
            found.append(path)
    return found


@pytest.mark.parametrize("mode", ["half-open", "inclusive"])
@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_examples_come_back(path: Path, mode: RangeMode) -> None:
    """Every example is what its drawing says, with comments, names and ends of ranges; nothing is told."""
    text = path.read_text("utf-8")
    drawing = read_drawing(drawn(text, mode), mode)
    assert drawing.diagnostics == ()
    assert drawn_shape(parse(drawing.text).file, mode) == drawn_shape(parse(text).file, mode)
    assert drawn(drawing.text, mode) == drawn(text, mode)
    assert format_text(Source(drawing.text), mode=mode).text == drawing.text


@pytest.mark.parametrize("stage", few(STAGES))
def test_golden_specs_come_back(stage: str) -> None:
    """Every golden spec without errors comes back, but for those that are listed."""
    for path in specs(stage):
        comes_back(path)


def comes_back(path: Path) -> None:
    """A golden spec is what its drawing says, or is listed as one that is not."""
    text = format_text(Source(path.read_text("utf-8"))).text
    file = parse(text).file
    drawing = drawn(text)
    read = read_drawing(drawing)
    name = path.relative_to(GOLDEN).as_posix()
    words_of_others = [node for node in walk(file) if isinstance(node, HostLine | HostValue)]
    if words_of_others:
        is_drawn = "[not read]" in drawing or any(isinstance(node, HostValue) for node in words_of_others)
        is_told = "unread-line" in {each.rule for each in read.diagnostics}
        assert is_drawn == is_told, f"{name}: a drawing cannot hold them"
        return
    again = read.text
    is_same = drawn(again) == drawing
    if is_same and not has_nested_definition(file):
        is_same = drawn_shape(parse(again).file, has_signs=False) == drawn_shape(file, has_signs=False)
    assert is_same == (name not in NOT_DRAWN), f"{name}:\n{drawing}\n{again}"


@given(strategies.files)
def test_generated_specs_come_back(text: str) -> None:
    """Any spec in normal form is what its drawing says, but for `$` before names that nothing defines."""
    formatted = format_text(Source(text))
    if formatted.diagnostics:
        return
    loops = [node for node in walk(parse(formatted.text).file) if isinstance(node, ForEach)]
    if any(loop.iterable is not None and is_no_list(loop.iterable) for loop in loops):
        return  # refused: on a whiteboard it is a range of which something is missing
    if re.search(r"\w_\n\s*[a-z]", formatted.text):
        return  # reported: on a whiteboard a name that ends in `_` continues on the next line
    drawing = drawn(formatted.text)
    read = read_drawing(drawing)
    parsed = parse(formatted.text)
    structure = {each.rule for each in structural_problems(parsed)}  # a spec may have an empty block
    if any(truth_values(parsed.file)) or any(bare_parameters(parsed.file)):
        structure.add("guessed-line")
    told = {each.rule for each in read.diagnostics}
    assert told <= structure if drawing.strip() else told == {"empty-drawing"}
    assert drawn(read.text) == drawing
    assert drawn_shape(parse(read.text).file, has_signs=False) == drawn_shape(
        parse(formatted.text).file, has_signs=False
    )


@pytest.mark.parametrize(
    "over", ["[x for y in f(@T, 1)]", "[x for y in 1 ... f(1, 2)]", "[f(@T, 1)]", '["a, b"]', '["a", "b"]']
)
def test_lists_that_are_no_ranges(over: str) -> None:
    """A comma in a list does not make a loop over it one over two ends; `[1, @T]` may be, and that is reported."""
    spec = f"P[@T]: {{\n    ForEach(d: {over}) {{\n        U: X\n    }}\n}}\n"
    read = read_drawing(drawn(spec))
    assert read.diagnostics == ()
    assert drawn(read.text) == drawn(spec)
    assert [each.rule for each in read_drawing(drawn(spec.replace(over, "[1, @T]"))).diagnostics] == ["guessed-line"]


@examples(40)
@given(strategies.damaged())
def test_drawings_are_stable(text: str) -> None:
    """Whatever was drawn: read, drawn and read again it is the same ACDL."""
    once = read_drawing(drawn(text)).text
    twice = read_drawing(drawn(once)).text
    assert drawn(twice) == drawn(read_drawing(drawn(twice)).text)


@pytest.mark.parametrize("text", ['"a } { b"', r'"a \" } b"', r"""'it\'s } '""", '"it\'s { "'])
def test_braces_in_texts(text: str) -> None:
    """Braces in quotes end nothing, whatever else is in the quotes."""
    spec = f"P[@T]: {{\n    U: {text}\n    A: A_TEXT\n}}\n"
    read = read_drawing(drawn(spec))
    assert read.diagnostics == ()
    assert drawn(read.text) == drawn(spec)


def test_names_get_their_sign_back() -> None:
    """A word that a `Name` above defines is a reference, unless a loop or a parameter binds it nearer."""
    spec = (
        "P[@T, c]: {\n"
        "    Name a := f(env.x)\n"
        "    Name C := sys.t[@T]\n"
        "    U: {\n"
        "        $a[1].y\n"
        "        b\n"
        "        @$C\n"
        "        sys.m[@$C+1]\n"
        "        ForEach(a: $a.list) {\n"
        "            a.z\n"
        "        }\n"
        "        [c for c in $a]\n"
        "    }\n"
        "    Name b := $a\n"
        "    A: f($b, a(1))\n"
        "}\n"
    )
    assert read_drawing(drawn(spec)).text == spec
    found = [node for node in walk(parse(spec).file) if isinstance(node, NameRef)]
    times = [node for node in walk(parse(spec).file) if isinstance(node, TimeIndex) and node.is_reference]
    assert (len(found), len(times)) == (5, 2)


@pytest.mark.parametrize(
    ("spec", "mode", "made"),
    [
        ("U: { ForEach(t: range(1, @T)) { X } }", "half-open", "ForEach(t: range(1, @T))"),
        ("U: { ForEach(t: range(1, @T)) { X } }", "inclusive", "ForEach(t: range(1, @T))"),
        ("U: [t for t in 1 ... @T]", "half-open", "// acdl: range=inclusive\n\nU: [t for t in range(1, @T)]"),
        ("U: { ForEach(t: 1 ... 3) { f(range(1, 2)) } }", "half-open", "ForEach(t: 1 ... 3) {\n        f(range(1, 2))"),
        ("U: [x for x in range(1, 9, 2)]", "half-open", "U: [x for x in range(1, 9, 2)]"),
    ],
)  # fmt: skip
def test_ranges_send_what_is_drawn(spec: str, mode: RangeMode, made: str) -> None:
    """An end that is left out is drawn; the ACDL says how to read an end where that is not the setting."""
    again = read_drawing(drawn(spec, mode), mode).text
    assert made in again
    assert drawn_shape(parse(again).file, mode) == drawn_shape(parse(spec).file, mode)


def test_what_is_not_drawn() -> None:
    """Declarations and comments for tools or above definitions are in no drawing."""
    spec = "// about\n// acdl: allow(unused-name)\nNamespace env := { a: b }\nP[@T]: {\n    U: env.a // kept\n}\n"
    again = read_drawing(drawn(spec)).text
    assert again == "P[@T]: {\n    U: env.a // kept\n}\n"
    assert any(isinstance(node, Declaration) for node in walk(parse(spec).file))
    block = "P[@T]: {\n    Flow x { a -> b }\n    U: env.a\n}\n"
    assert any(isinstance(node, Skipped) for node in walk(parse(read_drawing(drawn(block)).text).file))
