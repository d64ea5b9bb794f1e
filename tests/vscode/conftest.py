"""Node.js and the packages of the extension; skipped where they cannot be had, but not in CI."""

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import pytest
from filelock import FileLock

from acdl_mkdocs.foundation.errors import PlaygroundError
from acdl_mkdocs.frontends.playground.node import NodePrograms, find_node

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"

_PATIENCE_S = 300
"""How long a script may take on a busy machine."""

Run: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]
Tokens: TypeAlias = list[tuple[int, int, int, list[str]]]
"""Line, first and last column in UTF-16, and scopes, the outermost first."""


def _missing(reason: object) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(str(reason), pytrace=False)
    pytest.skip(str(reason))


@pytest.fixture(scope="session")
def programs() -> NodePrograms:
    """Node.js and npm, with the packages that the lock file names."""
    try:
        found = find_node()
        (ROOT / ".cache").mkdir(exist_ok=True)
        with FileLock(ROOT / ".cache" / "vscode-packages.lock"):
            installed = EXTENSION / "node_modules" / ".package-lock.json"
            lock = EXTENSION / "package-lock.json"
            if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
                found.run_npm(("ci", "--no-audit", "--no-fund"), EXTENSION)
    except PlaygroundError as reason:
        _missing(reason)
    return found


@pytest.fixture(scope="session")
def run_node(programs: NodePrograms) -> Run:
    """Run a script of the extension."""

    def run(*words: str, given: str | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **programs.environment, **more}
        return subprocess.run(
            [*programs.node, *words],
            cwd=EXTENSION,
            env=environment,
            input=given,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=_PATIENCE_S,
        )

    return run


@pytest.fixture(scope="session")
def tokens_of(run_node: Run) -> Callable[[Sequence[tuple[str, str]]], tuple[list[Tokens], float]]:
    """The tokens of texts, each with the scope of its grammar, and the slowest line in milliseconds."""

    def tokens(texts: Sequence[tuple[str, str]]) -> tuple[list[Tokens], float]:
        asked = json.dumps([{"scope": scope, "text": text} for scope, text in texts])
        ran = run_node("scripts/tokens.mjs", given=asked)
        assert ran.returncode == 0, ran.stderr
        answer: dict[str, Any] = json.loads(ran.stdout)
        return answer["tokens"], answer["slowest_ms"]

    return tokens
