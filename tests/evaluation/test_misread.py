"""Values of a state without quotes: each is sent as written, or a note shows what is sent and how to quote it."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.values import format_value
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.yaml.nodes import Scalar, YamlMap
from acdl_mkdocs.foundation.yaml.read import read_yaml

MISREAD = [
    ("1.10", "is the number `1.10`, which is sent as `1.1`", ['"1.10"', "1.1"]),
    ("01234", "is the number `01234`, which is sent as `1234`", ['"01234"', "1234"]),
    ("0777", "is the number `0777`, which is sent as `777`", ['"0777"', "777"]),
    ("0o17", "is the number `0o17`, which is sent as `15`", ['"0o17"', "15"]),
    ("0x1F", "is the number `0x1F`, which is sent as `31`", ['"0x1F"', "31"]),
    ("1e3", "is the number `1e3`, which is sent as `1000.0`", ['"1e3"', "1000.0"]),
    ("1E3", "is the number `1E3`, which is sent as `1000.0`", ['"1E3"', "1000.0"]),
    (".5", "is the number `.5`, which is sent as `0.5`", ['".5"', "0.5"]),
    ("5.", "is the number `5.`, which is sent as `5.0`", ['"5."', "5.0"]),
    ("+49", "is the number `+49`, which is sent as `49`", ['"+49"', "49"]),
    ("-0", "is the number `-0`, which is sent as `0`", ['"-0"', "0"]),
    ("0.10", "is the number `0.10`, which is sent as `0.1`", ['"0.10"', "0.1"]),
    ("!!float 3", "is the number `3`, which is sent as `3.0`", ['"3"', "3.0"]),
    (
        "12345678901234567890.5",
        "is the number `12345678901234567890.5`, which is sent as `1.2345678901234567e+19`",
        ['"12345678901234567890.5"', "1.2345678901234567e+19"],
    ),
    ("TRUE", "is the truth value `TRUE`, which is sent as `true`", ['"TRUE"', "true"]),
    ("~", "is `~`, so nothing is sent for it", ["null", '"~"']),
    ("Null", "is `Null`, so nothing is sent for it", ["null", '"Null"']),
    ("NO", "is the word `NO`, not true or false", ["false", '"NO"']),
    ("y", "is the word `y`, not true or false", ["true", '"y"']),
    ("1_000", "is the text `1_000`, and is sent so; other YAML tools read a number", ['"1_000"']),
    ("0b11", "is the text `0b11`, and is sent so; other YAML tools read a number", ['"0b11"']),
    ("-0x1F", "is the text `-0x1F`, and is sent so; other YAML tools read a number", ['"-0x1F"']),
    ("12:30", "is the text `12:30`, and is sent so; other YAML tools read a number", ['"12:30"']),
    ("1:30.5", "is the text `1:30.5`, and is sent so; other YAML tools read a number", ['"1:30.5"']),
    ("2024-01-01", "is the text `2024-01-01`, and is sent so; other YAML tools read a date", ['"2024-01-01"']),
    (
        "2024-01-01 10:00:00 +02:00",
        "is the text `2024-01-01 10:00:00 +02:00`, and is sent so; other YAML tools read a date",
        ['"2024-01-01 10:00:00 +02:00"'],
    ),
]


@pytest.mark.parametrize(("text", "message", "cures"), MISREAD, ids=[text for text, _, _ in MISREAD])
@pytest.mark.parametrize(
    "form",
    ["env: {{x: {}}}", "env: {{x: [{{y: {}}}]}}", "env: {{x: {{$call: {{name: f, arguments: {{y: [{}]}}}}}}}}"],
)
def test_misread(text: str, message: str, cures: list[str], form: str) -> None:
    """A value that is sent differently from how it is written has a note, wherever it is; each cure is clean."""
    file = read_state(f"acdl_state: 1\n{form.format(text)}\n")
    (note,) = file.problems
    assert (note.severity, note.message.partition(" ")[2], file.has_errors) == ("note", message, False)
    assert [each.split("`")[1] for each in note.help] == cures
    for cure in cures:
        assert read_state(f"acdl_state: 1\n{form.format(cure)}\n").problems == ()


@pytest.mark.parametrize(
    "text",
    [
        *("null", "true", "0", "-7", "1.5", "-0.0", "1e+16", "1.0", "3.11.2", "v1.10", "08:30", "12:75", "2024-01"),
        *("555-0100", "'01'", '"~"', "!!str 01", "a_1", "_1", "10%", "+", "-", ".", "1-2-3", "None", "abc"),
    ],
)
def test_not_misread(text: str) -> None:
    """What every YAML tool reads alike, and is sent as written, has no note; nor has `null`."""
    assert read_state(f"acdl_state: 1\nenv: {{x: [a, {text}]}}\n").problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "steps: {01: {env: {a: b}, substeps: {02: {env: {a: b}}}}}",
        "env: {q: {01: a, 02: b}}",
        "env: {x: {1.10: a, 0777: b, no: c}}",
        'at: "1"\ntemplates: {T: 1.10, U: {text: 0777}}',
    ],
)
def test_keys_and_texts(text: str) -> None:
    """Keys, and what can only be text, are taken as written."""
    assert read_state(f"acdl_state: 1\n{text}\n").problems == ()


@pytest.mark.parametrize("text", ["!!int yes", "1e999", ".inf", "!!bool NO", "9" * 400])
def test_misread_once(text: str) -> None:
    """A value that is an error has no note beside it."""
    (found,) = read_state(f"acdl_state: 1\nenv: {{x: {text}}}\n").problems
    assert found.severity == "error"


def test_many_misread() -> None:
    """Hundreds of notes are not errors, and hide none: one value that aliases repeat is one note."""
    notes = "".join(f"  a{n}: 0{n}\n" for n in range(250))
    file = read_state(f"acdl_state: 1\nenv:\n  first: &a 1.10\n  again: [*a, *a]\n{notes}nope: 1\n")
    assert [each.message for each in file.problems if each.severity == "error"] == ["nope means nothing here"]
    assert sum(each.severity == "note" for each in file.problems) == 101
    assert "151 more notes" in [each.message for each in file.problems]
    assert not read_state(f"acdl_state: 1\nenv:\n{notes}").has_errors


SCALARS = st.one_of(
    st.from_regex(r"[-+]?[0-9_]{0,4}[.:]?[0-9_]{0,3}([eE][-+]?[0-9]{1,2})?", fullmatch=True),
    st.from_regex(r"[-+]?0[xob]?[0-9a-fA-F_]{1,4}", fullmatch=True),
    st.from_regex(r"[0-9]{1,2}(:[0-9]{1,2}){1,2}(\.[0-9]?)?", fullmatch=True),
    st.from_regex(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ][0-9]{1,2}:[0-9]{2}:[0-9]{2}Z?)?", fullmatch=True),
    st.text("0123456789.+-_:eExXobnulyNOTtruefalsic~ ", min_size=1, max_size=12),
    st.sampled_from([text for text, _, _ in MISREAD]),
    st.sampled_from(["yes", "No", "oFF", "Y", "null", "NULL", "True", "false", "none", "", "~1", "nan", "1e+16"]),
)


@given(text=SCALARS)
def test_any_plain_scalar(text: str) -> None:
    """Any value without quotes is sent as written and read so by other YAML tools, or something is said about it."""
    written = f"acdl_state: 1\nenv:\n  x: {text}\n"
    root = read_yaml(Source(written)).root
    node = root.pairs[1][1].pairs[0][1] if isinstance(root, YamlMap) and isinstance(root.pairs[1][1], YamlMap) else None
    if not isinstance(node, Scalar) or node.text != text or text == "null":
        return
    file = read_state(written)
    if file.problems:
        return
    assert file.state is not None
    found = file.state.records.base["env"]["x"]
    assert format_value(found) == text
    try:
        other = yaml.safe_load(written)["env"]["x"]
    except (ValueError, yaml.YAMLError):
        return
    assert other == found or isinstance(other, str)
