"""`acdl state from-pml`: a recorded conversation as a sample state, from the command line."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

import acdl_mkdocs
from acdl_mkdocs.evaluation.state.from_prompt import CONVERSATION
from acdl_mkdocs.foundation import atomic
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.prompt import Prompt

ROOT = Path(acdl_mkdocs.__file__).parent.parent
EXAMPLES = ROOT / "examples" / "pml"
SCHEMA = json.loads((ROOT / "acdl_mkdocs" / "assets" / "state.schema.json").read_text("utf-8"))
TRIP = """<prompt>
  <tools><tool name="weather" desc="Forecast"><param key="city" req="1"/></tool></tools>
  <conversation>
    <system><text>You help people plan trips.</text></system>
    <turn>
      <user><text>Will it rain?</text></user>
      <assistant>
        <text>I look.</text><call name="weather" id="a" city="Lisbon"/><call name="weather" id="b" city="X"/>
      </assistant>
      <tool_output id="a">sunny</tool_output>
      <tool_output id="b" status="error">no such place</tool_output>
      <assistant><text>Not in Lisbon.</text></assistant>
    </turn>
    <turn><user><text>And tomorrow?</text></user></turn>
  </conversation>
</prompt>
"""
LOOP = """// acdl: range=inclusive
Agent[@T.I]: {
    S: { RULES TOOLS }
    ForEach(t: range(1, @T)) {
        U: env.question[@t]
        ForEach(i: range(1, @t.substeps)) {
            A: {
                resp.said[@t.i]
                ForEach(use: sys.uses[@t.i]) { use.call }
            }
            ForEach(use: sys.uses[@t.i]) { T: use.result }
        }
        If @t < @T { A: resp.answer[@t] }
    }
    U: { env.clock[@T] env.place[@T] }
}
"""


def simple(prompt: Prompt | None) -> Prompt:
    """A prompt without what the evaluation of a spec does not know: numbers of turns, names, ids, topic."""
    assert prompt is not None
    messages = tuple(replace(message, turn=None, name=None, id=None) for message in prompt.messages)
    return replace(prompt, messages=messages, id=None, topic=None)


@pytest.mark.parametrize("name", ["chat.state.yaml", "state.schema.json", "chat.acdl"])
def test_interrupted(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever file it comes at, none of the three is left, and the command can be given again."""
    (folder / "trip.xml").write_text(TRIP, "utf-8")
    before, copy = {*folder.iterdir()}, atomic.copy_new

    def interrupted(draft: Path, path: Path) -> None:
        copy(draft, path)
        if path.name == name:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(atomic, "copy_new", interrupted)
        assert main(["state", "from-pml", "trip.xml", "-o", "chat.state.yaml"]) == 130
    assert {*folder.iterdir()} == before
    assert main(["state", "from-pml", "trip.xml", "-o", "chat.state.yaml"]) == 0


@pytest.mark.parametrize("name", ["weather.pml.xml", "coding-agent.pml.xml", "trip.pml.xml"])
def test_sent_again(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """State and spec are written beside each other, nothing is wrong with them, and they send the conversation."""
    text = TRIP if name == "trip.pml.xml" else (EXAMPLES / name).read_text("utf-8")
    (folder / name).write_text(text, "utf-8")
    assert main(["state", "from-pml", name, "-o", "chat.state.yaml"]) == 0
    told = capsys.readouterr().out
    assert told == "made chat.state.yaml and state.schema.json and chat.acdl; next: `acdl unroll chat.acdl`\n"
    assert (folder / "chat.acdl").read_text("utf-8") == CONVERSATION
    state = yaml.safe_load((folder / "chat.state.yaml").read_text("utf-8"))
    Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(state)))
    assert main(["state", "check", "--strict", "chat.state.yaml"]) == 0
    assert main(["check", "--strict", "chat.acdl"]) == 0
    assert main(["format", "--check", "chat.acdl"]) == 0
    capsys.readouterr()
    assert main(["unroll", "chat.acdl", "--format", "pml"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert simple(read(out).prompt) == simple(read(text).prompt)


def test_the_example_is_made_so(capsys: pytest.CaptureFixture[str]) -> None:
    """The state among the examples is what the command makes of the document beside it, and so is the spec."""
    assert main(["state", "from-pml", str(EXAMPLES / "weather.pml.xml")]) == 0
    made = capsys.readouterr().out.split("\n", 2)[2]
    assert (EXAMPLES / "conversation.state.yaml").read_text("utf-8").split("\n", 1)[1] == made
    assert (EXAMPLES / "conversation.acdl").read_text("utf-8") == CONVERSATION


def test_a_spec_is_filled(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a placeholder stands for alone is filled in; what is in doubt stays, and both are told."""
    (folder / "trip.pml.xml").write_text(TRIP, "utf-8")
    (folder / "agent.acdl").write_text(LOOP, "utf-8")
    assert main(["state", "from-pml", "trip.pml.xml", "--spec", "agent.acdl#Agent", "-o", "agent.state.yaml"]) == 0
    out, err = capsys.readouterr()
    assert out.endswith("; next: fill in the placeholders, then `acdl state check agent.state.yaml`\n")
    state = yaml.safe_load((folder / "agent.state.yaml").read_text("utf-8"))
    assert state["at"] == "2.0"
    assert state["templates"] == {"RULES": "You help people plan trips.", "TOOLS": "weather(city): Forecast"}
    assert "tools" not in state
    first, second = state["steps"][1], state["steps"][2]
    assert (first["env"]["question"], second["env"]["question"]) == ("Will it rain?", "And tomorrow?")
    assert first["resp"]["answer"] == "Not in Lisbon."
    assert first["substeps"][1]["resp"] == {"said": "I look."}
    assert [each["call"]["$call"]["id"] for each in first["substeps"][1]["sys"]["uses"]] == ["a", "b"]
    results = [each["result"]["$result"] for each in first["substeps"][1]["sys"]["uses"]]
    assert results == [{"id": "a", "content": "sunny"}, {"id": "b", "content": "no such place", "error": True}]
    assert (second["env"]["clock"], second["env"]["place"]) == ("…", "…")
    assert "acdl: 8 values are from the document: " in err
    assert "still `…`: " in err
    assert "`steps.2.env.clock`" in err
    assert "not in the state" not in err
    assert (
        main(["unroll", "agent.acdl", "--at", "1.1", "--format", "openai", "--model", "m", "--missing", "placeholder"])
        == 0
    )
    sent = json.loads(capsys.readouterr().out)["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool", "tool", "user"]


def test_what_has_no_place_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Messages that a spec does not read are named, and what no state can say is too."""
    (folder / "trip.pml.xml").write_text(TRIP.replace("<conversation>", '<conversation topic="Rain">'), "utf-8")
    (folder / "small.acdl").write_text("Small[@T]: { U: env.question[@T] }\n", "utf-8")
    assert main(["state", "from-pml", "trip.pml.xml", "--spec", "small.acdl"]) == 0
    out, err = capsys.readouterr()
    assert yaml.safe_load(out)["tools"][0]["name"] == "weather"
    assert "acdl: the topic or the id of the conversation is left out\n" in err
    assert "acdl: 6 messages are not in the state, or not as a whole: `messages[0]`, `messages[1]`" in err


def test_what_cannot_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Errors of the document are told with places; a request of a provider is converted first; nothing is written."""
    (folder / "bad.xml").write_text("<conversation><turn><user>Hi</user></turn></conversation>", "utf-8")
    assert main(["state", "from-pml", "bad.xml", "-o", "bad.state.yaml"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("error[misplaced-text]: ")
    assert err.endswith("acdl: bad.xml: cannot be read: solve the errors first, or try `--lenient`\n")
    (folder / "body.json").write_text('{"messages": []}', "utf-8")
    assert main(["state", "from-pml", "body.json"]) == 2
    cure = "first run `acdl pml convert body.json --to pml -o chat.pml.xml`"
    assert capsys.readouterr().err == f"acdl: body.json: is JSON, and a PML document is needed; {cure}\n"
    assert main(["state", "from-pml", "none.xml"]) == 2
    (folder / "trip.pml.xml").write_text(TRIP, "utf-8")
    assert main(["state", "from-pml", "trip.pml.xml", "--spec", "none.acdl"]) == 2
    (folder / "small.acdl").write_text("Small[@T]: { U: env.question[@T] }\n", "utf-8")
    assert main(["state", "from-pml", "trip.pml.xml", "--spec", "small.acdl#Smal"]) == 2
    assert "did you mean `Small`?" in capsys.readouterr().err
    (folder / "small.acdl").write_text("Small[@T]: { U: }\n", "utf-8")
    assert main(["state", "from-pml", "trip.pml.xml", "--spec", "small.acdl"]) == 1
    assert capsys.readouterr().err.endswith("acdl: nothing was made: solve the errors of the spec first\n")
    assert sorted(path.name for path in folder.iterdir()) == ["bad.xml", "body.json", "small.acdl", "trip.pml.xml"]


def test_lenient(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A message alone becomes a state, and each repair is told."""
    (folder / "user.xml").write_text("<user><text>Hi</text></user>", "utf-8")
    assert main(["state", "from-pml", "user.xml", "--lenient"]) == 0
    out, err = capsys.readouterr()
    assert yaml.safe_load(out)["steps"][1]["env"]["messages"] == [{"role": "user", "content": "Hi"}]
    assert "warning[repaired]" in err
