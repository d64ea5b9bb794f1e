"""One agent out of a recording of several."""

import json
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.runs.requests import read_only
from acdl_mkdocs.testing import assert_matches_spec

PLANNER = "Planner[@T]: {\n    S: RULES\n    U: env.goal[@T]\n}\n"
WORKER = "Worker[@T]: {\n    U: env.task[@T]\n}\n"


def body(model: str, *messages: tuple[str, str]) -> dict[str, object]:
    """The body of a request."""
    return {"model": model, "messages": [{"role": role, "content": text} for role, text in messages]}


BODIES = [
    body("big-1", ("system", "You plan."), ("user", "move house")),
    body("small-1", ("user", "rent a van")),
    body("small-1", ("user", "pack books")),
]


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two specs and a recording of both agents."""
    monkeypatch.chdir(tmp_path)
    Path("planner.acdl").write_text(PLANNER, "utf-8")
    Path("worker.acdl").write_text(WORKER, "utf-8")
    Path("run.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in BODIES), "utf-8")


@pytest.mark.parametrize(
    ("spec", "only", "n_requests"),
    [
        ("planner.acdl", ["model=big-*"], "the only request"),
        ("planner.acdl", ["system=You plan"], "the only request"),
        ("worker.acdl", ["model=small-1"], "all 2 requests"),
        ("worker.acdl", ["model=*-1", "episode=*"], None),
    ],
)
def test_requests_of_one_agent(
    spec: str, only: list[str], n_requests: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only they are checked against its spec."""
    words = [word for each in only for word in ("--only", each)]
    assert main(["check-run", spec, "run.jsonl", *words]) == (1 if n_requests is None else 0)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("refuted: " if n_requests is None else f"agrees with {n_requests}")


def test_all_agents_refute_the_spec_of_one() -> None:
    """Without a choice every request counts."""
    assert main(["check-run", "worker.acdl", "run.jsonl"]) == 1
    with pytest.raises(AssertionError, match="not what the spec says"):
        assert_matches_spec(BODIES, "worker.acdl")
    assert_matches_spec(BODIES, "worker.acdl", only={"model": "small-*"})
    assert_matches_spec("run.jsonl", "planner.acdl", only={"system": "You plan"})


def test_nothing_is_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    """That is no green check; what there is is told."""
    assert main(["check-run", "worker.acdl", "run.jsonl", "--only", "model=huge"]) == 2
    assert "no request matches model=huge; the recording has requests of `big-1`, `small-1`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("modle=x", "did you mean `model=...`?"),
        ("x", "write one of `model=...`, `episode=...`, `system=...`"),
        ("model", "has no value; write, for example, `model=planner*`"),
        ("episode=", "has no value"),
    ],
)
def test_unknown_choice(words: str, message: str) -> None:
    """What is no choice is told with a cure."""
    with pytest.raises(TraceError) as error:
        read_only([words])
    assert message in str(error.value)


def test_choice_made_twice() -> None:
    """A key that is given twice is refused: the first value would be ignored."""
    with pytest.raises(TraceError, match="`model` is given twice"):
        read_only(["model=gpt-*", "system=plan", "model=*-mini"])
