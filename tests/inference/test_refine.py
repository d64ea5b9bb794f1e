"""`acdl infer --into`: what a spec keeps, and what new recordings change in it."""

import json
import random
from pathlib import Path
from typing import cast

import pytest

from acdl_mkdocs import infer_recording
from acdl_mkdocs.app.extend_state import add_missing_values, rename_values
from acdl_mkdocs.errors import RefineError
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.prompts.prompt import Json
from inference.talks import GUIDE, PLAN, SCHEMA, record, talk

LONG = (*GUIDE, "You are welcome.", "Is there a bus?", "At nine.", "And back?")
HAND = """\
// My guide, with care.
// acdl: range=inclusive

Guide[@T]: { // of the coast
    S: PERSONA   // who we are

    // what was said
    ForEach(turn: range(1, @T)) {
        U: env.visitor.says[@turn]
        If @turn < @T { A: resp.reply[@turn] }   // the past only
    }
}
"""


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    record("guide.jsonl", talk(GUIDE))
    record("long.jsonl", talk(LONG))


def refine(spec: str, *words: str, status: int = 0) -> str:
    """The spec after a refinement; what it was is kept in `old.acdl`."""
    Path("agent.acdl").write_text(spec, "utf-8")
    assert main(["infer", *words, "--into", "agent.acdl"]) == status
    return Path("agent.acdl").read_text("utf-8")


def with_message(words: str, at: int, texts: tuple[str, ...] = LONG, first: int = 1) -> list[Json]:
    """A conversation with one more message in each request from a turn on."""
    bodies = talk(texts)
    for each in bodies[first - 1 :]:
        messages = cast(list[Json], cast(dict[str, Json], each)["messages"])
        messages.insert(at if at >= 0 else len(messages), {"role": "system", "content": words})
    return bodies


def changed(old: str, new: str) -> tuple[list[str], list[str]]:
    """The lines that are only in the old text, and those that are only in the new one."""
    before, after = old.split("\n"), new.split("\n")
    return [each for each in before if each not in after], [each for each in after if each not in before]


def test_agreement(capsys: pytest.CaptureFixture[str]) -> None:
    """A spec that agrees with the requests keeps its bytes, and that is said; a missing state is written."""
    assert refine(HAND, "long.jsonl") == HAND
    out, err = capsys.readouterr()
    assert not out
    assert "agent.acdl: agrees with all requests and is unchanged" in err
    state = read_state(Path("agent.state.yaml").read_text("utf-8")).state
    assert state is not None
    assert state.spec == "Guide"
    assert main(["check-run", "agent.acdl", "long.jsonl", "--state", "agent.state.yaml"]) == 0


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_new_message(ends: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Only lines of the new message are added: names, comments and blank lines stay."""
    Path("agent.acdl").write_bytes(HAND.replace("\n", ends).encode())
    record("new.jsonl", with_message("Be brief.", -1))
    assert main(["infer", "new.jsonl", "--into", "agent.acdl"]) == 0
    new = Path("agent.acdl").read_bytes().decode()
    assert new == HAND.replace("    }\n}\n", "    }\n    S: BRIEF\n}\n").replace("\n", ends)
    out, err = capsys.readouterr()
    assert "+ 12:5  S: BRIEF" in out
    assert "made agent.acdl, agent.state.yaml, state.schema.json" in err


def test_a_window_that_grows() -> None:
    """Of a loop over the last turns only the range changes, inside the fragment that a person made of it."""
    spec = (
        "Guide[@T]: {\n    S: WHO\n    Mark 1 { Frag History[@T] }\n}\n\nRolesFrag History[@T]: {\n"
        "    // the last turns\n    ForEach(t: range(@T-1, @T+1)) {\n        U: env.ask[@t]\n"
        "        PromptEndsHere when @t == @T\n        A: resp.said[@t]\n    }\n}\n"
    )
    record("three.jsonl", talk(LONG, window=3))
    assert refine(spec, "three.jsonl") == spec
    record("five.jsonl", talk(LONG, window=5))
    both = refine(spec, "five.jsonl")
    assert "    Name start := sys.first_turn[@T]\n" in both  # what was sent with the state of before counts, too
    assert "    // the last turns\n" in both
    assert main(["check", "agent.acdl"]) == 0
    Path("agent.state.yaml").unlink()
    assert refine(spec, "five.jsonl") == spec.replace("range(@T-1, @T+1)", "@T-2 ... @T")


def test_a_looser_condition() -> None:
    """What the spec sends with its state counts too: the new condition explains both."""
    condition = "    If @T % 2 == 0 { // now and then\n        S: REMINDER\n    }\n"
    spec = HAND.replace("    }\n}\n", "    }\n" + condition + "}\n")
    even = talk(LONG)
    for each in (even[1], even[3]):
        cast(list[Json], cast(dict[str, Json], each)["messages"]).append({"role": "system", "content": "Be brief."})
    record("even.jsonl", even)
    assert refine(spec, "even.jsonl") == spec
    later = talk(LONG)
    for each in later[1:]:
        cast(list[Json], cast(dict[str, Json], each)["messages"]).append({"role": "system", "content": "Be brief."})
    record("later.jsonl", later)
    Path("agent.state.yaml").unlink()
    only, added = changed(spec, refine(spec, "later.jsonl"))
    assert (only, added) == (["    If @T % 2 == 0 { // now and then"], ["    If @T > 1 { // now and then"])


def test_a_text_that_varies() -> None:
    """A template gets an argument and keeps its name; the state of before gets the values that it lacks."""
    dated = ("You are a guide. It is Monday.", *GUIDE[1:])
    record("monday.jsonl", talk(dated))
    assert refine(HAND, "monday.jsonl") == HAND
    before = Path("agent.state.yaml").read_text("utf-8")
    Path("agent.state.yaml").write_text(before + "# mine\n", "utf-8")
    record("friday.jsonl", talk(("You are a guide. It is Friday.", *PLAN[1:])))
    new = refine(HAND, "friday.jsonl", "--all-states")
    (old_line,), (new_line,) = changed(HAND, new)
    assert old_line == "    S: PERSONA   // who we are"
    assert new_line.startswith("    S: PERSONA(sys.")
    assert new_line.endswith(")   // who we are")
    state = Path("agent.state.yaml").read_text("utf-8")
    assert all(line in state for line in before.split("\n"))
    assert "# mine" in state
    for name in ("agent.state.yaml", "agent.take2.state.yaml"):
        for run, file in (("monday.jsonl", "agent.state.yaml"), ("friday.jsonl", "agent.take2.state.yaml")):
            if file == name:
                assert main(["check-run", "agent.acdl", run, "--state", name]) == 0


def test_lines_without_evidence_stay() -> None:
    """A hand-made line that no request shows anything about is kept, while others change."""
    spec = HAND.replace("    }\n}\n", "    }\n    If sys.is_holiday[@T] { // rare\n        S: HOLIDAY\n    }\n}\n")
    record("new.jsonl", with_message("Be brief.", 1))
    new = refine(spec, "new.jsonl")
    only, added = changed(spec, new)
    assert (only, added) == ([], ["    S: BRIEF"])


def test_a_removed_line_leaves_its_comment() -> None:
    """No comment is lost with a line that requests refute."""
    spec = HAND.replace(
        "    S: PERSONA   // who we are\n", "    S: PERSONA   // who we are\n    S: RULES // of the house\n"
    )
    new = refine(spec, "long.jsonl")
    assert new == spec.replace("S: RULES // of the house", "// of the house")


def test_several_agents(capsys: pytest.CaptureFixture[str]) -> None:
    """A new agent is appended, and comments say whose requests each prompt describes; later each has its own."""
    record("both.jsonl", [*talk(GUIDE), *talk(PLAN)])
    new = refine(HAND, "both.jsonl")
    assert new.startswith(HAND.replace("Guide[@T]", '// requests: system="You are a guide to the coast."\nGuide[@T]'))
    assert '\n// requests: system="You plan a book."\nPlanBook[@T]: {\n' in new
    assert "PlanBook: is new: no prompt in agent.acdl described these requests" in capsys.readouterr().err
    assert main(["check-run", "agent.acdl", "both.jsonl", "--strict"]) == 0
    assert Path("agent.state.yaml").exists()
    assert Path("agent.PlanBook.state.yaml").exists()
    assert refine(new, "both.jsonl") == new
    record("plan.jsonl", [*talk(GUIDE), *talk((*PLAN, "In joy.", "Why?"))])
    assert refine(new, "plan.jsonl") == new
    window = new.replace("ForEach(t: range(1, @T))", "ForEach(t: range(@T-1, @T))")
    for path in Path().glob("*.state.yaml"):
        path.unlink()
    assert refine(window, "plan.jsonl") == new


def test_a_state_with_other_ranges() -> None:
    """A state whose ranges end otherwise than those of the text is no evidence of what the spec sends."""
    half_open = """\
Guide[@T]: {
    S: PERSONA
    ForEach(t: range(1, @T)) {
        U: env.says[@t]
        A: resp.reply[@t]
    }
    U: env.says[@T]
}
"""
    assert refine(half_open, "long.jsonl") == half_open
    state = Path("agent.state.yaml").read_text("utf-8")
    Path("agent.state.yaml").write_text(state.replace('range: "half-open"', 'range: "inclusive"'), "utf-8")
    assert refine(half_open, "long.jsonl") == half_open


def test_a_fragment_that_another_prompt_uses() -> None:
    """Only the prompt that is refuted changes, not what it shares with others that no recording is about."""
    record("both.jsonl", [*talk(GUIDE), *talk(PLAN)])
    assert main(["infer", "both.jsonl", "-o", "both.acdl"]) == 0
    for path in Path().glob("*.state.yaml"):
        path.unlink()
    shared = Path("both.acdl").read_text("utf-8")
    other = shared[shared.index("PlanBook[@T]: {") : shared.index("\n}\n", shared.index("PlanBook[@T]: {"))]
    fragment = shared[shared.index("RolesFrag Conversation") :]
    record("window.jsonl", talk(LONG, window=3))
    new = refine(shared, "window.jsonl")
    assert new != shared
    assert other in new
    assert fragment in new
    assert "range(@T-1, @T)" in new


def test_a_choice() -> None:
    """What the recordings do not decide is a comment at its line, and in the report."""
    record("new.jsonl", [{"episode": "a", "request": each} for each in talk(LONG)])
    bodies = talk(LONG)
    for turn, each in enumerate(bodies[1:], 2):
        note: Json = {"role": "system", "content": f"Said so far: {GUIDE[turn % 5]} {PLAN[turn]}"}
        cast(list[Json], cast(dict[str, Json], each)["messages"]).insert(1, note)
    record("new.jsonl", bodies)
    new = refine(HAND, "new.jsonl", "--report", "report.json")
    report = json.loads(Path("report.json").read_text("utf-8"))
    SCHEMA.validate(report)
    (choice,) = report["prompts"][0]["choices"]
    assert new.split("\n")[choice["line"] - 1].strip().startswith(f"If {choice['chosen']} {{ // or `")
    assert report["refinement"]["is_changed"]
    assert report["refinement"]["difference"]["edits"]


def test_check(capsys: pytest.CaptureFixture[str]) -> None:
    """`--check` prints what would change, and writes nothing."""
    record("new.jsonl", with_message("Be brief.", -1))
    assert refine(HAND, "new.jsonl", "--check", status=1) == HAND
    assert "+ 12:5  S: BRIEF" in capsys.readouterr().out
    assert not Path("agent.state.yaml").exists()
    assert refine(HAND, "long.jsonl", "--check") == HAND


def test_another_file() -> None:
    """With `-o` the spec stays, and the refined one is written there; `-` prints it."""
    record("new.jsonl", with_message("Be brief.", -1))
    assert refine(HAND, "new.jsonl", "-o", "new.acdl") == HAND
    assert "S: BRIEF" in Path("new.acdl").read_text("utf-8")
    assert Path("new.state.yaml").exists()
    assert refine(HAND, "new.jsonl", "-o", "new.acdl", status=2) == HAND
    assert refine(HAND, "new.jsonl", "-o", "new.acdl", "--force", "--state", "other.yaml") == HAND


def test_python() -> None:
    """`infer_recording` takes the path of a spec, and writes nothing."""
    Path("agent.acdl").write_text(HAND, "utf-8")
    inferred = infer_recording(with_message("Be brief.", -1), into="agent.acdl", mutants=0)
    assert "S: BRIEF" in inferred.text
    assert inferred.is_proven
    assert inferred.refinement is not None
    assert inferred.refinement.is_changed
    assert Path("agent.acdl").read_text("utf-8") == HAND
    with pytest.raises(RefineError, match="does not exist"):
        infer_recording("guide.jsonl", into=Path("none.acdl"))


def test_secrets() -> None:
    """Keys of the requests and of the state are in no line that is added."""
    key = f"sk-proj-{'a1B2c3D4e5F6' * 4}"
    record("run.jsonl", with_message(f"The key is {key}.", -1))
    assert "a1B2" not in refine(HAND, "run.jsonl", "--all-states", "--report", "report.json")
    assert not any("a1B2" in path.read_text("utf-8") for path in Path().iterdir() if path.name != "run.jsonl")


@pytest.mark.parametrize(
    ("spec", "words", "says"),
    [
        ("Guide[@T]: {\n    S: {\n", "", "agent.acdl:"),
        ("Guide[@T]: {\n    S: {\n", "", "fix it first, and refine again"),
        ("StrFrag Guide[@T]: { WHO }\n", "", "agent.acdl: has no prompt to refine; infer one with -o"),
        (HAND, "--report agent.acdl", "need a file each"),
        (HAND, "--state -", "name files"),
        (HAND, "--state old.yaml", "old.yaml exists already"),
        (HAND, "--report old.yaml", "old.yaml exists already"),
        (HAND, "-o - --report -", "only one of the spec and the report"),
        (HAND, "--at 0.x", "0.x"),
    ],
)
def test_refusals(spec: str, words: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each has a sentence with its cure; status 2, and nothing is written."""
    Path("old.yaml").write_text("old", "utf-8")
    assert refine(spec, "guide.jsonl", *words.split(), status=2) == spec
    out, err = capsys.readouterr()
    assert not out
    assert says in err
    assert "Traceback" not in err
    assert Path("old.yaml").read_text("utf-8") == "old"


def test_options_without_a_spec(capsys: pytest.CaptureFixture[str]) -> None:
    """`--check` needs a spec, and standard input is none."""
    assert main(["infer", "guide.jsonl", "--check"]) == 2
    assert "name it with --into" in capsys.readouterr().err
    assert main(["infer", "guide.jsonl", "--into", "-"]) == 2
    assert "name a file" in capsys.readouterr().err
    Path("page.md").write_text("# Page\n", "utf-8")
    assert main(["infer", "guide.jsonl", "--into", "page.md"]) == 2
    assert "page.md: is a page; name an .acdl file" in capsys.readouterr().err


def test_requests_that_no_general_spec_describes(capsys: pytest.CaptureFixture[str]) -> None:
    """The spec is not replaced by a list of what was recorded; that is said, and the status is 1."""
    chance = random.Random(3)  # noqa: S311  # always the same
    bodies: list[Json] = []
    for size in (5, 10, 3, 3, 9):
        said: list[Json] = [
            {"role": chance.choice(["user", "assistant", "system"]), "content": chance.choice("abcdef")}
            for _ in range(size)
        ]
        bodies.append({"messages": [{"role": "system", "content": GUIDE[0]}, *said]})
    record("odd.jsonl", [{"episode": "a", "request": each} for each in bodies])
    assert refine(HAND, "odd.jsonl", "--report", "report.json", status=1) == HAND
    assert "Guide: was not changed, although requests refute it" in capsys.readouterr().err
    assert json.loads(Path("report.json").read_text("utf-8"))["refinement"]["kept"] == ["Guide"]


STATE = """\
templates:
  INSTRUCTIONS: "You are"
steps:
  1:
    env:
      question: |-
        env: no
        key: no
    resp:
      answer: "a"  # heard
"""


def test_states() -> None:
    """Values are renamed, also to longer names; missing values are added where their neighbours are."""
    renamed = rename_values(
        STATE, {"env.question": "env.visitor.says", "resp.answer": "resp.said", "INSTRUCTIONS": "WHO"}
    )
    assert renamed == (
        'templates:\n  WHO: "You are"\nsteps:\n  1:\n    env:\n      visitor:\n        says: |-\n          env: no\n'
        '          key: no\n    resp:\n      said: "a"  # heard\n'
    )
    more = (
        STATE.replace("    resp:\n", "      mood: 1\n    sys:\n      date: 2\n    resp:\n")
        + "  2:\n    env:\n      question: 3\n"
    )
    assert add_missing_values(STATE, more) == (
        STATE.replace("    resp:\n", "      mood: 1\n    resp:\n")
        + "    sys:\n      date: 2\n  2:\n    env:\n      question: 3\n"
    )
    assert add_missing_values("steps: {1: {env: {question: 1}}}\n", more).count("steps:") == 1
