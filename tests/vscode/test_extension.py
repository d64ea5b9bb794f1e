"""The extension's code: its types, its own tests, its package, and the talk of its client with our server."""

import json
import re
import sys
import zipfile
from pathlib import Path

from exhaustive import exhaustive

from .conftest import EXTENSION, Run

PACKAGED = {
    "LICENSE.txt",
    "changelog.md",
    "dist/NOTICES.txt",
    "dist/acdl-actions.js",
    "dist/acdl-steps.js",
    "dist/acdl.css",
    "dist/acdl.js",
    "dist/acdl.markdown.tmLanguage.json",
    "dist/acdl.tmLanguage.json",
    "dist/extension.js",
    "dist/figure.css",
    "dist/file.svg",
    "dist/preview.css",
    "dist/preview.js",
    "language-configuration.json",
    "media/icon.png",
    "package.json",
    "readme.md",
    "snippets.json",
}
LARGEST = 250_000
"""Bytes of the package."""


@exhaustive
def test_types(run_node: Run) -> None:
    """TypeScript in its strictest form has nothing to say."""
    ran = run_node("node_modules/typescript/bin/tsc", "--noEmit")
    assert ran.returncode == 0, ran.stdout


def test_types_are_looked_at(run_node: Run, tmp_path: Path) -> None:
    """The check that says nothing would say something."""
    config: dict[str, object] = {"extends": str(EXTENSION / "tsconfig.json"), "include": [str(tmp_path / "wrong.ts")]}
    config["compilerOptions"] = {"types": []}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config), "utf-8")
    (tmp_path / "wrong.ts").write_text("export const n: number = ['a'][0];\n", "utf-8")
    ran = run_node("node_modules/typescript/bin/tsc", "--noEmit", "--project", str(tmp_path))
    assert ran.returncode
    assert "TS2322" in ran.stdout


def test_its_own_tests_and_the_talk_with_the_server(run_node: Run) -> None:
    """Node's test runner, with `acdl lsp` to talk to; none is skipped."""
    tests = sorted(str(path.relative_to(EXTENSION)) for path in (EXTENSION / "test").glob("*.test.mjs"))
    server = json.dumps([sys.executable, "-m", "acdl_mkdocs", "lsp"])
    ran = run_node("--test", "--test-reporter=tap", *tests, ACDL_SERVER=server)
    assert ran.returncode == 0, ran.stdout
    counted = {name: int(number) for name, number in re.findall(r"^# (\w+) (\d+)$", ran.stdout, re.MULTILINE)}
    assert counted["pass"] >= 54
    assert counted["fail"] == counted["skipped"] == 0


def test_what_is_pure_knows_no_editor() -> None:
    """Modules that say they know nothing of VS Code import it nowhere, so that they can be tried without."""
    sources = {path: path.read_text("utf-8") for path in (EXTENSION / "src").rglob("*.ts")}
    pure = [path for path, text in sources.items() if "Knows nothing of VS Code" in text]
    assert len(pure) >= 6
    assert [path.name for path in pure if '"vscode' in sources[path]] == []


@exhaustive
def test_package(run_node: Run, tmp_path: Path) -> None:
    """The .vsix has what an editor needs and nothing else: no sources, no tests, no address of a machine."""
    target = tmp_path / "acdl.vsix"
    ran = run_node("package.mjs", str(target))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    with zipfile.ZipFile(target) as package:
        names = {name.removeprefix("extension/") for name in package.namelist() if name.startswith("extension/")}
        code = package.read("extension/dist/extension.js").decode()
        notices = package.read("extension/dist/NOTICES.txt").decode()
    assert names == PACKAGED
    assert target.stat().st_size < LARGEST
    assert str(EXTENSION) not in code
    assert "vscode-languageclient" in notices
    assert "MIT" in notices


def test_bundles_need_nothing_else(run_node: Run, tmp_path: Path) -> None:
    """A bundle asks for VS Code and for parts of Node.js; the page's for nothing."""
    out = tmp_path / "dist"
    ran = run_node("build.mjs", str(out))
    assert ran.returncode == 0, ran.stderr
    asked = {
        name: set(re.findall(r"require\(\"(?:node:)?([^\"]+)\"\)", (out / name).read_text("utf-8")))
        for name in ("extension.js", "preview.js")
    }
    builtin = "assert child_process crypto fs net os path readline url util vscode worker_threads"
    assert asked["extension.js"] <= set(builtin.split())
    assert asked["preview.js"] == set()


def test_what_is_built_is_in_no_source_package() -> None:
    """The builder of the sdist reads the `.gitignore` at the top, and no other."""
    patterns = set((EXTENSION.parents[1] / ".gitignore").read_text("utf-8").split())
    assert {"*.vsix", "dist/", "node_modules/"} <= patterns
