"""`acdl infer`: what it writes, what it refuses, and that the same recordings give the same bytes."""

import json
from collections.abc import Callable
from functools import partial
from itertools import permutations
from pathlib import Path

import pytest

from acdl_mkdocs import check
from acdl_mkdocs.app.extend_state import move_long_texts
from acdl_mkdocs.app.infer import describe_deciding_run, infer
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.check_files import open_recordings
from acdl_mkdocs.workspace.folder_names import FolderNames
from acdl_mkdocs.workspace.states import find_states
from inference.talks import GUIDE, PLAN, SCHEMA, body, record, talk

AGENTS = Path(__file__).parent.parent.parent / "examples" / "agents"
GOLDEN = Path(__file__).parent.parent / "golden" / "infer"


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    record("guide.jsonl", talk(GUIDE))
    record("both.jsonl", [*talk(GUIDE), *talk(PLAN)])


@pytest.fixture
def expect(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare with an expected file, which `--update-golden` writes."""

    def compare(actual: str, name: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(actual, "utf-8")
        assert actual == path.read_text("utf-8"), "if intended: pytest --update-golden"

    return compare


@pytest.mark.parametrize("agent", ["chat_anthropic", "desks_pydantic_ai", "react_openai"])
def test_agents(agent: str, expect: Callable[[str, str], None], capsys: pytest.CaptureFixture[str]) -> None:
    """Each has its expected spec, state and report; the spec is right, and its recording and state agree with it."""
    run = f"{agent}.run.jsonl"
    Path(run).write_text((AGENTS / run).read_text("utf-8"), "utf-8")
    assert main(["infer", run, "-o", "agent.acdl", "--report", "report.json"]) == 0
    spec, state = (Path(name).read_text("utf-8") for name in ("agent.acdl", "agent.state.yaml"))
    report = Path("report.json").read_text("utf-8")
    expect(spec, f"{agent}.acdl")
    expect(state, f"{agent}.state.yaml")
    expect(report, f"{agent}.json")
    SCHEMA.validate(json.loads(report))
    assert not check(spec)
    assert main(["check", "--strict", "agent.acdl"]) == 0
    assert main(["state", "check", "--strict", "agent.state.yaml"]) == 0
    assert main(["check-run", "agent.acdl", run, "--min-score", "75"]) == 0
    assert main(["unroll", "agent.acdl", "--format", "openai"]) == 0
    assert "Traceback" not in capsys.readouterr().err


def test_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    """Without `-o` the spec is printed, what it is worth is said beside it, and nothing is written."""
    before = sorted(Path().iterdir())
    assert main(["infer", "guide.jsonl", "--name", "Guide"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("// acdl: range=inclusive\nGuide[@T]: {\n")
    assert err.startswith("acdl: Guide: sends 3 requests of 1 run exactly; all 5 lines confirmed, ")
    assert sorted(Path().iterdir()) == before
    Path("guide.acdl").write_text(out, "utf-8")
    assert main(["check-run", "guide.acdl", "guide.jsonl"]) == 0


def test_several_agents(capsys: pytest.CaptureFixture[str]) -> None:
    """Each is a prompt with a comment that says which requests it describes, and a state that the workspace finds."""
    assert main(["infer", "both.jsonl", "-o", "both.acdl", "--report", "-"]) == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    SCHEMA.validate(report)
    names = [each["name"] for each in report["prompts"]]
    assert len(names) == 2
    assert "acdl: made both.acdl, both.state.yaml, both." in err
    text = Path("both.acdl").read_text("utf-8")
    assert text.count("// requests: system=") == 2
    assert [text.split("\n")[each["line"] - 1].partition("[")[0] for each in report["prompts"]] == names
    assert main(["check-run", "both.acdl", "both.jsonl", "--strict"]) == 0
    states = find_states(Path("both.acdl"), names, FolderNames())
    for name in names:
        found = states.find_state_named(name)
        assert found is not None
        state = read_state(found.read_text("utf-8")).state
        assert state is not None
        assert state.spec == name


def test_an_agent_without_instructions(capsys: pytest.CaptureFixture[str]) -> None:
    """Its requests are the others; quotes in the words of a claim are read again."""
    guide = ('You are "the guide" to all.', *GUIDE[1:])
    bare: list[Json] = [{"messages": [{"role": "user", "content": f"Sum up {each}"}]} for each in ("a", "b")]
    record("both.jsonl", [*talk(guide), *bare])
    assert main(["infer", "both.jsonl", "-o", "both.acdl"]) == 0, capsys.readouterr()
    text = Path("both.acdl").read_text("utf-8")
    assert "\n// requests: others\n" in text
    assert r'// requests: system="You are \"the guide\"' in text
    assert main(["check-run", "both.acdl", "both.jsonl"]) == 0


@pytest.mark.parametrize("empty_idx", range(1, len(GUIDE)))
def test_an_empty_text_is_a_message_like_others(empty_idx: int, capsys: pytest.CaptureFixture[str]) -> None:
    """A question or an answer without a word is no reason for a condition; the state has its empty text."""
    texts = tuple("" if idx == empty_idx else text for idx, text in enumerate(GUIDE))
    record("empty.jsonl", talk(texts))
    assert main(["infer", "empty.jsonl", "-o", "empty.acdl"]) == 0, capsys.readouterr()
    assert "If" not in Path("empty.acdl").read_text("utf-8")
    assert ': ""' in Path("empty.state.yaml").read_text("utf-8")
    assert main(["check-run", "empty.acdl", "empty.jsonl", "--state", "empty.state.yaml"]) == 0


def test_agents_that_begin_alike() -> None:
    """Where instructions begin with the same words, a later sentence says whose requests they are."""
    topics = "the harbour", "the market", "the tower"
    sides = "You argue for it with all of your might.", "You are against it, whatever the others say."
    names = [
        record(
            f"{topic}.jsonl",
            [
                *talk((f"You debate {topic}. {sides[0]}", *GUIDE[1:])),
                *talk((f"You debate {topic}. {sides[1]}", *PLAN[1:])),
            ],
        )
        for topic in topics
    ]
    text = infer(partial(open_recordings, names)).text
    assert [line for line in text.split("\n") if line.startswith("//")][1:] == [
        f'// requests: system="{words}"' for words in sides
    ]


def test_states_of_all_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The longest run is the state of the page; the others are beside it if asked for."""
    record("short.jsonl", talk(("You are a guide to the coast.", "Where do I eat?")))
    assert main(["infer", "short.jsonl", "guide.jsonl", "-o", "a.acdl"]) == 0
    assert not list(Path().glob("*take*"))
    assert main(["infer", "short.jsonl", "guide.jsonl", "-o", "b.acdl", "--all-states"]) == 0
    assert "b.take2.state.yaml" in capsys.readouterr().err
    assert "And the tower?" in Path("b.state.yaml").read_text("utf-8")
    assert "Where do I eat?" in Path("b.take2.state.yaml").read_text("utf-8")
    states = find_states(Path("b.acdl"), ["Agent"], FolderNames())
    assert states.find_state_named("Agent") == Path("b.state.yaml")
    assert main(["state", "check", "b.take2.state.yaml"]) == 0


def test_the_order_of_the_runs_does_not_matter() -> None:
    """The spec, its states and its report are the same to the byte."""
    record("other.jsonl", talk(("You are a guide to the coast.", "Where do I eat?", "Here.", "Where do I sleep?")))
    record("late.jsonl", talk((*GUIDE[:2], "At ten.", "Is it far?")))
    results = set()
    for names in permutations(["guide.jsonl", "other.jsonl", "late.jsonl", "both.jsonl"]):
        inferred = infer(partial(open_recordings, names))
        results.add((inferred.text, tuple(each.states for each in inferred.prompts), inferred.n_sent))
    assert len(results) == 1


def test_a_window_and_a_loop() -> None:
    """A loop over everything where all is sent, a window where old turns are missing."""
    record("window.jsonl", talk((*GUIDE, "You are welcome.", "Is there a bus?"), window=3))
    for name, line in (("guide.jsonl", "range(1, @T)"), ("window.jsonl", "range(@T-1, @T)")):
        assert line in infer(partial(open_recordings, [name])).text


def test_a_tie(capsys: pytest.CaptureFixture[str]) -> None:
    """What the recordings do not decide is a comment at its line, a sentence, and in the report."""
    said = [("q1",), ("so far: a", "q2"), ("so far: b", "q3")]
    bodies = [body("You guide.", texts[-1]) for texts in said]
    for each, texts in zip(bodies, said, strict=True):
        for words in texts[:-1]:
            each["messages"].insert(1, {"role": "system", "content": f"Said {words}."})  # type: ignore[index, call-overload, union-attr]
    record("run.jsonl", [{"episode": "a", "request": each} for each in bodies])
    assert main(["infer", "run.jsonl", "-o", "agent.acdl", "--report", "agent.json"]) == 0
    lines = Path("agent.acdl").read_text("utf-8").split("\n")
    (choice,) = json.loads(Path("agent.json").read_text("utf-8"))["prompts"][0]["choices"]
    assert choice["chosen"] == "@T > 1"
    (other,) = choice["others"]
    would = f"`{other}`; {choice['deciding']} would decide"
    assert lines[choice["line"] - 1] == f"    If @T > 1 {{ // or {would}"
    assert f"agent.acdl:{choice['line']}: `@T > 1` is one choice, `{other}` another; " in capsys.readouterr().err
    assert main(["format", "--check", "agent.acdl"]) == 0
    assert main(["check-run", "agent.acdl", "run.jsonl", "--strict"]) == 0


def test_secrets() -> None:
    """Keys are taken out of the spec, the state and the report."""
    key = f"sk-proj-{'a1B2c3D4e5F6' * 4}"
    record("run.jsonl", talk((f"The key is {key}.", f"Is it {key}?", "Yes.", "Why?")))
    assert main(["infer", "run.jsonl", "-o", "agent.acdl", "--report", "agent.json"]) == 0
    for path in Path().glob("agent.*"):
        assert "a1B2" not in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("none.jsonl", "none.jsonl: there is no such file"),
        ("empty.jsonl", "there is no request in it"),
        ("answers.jsonl", "there is no request in it"),
        ("guide.jsonl --only model=none", "no request matches model=none"),
        ("guide.jsonl --only modl=m", "did you mean `model=...`?"),
        ("guide.jsonl --from opnai", "did you mean `openai`?"),
        ("guide.jsonl --at 0.x", "0.x"),
        ("guide.jsonl --manifest none.json", "none.json: there is no such file"),
        ("guide.jsonl --manifest -", "name a file"),
        ("guide.jsonl --name ForEach", "`ForEach` is not a name of a spec"),
        ("guide.jsonl --name a-b", "`a-b` is not a name of a spec"),
        ("guide.jsonl --report -", "cannot both go to standard output"),
        ("guide.jsonl --state -", "the state cannot go to standard output"),
        ("guide.jsonl --all-states", "name it with -o"),
        ("- -", "standard input can be named only once"),
        ("guide.jsonl -o old.acdl", "nothing was made: old.acdl exists already; --force writes over it"),
        ("guide.jsonl -o new.acdl --report old.acdl", "old.acdl exists already"),
        ("guide.jsonl -o old2.acdl", "old2.state.yaml exists already"),
        ("both.jsonl -o old3.acdl", "exists already; --force writes over it"),
        ("guide.jsonl -o new.acdl --state new.acdl", "need a file each"),
        ("guide.jsonl -o new.acdl --report new.state.yaml", "need a file each"),
    ],
)
def test_refusals(words: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each has a sentence with its cure; status 2, and nothing is written."""
    Path("empty.jsonl").write_text("", "utf-8")
    record("answers.jsonl", [{"choices": []}])
    for name in ("old.acdl", "old2.state.yaml", "old3.PlanBook.state.yaml"):
        Path(name).write_text("old", "utf-8")
    before = {path: path.read_text("utf-8") for path in Path().iterdir()}
    assert main(["infer", *words.split()]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert says in err
    assert "Traceback" not in err
    assert {path: path.read_text("utf-8") for path in Path().iterdir()} == before


def test_force(capsys: pytest.CaptureFixture[str]) -> None:
    """With consent files are replaced; an unreadable part of a recording is said, and the rest is used."""
    Path("guide.acdl").write_text("old", "utf-8")
    Path("guide.jsonl").write_text(f"{Path('guide.jsonl').read_text('utf-8')}{{broken\n", "utf-8")
    assert main(["infer", "guide.jsonl", "-o", "guide.acdl", "--force"]) == 0
    assert Path("guide.acdl").read_text("utf-8").startswith("// acdl")
    assert Path("state.schema.json").exists()
    assert "guide.jsonl:4: cannot be read: not JSON" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("chosen", "others", "says"),
    [
        ("@T > 1", ["!@T.0"], "a request at 1.1"),
        ("@T % 4 == 0", ["@T >= 4"], "a request of turn 5"),
        ("@T % 4 == 0", ["@T >= 4", "@T % 4 != 2"], "a request of turn 5"),
        ("range(1, @T)", ["range(@T-3, @T)"], "a request of turn 5"),
        ("@t == @T", ["@t > @T-2"], "a request of turn 2"),
        ("@i == 1", ["@i < 3"], "a request at 1.2"),
        ("sys.has_note[@T]", ["@T > 1"], "a request at which only one of them holds"),
        ("@T > 1", ["@T >= 2"], "a request at which only one of them holds"),
        (") (", ["@T >= 2"], "a request at which only one of them holds"),
    ],
)
def test_what_would_decide(chosen: str, others: list[str], says: str) -> None:
    """The first point at which two conditions or ranges differ."""
    assert describe_deciding_run(chosen, others) == says


def test_long_texts_are_files(capsys: pytest.CaptureFixture[str]) -> None:
    """A template of many characters is a file that the state names, and the state sends the same as before."""
    rules, plans = (
        "\n".join(f"{number}. {words} {number} {{{{of}}}} the {words}." for number in range(20))
        for words in ("Be kind to visitor", "Write the chapter")
    )
    record("long.jsonl", [*talk((rules, *GUIDE[1:])), *talk((plans, *PLAN[1:]))])
    assert main(["infer", "long.jsonl", "-o", "specs/a.acdl", "--texts", "specs/texts"]) == 0, capsys.readouterr()
    texts = {path.read_text("utf-8") for path in Path("specs/texts").iterdir()}
    assert texts == {rules, plans}
    state = Path("specs/a.state.yaml")
    assert 'file: "texts/' in state.read_text("utf-8")
    read = read_state(state.read_text("utf-8"), state.name, state.parent)
    assert read.state is not None
    assert {each.text for each in read.state.templates.values()} <= texts
    assert main(["check-run", "specs/a.acdl", "long.jsonl", "--strict"]) == 0
    assert main(["infer", "long.jsonl", "-o", "specs/a.acdl", "--texts", "specs/more", "--force"]) == 0
    assert len(list(Path("specs/more").iterdir())) == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("infer guide.jsonl -o a/b.acdl --texts texts", "--texts needs a state, and a folder beside it or below"),
        ("infer guide.jsonl --texts texts", "--texts needs a state, and a folder beside it or below"),
        ("infer guide.jsonl --into b.acdl --texts texts", "--texts is for a new spec"),
    ],
)
def test_refused_texts(words: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A state names only files beside it or below."""
    assert main(words.split()) == 2
    assert says in capsys.readouterr().err


def test_files_of_texts_with_one_name() -> None:
    """Two states may have templates of one name: the same text is one file, another text has a file of its own."""
    states = [
        f'acdl_state: 1\ntemplates:\n  RULES: "{words * 100}"\n  SHORT: "Be kind."\n'
        for words in ("Be kind. ", "Stop. ")
    ]
    first, files = move_long_texts(states[0], "texts", {})
    again, same = move_long_texts(states[0], "texts", files)
    second, both = move_long_texts(states[1], "texts", files)
    assert (again, same) == (first, files)
    assert first == 'acdl_state: 1\ntemplates:\n  RULES:\n    file: "texts/RULES.txt"\n  SHORT: "Be kind."\n'
    assert 'file: "texts/RULES_.txt"' in second
    assert both == {"texts/RULES.txt": "Be kind. " * 100, "texts/RULES_.txt": "Stop. " * 100}
