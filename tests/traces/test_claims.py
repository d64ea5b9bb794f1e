"""Several prompts in a file: comments say whose requests each describes, and all requests are checked at once."""

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from lxml import etree

from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.tools import run_tool
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.claims import format_claim, parse_claim
from acdl_mkdocs.testing import assert_matches_spec

SPEC = """// acdl: range=inclusive
// requests: system="You plan"
Plan[@T]: {
    S: INSTRUCTIONS
    ForEach(t: range(1, @T-1)) {
        U: env.question[@t]
        A: resp.answer[@t]
    }
    U: env.question[@T]
}

// requests: model=small-*
Summarise[@T]: {
    S: SUMMARY_INSTRUCTIONS
    U: sys.conversation[@T]
}
"""
SCHEMA = Draft202012Validator(
    json.loads(files("acdl_mkdocs").joinpath("assets/check-run.schema.json").read_text("utf-8"))
)


def body(model: str, *messages: str) -> Json:
    """The body of a request: instructions, then the user and the assistant in turns."""
    roles = ("system", *("user", "assistant") * len(messages))
    return {
        "model": model,
        "messages": [{"role": role, "content": text} for role, text in zip(roles, messages, strict=False)],
    }


PLANS = [body("large", "You plan", "q1"), body("large", "You plan", "q1", "a1", "q2")]
SUMMARIES = [body("small-1", "You sum up", "q1 a1"), body("small-2", "You sum up", "q1 a1 q2")]
RUN = [PLANS[0], SUMMARIES[0], PLANS[1], SUMMARIES[1]]


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("agent.acdl").write_text(SPEC, "utf-8")
    record("run.jsonl", RUN)


def record(name: str, bodies: list[Json]) -> None:
    """Write a recording."""
    Path(name).write_text("".join(f"{json.dumps(each)}\n" for each in bodies), "utf-8")


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        ('system="You plan" model=gpt-*', {"system": "You plan", "model": "gpt-*"}),
        ("model=gpt-5", {"model": "gpt-5"}),
        (r'system="say \"yes\" or \\"', {"system": 'say "yes" or \\'}),
        ("others", {}),
    ],
)
def test_claims_are_read_and_written(words: str, claim: Mapping[str, str]) -> None:
    """Values with blanks are quoted; what is written is read again."""
    assert parse_claim(words) == claim
    assert parse_claim(format_claim(claim)) == claim


@pytest.mark.parametrize("words", ["", "sytem=x", "model=", "You plan", "system=You plan"])
def test_a_comment_that_does_not_say_which_is_an_error(words: str) -> None:
    """The message says what can be written."""
    with pytest.raises(TraceError, match=r"=(planner|\.\.\.)"):
        parse_claim(words)


def test_each_request_is_checked_against_its_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    """Points are counted from the requests of each prompt alone; all of them make one result."""
    assert main(["check-run", "agent.acdl", "run.jsonl", "--strict"]) == 0
    out = capsys.readouterr().out
    assert out.endswith("\n2 prompts agree with 4 requests\n")
    assert "`Plan` of agent.acdl: 2 requests" in out
    assert "`Summarise` of agent.acdl: 2 requests" in out


def test_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    """One prompt can describe what no other one claims."""
    Path("agent.acdl").write_text(SPEC.replace('system="You plan"', "others"), "utf-8")
    assert main(["check-run", "agent.acdl", "run.jsonl"]) == 0
    assert capsys.readouterr().out.endswith("\n2 prompts agree with 4 requests\n")


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ('system="You plan"', 'system="You fly"', "2 requests match no prompt"),
        ("model=small-*", "model=*", "`Plan` and `Summarise` both claim"),
        ("model=small-*", "modle=small-*", "did you mean `model=...`"),
    ],
)
def test_requests_that_are_not_shared_out(
    before: str, after: str, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody claims one, or two prompts do, or a comment is not understood: nothing is checked."""
    Path("agent.acdl").write_text(SPEC.replace(before, after), "utf-8")
    assert main(["check-run", "agent.acdl", "run.jsonl"]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert error in err


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        ("--spec Plan", 0, "agrees with all 2 requests"),
        ("--spec Summarise", 0, "agrees with all 2 requests"),
        ("--only model=large", 0, "agrees with all 2 requests"),
        ("--only model=small-*", 0, "`Plan` of agent.acdl: 2 requests of 2 runs"),
        ("--spec Summarise --only model=large", 1, "refuted"),
        ("--emit-state state.yaml", 2, "choose it with --spec: `Plan`, `Summarise`"),
    ],
)
def test_one_prompt_alone(words: str, status: int, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A chosen spec has its own requests; chosen requests are not shared out."""
    assert main(["check-run", "agent.acdl", "run.jsonl", *words.split()]) == status
    assert says in "".join(capsys.readouterr())


def test_others_are_of_one_prompt_only(capsys: pytest.CaptureFixture[str]) -> None:
    """Two of them are an error."""
    text = SPEC.replace('system="You plan"', "others").replace("model=small-*", "others")
    Path("agent.acdl").write_text(text, "utf-8")
    assert main(["check-run", "agent.acdl", "run.jsonl"]) == 2
    assert "`Plan` and `Summarise` both describe all other requests" in capsys.readouterr().err


def test_a_prompt_without_a_request(capsys: pytest.CaptureFixture[str]) -> None:
    """The others are checked, and all that is asked for is asked of it too."""
    record("run.jsonl", PLANS)
    assert main(["check-run", "agent.acdl", "run.jsonl"]) == 0
    assert capsys.readouterr().out.endswith("\n1 prompt agrees with 2 requests; 1 prompt without a request\n")
    assert main(["check-run", "agent.acdl", "run.jsonl", "--fail-on", "unexercised"]) == 1
    assert "Summarise: 2 lines that no request comes to" in capsys.readouterr().err


@pytest.mark.parametrize(("bodies", "status"), [(RUN, 0), ([*RUN, body("small-1", "You sum up")], 1)])
def test_reports_of_several_prompts(bodies: list[Json], status: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is valid; the worst result is that of all."""
    record("run.jsonl", bodies)
    texts = {}
    for name in ("terminal", "json", "junit", "markdown", "badge"):
        assert main(["check-run", "agent.acdl", "run.jsonl", "--format", name]) == status
        texts[name] = capsys.readouterr().out
    report = json.loads(texts["json"])
    SCHEMA.validate(report)
    assert report["verdict"] == ("refuted" if status else "agrees")
    assert [each["spec"]["name"] for each in report["prompts"]] == ["Plan", "Summarise"]
    suites = etree.fromstring(texts["junit"].encode())
    assert int(suites.attrib["tests"]) == len(suites.findall("*/testcase"))
    assert int(suites.attrib["failures"]) == len(suites.findall("*/*/failure"))
    assert bool(suites.findall("*/*/failure")) == bool(status)
    assert texts["markdown"].count("### ") == 2
    assert json.loads(texts["badge"])["color"] == ("red" if status else "brightgreen")
    assert ("`Summarise` of 2 prompts" in texts["terminal"]) == bool(status)


def test_a_recording_beside_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    """It is of all prompts that say which of its requests they describe; a comment that is of no prompt is reported."""
    record("agent.run.jsonl", RUN)
    assert main(["check", "--strict", "agent.acdl"]) == 0
    plain = "\n".join(each for each in SPEC.split("\n") if "requests:" not in each)
    Path("agent.acdl").write_text(plain, "utf-8")
    assert main(["check", "--strict", "agent.acdl"]) == 1
    assert "is of none of the 2 specs" in capsys.readouterr().out
    Path("agent.run.jsonl").unlink()
    Path("agent.acdl").write_text(f"// requests: others\n\n{plain}", "utf-8")
    assert main(["check", "--strict", "agent.acdl"]) == 1
    assert "`// requests:` is of no spec of this file" in capsys.readouterr().out


def test_other_front_ends(tmp_path: Path) -> None:
    """The tool of agents and the function for tests share the requests out as well."""
    answer = run_tool("check_run", {"path": "agent.acdl", "traces": ["run.jsonl"]}, Folders((tmp_path,)))
    assert answer.data["verdict"] == "2 prompts agree with 4 requests"
    assert_matches_spec("run.jsonl", "agent.acdl")
    record("run.jsonl", [*RUN, body("small-1", "You sum up")])
    with pytest.raises(AssertionError, match=r"agent\.acdl:15"):
        assert_matches_spec("run.jsonl", "agent.acdl")
