"""`acdl new`: what it makes works at once, and nothing is overwritten."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from site_links import dead_links

from acdl_mkdocs import __version__, check
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.cli.templates import is_on_this_machine, requirement_line
from acdl_mkdocs.frontends.cli.writing import make_files
from acdl_mkdocs.workspace.settings import load_settings
from acdl_mkdocs.workspace.specs import specs_of

ROOT = Path(__file__).parent.parent.parent
ASSETS = ROOT / "acdl_mkdocs" / "assets"
FILES = [
    ".github/workflows/pages.yml",
    ".gitignore",
    ".pre-commit-config.yaml",
    "acdl.toml",
    "docs/assets/site.css",
    "docs/index.md",
    "docs/specs/index.md",
    "docs/support.md",
    "mkdocs.yml",
    "requirements.txt",
    "specs/support.acdl",
]


def run(*words: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program of this environment."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "NO_MKDOCS_2_WARNING": "1", **variables}
    return subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, encoding="utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new site."""
    folder = tmp_path_factory.mktemp("sites") / "our-agents"
    assert main(["new", "site", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def built(project: Path) -> Path:
    """The same, built strictly."""
    ran = run("mkdocs", "build", "--strict", cwd=project, SITE_URL="https://example.org/agents")
    assert ran.returncode == 0, ran.stderr
    return project / "site"


def test_site_has_no_dead_link(built: Path) -> None:
    """Every link and anchor of the new site exists."""
    assert dead_links(built) == []


def workflow(project: Path) -> dict[str, Any]:
    """The workflow of a site."""
    value = yaml.safe_load((project / ".github" / "workflows" / "pages.yml").read_text("utf-8"))
    assert isinstance(value, dict)
    return value


def test_files(project: Path) -> None:
    """Every template becomes a file, with every blank filled."""
    made = sorted(path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file())
    assert [name for name in made if not name.startswith("site/")] == FILES
    assert [name for name in FILES if "%%" in (project / name).read_text("utf-8")] == []
    assert '\nsite_url: !ENV [SITE_URL, ""]\n' in (project / "mkdocs.yml").read_text("utf-8")
    assert (project / "mkdocs.yml").read_text("utf-8").startswith('site_name: "Our agents"\n')
    assert (project / "requirements.txt").read_text("utf-8") == f"{requirement_line('mkdocs')}\n"
    assert load_settings(project / "specs").folder == project


def test_pages(built: Path) -> None:
    """The site knows its address, shows the figures of its pages and has the files of the plugin."""
    home, support = ((built / name / "index.html").read_text("utf-8") for name in ("", "support"))
    assert '<link rel="canonical" href="https://example.org/agents/">' in home
    assert '<figure class="acdl" id="Chat">' in home
    assert [f'<figure class="acdl" id="{name}">' in support for name in ("SupportAgent", "SummarizeHistory")] == [
        True
    ] * 2
    gallery = (built / "specs" / "index.html").read_text("utf-8")
    for name in ("SupportAgent", "SummarizeHistory"):
        assert name in gallery
        assert f'<figure class="acdl" id="{name}">' in (built / "specs" / name / "index.html").read_text("utf-8")
        assert (built / "specs" / name / f"{name}.acdl").is_file()
        assert name in home  # the navigation
    assert (built / "assets" / "acdl" / "acdl.css").is_file()


def test_links_to_the_repository(project: Path, tmp_path: Path) -> None:
    """With what the workflow says, pages have a pencil, also those of specs, and lead to the line of a spec."""
    (step,) = (step for step in workflow(project)["jobs"]["build"]["steps"] if "env" in step)
    known = {"github.server_url": "https://git.example", "github.repository": "us/agents", "github.sha": "c0ffee"}
    given = {
        name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: known.get(found[1], "https://us.example/"), value)
        for name, value in step["env"].items()
    }
    ran = run("mkdocs", "build", "--strict", "--site-dir", str(tmp_path), cwd=project, **given)
    assert ran.returncode == 0, ran.stderr
    pages = {name: (tmp_path / name / "index.html").read_text("utf-8") for name in ("support", "specs/SupportAgent")}
    repository = "https://git.example/us/agents"
    assert f'href="{repository}/edit/main/docs/support.md"' in pages["support"]
    assert f'href="{repository}/edit/main/specs/support.acdl"' in pages["specs/SupportAgent"]
    assert f'href="{repository}/blob/c0ffee/specs/support.acdl#L' in pages["specs/SupportAgent"]


def test_site_without_address(project: Path, tmp_path: Path) -> None:
    """A build that does not know where the site will be is as strict and as good."""
    ran = run("mkdocs", "build", "--strict", "--site-dir", str(tmp_path), cwd=project, SITE_URL="")
    assert ran.returncode == 0, ran.stderr


def test_workflow_runs(project: Path) -> None:
    """Every command of the workflow works in the site; the file that pip reads is there."""
    commands = [step["run"] for step in workflow(project)["jobs"]["build"]["steps"] if "run" in step]
    assert commands[0] == "pip install -r requirements.txt"
    assert [line.split()[:2] for line in commands[1:]] == [["acdl", "check"], ["acdl", "format"], ["mkdocs", "build"]]
    for line in commands[1:]:
        ran = run(*shlex.split(line), cwd=project)
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_own_workflow_runs() -> None:
    """So do the checks of our own, by the task that it calls; the site itself is built by the tests of the site."""
    steps = workflow(ROOT)["jobs"]["build"]["steps"]
    assert [step["run"] for step in steps if "run" in step] == ["make site LOCKED=1"]
    task = (ROOT / "Makefile").read_text("utf-8").partition("\nsite: ")[2].partition("\n\n")[0]
    commands = [re.sub(r"\$\(if .*?\)(?= )", "", line).replace("$(BIN)/", "") for line in task.splitlines()[1:]]
    assert commands[-1].strip() == "mkdocs build --strict"
    assert [line.split()[1] for line in commands[:-1]] == ["check", "check", "format"]
    for line in commands[:-1]:
        ran = run(*shlex.split(line), cwd=ROOT)
        assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("schema", ["vendor.github-workflows"])
def test_workflows_are_valid(schema: str, project: Path) -> None:
    """GitHub's schema accepts the workflow of a new site, and our own."""
    files = [project / ".github" / "workflows" / "pages.yml", *sorted((ROOT / ".github" / "workflows").glob("*.yml"))]
    assert len(files) > 1
    ran = run("check-jsonschema", "--builtin-schema", schema, *map(str, files), cwd=ROOT)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("path", ["site", "own"])
def test_workflows_publish(path: str, project: Path) -> None:
    """What is uploaded is what was built; only the job that deploys may write, and actions have a version."""
    value = workflow(project if path == "site" else ROOT)
    steps = [step for job in value["jobs"].values() for step in job["steps"]]
    actions = {step["uses"].partition("@")[0]: step for step in steps if "uses" in step}
    assert {"actions/checkout", "actions/upload-pages-artifact", "actions/deploy-pages"} <= set(actions)
    assert all(name.startswith("actions/") and step["uses"].partition("@")[2] for name, step in actions.items())
    assert actions["actions/upload-pages-artifact"]["with"]["path"] == "site"
    builds = {"site": "mkdocs build --strict", "own": "make site LOCKED=1"}
    assert any(step.get("run") == builds[path] for step in steps)
    assert actions["actions/configure-pages"]["id"] == "pages"
    (given,) = [step["env"] for step in steps if "env" in step]
    assert given["SITE_URL"].rstrip("/") == "${{ steps.pages.outputs.base_url }}"
    config = (ROOT / "mkdocs.yml" if path == "own" else project / "mkdocs.yml").read_text("utf-8")
    assert set(re.findall(r"!ENV \[(\w+), \"\"\]", config)) == set(given)
    for job in value["jobs"].values():
        names = " ".join(step.get("uses", "") for step in job["steps"])
        rights = job.get("permissions", value["permissions"])
        assert ("deploy-pages" in names) == (rights.get("id-token") == "write" == rights.get("pages"))


def test_hooks(project: Path) -> None:
    """The hooks are those of this project, made with its package, and what they run finds nothing wrong."""
    (repository,) = yaml.safe_load((project / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert repository["repo"] == "local"
    own = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    for hook in repository["hooks"]:
        given = {name: value for name, value in hook.items() if name in own[hook["id"]]}
        assert given == own[hook["id"]]
        assert hook["additional_dependencies"] == [requirement_line()]
        names = hook.get("args", ["docs/index.md", "specs/support.acdl"])
        ran = run(*hook["entry"].split(), *names, cwd=project)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    for_others = {"acdl-embed"}  # a site draws its blocks itself
    assert {hook["id"] for hook in repository["hooks"]} == set(own) - for_others


def test_what_is_ignored(project: Path, built: Path) -> None:
    """Everything that a build makes is left out of version control."""
    ignored = (project / ".gitignore").read_text("utf-8").split()
    made = {path.name for path in project.iterdir()} - {name.partition("/")[0] for name in FILES}
    assert {"site"} <= made == {name.rstrip("/") for name in ignored} & made
    assert built.name == "site"


def test_next_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The two commands to go on with can be pasted, whatever the folder is called."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", "site", "my site"]) == 0
    out, err = capsys.readouterr()
    assert err == "" or (is_on_this_machine() and "from a folder of this machine" in err)
    assert out == (
        "made 11 files in my site; next:\n  cd 'my site' && pip install -r requirements.txt\n  mkdocs serve\n"
    )
    Path("here").mkdir()
    monkeypatch.chdir("here")
    assert main(["new", "site", "."]) == 0
    assert "\n  pip install -r requirements.txt\n" in capsys.readouterr().out
    assert Path("mkdocs.yml").read_text("utf-8").startswith('site_name: "Here"\n')


class _Distribution:
    """An installed package with a record of where it came from, or without one."""

    def __init__(self, record: dict[str, object] | None) -> None:
        self._record = record

    def read_text(self, name: str) -> str | None:
        """The file of its metadata."""
        assert name == "direct_url.json"
        return json.dumps(self._record) if self._record else None


@pytest.mark.parametrize(
    ("record", "wanted"),
    [
        (None, f"acdl-mkdocs[mkdocs]>={__version__}"),
        (
            {"url": "https://git.example/us/acdl.git", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}},
            "acdl-mkdocs[mkdocs] @ git+https://git.example/us/acdl.git@c0ffee",
        ),
        (
            {"url": "https://files.example/acdl_mkdocs-0.1.0-py3-none-any.whl", "archive_info": {}},
            "acdl-mkdocs[mkdocs] @ https://files.example/acdl_mkdocs-0.1.0-py3-none-any.whl",
        ),
        (
            {"url": "file:///home/us/acdl", "dir_info": {"editable": True}, "subdirectory": "python"},
            "acdl-mkdocs[mkdocs] @ file:///home/us/acdl#subdirectory=python",
        ),
    ],
)
def test_where_a_site_installs_from(
    record: dict[str, object] | None,
    wanted: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A site installs the package from where it came: an index, a commit, an archive, or with a warning a folder."""
    monkeypatch.setattr("acdl_mkdocs.frontends.cli.templates.distribution", lambda _: _Distribution(record))
    assert main(["new", "site", str(tmp_path / "site")]) == 0
    assert (tmp_path / "site" / "requirements.txt").read_text("utf-8") == f"{wanted}\n"
    hooks = yaml.safe_load((tmp_path / "site" / ".pre-commit-config.yaml").read_text("utf-8"))["repos"][0]["hooks"]
    assert {each for hook in hooks for each in hook["additional_dependencies"]} == {wanted.replace("[mkdocs]", "")}
    assert ("from a folder of this machine" in capsys.readouterr().err) == ("file:" in wanted)
    assert main(["new", "skill", str(tmp_path)]) == 0
    installs = f"pip install {shlex.quote(requirement_line())}" if record else "pip install acdl-mkdocs\n"
    assert installs in (tmp_path / "acdl" / "SKILL.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["a: b #c \"d\" 'e'", "---", "d\u00e9j\u00e0 \u540d", "x{{ y }}%%VERSION%%", "\n- a"])
def test_name_of_a_site(name: str, tmp_path: Path) -> None:
    """The folder's name is the site's, as text, whatever it is."""
    assert main(["new", "site", str(tmp_path / name)]) == 0
    text = (tmp_path / name / "mkdocs.yml").read_text("utf-8").replace("!ENV", "")
    assert isinstance(yaml.safe_load(text)["site_name"], str)
    assert "nav" in yaml.safe_load(text)


def test_sign_in_the_name_of_a_site(tmp_path: Path) -> None:
    """What stands for a word stays in the name."""
    assert main(["new", "site", str(tmp_path / "a b/ü & c_d")]) == 0
    assert (tmp_path / "a b/ü & c_d/mkdocs.yml").read_text("utf-8").startswith('site_name: "Ü & c d"\n')


@pytest.mark.parametrize("there", ["mkdocs.yml", "docs/index.md"])
def test_no_file_of_a_site_is_overwritten(there: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If one of the files exists, it is named, stays, and none is made."""
    path = tmp_path / there
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine", "utf-8")
    assert main(["new", "site", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"acdl: nothing was made: {path} exists already; choose another name, or remove it\n")
    assert path.read_text("utf-8") == "mine"
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == [path]


def test_all_files_in_the_way_are_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second time, every file is in the list."""
    assert main(["new", "site", str(project)]) == 2
    err = capsys.readouterr().err
    assert all(str(project / name) in err for name in FILES)
    assert err.endswith(" exist already; choose another name, or remove them\n")


def test_dangling_link_is_not_written_through(tmp_path: Path) -> None:
    """A link is a file that exists, wherever it leads."""
    (tmp_path / "acdl.toml").symlink_to(tmp_path / "elsewhere")
    assert main(["new", "site", str(tmp_path)]) == 2
    assert not (tmp_path / "elsewhere").exists()


def test_file_in_place_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file where a folder is needed is a sentence."""
    (tmp_path / "taken").write_text("x")
    assert main(["new", "site", str(tmp_path / "taken")]) == 2
    assert str(tmp_path / "taken") in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "name", "title"),
    [
        ("support-agent.acdl", "SupportAgent", "Support agent"),
        ("OpenCode.acdl", "OpenCode", "OpenCode"),
        ("for-each.acdl", "Agent", "For each"),
        ("2nd.acdl", "Agent", "2nd"),
        ("--.acdl", "Agent", "Agents"),
        ("na\u00efve 100%.acdl", "Na\u00efve100", "Na\u00efve 100"),
    ],
)
def test_spec(file: str, name: str, title: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A new spec is free of problems, in its normal form, and called after its file as far as the language allows."""
    from acdl_mkdocs.foundation.source import Source
    from acdl_mkdocs.language.analyse import analyse

    path = tmp_path / "specs" / file
    assert main(["new", "spec", str(path)]) == 0
    commands = capsys.readouterr().out.splitlines()[1:]
    (spec,) = specs_of(analyse(Source(path.read_text("utf-8"))).resolved)
    assert (spec.name, spec.title) == (name, title)
    assert check(path) == ()
    for words in (["format", "--check", str(path)], *(shlex.split(line)[1:] for line in commands)):
        assert main(words) == 0
    assert path.with_suffix(".svg").is_file()


def test_no_spec_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A spec that exists stays."""
    path = tmp_path / "a.acdl"
    path.write_text("mine")
    assert main(["new", "spec", str(path)]) == 2
    err = capsys.readouterr().err
    assert err == f"acdl: nothing was made: {path} exists already; choose another name, or remove it\n"
    assert path.read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["site"], "acdl: name the folder of the site: `acdl new site my-site`\n"),
        (["site", " "], "acdl: name the folder of the site: `acdl new site my-site`\n"),
        (["spec"], "acdl: name the file: `acdl new spec specs/my-agent.acdl`\n"),
        (["spec", "a.md"], "acdl: a.md: specs are .acdl files; write `acdl new spec a.acdl`\n"),
        (["spec", ".."], "acdl: ..: specs are .acdl files; write `acdl new spec my-agent.acdl`\n"),
        (["spec", "a b"], "acdl: a b: specs are .acdl files; write `acdl new spec 'a b.acdl'`\n"),
    ],
)
def test_what_is_missing(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What was forgotten is a line that can be pasted."""
    assert main(["new", *words]) == 2
    assert capsys.readouterr() == ("", message)


def test_skill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The skill lands in a folder of its name below the folder of skills, and is that of the package."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("acdl_mkdocs.frontends.cli.templates.distribution", lambda _: _Distribution(None))
    skill = (ASSETS / "skill" / "SKILL.md").read_text("utf-8")
    for words, folder in (([], ".agents/skills"), ([".claude/skills"], ".claude/skills")):
        assert main(["new", "skill", *words]) == 0
        assert Path(folder, "acdl", "SKILL.md").read_text("utf-8") == skill
        assert folder in capsys.readouterr().out
    assert main(["new", "skill"]) == 2


def test_templates_are_found_by_nothing_else() -> None:
    """No template is a configuration of the repository that holds it."""
    assert list((ASSETS / "new").rglob(".*")) == []


@pytest.mark.parametrize("has_links", [True, False])
def test_an_interrupt_leaves_nothing(has_links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are there all or not at all, though Ctrl-C comes as the second gets its name; others' files stay."""
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    link, read = os.link, Path.read_bytes

    def interrupted_link(draft: Path, path: Path) -> None:
        if not has_links:
            raise OSError(95, "Operation not supported")
        link(draft, path)
        if path.name == "b.txt":
            raise KeyboardInterrupt

    def interrupted_read(draft: Path) -> bytes:
        if draft.name.startswith(".b.txt"):
            raise KeyboardInterrupt
        return read(draft)

    monkeypatch.setattr(os, "link", interrupted_link)
    monkeypatch.setattr(Path, "read_bytes", interrupted_read)
    with pytest.raises(KeyboardInterrupt):
        make_files({tmp_path / f"{name}.txt": name for name in "abc"})
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    monkeypatch.undo()
    with pytest.raises(FileExistsError):
        make_files({tmp_path / "a.txt": "a", tmp_path / "mine.txt": "b"})
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    assert (tmp_path / "mine.txt").read_text("utf-8") == "mine"
