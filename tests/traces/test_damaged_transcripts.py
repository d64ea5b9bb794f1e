"""Whatever a transcript, an export or a cassette has in any place: all of it is a request or reported."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.episodes import group_requests
from acdl_mkdocs.runs.points import assign_points
from acdl_mkdocs.runs.read.exports import join_requests
from acdl_mkdocs.runs.read.recorded import Tally
from traces.runs import found_in, lines
from traces.test_large_runs import JSON, places, replaced
from traces.test_read_exports import CHAIN, CHAT, ROWS, interaction, run, table
from traces.test_read_otlp_calls import AI_SDK, WITH, call, logs, plain, record
from traces.test_read_transcripts import EVENTS, HISTORY, ROLLOUT, SESSION

STEP: Json = {"action": "ls", "response": "I look.", "query": HISTORY[:4]}
INNER = {"ai.operationId": "ai.generateText.doGenerate", "ai.prompt.messages": json.dumps(AI_SDK)}
INSIDE = plain(INNER, "i")
DOCUMENTS: dict[str, Json] = {
    "claude-code": SESSION,
    "codex": ROLLOUT,
    "openhands": EVENTS,
    "swe-agent": [{"trajectory": [STEP], "history": HISTORY, "info": {}}],
    "mini-swe-agent": [{"messages": HISTORY, "info": {}, "trajectory_format": "mini-swe-agent-1.1"}],
    "langsmith": [run(1, {"messages": CHAIN}), run(2, {"messages": [CHAIN]})],
    "langfuse": [*ROWS],
    "vcr": [{"interactions": [interaction({"string": json.dumps(CHAT)})]}],
    "otlp": [
        call(WITH, "c", "p"),
        call({}, "p"),
        logs(record("gen_ai.user.message", "q", {"content": "a"})),
        plain(INNER, "i"),
    ],
}


@pytest.mark.parametrize("name", DOCUMENTS)
@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_value(name: str, tmp_path: Path, data: st.DataObject) -> None:
    """A value anywhere is another one, or a line is cut off."""
    document = DOCUMENTS[name]
    changed = replaced(document, data.draw(st.sampled_from(places(document)[1:])), data.draw(JSON))
    assert isinstance(changed, list)
    text = lines(*changed)
    found = found_in(tmp_path / "run", text[: data.draw(st.just(len(text)) | st.integers(1, len(text)))])
    tally = Tally()
    read = list(assign_points(group_requests(tally.count_requests(join_requests(found)))))
    assert all(each.at is not None for each in read)
    assert found
    assert all((*tally.describe_skipped(), *tally.describe_incomplete()))


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_text(tmp_path: Path, data: st.DataObject) -> None:
    """A table or a cassette in YAML that was cut off or changed."""
    seed = data.draw(st.sampled_from([table(*ROWS), yaml.dump(DOCUMENTS["vcr"][0])]))  # type: ignore[index]
    start = data.draw(st.integers(0, len(seed)))
    changed = seed[:start] + data.draw(st.text(max_size=4)) + seed[start + data.draw(st.integers(0, 4)) :]
    found = found_in(tmp_path / "run", changed[: data.draw(st.integers(0, len(changed)))].encode("utf-8", "replace"))
    assert found
    assert len(list(Tally().count_requests(found))) <= len(found)
