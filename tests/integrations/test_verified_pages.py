"""Recorded runs beside figures in every docs tool: shown, told where they refute a line, checked again when changed."""

import json
import pickle
import re
from pathlib import Path

import pytest
from markdown import Markdown
from mkdocs.exceptions import Abort

from acdl_mkdocs.frontends.docs.markdown.superfences import fence, validate
from integrations.mkdocs_site import Site, lines_of
from integrations.sphinx_project import Project

SPEC = "Talk[@T]: {\n    S: RULES\n    U: env.question[@T]\n}\n"
FENCE = '```acdl src="talk.acdl" runs="talk.run.jsonl"\n```\n'
EXTENSION = "acdl_mkdocs.frontends.docs.markdown.extension"


def run(role: str = "user") -> str:
    """Two calls, each of a conversation of its own."""
    bodies = ([("system", "Be kind."), (role, f"Hello {number}?")] for number in (1, 2))
    return "".join(
        json.dumps({"model": "m", "messages": [{"role": who, "content": words} for who, words in body]}) + "\n"
        for body in bodies
    )


def is_verified(html: str) -> bool:
    """Whether a page says that all agrees, in words and at lines."""
    return "Verified against 2 recorded calls" in html and html.count('<tr class="acdl-is-confirmed">') == 2


def test_mkdocs(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A recording beside a spec is found; page, data and badge say what it comes to; a refuted line fails a build."""
    site.write("specs/talk.acdl", SPEC)
    site.write("specs/talk.run.jsonl", run())
    site.options["llms"] = True
    site.build()
    page = site.html("specs/Talk/index.html")
    assert is_verified(page)
    assert "<strong>Runs</strong> verified against 2 recorded calls; all 2 lines confirmed" in page
    assert "**Runs** verified against 2 recorded calls" in site.html("specs/Talk/index.md")
    badge = json.loads((site.root / "out/specs/Talk/Talk.badge.json").read_text())
    assert badge["schemaVersion"] == 1
    assert 'download="Talk.badge.json"' in page
    specs = json.loads((site.root / "out/specs.json").read_text())["specs"]
    entry = next(each for each in specs if each["name"] == "Talk")
    assert entry["recorded_runs"]["verdict"] == "agrees"
    assert {entry["recorded_runs"][key] for key in ("calls", "lines", "confirmed")} == {2}
    assert not list((site.root / "out").rglob("*.run.jsonl"))
    site.write("specs/talk.run.jsonl", run("assistant"))
    with pytest.raises(Abort):
        site.build()
    (line,) = set(lines_of(caplog))
    assert line.startswith("specs/talk.acdl:3:5: warning[refuted-line]: ")
    assert "specs/talk.run.jsonl:1, messages[1]" in line


def test_a_comment_names_runs(site: Site) -> None:
    """`// runs:` is read from the folder of the spec, also as a pattern; other specs of the file have none."""
    site.write("specs/talk.acdl", f"// title: Two\n\n// runs: recorded/*.jsonl\n{SPEC}\nOther[@T]: {{ U: X }}\n")
    site.write("specs/recorded/a.jsonl", run())
    site.build()
    assert is_verified(site.html("specs/Talk/index.html"))
    assert "acdl-verified" not in site.html("specs/Other/index.html")
    specs = json.loads((site.root / "out/specs.json").read_text())["specs"]
    assert [each["name"] for each in specs if each["recorded_runs"]] == ["Talk"]


def test_a_site_without_runs_pays_nothing(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is checked where nothing is recorded."""

    def fail(*args: object) -> None:
        raise AssertionError(args)

    monkeypatch.setattr("acdl_mkdocs.frontends.docs.blocks.run_findings._check_runs", fail)
    site.write("specs/talk.acdl", SPEC)
    site.build()
    assert "<svg" in site.html("specs/Talk/index.html")


def test_python_markdown(tmp_path: Path) -> None:
    """The Markdown extension takes runs from its root, and says which are missing."""
    (tmp_path / "talk.acdl").write_text(SPEC)
    (tmp_path / "talk.run.jsonl").write_text(run())
    settings = {EXTENSION: {"root": str(tmp_path)}}
    markdown = Markdown(extensions=[*settings], extension_configs=settings)
    assert is_verified(markdown.convert(FENCE))
    html = markdown.reset().convert(FENCE.replace("talk.run", "tlak.run"))
    assert "did you mean <code>talk.run.jsonl</code>?" in html
    assert "<svg" in html


def test_superfences(tmp_path: Path) -> None:
    """A custom fence shows them too, and all pages are drawn again when a recording changes."""
    (tmp_path / "talk.acdl").write_text(SPEC)
    recording = tmp_path / "talk.run.jsonl"
    recording.write_text(run())
    (tmp_path / "page.md").write_text(FENCE)
    made = fence(root=str(tmp_path), watch=[str(tmp_path)])
    fences = [{"name": "acdl", "class": "acdl", "format": made, "validator": validate}]
    markdown = Markdown(
        extensions=["pymdownx.superfences"], extension_configs={"pymdownx.superfences": {"custom_fences": fences}}
    )
    assert is_verified(markdown.convert(FENCE))
    before = pickle.dumps(made)
    recording.write_text(run("assistant"))
    assert pickle.dumps(made) != before
    assert "Refuted by recorded calls" in markdown.reset().convert(FENCE)


def sphinx(project: Project) -> Project:
    """A project with a block that has runs, and a page without."""
    project.write("talk.acdl", SPEC)
    project.write("talk.run.jsonl", run())
    project.write("index.md", f"# Home\n\n```{{toctree}}\nother\n```\n\n{FENCE}")
    project.write("other.md", "# Other\n")
    return project


def test_sphinx(project: Project) -> None:
    """A page is written again when a recording changes, and a refuted line is a warning with its place."""
    built = sphinx(project).build("html", "-W")
    assert built.code == 0, built.warned
    assert is_verified(built.read())
    assert project.build("html", "-W").written == []
    project.write("talk.run.jsonl", run("assistant"))
    again = project.build("html")
    assert again.written == ["index"]
    assert "Refuted by recorded calls" in again.read()
    assert re.search(r"talk\.acdl:3(:\d+)?: WARNING: recorded runs refute this line", again.warned)


def test_sphinx_directive(project: Project) -> None:
    """In reStructuredText they are an option of the directive."""
    project.write("talk.acdl", SPEC)
    project.write("talk.run.jsonl", run())
    project.write("index.rst", "Home\n====\n\n.. acdl::\n   :src: talk.acdl\n   :runs: talk.run.jsonl\n")
    built = project.build("html", "-W")
    assert built.code == 0, built.warned
    assert is_verified(built.read())


@pytest.mark.parametrize("builder", ["text", "latex"])
def test_sphinx_without_html(project: Project, builder: str) -> None:
    """Where there is no HTML, it is a sentence."""
    built = sphinx(project).build(builder)
    assert built.code == 0, built.warned
    texts = [each.read_text() for each in built.out.iterdir() if each.suffix in (".txt", ".tex")]
    assert any("Verified against 2 recorded calls" in " ".join(text.split()) for text in texts)
