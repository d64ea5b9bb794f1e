"""State files: what is read, and what is said about everything that is wrong with them."""

import base64
import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from steps import soon

import acdl_mkdocs
from acdl_mkdocs.evaluation.state.read import KEYS, StateFile, read_state, state_of
from acdl_mkdocs.evaluation.state.sample_state import Sample, StateOptions, TemplateText
from acdl_mkdocs.evaluation.values import ValueWithFields
from acdl_mkdocs.foundation.reports import REPORTS
from acdl_mkdocs.prompts.prompt import Attachment, Call, Output, Text, Thinking

ASSETS = Path(acdl_mkdocs.__file__).parent / "assets"
SCHEMA = json.loads((ASSETS / "state.schema.json").read_text("utf-8"))
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8
GOOD = """\
# yaml-language-server: $schema=state.schema.json
acdl_state: 1
spec: Chat
at: 2.10
range: inclusive
args: {agent: alice}
templates:
  PERSONA: You help.
  INSTRUCTIONS: {params: [role, since], text: "You are {{role}} since {{since}}."}
env:
  question: {1: one, "2": two}
sys: {conf: {role: an expert}, tools: [a, b]}
steps:
  1:
    env: {page: &page {title: A, text: "…"}}
    resp: {answer: yes, code: 0o17, mask: 0x1F, day: 2026-01-02, clock: 12:30:45}
    substeps:
      1: {sys: {tool_used: {$call: {id: c1, name: search, arguments: {q: [1, 2]}}, tool_response: found}}}
      2: {sys: {tool_used: {$result: {content: [ok, more], error: true}}}}
  2:
    env: {page: *page}
    substeps: 3
hold: [sys.mode]
agents:
  alice: {sys: {mood: glad}, steps: {1: {env: {seen: [bob]}}}, hold: [sys.mood]}
functions:
  retrieve:
    - {args: ["q", 2], returns: [{source: a.md}]}
    - {args: "*", returns: []}
assume:
  - {when: "sys.flag[@2]", value: true}
options: {joiner: " ", missing: placeholder, empty: keep}
"""


def messages(text: str, folder: Path | None = None) -> list[str]:
    """What is said about a text, with severity, line and column."""
    file = read_state(text, "s.yaml", folder)
    places = [(each, file.source.find_place(each.label.span.start)) for each in file.problems]
    return [f"{each.severity} {place.line}:{place.column} {each.message}" for each, place in places]


def value(text: str, folder: Path | None = None) -> Any:
    """The value of `env.x` of a state without problems."""
    file = read_state(f"acdl_state: 1\nenv:\n  x: {text}\n", "s.yaml", folder)
    assert [each.message for each in file.problems if each.severity != "note"] == []
    assert file.state is not None
    return file.state.records.base["env"]["x"]


def test_everything() -> None:
    """A file with every section."""
    file = read_state(GOOD, "chat.state.yaml")
    assert [each.message.removeprefix("steps.1.resp.") for each in file.problems] == [
        "answer is the word `yes`, not true or false",
        "code is the number `0o17`, which is sent as `15`",
        "mask is the number `0x1F`, which is sent as `31`",
        "day is the text `2026-01-02`, and is sent so; other YAML tools read a date",
        "clock is the text `12:30:45`, and is sent so; other YAML tools read a number",
    ]
    assert not file.has_errors
    state = file.state
    assert state is not None
    assert (state.spec, state.at, state.range, state.args) == ("Chat", "2.10", "inclusive", {"agent": "alice"})
    assert state.templates == {
        "PERSONA": TemplateText("You help."),
        "INSTRUCTIONS": TemplateText("You are {{role}} since {{since}}.", ("role", "since")),
    }
    records = state.records
    assert records.base == {
        "env": {"question": {"1": "one", "2": "two"}},
        "sys": {"conf": {"role": "an expert"}, "tools": ("a", "b")},
    }
    page = {"title": "A", "text": "…"}
    call = ValueWithFields(Call("search", {"q": [1, 2]}, "c1"), {"tool_response": "found"})
    result = Output((Text("ok"), Text("more")), is_error=True)
    resp = {"answer": "yes", "code": 15, "mask": 31, "day": "2026-01-02", "clock": "12:30:45"}
    assert records.steps == {
        (1,): {"env": {"page": page}, "resp": resp},
        (1, 1): {"sys": {"tool_used": call}},
        (1, 2): {"sys": {"tool_used": result}},
        (2,): {"env": {"page": page}},
    }
    assert (dict(records.counts), set(records.hold), records.prefix) == ({(2,): 3}, {"sys.mode"}, "")
    alice = state.agents["alice"]
    assert alice.base == {"sys": {"mood": "glad"}}
    assert alice.steps == {(1,): {"env": {"seen": ("bob",)}}}
    assert (set(alice.hold), alice.prefix) == ({"sys.mood"}, "agents.alice.")
    assert state.functions == {"retrieve": (Sample(("q", 2), ({"source": "a.md"},)), Sample(None, ()))}
    assert [(each.when, each.value) for each in state.assume] == [("sys.flag[@2]", True)]
    assert state.options == StateOptions(" ", "placeholder", "keep")


def test_places() -> None:
    """Every path leads to its key; one that does not exist, to what would hold it."""
    state = read_state(GOOD, "chat.state.yaml").state
    assert state is not None
    assert state.place_of("steps.1.substeps.2.sys.tool_used") == "chat.state.yaml:19:17"
    assert state.place_of("env.question.2") == "chat.state.yaml:11:22"
    assert state.place_of("agents.alice.steps.1.env.seen") == "chat.state.yaml:25:48"
    assert state.place_of("steps.2.env.page.title.nothing") == "chat.state.yaml:15:24"
    assert state.place_of("resp.nothing") == "chat.state.yaml"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes", "yes"),
        ("off", "off"),
        ("True", True),
        ("~", None),
        ("", None),
        ("012", 12),
        ("-7", -7),
        ("1.10", 1.1),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("190:20:30", "190:20:30"),
        ("2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("!!float 12", 12.0),
        ("=", "="),
        ("{2.10: a, 0x1: b}", {"2.10": "a", "0x1": "b"}),
        ("[a, [b, null]]", ("a", ("b", None))),
        ('"\\u2026\\x07"', "…\x07"),
        ("{$$call: 1, $$$x: 2}", {"$call": 1, "$$x": 2}),
        ("{$value: 3}", 3),
        ("{$value: alice, mood: glad}", ValueWithFields("alice", {"mood": "glad"})),
        ("{$call: {name: f}}", Call("f", {})),
        ("{$result: {id: 7, content: 12}}", Output((Text("12"),), "7")),
        ("{$result: words}", Output((Text("words"),))),
        ("{$thinking: hm}", Thinking("hm")),
        ("{$thinking: {text: hm, signature: abc}}", Thinking("hm", "abc")),
        ("{$thinking: {text: hm, signature: abc, provider: anthropic}}", Thinking("hm", "abc", provider="anthropic")),
        (
            "{$image: 'https://example.org/a.png'}",
            Attachment("image", mime="image/png", href="https://example.org/a.png"),
        ),
    ],
)
def test_values(text: str, expected: object) -> None:
    """The core schema of YAML 1.2, and special values."""
    found = value(text)
    assert found == expected
    assert type(found) is type(expected)


def test_image(tmp_path: Path) -> None:
    """An image is read and kept; its type is what its bytes say."""
    (tmp_path / "img").mkdir()
    (tmp_path / "img" / "a.jpg").write_bytes(PNG)
    data = base64.b64encode(PNG).decode()
    assert value("{$image: img/a.jpg}", tmp_path) == Attachment("image", "a.jpg", "img/a.jpg", "image/png", data)


def test_template_file(tmp_path: Path) -> None:
    """The text of a template may have a file of its own."""
    (tmp_path / "t.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo")
    file = read_state("acdl_state: 1\ntemplates: {T: {file: t.md}}", "s.yaml", tmp_path)
    assert file.problems == ()
    assert file.state is not None
    assert file.state.templates["T"] == TemplateText("one\ntwo")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("steps: {2: {evn: {}}}", ["error 2:13 steps.2.evn: did you mean env?"]),
        ("enviroment: {}", ["error 2:1 enviroment: did you mean env?"]),
        ("steps: {0: {}, a: {}, 1.5: {}}", None),
        ("steps: [a]", ["error 2:1 steps is a list, and a map is needed"]),
        (
            "steps: {1: {substeps: many}}",
            ["error 2:23 steps.1.substeps is the text `many`, and it can be a number or a map"],
        ),
        ("steps: {1: {}, 01: {}}", ["error 2:16 steps.01 is given again"]),
        ("env: {1: a, '1': b}", ["error 2:13 env.1 is given again; it stands in line 2 too"]),
        ("env: text", ["error 2:6 env is the text `text`, and a map is needed"]),
        ("env: {x: {$cal: {name: f}}}", ["error 2:11 env.x.$cal: did you mean $call?"]),
        ("env: {x: {$what: 1}}", ["error 2:11 env.x.$what is not a special key"]),
        ("env: {x: {$call: {name: f}, $value: 1}}", ["error 2:37 env.x.$value stands beside `$call`"]),
        ("env: {x: {$call: f}}", ["error 2:18 env.x.$call is the text `f`, and a map is needed"]),
        ("env: {x: {<<: {a: 1}}}", ["error 2:11 env.x.<< merges nothing: YAML 1.2 has no merge keys"]),
        ("env: {x: .inf}", ["error 2:10 env.x is not a number that a message can hold"]),
        ('env: {"a\\nb": .inf}', ["error 2:15 env.a b is not a number that a message can hold"]),
        ("env: {x: 1e999}", ["error 2:10 env.x is a number too large; put it in quotes"]),
        (f"env: {{x: {'9' * 5000}}}", ["error 2:10 env.x is a number of more than 300 digits; put it in quotes"]),
        ("env: {? [a] : 1}", ["error 2:9 a key is a word, and this is a list or a map"]),
        ("env: {x: *no}", ["error 2:10 `*no` stands for nothing: nothing before it is called `&no`"]),
        (
            "at: x",
            [
                "error 2:5 at: `x` is not a point in time; "
                "write a step such as `3`, or a step and sub-step such as `3.2`"
            ],
        ),
        ('at: "1 0\\n.."', None),
        ("at: 0", ["error 2:5 at: `0` is before the first step; steps count from 1"]),
        ("range: closed", ["error 2:8 range is the text `closed`, and it can be `half-open` or `inclusive`"]),
        ("args: {'@T': 1}", ["error 2:8 args.@T is a time, and `args` has the other parameters"]),
        ("hold: ['sys.a[@t]', resp, sys.b]", None),
        ("templates: {T: {params: [a]}}", ["error 2:13 templates.T has no text"]),
        ("templates: {T: {text: a, file: b}}", None),
        (
            "templates: {T: {params: [a], text: '{{b}}'}}",
            ["warning 2:13 templates.T has a slot `{{b}}` that no parameter fills"],
        ),
        ("functions: {f: [{args: [1]}]}", ["error 2:17 functions.f.1 has no `returns`"]),
        (
            "functions: {f: [{args: [1], returns: a}, {args: [1], returns: b}, {args: [2], returns: c}]}",
            ["error 2:42 functions.f.2 gives something else for the same arguments as in line 2"],
        ),
        ("assume: [{when: 'a } If {', value: 1}]", ["error 2:17 assume.1.when is not a condition of ACDL"]),
        ("assume: [{when: 'x ==', value: 1}]", ["error 2:17 assume.1.when is not a condition of ACDL"]),
        ("options: {empty: drpo}", ["error 2:18 options.empty is the text `drpo`, and it can be `drop` or `keep`"]),
        ("agents: {alice: {step: {}}}", ["error 2:18 agents.alice.step: did you mean steps?"]),
        ("spec: [a]", ["error 2:1 spec is a list, and text is needed"]),
        ("env: {q: {0: a, 1: b}}", ["note 2:7 env.q has a value for step `0`, and steps count from 1"]),
    ],
)
def test_problems(text: str, expected: list[str] | None) -> None:
    """What is wrong is said with its place and its path, and how to mend it."""
    found = messages(f"acdl_state: 1\n{text}\n")
    assert found
    if expected is not None:
        assert found == expected


BEGINNINGS = {
    "a: **Never** x": "error 1:4 a value cannot begin with `*`",
    "a: &amp; x": "error 1:4 a value cannot begin with `&`",
    "a: > 5 items": "error 1:4 a value cannot begin with `>`",
    "a: - x": "error 1:4 a value cannot begin with `-`",
    "a: 'Don't ask'": "error 1:9 the value has ended with `'`, and this follows it",
    'a: "Retry" twice': 'error 1:12 the value has ended with `"`, and this follows it',
    "a:\n- [x] done": "error 2:7 the value has ended with `]`, and this follows it",
    "-\u00a0a: x\n  b: c": "error 1:2 the character U+00A0 stands where YAML wants blanks",
    'a: "x\n  \u3000* y \\q"': "`\\` begins something that does not exist",
}
"""Texts of people that YAML takes for something else, with what is said."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "error 1:1 the file is empty"),
        ("- a", "error 1:1 the file is a list, and a state is a map"),
        ("just words", "error 1:1 the file is the text `just words`, and a state is a map"),
        ("env: {}", "error 1:1 the file has no `acdl_state`"),
        ("acdl_state: 2", "error 1:13 acdl_state is the number `2`, and this program reads version 1"),
        ("acdl_state: true", "error 1:13 acdl_state is `true`, and this program reads version 1"),
        ("acdl_state: 1\n---\nenv: {}", "error 2:1 a second document begins here; a state file is one"),
        ("env:\n\tx: 1", "error 2:1 a tab stands where YAML wants blanks"),
        ("a: b: c", "a key cannot stand here"),
        ("a: [1, 2", "the `[` is not closed, or a comma is missing"),
        ("a: {b: 1", "the `{` is not closed, or a comma is missing"),
        ('a: "open', "error 1:4 the quotes that open here are never closed"),
        ('{"' + "k" * 1100 + '": 1}', "a key ends here that is longer than any key of YAML"),
        ("a: @x", "error 1:4 a value cannot begin with `@`"),
        ('a: "\\q"', "`\\` begins something that does not exist"),
        ("a: 1\n b: 2", "a key cannot stand here"),
        ("- a\nb: 1", "this does not continue what stands above"),
        ("a: \x07", "error 1:4 the character U+0007 cannot stand in a text file"),
        ("a: \0", "error 1:4 the character U+0000 cannot stand in a text file"),
        ("a: !!python/object:os.system x", "error 1:1 the file has no `acdl_state`"),
        *BEGINNINGS.items(),
        ("x" * 10_000_001, "error 1:1 the file is longer than 10,000,000 characters"),
    ],
)
def test_not_a_state(text: str, expected: str) -> None:
    """A text that is no state says why."""
    assert any(expected in each for each in messages(text)), messages(text)


@pytest.mark.parametrize(
    "text",
    ["a: b: c", "a: [1, 2", "a: {b: 1", 'a: "open', "a: @x", 'a: "\\q"', "- a\nb: 1", "env:\n\tx: 1", *BEGINNINGS],
)
def test_both_parsers(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML says the same without its library in C, and so do we."""
    fast, said = read_state(GOOD), messages(text)
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert read_state(GOOD) == fast
    assert [each.partition(" ")[2].partition(" ")[2] for each in messages(text)] == [
        each.partition(" ")[2].partition(" ")[2] for each in said
    ]


def test_all_problems_at_once() -> None:
    """Nothing hides anything else, and what is right is read all the same."""
    file = read_state("acdl_state: 1\nat: x\nenv: {a: 1, a: 2, b: .inf}\nsteps: {x: {}, 2: {env: {c: 3}}}\nnope: 1\n")
    assert [each.message.split()[0] for each in file.problems] == ["at:", "env.a", "env.b", "steps.x", "nope"]
    assert file.has_errors
    assert file.state is not None
    assert file.state.records.steps == {(2,): {"env": {"c": 3}}}
    assert all(each.help for each in file.problems if not each.message.startswith(("at", "env.b")))


def test_many_problems() -> None:
    """A file with thousands of mistakes names the first hundred and counts the others."""
    file = read_state("acdl_state: 1\nsteps:\n" + "".join(f"  a{n}: {{}}\n" for n in range(5000)))
    assert len(file.problems) == 101
    assert "4900 more problems" in [each.message for each in file.problems]


@pytest.mark.parametrize(
    "name", ["../t.png", "/etc/passwd", "link.png", "sub/../../t.png", "dir/t.png", "a\\0b.png", "ring/../dir/t.png"]
)
@pytest.mark.parametrize("form", ['env: {{x: {{$image: "{}"}}}}', 'templates: {{T: {{file: "{}"}}}}'])
def test_outside(name: str, form: str, tmp_path: Path) -> None:
    """Nothing outside the folder of the state is read, however it is named."""
    folder = tmp_path / "states"
    folder.mkdir()
    (tmp_path / "t.png").write_bytes(PNG)
    os.symlink(tmp_path / "t.png", folder / "link.png")
    os.symlink(tmp_path, folder / "dir")
    os.symlink("ring", folder / "ring")
    (found,) = messages("acdl_state: 1\n" + form.format(name), folder)
    assert "lies outside the folder of the state file" in found or "cannot be read" in found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mising.md", "which does not exist in the folder of the state file"),
        ("sub", "which is a folder"),
        ("latin.md", "which is not UTF-8 text: line 2"),
        ("large.md", "which is larger than 1 MB"),
        ("pipe", "which is a device or a pipe, not a file"),
        ("x" * 5000, "which cannot be read"),
    ],
)
def test_unusable_files(name: str, expected: str, tmp_path: Path) -> None:
    """A file that cannot be used is said, with a near name."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "missing.md").write_text("a")
    (tmp_path / "latin.md").write_bytes(b"a\n\xe9\n")
    (tmp_path / "large.md").write_bytes(b"a" * 1_000_001)
    os.mkfifo(tmp_path / "pipe")
    file = read_state(f"acdl_state: 1\ntemplates: {{T: {{file: {name}}}}}", "s.yaml", tmp_path)
    (problem,) = file.problems
    assert expected in problem.message
    if name == "mising.md":
        assert problem.help == ("did you mean `missing.md`?",)


def test_a_folder_that_may_not_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is missing in it is told, without a near name."""

    def refused(path: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", refused)
    (problem,) = read_state("acdl_state: 1\ntemplates: {T: {file: mising.md}}", "s.yaml", tmp_path).problems
    assert "does not exist in the folder of the state file" in problem.message
    assert problem.help == ("name it by its path from there",)


def test_no_folder() -> None:
    """Without a folder no file is read."""
    (found,) = messages("acdl_state: 1\nenv: {x: {$image: a.png}}")
    assert "the state comes from no folder" in found


def test_wrong_image(tmp_path: Path) -> None:
    """Only images that providers take are images."""
    (tmp_path / "a.png").write_bytes(b"<svg/>")
    (found,) = messages("acdl_state: 1\nenv: {x: {$image: a.png}}", tmp_path)
    assert found == "error 2:19 env.x.$image names `a.png`, which is not a PNG, JPEG, GIF or WebP image"


def test_json() -> None:
    """JSON is read as it is, with tabs and pairs of escapes."""
    text = '{\t"acdl_state":1,\n\t"env":\t{"a":"\\ud83d\\ude00\\/","b":"\\\\ud83d", "tab": "\t", "c":.inf}}'
    file = read_state(text, "s.json")
    assert file.state is not None
    assert file.state.records.base["env"] == {"a": "😀/", "b": "\\ud83d", "tab": "\t", "c": ".inf"}
    (problem,) = file.problems
    assert text[problem.label.span.start : problem.label.span.end] == ".inf"


def test_half_a_character() -> None:
    """Half of a pair of escapes is not a character."""
    assert messages('{"acdl_state": 1, "env": {"a": "\\ud83d"}}') != []


def test_python() -> None:
    """Plain data of Python is checked like a file."""
    file = state_of({"acdl_state": 1, "steps": {2: {"env": {"x": (1, {"$call": {"name": "f"}})}}}})
    assert file.problems == ()
    assert file.state is not None
    assert file.state.records.steps == {(2,): {"env": {"x": (1, Call("f", {}))}}}
    (problem,) = state_of({"acdl_state": 1, "stpes": {}}).problems
    assert problem.message == "stpes: did you mean steps?"


def test_python_that_is_not_plain() -> None:
    """What no file can hold is named with its path."""
    itself: dict[str, object] = {}
    itself["again"] = itself
    wrong = {"a": {1, 2}, "b": [float("nan"), 1], "c": {(1, 2): 3}, "d": "fine"}
    found = [each.message for each in state_of({"acdl_state": 1, "env": wrong}).problems]
    assert found == [
        "env.a has a `set` of Python, which is not a plain value",
        "env.b.1 has a `float` of Python, which is not a plain value",
        "env.c has a `tuple` of Python, which is not a plain value",
    ]
    numbers = {"a": 10**5000, "b\nc": [-(10**300)], "d": 10**300 - 1, float("nan"): 1, 10**5000: 1, None: 1}
    assert [each.message for each in state_of({"acdl_state": 1, "env": numbers}).problems] == [
        "env has a `float` of Python, which is not a plain value",
        "env has a number of more than 300 digits; put it in quotes",
        "env has a `NoneType` of Python, which is not a plain value",
        "env.a has a number of more than 300 digits; put it in quotes",
        "env.b c.1 has a number of more than 300 digits; put it in quotes",
    ]
    (endless,) = state_of({"env": itself}).problems
    assert "holds itself, or is nested too deep" in endless.message


def bombs() -> list[str]:
    """Texts that would be huge or very deep."""
    laughs = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    laughs += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    return [
        "\n".join(laughs),
        "[" * 100_000,
        "{a: " * 100_000,
        "- " * 50_000,
        "? " * 50_000,
        "a: &a [*a, *a]",
        "&a [" * 30_000,
        "x: " + "&a " * 1000,
        "".join(f"k{n}: 1\n" for n in range(30_000)),
        "env:\n" + "".join(f"{'  ' * n}{'k' * 500}:\n" for n in range(1, 60)) + "  " * 60 + "x: 1",
        '{"' + "\\ud83d\\ude00" * 100_000 + '": 1}',
        "%YAML 1.2\n" * 1000,
        "!<" * 10_000,
        "'" * 100_001,
    ]


@pytest.mark.parametrize("text", bombs(), ids=range(14))
def test_bombs(text: str) -> None:
    """What would explode is refused soon; without limits it is endless."""
    file = soon(partial(read_state, text))
    assert file.problems
    assert len(REPORTS["terminal"](file.problems, file.source, None)) < 200_000


def check_hostile(text: str) -> StateFile:
    """Whatever a text says, its problems can be shown."""
    file = read_state(text, "s.yaml", Path(__file__).parent)
    for each in file.problems:
        assert 0 <= each.label.span.start <= each.label.span.end <= len(file.source.text)
        assert each.message
        assert "\n" not in each.message
    for name in ("terminal", "json", "github", "line"):
        REPORTS[name](file.problems, file.source, None)
    assert file.state is not None or file.has_errors
    return file


@given(st.text())
def test_any_text(text: str) -> None:
    """Any text gives a state or problems, never an exception."""
    check_hostile(text)


@given(st.text(alphabet=st.sampled_from("ab:-? {}[],&*!|>'\"%@`#\n\t \\$.0123")))
def test_any_yaml(text: str) -> None:
    """Any soup of signs of YAML gives a state or problems."""
    check_hostile("acdl_state: 1\n" + text)


_WORDS = (
    "\n",
    "  ",
    "\t",
    ":",
    "- ",
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    "$call",
    "$image",
    "..",
    "steps",
    "1",
    "0",
    "*page",
    "&page",
    "---",
)


@given(st.data())
def test_mutants(data: st.DataObject) -> None:
    """A good file with a few parts deleted, doubled or replaced gives a state or problems."""
    text = GOOD
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 20, len(text))))
        text = text[:start] + data.draw(st.sampled_from(("", text[start:end] * 2, *_WORDS))) + text[end:]
    check_hostile(text)


_keys = st.text(max_size=50).filter(lambda key: key[:1] != "$")
_plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_keys, inner, max_size=4),
    max_leaves=12,
)


def as_lists(found: object) -> object:
    """A value with lists as JSON has them."""
    if isinstance(found, tuple):
        return [as_lists(each) for each in found]
    return {key: as_lists(each) for key, each in found.items()} if isinstance(found, dict) else found


@given(_plain)
def test_plain_data_survives(data: object) -> None:
    """Any plain data is read as it was given, from Python and from JSON."""
    file = state_of({"acdl_state": 1, "env": {"x": data}})
    assert [each for each in file.problems if each.severity == "error"] == []
    assert file.state is not None
    assert as_lists(file.state.records.base["env"]["x"]) == data


@given(st.text())
def test_json_text_survives(text: str) -> None:
    """Every string that JSON can write is read as it was, wherever the places are counted."""
    written = json.dumps({"acdl_state": 1, "env": {"x": text, "y": None}})
    file = read_state(written)
    assert file.state is not None
    assert file.state.records.base["env"]["x"] == text
    place = file.state.places["env.y"]
    assert written[place.column - 1 :].startswith('"y"')


def test_schema_knows_every_key() -> None:
    """The schema describes the keys that are read, and itself is one."""
    Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["properties"]) == set(KEYS)
    assert all("description" in each for each in SCHEMA["properties"].values())


def valid(text: str) -> bool:
    """Whether the schema accepts a text."""
    return Draft202012Validator(SCHEMA).is_valid(json.loads(json.dumps(yaml.safe_load(text), default=str)))


def test_schema_accepts_what_is_read() -> None:
    """A good file fits the schema; mistakes do not."""
    assert valid(GOOD)
    for wrong in (
        "acdl_state: 2",
        "env: {}",
        "acdl_state: 1\nenvv: {}",
        "acdl_state: 1\nsteps: {'0': {}}",
        "acdl_state: 1\nenv: {x: {$cal: 1}}",
        "acdl_state: 1\nhold: [mode]",
    ):
        assert not valid(wrong)
        assert any(each.startswith("error") for each in messages(wrong))
