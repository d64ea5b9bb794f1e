"""`acdl playbook curate`, `tag`, `pin` and `review`, from the command line."""

import io
import json
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.playbook.store import load

ADD_TWO = """\
reasoning: what the first runs showed
operations:
- {type: SECTION, title: Tool usage}
- {type: ADD, section: tool_usage, content: Retry failed calls after 5 seconds.}
- {type: ADD, section: tool_usage, content: Retry failed calls after 50 seconds.}
"""
TIME = "2026-01-31T12:00:00Z"


@pytest.fixture
def playbook(folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A playbook with two bullets that are near each other."""
    (folder / "add.yaml").write_text(ADD_TWO, "utf-8")
    assert main(["playbook", "init", "p.yaml", "--time", TIME]) == 0
    assert main(["playbook", "curate", "p.yaml", "add.yaml", "--time", TIME]) == 0
    capsys.readouterr()
    return folder / "p.yaml"


def ids(path: Path) -> list[str]:
    """The ids of the active bullets."""
    found = load(path).playbook
    assert found is not None
    return [each.id for each in found.active]


def test_curate_tells_what_happened(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each operation has a line with what happened and why; what was rejected makes the status 1, the rest applies."""
    (folder / "delta.json").write_text(
        json.dumps(
            {
                "operations": [
                    {"type": "ADD", "section": "general", "content": "Use UTC for all timestamps."},
                    {"type": "ADD", "section": "general", "content": "Use UTC for  all timestamps"},
                    {"type": "TAG", "bullet_id": "gen-nothere", "tag": "helpful"},
                ]
            }
        ),
        "utf-8",
    )
    assert main(["playbook", "init", "p.yaml"]) == 0
    capsys.readouterr()
    assert main(["playbook", "curate", "p.yaml", "delta.json", "--dry-run"]) == 1
    dry = capsys.readouterr().out
    assert (folder / "p.yaml").read_text("utf-8").count("- id:") == 0
    assert main(["playbook", "curate", "p.yaml", "delta.json"]) == 1
    out = capsys.readouterr().out
    (name,) = ids(folder / "p.yaml")
    assert out.splitlines() == [
        f"ADD       operations[0]: {name}; Use UTC for all timestamps.",
        f"MERGED    operations[1]: {name}; `{name}` says so already",
        'rejected  operations[2].bullet_id: no bullet "gen-nothere"; `acdl playbook show` lists the ids',
        "p.yaml: is at revision 1 (was 0), 1 active bullet",
    ]
    assert dry == out.replace("is at", "would be at")


def test_same_deltas_give_the_same_bytes(folder: Path) -> None:
    """Curating again from the start, at the same times, gives the same file and the same history."""
    (folder / "add.yaml").write_text(ADD_TWO, "utf-8")
    for place in ("one", "two"):
        (folder / place).mkdir()
        path = f"{place}/p.yaml"
        assert main(["playbook", "init", path, "--name", "p", "--time", TIME]) == 0
        assert main(["playbook", "curate", path, "add.yaml", "add.yaml", "--time", TIME]) == 0
    for name in ("p.yaml", "p.history.jsonl"):
        assert (folder / "one" / name).read_bytes() == (folder / "two" / name).read_bytes()


def test_delta_from_standard_input(
    playbook: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`-` is standard input; a model's answer is taken only if that is asked for."""
    answer = b'Here:\n```json\n[{"type": "ADD", "section": "general", "content": "Use UTC."}]\n```\n'
    for options, status in (([], 1), (["--lenient"], 0)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(answer)))
        assert main(["playbook", "curate", str(playbook), "-", *options]) == status
    assert len(ids(playbook)) == 3
    assert "rejected  the delta is not YAML" in capsys.readouterr().out


def test_curate_as_json(playbook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON form has everything that programs want to know."""
    assert main(["playbook", "tag", str(playbook), ids(playbook)[0], "harmful", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema_version"], found["revision_before"], found["revision"]) == (1, 1, 2)
    (entry,) = found["deltas"][0]["applied"]
    assert (entry["op"], entry["before"]["harmful"], entry["after"]["harmful"]) == ("TAG", 0, 1)
    assert main(["playbook", "tag", str(playbook), "nope", "harmful", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["deltas"][0]["rejected"] == [
        {
            "path": "operations[0].bullet_id",
            "message": 'no bullet "nope"',
            "help": "`acdl playbook show` lists the ids",
        }
    ]


def test_nothing_to_do_leaves_the_file(playbook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What changes nothing writes nothing."""
    before = (playbook.read_bytes(), playbook.stat().st_mtime_ns)
    assert main(["playbook", "pin", str(playbook), ids(playbook)[0], "--off"]) == 0
    assert "nothing changed, revision 1, 2 active bullets" in capsys.readouterr().out
    assert (playbook.read_bytes(), playbook.stat().st_mtime_ns) == before


def test_pin(playbook: Path) -> None:
    """A bullet is pinned by a person, and by nobody else."""
    name = ids(playbook)[0]
    assert main(["playbook", "pin", str(playbook), name, "--actor", "curator"]) == 1
    assert main(["playbook", "pin", str(playbook), name]) == 0
    assert "pinned: true" in playbook.read_text("utf-8")


def test_review(playbook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The list has both texts; what was decided does not come back until one of them changes."""
    a, b = ids(playbook)
    assert "pairs:" not in playbook.read_text("utf-8")
    assert main(["playbook", "review", str(playbook)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("similarity 0.")
    assert out[1:3] == [f"  [{a}] {text(playbook, a)}", f"  [{b}] {text(playbook, b)}"]
    assert out[-1].endswith(f"review {playbook} same|conflicts|differs {a} {b}")
    assert main(["playbook", "review", str(playbook), "--format", "json"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    assert (pair["a"], pair["b"], pair["text_b"], pair["verdict"]) == (a, b, text(playbook, b), None)
    assert main(["playbook", "review", str(playbook), "conflicts", a, b, "--reason", "5 or 50"]) == 0
    assert f"CONFLICT  operations[0]: {a} {b}; 5 or 50" in capsys.readouterr().out
    assert "verdict: conflicts, why: 5 or 50, by: person" in playbook.read_text("utf-8")
    assert main(["playbook", "review", str(playbook)]) == 0
    assert "0 pairs to decide about" in capsys.readouterr().out
    playbook.write_text(playbook.read_text("utf-8").replace("after 5 seconds", "after 7 seconds"), "utf-8")
    assert main(["playbook", "review", str(playbook)]) == 0
    assert "1 pair to decide about" in capsys.readouterr().out
    assert main(["playbook", "review", str(playbook), "same", b, a, "--content", "Retry after 5 seconds."]) == 0
    assert ids(playbook) == [a]
    assert "content: Retry after 5 seconds." in playbook.read_text("utf-8")
    assert main(["playbook", "verify", str(playbook)]) == 0


def text(path: Path, name: str) -> str:
    """What a bullet says."""
    found = load(path).playbook
    assert found is not None
    return found.by_id[name].content


@pytest.mark.parametrize(
    "words",
    [
        ["curate", "no.yaml", "add.yaml"],
        ["curate", "p.yaml", "no.json"],
        ["curate", "add.yaml", "add.yaml"],
        ["review", "p.yaml", "differs", "gen-a"],
        ["review", "p.yaml", "differs", "a", "b", "--content", "x"],
        ["review", "no.yaml"],
        ["tag", "no.yaml", "gen-a", "helpful"],
    ],
)
def test_what_cannot_run_says_why(playbook: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is not there or is not a playbook, and half a question: status 2, a sentence, nothing is written."""
    before = playbook.read_bytes()
    assert main(["playbook", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "acdl: " in err
    assert "Traceback" not in err
    assert playbook.read_bytes() == before


def test_reasoning_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a delta says of itself is in the history and the log; what looks like a secret is not, and is told."""
    path = tmp_path / "p.yaml"
    assert main(["playbook", "init", str(path)]) == 0
    add = {"type": "ADD", "section": "general", "content": "Use UTC."}
    for reasoning, status in (("Seen in run 3:\ntimes were local.", 0), ("The key AKIAIOSFODNN7EXAMPLE was read.", 1)):
        delta = tmp_path / "d.json"
        delta.write_text(json.dumps({"reasoning": reasoning, "operations": [add]}), "utf-8")
        assert main(["playbook", "curate", str(path), str(delta)]) == status
    capsys.readouterr()
    assert main(["playbook", "log", str(path)]) == 0
    said = capsys.readouterr().out
    assert "  Seen in run 3: times were local.\n" in said
    assert "AKIA" not in said + (tmp_path / "p.history.jsonl").read_text("utf-8")
