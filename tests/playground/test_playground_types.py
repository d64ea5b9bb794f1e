"""The page's TypeScript, as its compiler sees it; skipped where that cannot be had, but not in CI."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock

from acdl_mkdocs.foundation.errors import PlaygroundError
from acdl_mkdocs.frontends.playground.bundle import FRONT_END, front_end_files
from acdl_mkdocs.frontends.playground.node import NodePrograms, find_node

CACHE = Path(__file__).parents[2] / ".cache" / "playground-types"
PACKAGES = ("package.json", "package-lock.json", ".npmrc")


def packages(node: NodePrograms) -> Path:
    """All that the lock file names, the compiler too; installed once."""
    CACHE.mkdir(parents=True, exist_ok=True)
    lock = (FRONT_END / "package-lock.json").read_bytes()
    with FileLock(CACHE.with_suffix(".lock")):
        done = CACHE / "installed.json"
        if not done.is_file() or done.read_bytes() != lock:
            for name in PACKAGES:
                shutil.copyfile(FRONT_END / name, CACHE / name)
            node.run_npm(("ci", "--ignore-scripts", "--no-audit", "--no-fund"), CACHE)
            done.write_bytes(lock)
    return CACHE / "node_modules"


@pytest.fixture(scope="module")
def node() -> NodePrograms:
    """Node.js, with the packages at hand."""
    try:
        found = find_node()
        packages(found)
    except PlaygroundError as reason:
        if os.environ.get("CI"):
            pytest.fail(str(reason), pytrace=False)
        pytest.skip(str(reason))
    return found


def copied(node: NodePrograms, folder: Path) -> Path:
    """A copy of the sources, with the packages beside them."""
    for path in front_end_files():
        copy = folder / path.relative_to(FRONT_END.parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    page = folder / FRONT_END.name
    (page / "node_modules").symlink_to(packages(node), target_is_directory=True)
    return page


def said(node: NodePrograms, page: Path, config: str) -> str:
    """What the compiler says."""
    command = [*node.node, "node_modules/typescript/bin/tsc", "--noEmit", "--project", config]
    ran = subprocess.run(command, cwd=page, env={**os.environ, **node.environment}, capture_output=True, text=True)
    return ran.stdout + ran.stderr


@pytest.mark.parametrize("config", ["tsconfig.json", "tsconfig.worker.json"])
def test_types(node: NodePrograms, config: str, tmp_path: Path) -> None:
    """TypeScript in its strictest form has nothing to say of the page, nor of its workers; of a mistake it would."""
    page = copied(node, tmp_path)
    assert said(node, page, config) == ""
    with (page / "src" / "engine_types.ts").open("a", encoding="utf-8") as source:
        source.write("\nexport const wrong: number = ['a'][0];\n")
    assert "TS2322" in said(node, page, config)
