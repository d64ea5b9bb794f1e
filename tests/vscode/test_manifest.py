"""What the extension declares is what it has, and what the package and the server have."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from acdl_mkdocs import __version__, check
from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS
from acdl_mkdocs.frontends.lsp.requests import REQUESTS

from .conftest import EXTENSION, ROOT
from .manifest import regenerated

MANIFEST = EXTENSION / "package.json"
INTERNAL = {"acdl.showReferences"}
"""Commands that only code lenses call."""


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    """The manifest."""
    value: dict[str, Any] = json.loads(MANIFEST.read_text("utf-8"))
    return value


@pytest.fixture(scope="module")
def sources() -> str:
    """All code of the extension."""
    return "\n".join(path.read_text("utf-8") for path in sorted((EXTENSION / "src").rglob("*.ts")))


def test_settings_are_those_of_the_server(request: pytest.FixtureRequest) -> None:
    """Names, types, defaults and descriptions."""
    written = MANIFEST.read_text("utf-8")
    if request.config.getoption("--update-golden"):
        MANIFEST.write_text(regenerated(written), "utf-8")
        written = MANIFEST.read_text("utf-8")
    assert written == regenerated(written), "make it anew: pytest tests/vscode --update-golden"


def test_no_program_of_a_folder_that_is_not_trusted(manifest: dict[str, Any]) -> None:
    """A folder of a stranger can set no program to run, and only one module runs any: it asks for trust first."""
    untrusted = manifest["capabilities"]["untrustedWorkspaces"]
    settings = manifest["contributes"]["configuration"]["properties"]
    programs = [name for name, each in settings.items() if re.search("program", json.dumps(each), re.IGNORECASE)]
    assert programs == ["acdl.server.command"] == untrusted["restrictedConfigurations"]
    assert untrusted["supported"] == "limited"
    assert settings["acdl.server.command"]["scope"] == "machine-overridable"
    running = [path for path in (EXTENSION / "src").rglob("*.ts") if "child_process" in path.read_text("utf-8")]
    assert [path.name for path in running] == ["client.ts"]
    start = re.search(r"async start\(\)[^{]*\{\n(.*)", running[0].read_text("utf-8"))
    assert start is not None
    assert "if (!vscode.workspace.isTrusted) return" in start[1]


def test_commands_are_registered(manifest: dict[str, Any], sources: str) -> None:
    """Every command that people see is there, is named in each menu rightly, and no other is registered."""
    contributes = manifest["contributes"]
    declared = {each["command"] for each in contributes["commands"]}
    registered = set(re.findall(r'^    "(acdl\.\w+)":', sources, re.MULTILINE))
    assert registered == declared | INTERNAL
    used = [*contributes["keybindings"], *(each for menu in contributes["menus"].values() for each in menu)]
    assert {each["command"] for each in used} <= declared
    called = set(re.findall(r'(?:executeCommand\(|command: )"(acdl\.\w+)"', sources))
    assert called <= declared


def test_settings_that_are_read_exist(manifest: dict[str, Any], sources: str) -> None:
    """No setting is asked for that nobody can set, and each of the extension's own is asked for."""
    declared = set(manifest["contributes"]["configuration"]["properties"])
    asked = re.findall(r'(?:getConfiguration\("acdl"\)\.get(?:<[^>]*>)?|setting)\("([\w.]+)"', sources)
    assert asked
    assert {f"acdl.{name}" for name in asked} <= declared
    assert {"server.command", "preview.followCursor", "markdownPreview"} <= set(asked)


def test_files_exist(manifest: dict[str, Any]) -> None:
    """What the manifest names is in the extension, or made by its build."""
    build = (EXTENSION / "build.mjs").read_text("utf-8")
    named = re.findall(
        r'"(?:\./)?((?:dist/|media/|snippets\.|language-configuration\.)[\w./-]+)"', json.dumps(manifest)
    )
    assert len(named) >= 8
    for name in named:
        if name.startswith("dist/"):
            assert Path(name).name in build or Path(name).stem in build, name
        else:
            assert (EXTENSION / name).is_file(), name
    assert (EXTENSION / "media" / "icon.png").read_bytes()[16:24] == (256).to_bytes(4, "big") * 2


def test_version_and_licence(manifest: dict[str, Any]) -> None:
    """The extension goes with the package: its version, its licence, and the version that it asks for."""
    assert manifest["version"] == __version__
    assert f"## {__version__}" in (EXTENSION / "CHANGELOG.md").read_text("utf-8")
    assert (EXTENSION / "LICENSE").read_text("utf-8") == (ROOT / "LICENSE").read_text("utf-8")
    least = re.search(r'LEAST_VERSION = "([\d.]+)"', (EXTENSION / "src" / "server_command.ts").read_text("utf-8"))
    assert least
    assert [int(each) for each in least[1].split(".")] <= [int(each) for each in __version__.split(".")[:3]]


def test_lock_file_names_no_registry() -> None:
    """Packages come from whatever registry a machine has, each at one version."""
    lock = json.loads((EXTENSION / "package-lock.json").read_text("utf-8"))
    packages = [each for name, each in lock["packages"].items() if name]
    assert packages
    assert [each for each in packages if "resolved" in each] == []
    assert all("integrity" in each for each in packages if not each.get("link"))
    wanted = json.loads(MANIFEST.read_text("utf-8"))["devDependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())


def test_fences_of_the_preview_are_those_that_are_drawn(sources: str) -> None:
    """The Markdown preview draws what the documentation tools draw."""
    listed = re.search(r"LANGUAGES = \[([^\]]*)\] as const", sources)
    assert listed
    assert sorted(re.findall(r'"([\w-]+)"', listed[1])) == sorted(BLOCKS)


def test_requests_are_those_of_the_server(sources: str) -> None:
    """The page of the server documents what the extension asks."""
    asked = set(re.findall(r'"(acdl/\w+)"', sources))
    assert {*(f"acdl/{name}" for name in REQUESTS), "acdl/changed", "acdl/checked"} == asked
    page = (ROOT / "site_src" / "editors" / "language-server.md").read_text("utf-8")
    assert [name for name in sorted(asked) if name not in page] == []


def test_snippets_are_specs_without_problems() -> None:
    """What a snippet inserts, with its placeholders as they are, has no problem but names that nobody uses yet."""
    snippets = json.loads((EXTENSION / "snippets.json").read_text("utf-8"))
    words: set[str] = set()
    for name, snippet in snippets.items():
        text = re.sub(r"\$\{\d+:([^{}]*)\}", r"\1", "\n".join(snippet["body"]))
        is_whole = re.match(r"\w+\[|StrFrag|RolesFrag", text) is not None
        has_messages = is_whole and not text.startswith("StrFrag")
        text = re.sub(r"\$\d+", "U: env.question[@t]" if has_messages else "SOMETHING", text)
        if not is_whole:
            text = f"P[@T]: {{\nS: {{\n{text}\n}}\n}}"
        errors = [each for each in check(text) if each.severity == "error"]
        allowed = {"unknown-rule", "unknown-pragma", "undefined-name"}
        assert [each for each in errors if each.rule not in allowed] == [], name
        prefixes = [snippet["prefix"]] if isinstance(snippet["prefix"], str) else snippet["prefix"]
        words.update(prefixes)
        assert snippet["description"], name
    assert {"prompt", "foreach", "if", "switch", "strfrag", "rolesfrag", "name"} <= words


@pytest.mark.parametrize(
    ("line", "grows", "shrinks"),
    [
        ("Chat[@T]: {", True, False),
        ("    U: {  // the question", True, False),
        ("    range(", True, False),
        ("}", False, True),
        ("    } Else {", True, True),
        ("U: env.q[@T]", False, False),
        ("U: { A }", False, False),
        ("// opens {", False, False),
        ('U: "a {"', False, False),
        ("Mark #1: {", True, False),
        ("If #msg > 3 {", True, False),
        ("U: A # a comment {", False, False),
    ],
)
def test_indentation(line: str, *, grows: bool, shrinks: bool) -> None:
    """Lines behind an opening bracket are indented, those that begin with a closing one are not."""
    rules = yaml.safe_load((EXTENSION / "language-configuration.json").read_text("utf-8"))["indentationRules"]
    assert bool(re.search(rules["increaseIndentPattern"]["pattern"], line)) is grows
    assert bool(re.search(rules["decreaseIndentPattern"]["pattern"], line)) is shrinks
