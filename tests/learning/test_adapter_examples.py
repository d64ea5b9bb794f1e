"""The programs of `examples/learning` that learn with an agent: run as they are, against a server on this machine."""

import json
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from exhaustive import few
from models.loopback import Loopback, Request, Said, as_json, said
from scripted_task import SAMPLES, delta, playbook_of, reflection

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples" / "learning"
LESSON = "Count one blim as 7 snarks."
NEEDS = {
    "with_openai_agents": ("openai-agents", "openai"),
    "with_pydantic_ai": ("pydantic-ai-slim", "openai"),
    "with_langgraph": ("langgraph", "openai"),
    "my_agent": ("openai",),
}


def server(request: Request) -> Said:
    """The model of the agents, which knows what its lessons say, and that of reflector and curator."""
    words = json.dumps(request.body, ensure_ascii=False)
    keys = request.body.get("response_format", {}).get("json_schema", {}).get("schema", {}).get("properties", {})
    if keys:
        texts = "\n".join(str(each["content"]) for each in request.body["messages"])
        return said(reflection(texts) if "key_insight" in keys else delta(texts))
    answer = str(2 * 7) if LESSON in words else "1"
    assert "You convert units." in words
    assert "How many snarks are 2 blims?" in words
    if request.path.endswith("/responses"):
        part = {"type": "output_text", "text": answer, "annotations": []}
        output = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        usage = {"input_tokens": 9, "output_tokens": 1, "total_tokens": 10}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        about = {"id": "r", "object": "response", "created_at": 0, "model": "gpt-5.4-mini", "status": "completed"}
        more = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
        return as_json({**about, **more, "output": [output], "usage": {**usage, **details}})
    return said(answer)


@pytest.mark.parametrize("name", few(NEEDS))
def test_example(name: str, tmp_path: Path) -> None:
    """Each learns the lesson in its first run and is right with it in the second."""
    for each in NEEDS[name]:
        try:
            distribution(each)
        except PackageNotFoundError:
            pytest.skip(f"{each} is not installed")
    (tmp_path / "questions.jsonl").write_text(
        json.dumps({"question": SAMPLES[0].question, "answer": SAMPLES[0].answer}), "utf-8"
    )
    with Loopback(server) as model:
        environ = {**os.environ, "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "sk-test", "PYTHONPATH": str(ROOT)}
        environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"

        def run(*words: str) -> str:
            done = subprocess.run(
                [sys.executable, *words], cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=600
            )
            assert done.returncode == 0, done.stderr
            return done.stdout

        if name == "my_agent":
            command = f"{sys.executable} {EXAMPLES / 'my_agent.py'}"
            run("-m", "acdl_mkdocs", "playbook", "init", "playbook.yaml")
            words = ("-m", "acdl_mkdocs", "playbook", "learn", "questions.jsonl", "--playbook", "playbook.yaml")
            out = [run(*words, "--agent", command, "--model", "m", "--restart") for _ in range(2)]
            assert [each.split(",")[0] for each in out] == [
                "1 question: 0 right at once",
                "1 question: 1 right at once",
            ]
        else:
            program = (str(EXAMPLES / f"{name}.py"), "questions.jsonl", "playbook.yaml")
            assert run(*program) == "0 of 1 right, 1 lessons\n"
            (tmp_path / "playbook.run" / "run.json").unlink()
            (tmp_path / "playbook.run" / "trajectory.jsonl").unlink()
            assert run(*program) == "1 of 1 right, 1 lessons\n"
    assert [each.content for each in playbook_of(tmp_path / "playbook.yaml").active] == [LESSON]
