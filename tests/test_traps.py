"""Code of the repository under check is not run: not by the action, hooks, drivers of git, servers or the command line.

Each workspace is full of traps: files that Python, pip, bash or git could take for their own. A trap that is run writes
to a file.
"""

import importlib.util
import os
import py_compile
import shlex
import subprocess
import sys
import sysconfig
import zipfile
from hashlib import sha256
from pathlib import Path
from random import Random
from shutil import copytree

import pytest
import yaml
from action_steps import ROOT, run_check, run_step, runner_temp
from cli.repositories import Repository
from exhaustive import exhaustive, few
from random_branches import first_playbook

from acdl_mkdocs.foundation.system import find_program
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.playbook.model.bullets import Bullet
from acdl_mkdocs.playbook.store import create, load

GOOD = "Chat[@T]: {\n    U: env.q[@T]\n}\n"
BAD = "Chat[@T]: {\n    U: {\n        S: { INSTRUCTIONS }\n    }\n}\n"
ACDL = Path(sys.executable).with_name("acdl")
MODULES = (
    "argparse",
    "conftest",
    "json",
    "logging",
    "re",
    "runpy",
    "setup",
    "site",
    "sitecustomize",
    "sphinx",
    "usercustomize",
    "yaml",
    "-x",
    "--help",
)
PACKAGES = ("acdl_mkdocs", "filelock", "markdown", "mkdocs", "pip", "pygls")
PROGRAMS = ("git", "node", "npm", "python", "python3", "pip", "acdl", "mkdocs")


class Workspace:
    """A folder full of traps."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.log = folder.with_name(f"{folder.name}.log")
        code = f"open({str(self.log)!r}, 'a').write(__file__ + '\\n')\n"
        shell = f"echo $0 $BASH_SOURCE >> {shlex.quote(str(self.log))}\n"
        for module in MODULES:
            self.write(f"{module}.py", code)
        for package in PACKAGES:
            self.write(f"{package}/__init__.py", code)
            self.write(f"{package}/__main__.py", code)
        for name in PROGRAMS:
            self.write(name if not (folder / name).is_dir() else f"{name}.exe", f"#!/bin/sh\n{shell}").chmod(0o755)
        self.write("trap.pth", f"import os; {code}")
        self.write("trap.sh", shell)
        self.write("pyvenv.cfg", f"home = {folder}\n")
        self.write("setup.cfg", "[options]\npy_modules = json\n")
        self.write("pyproject.toml", '[build-system]\nrequires = []\nbuild-backend = "setup"\nbackend-path = ["."]\n')
        self.write("pip.conf", f"[global]\npython = {folder / 'python3'}\n[install]\nrequirement = evil.txt\n")
        self.write("evil.txt", f"{folder}\n")
        self.write("mkdocs.yml", "hooks: [conftest.py]\nx: !!python/object/apply:os.system ['sh trap.sh']\n")
        self.write("conf.py", code)
        self.write("-x", "")
        self.write("--help", "")
        (folder / "loop").symlink_to(folder)

    def write(self, name: str, text: str) -> Path:
        """Write a file."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def variables(self) -> dict[str, str]:
        """What a workflow can have set for its own purposes, so that traps are stepped into."""
        user, cache = self.folder / "user", self.folder / "cache"
        packages = Path(sysconfig.get_path("purelib", f"{os.name}_user", {"userbase": str(user)}))
        packages.mkdir(parents=True, exist_ok=True)
        for name in ("usercustomize.py", "trap.pth"):
            (packages / name).write_bytes((self.folder / name).read_bytes())
        before, sys.pycache_prefix = sys.pycache_prefix, str(cache)
        try:
            compiled = importlib.util.cache_from_source(str(ROOT / "acdl_mkdocs" / "frontends" / "cli" / "main.py"))
        finally:
            sys.pycache_prefix = before
        unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(self.folder / "json.py"), compiled, invalidation_mode=unchecked)
        shell = f'{{ . {shlex.quote(str(self.folder / "trap.sh"))}; command read "$@"; }}'
        return {
            "PYTHONPATH": f"{self.folder}{os.pathsep}.",
            "PYTHONUSERBASE": str(user),
            "PYTHONPYCACHEPREFIX": str(cache),
            "PYTHONSTARTUP": str(self.folder / "json.py"),
            "VIRTUAL_ENV": str(self.folder),
            "PIP_CONFIG_FILE": "pip.conf",
            "PIP_PYTHON": str(self.folder / "python3"),
            "PIP_REQUIREMENT": "evil.txt",
            "PIP_CONSTRAINT": "evil.txt",
            "PIP_FIND_LINKS": ".",
            "BASH_ENV": str(self.folder / "trap.sh"),
            "ENV": str(self.folder / "trap.sh"),
            "BASH_FUNC_read%%": f"() {shell}",
            "BASH_FUNC_unset%%": f"() {shell.replace('command read', 'command unset')}",
        }

    def run(self, *words: str | Path, status: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a program in it, which ends as expected and steps into no trap."""
        environment = {**os.environ, **more}
        done = subprocess.run(
            words, cwd=self.folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        assert done.returncode == status, (done.stdout, done.stderr)
        self.check()
        return done

    def check(self) -> None:
        """No trap was stepped into."""
        assert not self.log.exists(), self.log.read_text("utf-8")

    def stepped(self) -> str:
        """What was run since the last look."""
        text = self.log.read_text("utf-8") if self.log.exists() else ""
        self.log.unlink(missing_ok=True)
        return text


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A folder full of traps, with a good spec."""
    made = Workspace(tmp_path / "workspace")
    made.write("good.acdl", GOOD)
    return made


@pytest.mark.parametrize(
    ("command", "trap", "variables"),
    [
        ((sys.executable, "-S", "-c", "import pip"), "pip/__init__.py", ()),
        ((sys.executable, "-m", "acdl_mkdocs"), "acdl_mkdocs/__init__.py", ()),
        ((sys.executable, "-c", "import json"), "sitecustomize.py", ("PYTHONPATH",)),
        ((sys.executable, "-m", "acdl_mkdocs.frontends.cli.main"), "frontends/cli/main.py", ("PYTHONPYCACHEPREFIX",)),
        (("bash", "-c", "true"), "trap.sh", ("BASH_ENV",)),
        (("bash", "-c", "read x"), "trap.sh", ("BASH_FUNC_read%%",)),
        (("sh", "-c", "PATH=.:$PATH git --version"), "git", ()),
    ],
    ids=lambda value: Path(value).name if isinstance(value, str) else None,
)
def test_traps_work(command: tuple[str, ...], trap: str, variables: tuple[str, ...], workspace: Workspace) -> None:
    """Each kind of trap is run where nothing is done against it: what the other tests say would be noticed."""
    known = workspace.variables()
    if "PYTHONPYCACHEPREFIX" in variables:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
    else:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {name: known[name] for name in variables}
    subprocess.run(command, cwd=workspace.folder, env=environment, capture_output=True)
    assert trap in workspace.stepped()


def action_source(folder: Path) -> Path:
    """A copy of the action that needs one empty package, which is at hand."""
    wheel = folder / "empty-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("empty.py", "")
        file.writestr("empty-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: empty\nVersion: 1\n")
        file.writestr("empty-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr("empty-1.dist-info/RECORD", "")
    lock = folder / "source" / "supply" / "action.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text(f"empty @ {wheel.as_uri()} --hash=sha256:{sha256(wheel.read_bytes()).hexdigest()}\n", "utf-8")
    return folder / "source"


@pytest.mark.parametrize("is_prepared", few([False, True]), ids=["alone", "after other steps"])
def test_action_installs(is_prepared: bool, tmp_path: Path, workspace: Workspace) -> None:
    """What is locked is installed, in a folder of traps and with every variable that leads to them."""
    more = workspace.variables() if is_prepared else {}
    installed = run_step("Install acdl", workspace.folder, action_source(tmp_path), more)
    assert installed.returncode == 0, installed.stderr
    assert [path.name for path in runner_temp(workspace.folder).glob("acdl/*.py")] == ["empty.py"]
    workspace.check()


def test_action_installs_nothing_else(tmp_path: Path, workspace: Workspace) -> None:
    """A package with other bytes than the lock says is refused, and an archive that would be built is not taken."""
    source = action_source(tmp_path)
    lock = source / "supply" / "action.lock"
    lock.write_text(f"{lock.read_text().partition('sha256:')[0]}sha256:{'0' * 64}\n")
    refused = run_step("Install acdl", workspace.folder, source)
    assert refused.returncode != 0
    assert "DO NOT MATCH THE HASHES" in refused.stderr
    lock.write_text(f"empty==1 --hash=sha256:{'0' * 64}\n")
    archive = tmp_path / "links" / "empty-1.tar.gz"
    archive.parent.mkdir()
    archive.write_bytes(b"")
    refused = run_step("Install acdl", workspace.folder, source, {"PIP_INDEX_URL": archive.parent.as_uri()})
    assert refused.returncode != 0
    assert "No matching distribution" in refused.stderr


@pytest.mark.parametrize("is_prepared", [False, True], ids=["alone", "after other steps"])
def test_action_checks(is_prepared: bool, workspace: Workspace) -> None:
    """The result is that of the files, whatever else the folder has and steps before have set."""
    more = workspace.variables() if is_prepared else {}
    checked = run_check(workspace.folder, more)
    assert (checked.returncode, checked.stderr) == (0, ""), checked
    workspace.write("a\n::stop-commands::x.acdl", BAD)
    checked = run_check(workspace.folder, more)
    assert checked.returncode == 1
    assert [line.split()[0] for line in checked.stdout.splitlines() if "::" in line] == ["::error"]
    assert "%3A%3Astop-commands%3A%3Ax.acdl,line=3," in checked.stdout
    assert run_check(workspace.folder, more, paths="good.acdl", strict="true").returncode == 0
    workspace.check()


def test_files_that_are_named_as_options(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No file is taken for an option: neither of a hook's list nor of a pattern of the shell."""
    monkeypatch.chdir(workspace.folder)
    for name in ("-x.md", "--strict", "--output=docs/page.md"):
        workspace.write(name, f"```acdl\n{BAD}```\n")
        for command in ("check", "format", "embed"):
            with pytest.raises(SystemExit, match="2"):
                main([command, "good.acdl", name])
            assert f"`{name}` could be an option or the file of that name in this folder" in capsys.readouterr().err
    for words in (("--", "-x.md"), ("./-x.md",)):
        assert main(["check", "--format", "line", *words]) == 1
        assert "-x.md:4:9" in capsys.readouterr().out


def test_hooks(workspace: Workspace) -> None:
    """What pre-commit runs, as pre-commit runs it."""
    workspace.write("page.md", f"```acdl\n{GOOD}```\n")
    workspace.write("a\nb.acdl", BAD)
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    for hook in hooks:
        program, command = hook["entry"].split()
        workspace.run(Path(sys.executable).with_name(program), command, "page.md", PRE_COMMIT="1")
    assert "<picture>" in (workspace.folder / "page.md").read_text()
    found = workspace.run(ACDL, "check", "a\nb.acdl", "good.acdl", status=1)
    assert "error[nested-role]" in found.stdout + found.stderr


@exhaustive
def test_workflow_of_a_new_site(tmp_path: Path) -> None:
    """Its steps run what they name, in a site that has traps beside it."""
    assert main(["new", "site", str(tmp_path / "site")]) == 0
    given = {path: path.read_bytes() for path in (tmp_path / "site").rglob("*") if path.is_file()}
    site = Workspace(tmp_path / "site")
    for each, data in given.items():
        each.write_bytes(data)
    action_source(tmp_path)
    site.write("requirements.txt", f"{tmp_path / 'empty-1-py3-none-any.whl'}\n")
    workflow = yaml.safe_load((site.folder / ".github/workflows/pages.yml").read_text("utf-8"))
    scripts = [step["run"] for step in workflow["jobs"]["build"]["steps"] if "run" in step]
    assert len(scripts) == 4
    bash = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for script in scripts:
        site.run(*bash, script, PATH=path, PIP_DRY_RUN="1", NO_MKDOCS_2_WARNING="1")
    assert (site.folder / "site" / "support" / "index.html").is_file()


def all_bullets(name: str) -> list[Bullet]:
    """The bullets of a playbook file that has no errors."""
    playbook = load(Path(name)).playbook
    assert playbook is not None
    return list(playbook.bullets)


def test_drivers_of_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git diff`, `git difftool` and `git merge` with our drivers, the playbook's name being like an option."""
    workspace = Workspace(tmp_path / "repository")
    repository = Repository(workspace.folder, monkeypatch)
    monkeypatch.chdir(repository.folder)
    python = tmp_path / "bin" / "python"  # of an environment without the program `acdl`
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), sysconfig.get_path("purelib")]))
    monkeypatch.setattr(sys, "executable", str(python))
    name = "-x.playbook.yaml"
    assert main(["git", "setup", "--attributes"]) == 0
    assert main(["playbook", "merge", "--setup"]) == 0
    assert f"{python} -P -m acdl_mkdocs" in repository.git("config", "merge.acdl-playbook.driver")
    repository.write("-x.acdl", GOOD)
    create(Path(name), first_playbook(Random(1), 2), time="2026-01-01T00:00:00Z")  # noqa: S311
    repository.commit()
    for branch, bullet in zip(("one", "two"), all_bullets(name), strict=True):
        repository.git("checkout", "-q", "-b", branch, "main")
        assert main(["playbook", "pin", f"./{name}", bullet.id]) == 0
        repository.commit()
    repository.git("merge", "-q", "-m", "both", "one")
    assert [bullet.pinned for bullet in all_bullets(name)] == [True, True]
    repository.write("-x.acdl", GOOD.replace("U:", "A:"))
    assert "user -> assistant" in repository.git("diff", "--", "./-x.acdl")
    assert "user -> assistant" in repository.git("difftool", "-y", "-t", "acdl", "--", "./-x.acdl")
    workspace.check()


def test_repository_in_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is laid out like a bare repository of git, whose settings name programs to run on files."""
    workspace = Workspace(tmp_path / "repository")
    repository = Repository(workspace.folder, monkeypatch)
    repository.write("docs/a.acdl", GOOD)
    repository.commit()
    docs = repository.folder / "docs"
    copytree(repository.folder / ".git", docs, dirs_exist_ok=True)
    program = shlex.quote(str(workspace.write("filter", f"#!/bin/sh\necho $0 >> {workspace.log}\ncat\n")))
    (repository.folder / "filter").chmod(0o755)
    names = ("core.fsmonitor", "filter.x.clean", "filter.x.smudge", "diff.x.textconv", "diff.external")
    settings = dict.fromkeys(names, program) | {"core.worktree": str(repository.folder), "core.bare": "false"}
    for name, value in settings.items():
        repository.git("config", "--file", str(docs / "config"), name, value)
    repository.write("docs/info/attributes", "* filter=x diff=x\n")
    repository.write("docs/a.acdl", GOOD.replace("env.q", "env.r"))
    monkeypatch.chdir(docs)
    assert main(["diff", "--git", "HEAD"]) == 1
    assert main(["diff", "HEAD:./a.acdl", "a.acdl"]) == 1
    workspace.check()
    repository.git("diff", folder=docs)
    assert "filter" in workspace.stepped()


@pytest.mark.parametrize("command", few(["lsp", "mcp"]))
def test_servers(command: str, workspace: Workspace) -> None:
    """Servers start in the folder of a project, as editors and agents start them."""
    workspace.run(ACDL, command, status=1 if command == "lsp" else 0)  # the end of the input is no farewell to `lsp`


def test_as_a_module(workspace: Workspace) -> None:
    """`python -P -m acdl_mkdocs`, as the reference has it, and with the variable that VS Code sets."""
    shown = workspace.run(sys.executable, "-P", "-m", "acdl_mkdocs", "render", "--format", "text", "good.acdl")
    assert "User" in shown.stdout
    workspace.run(sys.executable, "-m", "acdl_mkdocs", "lsp", "--version", PYTHONSAFEPATH="1")


def test_programs_of_the_folder(workspace: Workspace) -> None:
    """Git is not taken from the folder, although `PATH` has it first."""
    for first in (".", ""):
        ran = workspace.run(
            ACDL, "diff", "HEAD:a.acdl", "good.acdl", status=2, PATH=f"{first}{os.pathsep}{os.environ['PATH']}"
        )
        assert "not a git repository" in ran.stderr
    gone = workspace.run(ACDL, "diff", "HEAD:a.acdl", "good.acdl", status=2, PATH=f".{os.pathsep}")
    assert "git is not installed" in gone.stderr


def test_programs_with_endings(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows: only files with an ending that runs are programs."""
    tools = workspace.folder / "tools"
    tools.mkdir()
    for name in ("git", "git.txt", "git.CMD"):
        (tools / name).touch(0o755)
    monkeypatch.setenv("PATH", str(tools))
    assert find_program("git", (".EXE", ".CMD")) == str(tools / "git.CMD")
    assert find_program("git", (".EXE",)) is None
