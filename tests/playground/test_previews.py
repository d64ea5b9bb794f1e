"""The figures that visitors see before the engine has loaded: the engine's own, rendered when a site is built."""

import json
from html import escape
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.docs.blocks.example import Example
from acdl_mkdocs.frontends.playground import engine, previews
from acdl_mkdocs.frontends.playground.bundle import FRONT_END, Bundle
from acdl_mkdocs.frontends.playground.engine import answer_question
from acdl_mkdocs.frontends.playground.examples import ListedExample
from acdl_mkdocs.frontends.playground.previews import open_previews, render_ahead
from acdl_mkdocs.frontends.playground.site import SiteFacts, site_files

SPEC = """Chat[@T]: {
    S: RULES
    ForEach(t: range(1, @T)) {
        U: env.question[@t]
    }
    U: { Frag Note[@T] }
}
"""
NOTE = "StrFrag Note[t]: { NOTE }\n"
EXAMPLES = {
    "whole": Example("Chat", SPEC + NOTE),
    "one spec": Example("Chat", SPEC + NOTE, spec="Note"),
    "with files": Example("Chat", f"// acdl: use note.acdl\n{SPEC}", files={"note.acdl": NOTE}),
    "ranges": Example("Chat", SPEC + NOTE, range="inclusive"),
    "broken": Example("Chat", "}{ no spec"),
}


def bundle_of(folder: Path) -> Bundle:
    """A bundle with the real page and nothing else."""
    folder.mkdir(exist_ok=True)
    (folder / "index.html").write_bytes((FRONT_END / "index.html").read_bytes())
    return Bundle(folder, "abc", {"index.html": 1})


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_preview_is_what_the_engine_draws(tmp_path: Path, name: str) -> None:
    """So nothing moves when the engine has come."""
    example = EXAMPLES[name]
    settings = {"range": example.range} if example.range else {}
    asked = {"text": example.text, "spec": example.spec, "files": example.files, "settings": settings}
    looked = answer_question("look", asked)["result"]
    assert isinstance(looked, dict)
    files = dict(site_files(bundle_of(tmp_path), SiteFacts(), [ListedExample(example)]))
    content = files[f"examples/{example.key}.json"]
    assert isinstance(content, bytes)
    assert json.loads(content).get("svg", "") == looked["svg"]
    assert bool(looked["svg"]) == (name != "broken")


def test_the_page_has_the_first_text_in_it(tmp_path: Path) -> None:
    """Its figure, its source and the names of the site: a first visitor sees them before any script runs."""
    page = dict(site_files(bundle_of(tmp_path), SiteFacts("Us & them"), ()))["index.html"]
    assert isinstance(page, bytes)
    text = page.decode()
    welcome = (FRONT_END / "welcome.acdl").read_text("utf-8")
    looked = answer_question("look", {"text": welcome})["result"]
    assert isinstance(looked, dict)
    assert str(looked["svg"]) in text
    assert '<span class="acdl-k">Helper</span>[<span class="acdl-i">@T</span>]: {' in text
    assert f"<title>Playground - {escape('Us & them')}</title>" in text
    assert "{{" not in text


def test_previews_are_rendered_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept for the next build; what is no longer shown is forgotten, and a spoiled file is made anew."""
    bundle = bundle_of(tmp_path)
    one, other = EXAMPLES["whole"], EXAMPLES["ranges"]
    with open_previews(bundle) as render_preview:
        drawn = [render_preview(one), render_preview(one), render_preview(other)]
    with monkeypatch.context() as patched:
        patched.setattr(engine, "answer_question", lambda *_: pytest.fail("rendered again"))
        with open_previews(bundle) as render_preview:
            assert [render_preview(one), render_preview(one), render_preview(other)] == drawn
    (tmp_path / "previews.json").write_text("[")
    with open_previews(bundle) as render_preview:
        assert render_preview(one) == drawn[0]
    assert [*json.loads((tmp_path / "previews.json").read_text("utf-8"))] == [one.key]


def test_many_previews_are_rendered_by_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, if many are new; none is started for a few."""
    bundle, examples = bundle_of(tmp_path), [*EXAMPLES.values()]
    render_ahead(bundle, examples)
    assert not (tmp_path / "previews.json").exists()
    monkeypatch.setattr(previews, "_LEAST_FIGURES", 2)
    with open_previews(bundle) as render_preview:
        drawn = [render_preview(each) for each in examples[:3]]
    render_ahead(bundle, examples)
    monkeypatch.setattr(engine, "answer_question", lambda *_: pytest.fail("rendered again"))
    monkeypatch.setattr(previews, "run_workers", lambda *_: pytest.fail("nothing is new"))
    render_ahead(bundle, examples)
    with open_previews(bundle) as render_preview:
        assert [render_preview(each) for each in examples][:3] == drawn
