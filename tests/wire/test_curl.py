"""Requests that a shell runs: the bytes that arrive are the body, whatever messages say."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.errors import SettingsError, UnknownFormatError
from acdl_mkdocs.prompts.prompt import Message, Prompt, Text
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES
from acdl_mkdocs.prompts.providers.curl import curl

HOSTILE = [
    "END_OF_BODY",
    "\nEND_OF_BODY\ntouch broken\n",
    "$(touch broken) `touch broken` ${HOME} $OPENAI_API_KEY",
    "'; touch broken; '",
    '"; touch broken; "',
    "\\",
    "\\\nEND_OF_BODY\n",
    "\0\x1b[31m\x7f\u2028\x85END_OF_BODY\r\n",
    "!! !touch %s %n",
    "ø 漢 😀 \ud800",
]
SHELLS = [path for name in ("sh", "dash", "bash", "zsh") if (path := shutil.which(name))]
FAKE = """#!/bin/sh
for word in "$@"; do printf '%s\\n' "$word"; done > "$RECEIVED/words"
cat > "$RECEIVED/body"
"""


@pytest.fixture
def received(tmp_path: Path) -> Path:
    """A folder with a `curl` that writes down what it is given."""
    fake = tmp_path / "bin" / "curl"
    fake.parent.mkdir()
    fake.write_text(FAKE, "utf-8")
    fake.chmod(0o755)
    return tmp_path


def run(shell: str, command: str, folder: Path, **keys: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a folder where `curl` is ours."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "RECEIVED": str(folder), "HOME": "/", **keys}
    return subprocess.run([shell], input=command.encode(), cwd=folder, env=environment, capture_output=True)


@pytest.mark.parametrize("shell", SHELLS, ids=lambda path: Path(path).name)
@pytest.mark.parametrize("name", PROVIDERS)
def test_hostile_text(name: str, shell: str, received: Path) -> None:
    """No text of a message is a command, and every byte arrives."""
    prompt = Prompt((Message("system", (Text(HOSTILE[0]),)), *(Message("user", (Text(text),)) for text in HOSTILE)))
    body = WIRES[name].write(prompt, "m").request
    keys = dict.fromkeys(re.findall(r"\$\{(\w+):\?\}", " ".join(PROVIDERS[name].headers)), "k'1")
    assert keys
    ran = run(shell, curl(body, name, "m"), received, **keys)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert json.loads((received / "body").read_text("utf-8")) == body
    assert not (received / "broken").exists()
    assert "k'1" in (received / "words").read_text("utf-8")


@pytest.mark.parametrize("model", ["m'; touch broken; '", "a/b?c=$(touch broken)&d#e", "%2e%2e/x", 'x"\n'])
def test_hostile_model(model: str, received: Path) -> None:
    """The name of a model is one word of an address."""
    ran = run("sh", curl({"contents": []}, "gemini", model), received, GEMINI_API_KEY="k")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert not (received / "broken").exists()
    address = (received / "words").read_text("utf-8").splitlines()[1]
    assert address.startswith("https://generativelanguage.googleapis.com/v1beta/models/")
    assert address.endswith(":generateContent")
    assert not set("'?#&$ ") & set(address)


def test_key_is_missing(received: Path) -> None:
    """Without a key the shell says which one, and sends nothing."""
    ran = run("sh", curl({"messages": []}, "openai", "m"), received)
    assert ran.returncode != 0
    assert b"OPENAI_API_KEY" in ran.stderr
    assert not (received / "body").exists()


def test_command() -> None:
    """A command that people can read."""
    assert curl({"max_tokens": 5, "messages": [{"role": "user", "content": "hi"}]}, "anthropic", "claude-x") == (
        "curl -sS 'https://api.anthropic.com/v1/messages' \\\n"
        '  -H "Content-Type: application/json" \\\n'
        '  -H "x-api-key: ${ANTHROPIC_API_KEY:?}" \\\n'
        '  -H "anthropic-version: 2023-06-01" \\\n'
        "  --data-binary @- <<'END_OF_BODY'\n"
        "{\n"
        '  "max_tokens": 5,\n'
        '  "messages": [\n'
        "    {\n"
        '      "role": "user",\n'
        '      "content": "hi"\n'
        "    }\n"
        "  ],\n"
        '  "model": "claude-x"\n'
        "}\n"
        "END_OF_BODY\n"
    )


def test_misuse() -> None:
    """A format or a model that is missing is told with a cure."""
    with pytest.raises(UnknownFormatError, match="did you mean `openai`"):
        curl({}, "open-ai", "m")
    with pytest.raises(SettingsError, match="--model NAME"):
        curl({"messages": []}, "openai")
