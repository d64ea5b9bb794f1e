"""`acdl playbook refine` and `review` at a terminal: who decides, what is kept, and what is said when it cannot be."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.store import load
from acdl_mkdocs.playbook.store.load import get_usable_playbook, load_history
from acdl_mkdocs.playbook.store.verify import verify

TEXTS = (
    "Wait 5 seconds after each call of the service.",
    "Wait 50 seconds after each call of the service.",
    "After each call of the service, wait 5 seconds.",
    "Quote the manual by its sections.",
)
TIME = "2026-01-31T12:00:00Z"


@pytest.fixture
def playbook(folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Lessons that a model learned, three of which are near each other, and one of them twice by hand."""
    adds = [{"type": "ADD", "section": "general", "content": each} for each in TEXTS]
    (folder / "add.json").write_text(json.dumps(adds), "utf-8")
    assert main(["playbook", "init", "p.yaml", "--time", TIME]) == 0
    assert main(["playbook", "curate", "p.yaml", "add.json", "--time", TIME, "--actor", "curator"]) == 0
    with (folder / "p.yaml").open("a", encoding="utf-8") as file:
        file.write(f"- id: own-1\n  section: general\n  content: {TEXTS[3].rstrip('.')}\n")
    capsys.readouterr()
    return folder / "p.yaml"


def found(path: Path) -> Playbook:
    """What the file has."""
    return get_usable_playbook(load(path))


def ids_of(path: Path) -> dict[str, str]:
    """The ids of the lessons by their texts."""
    return {each.content: each.id for each in found(path).bullets}


def test_equal_lessons_need_nobody(playbook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a judge, only the same text becomes one; what somebody has to decide is counted."""
    assert main(["playbook", "refine", str(playbook), "--dry-run"]) == 0
    assert "would be at revision 2, 1 merged" in capsys.readouterr().out
    assert main(["playbook", "refine", str(playbook)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].endswith("; the same text")
    assert out[-1] == f"3 pairs to decide about: acdl playbook review {playbook}"
    (one,) = [each for each in found(playbook).bullets if "own-1" in (each.id, *each.aliases)]
    assert one.content.startswith("Quote")
    before = playbook.read_bytes()
    assert main(["playbook", "refine", str(playbook)]) == 0
    assert playbook.read_bytes() == before


def test_recorded_answers(playbook: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Answers by id or by text decide; they are events with actor and reason, and can be undone."""
    ids = ids_of(playbook)
    answers = [
        {"a": ids[TEXTS[0]], "b": ids[TEXTS[2]], "verdict": "same", "reason": "5 seconds, after each call"},
        {"a": TEXTS[1], "b": TEXTS[0].rstrip("."), "verdict": "conflicts", "reason": "5 or 50"},
    ]
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, answers)), "utf-8")
    command = ["playbook", "refine", str(playbook), "--answers", "answers.jsonl", "--actor", "a judge"]
    assert main([*command, "--dry-run", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["op"] for each in told["applied"] if each["before"] != each["after"]].count("MERGE") >= 2
    assert main(command) == 0
    assert "2 merged, 1 in conflict" in capsys.readouterr().out
    (pair,) = found(playbook).pairs
    assert (pair.verdict, pair.why, pair.by) == ("conflicts", "5 or 50", "a judge")
    event = load_history(playbook).events[-1]
    assert (event.kind, event.actor) == ("pair", "a judge")
    assert isinstance(event.after, dict)
    assert event.after["why"] == "5 or 50"
    assert verify(playbook).inconsistencies == ()
    assert main(["playbook", "undo", str(playbook)]) == 0
    assert found(playbook).pairs == ()
    assert set(TEXTS) <= {each.content for each in found(playbook).active}
    assert verify(playbook).inconsistencies == ()


def test_the_list_of_review_is_a_form(playbook: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `review --format json` prints, filled in, is what `refine` takes; of a text that changed it says nothing."""
    assert main(["playbook", "refine", str(playbook)]) == 0
    capsys.readouterr()
    assert main(["playbook", "review", str(playbook), "--format", "json"]) == 0
    form = json.loads(capsys.readouterr().out)
    n_pairs = len(form["pairs"])
    for each in form["pairs"][1:]:
        each.update(verdict="differs", reason="two things")
    (folder / "form.json").write_text(json.dumps(form), "utf-8")
    changed = form["pairs"][1]["text_a"]
    playbook.write_text(playbook.read_text("utf-8").replace(changed, changed.replace("service", "queue")), "utf-8")
    assert main(["playbook", "refine", str(playbook), "--answers", "form.json"]) == 0
    capsys.readouterr()
    decided = found(playbook).pairs
    assert 0 < len(decided) < n_pairs - 1
    assert {(each.verdict, each.why, each.by) for each in decided} <= {("differs", "two things", "person")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"a": "x", "b": "y", "verdict": "equal"}]', "answers.json: answer 1 says nothing that can be used"),
        ('[{"a": "x", "verdict": "same"}]', "answers.json: answer 1 says nothing that can be used"),
        ("[1]", "answers.json: answer 1 says nothing that can be used"),
        ('{"a": "x"\n{', "answers.json:1: is not JSON"),
        ("3", "answers.json: has no list of answers"),
        ("\udcff", "answers.json: is not UTF-8"),
        (None, "answers.json: no such file or directory"),
    ],
)
def test_answers_that_cannot_be_read(
    playbook: Path, folder: Path, text: str | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is done, and the place and the cure are said."""
    if text is not None:
        (folder / "answers.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    before = playbook.read_bytes()
    assert main(["playbook", "refine", str(playbook), "--answers", "answers.json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert playbook.read_bytes() == before


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """A terminal where somebody types lines."""

    def types(*lines: str) -> None:
        waiting = iter(lines)

        def answer(_question: str) -> str:
            try:
                return next(waiting)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)

    return types


def test_a_person_is_asked(playbook: Path, typed: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    """One pair after another with both texts; what is left for later comes back, and stopping keeps what was said."""
    typed("x", "d", "two things", "l", "q")
    assert main(["playbook", "review", str(playbook)]) == 0
    out = capsys.readouterr().out
    assert sum(text in out for text in TEXTS[:3]) >= 2
    assert [(each.verdict, each.why, each.by) for each in found(playbook).pairs] == [
        ("differs", "two things", "person")
    ]
    typed("c", "")
    assert main(["playbook", "review", str(playbook)]) == 0
    assert sorted(each.verdict for each in found(playbook).pairs) == ["conflicts", "differs"]
    typed("s", "the same")
    assert main(["playbook", "review", str(playbook)]) == 0
    assert len(found(playbook).bullets) == 3
    assert "0 pairs to decide about" in capsys.readouterr().out
    assert verify(playbook).inconsistencies == ()


def test_similar_lessons_are_merged_with_a_warning(playbook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the policy merges by a score, every command that curates says what that costs."""
    text = playbook.read_text("utf-8").replace("sections:", "policy:\n  merge_similar: 0.8\nsections:", 1)
    playbook.write_text(text, "utf-8")
    add = [{"type": "ADD", "section": "general", "content": "Wait 500 seconds after each call of the service."}]
    (playbook.parent / "more.json").write_text(json.dumps(add), "utf-8")
    assert main(["playbook", "curate", str(playbook), "more.json"]) == 0
    out, err = capsys.readouterr()
    assert "is similar (0." in out
    assert "warning: `merge_similar: 0.8` merges by a score alone" in err
    assert "labelled pairs that say different things" in err


def test_events_of_decisions_name_their_reasons(playbook: Path) -> None:
    """Also those that were decided together with a merge of one of the two."""
    ids = ids_of(playbook)
    asked = ((TEXTS[0], TEXTS[1], "differs"), (TEXTS[0], TEXTS[2], "same"))
    answers = [{"a": ids[a], "b": ids[b], "verdict": each, "reason": f"they say {each}"} for a, b, each in asked]
    (playbook.parent / "answers.json").write_text(json.dumps(answers), "utf-8")
    assert main(["playbook", "refine", str(playbook), "--answers", str(playbook.parent / "answers.json")]) == 0
    made = [each for each in load_history(playbook).events if each.kind == "pair" and each.after is not None]
    assert [(each.op, each.reason, each.actor) for each in made] == [("KEEP", "they say differs", "person")]


def curate(path: Path, content: str, *more: str) -> int:
    """Add a lesson."""
    add = path.with_name("one.json")
    add.write_text(json.dumps([{"type": "ADD", "section": "general", "content": content}]), "utf-8")
    return main(["playbook", "curate", str(path), str(add), "--time", TIME, *more])


@pytest.mark.parametrize(
    ("policy", "wanted"), [("never", 0), ("on-budget", 0), ("after-each-delta", 2), ("{every: 2}", 1)]
)
def test_curate_follows_the_policy(
    policy: str, wanted: int, playbook: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After a delta, the playbook is refined when its policy says so: near pairs wait, equal lessons become one."""
    text = playbook.read_text("utf-8")
    playbook.write_text(text.replace("name: p", f"name: p\npolicy:\n  refine: {policy}"), "utf-8")
    before = found(playbook).revision
    for n, word in enumerate(("tables", "figures")):
        assert curate(playbook, f"Number all {word}.") == 0
        assert "to decide about" in capsys.readouterr().out or n < 2 - wanted
    n_of_equal = sum(each.content.startswith("Quote") for each in found(playbook).active)
    assert n_of_equal == (1 if wanted else 2)
    assert found(playbook).revision > before
    assert verify(playbook).is_clean


def test_curate_has_near_pairs_decided(playbook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With recorded answers nothing waits; a dry run says the same and writes nothing."""
    text = playbook.read_text("utf-8")
    playbook.write_text(text.replace("name: p", "name: p\npolicy:\n  refine: after-each-delta"), "utf-8")
    pairs = [(TEXTS[0], TEXTS[1], "conflicts"), (TEXTS[0], TEXTS[2], "same"), (TEXTS[1], TEXTS[2], "conflicts")]
    answers = [{"a": a, "b": b, "verdict": verdict, "reason": "read both"} for a, b, verdict in pairs]
    (playbook.parent / "answers.json").write_text(json.dumps(answers), "utf-8")
    before = playbook.read_bytes()
    more = ("--answers", str(playbook.parent / "answers.json"), "--format", "json")
    assert curate(playbook, "Number all tables.", *more, "--dry-run") == 0
    dry = json.loads(capsys.readouterr().out)
    assert playbook.read_bytes() == before
    assert curate(playbook, "Number all tables.", *more) == 0
    done = json.loads(capsys.readouterr().out)
    (refined,) = [each["refined"] for each in done["deltas"]]
    assert {each["op"] for each in refined["applied"]} >= {"MERGE", "CONFLICT"}
    assert (refined["n_undecided"], refined["failure"], refined["revision"]) == (0, None, done["revision"])
    assert found(playbook).revision == done["revision"]
    assert [each["op"] for each in dry["deltas"][0]["refined"]["applied"]] == [
        each["op"] for each in refined["applied"]
    ]
    assert verify(playbook).is_clean


def test_import_and_approval_follow_the_policy(playbook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What they bring into use is refined as after any other delta."""
    text = playbook.read_text("utf-8")
    playbook.write_text(text.replace("name: p", "name: p\npolicy:\n  refine: after-each-delta"), "utf-8")
    notes = playbook.with_name("notes.txt")
    notes.write_text("- Number all tables.\n", "utf-8")
    assert main(["playbook", "import", str(playbook), str(notes), "--time", TIME]) == 0
    assert sum(each.content.startswith("Quote") for each in found(playbook).active) == 1
    assert "to decide about" in capsys.readouterr().out
    proposal = {"type": "ADD", "section": "general", "content": "Number all figures.", "status": "proposed"}
    notes.write_text(json.dumps([proposal]), "utf-8")
    assert main(["playbook", "curate", str(playbook), str(notes), "--time", TIME]) == 0
    capsys.readouterr()
    (name,) = [each.id for each in found(playbook).bullets if each.status == "proposed"]
    assert main(["playbook", "approve", str(playbook), name, "--time", TIME]) == 0
    assert "to decide about" in capsys.readouterr().out
    assert verify(playbook).is_clean
