"""The playground of a MkDocs site: its files, its examples, links that open them, and no trace where it is off."""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from threading import Event
from urllib.parse import urljoin, urlsplit

import pytest
from mkdocs.exceptions import Abort

from acdl_mkdocs.foundation.errors import PlaygroundError
from acdl_mkdocs.frontends.docs.mkdocs import playground
from acdl_mkdocs.frontends.docs.mkdocs.plugin import AcdlPlugin
from acdl_mkdocs.frontends.playground.bundle import Bundle
from integrations.mkdocs_site import Site, lines_of

PAGE = """# Agents

```acdl state=docs/chat.state.yaml at=2 range=inclusive
Loop[@T]: {
    ForEach(t: range(1, @T)) { U: env.q[@t] }
}
```

```acdl-diff old=docs/before.acdl
Loop[@T]: { U: NEW }
```

```acdl-variants
specs: [{spec: docs/before.acdl#Loop, name: one}, {spec: docs/before.acdl, name: two}]
```

```acdl
```

```acdl-gallery
```
"""
_LINK = re.compile(r'<a class="acdl-open" href="([^"]*)" aria-label="([^"]*)"')
_BUILD = """
import sys
for name in {blocked!r}:
    sys.modules[name] = None
from mkdocs.commands.build import build
from mkdocs.config import load_config
config = load_config("mkdocs.yml", site_dir=sys.argv[1])
config.plugins.on_startup(command="build", dirty=False)
build(config)
loaded = [name for name in sys.modules if name.startswith("acdl_mkdocs.frontends.playground") and sys.modules[name]]
assert not loaded, loaded
"""


def bundle_of(site: Site) -> Bundle:
    """A small bundle in the folder of a site."""
    files = {"index.html": "<script src={{assets}}/main.js>", "service_worker.js": "{{version}}", "main.js": "1"}
    for name, text in files.items():
        site.write(f"bundle/{name}", text)
    return Bundle(site.root / "bundle", "0123", dict.fromkeys(files, 1))


@pytest.fixture
def with_playground(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site with one, whose bundle was built before."""
    made = bundle_of(site)
    monkeypatch.setattr(playground, "build_bundle", lambda *_: made)
    site.options["playground"] = True
    site.write("docs/agents.md", PAGE)
    site.write("docs/chat.state.yaml", 'acdl_state: 1\nat: "*"\nsteps: {1: {env: {q: a}}, 2: {env: {q: b}}}\n')
    site.write("docs/before.acdl", "Loop[@T]: { U: OLD }\n")
    return site


def opened(site: Site, page: str) -> dict[str, dict[str, object]]:
    """What the links of a page open, by what they say."""
    found: dict[str, dict[str, object]] = {}
    for href, label in _LINK.findall(site.html(page)):
        address = urlsplit(urljoin(page, unescape(href)))
        place = site.root / "out" / address.path
        assert (place / "index.html" if address.path.endswith("/") else place).is_file(), href
        key = address.fragment.removeprefix("example=")
        found[unescape(label)] = json.loads((site.root / f"out/playground/examples/{key}.json").read_text("utf-8"))
    return found


@pytest.mark.parametrize("has_folders", [True, False])
def test_figures_open_with_all_that_they_have(with_playground: Site, has_folders: bool) -> None:
    """Text, state, point and range of a figure; both texts of a difference; fragments of other files."""
    site = with_playground
    site.config["use_directory_urls"] = has_folders
    site.build(strict=False)
    found = opened(site, "agents/index.html" if has_folders else "agents.html")
    figure = found["Open in playground: Loop"]
    assert str(figure["text"]).startswith("Loop[@T]: {\n    ForEach")
    assert (figure["at"], figure["range"]) == ("2", "inclusive")
    assert "env: {q: b}" in str(figure["state"])
    assert str(figure["url"]).endswith(("agents/#Loop", "agents.html#Loop"))
    variants = [found[f"Open {name} in playground"]["text"] for name in ("one", "two")]
    assert variants == ["Loop[@T]: { U: OLD }\n"] * 2
    compared = next(each for each in found.values() if "old" in each)
    assert ("OLD" in str(compared["old"]), "NEW" in str(compared["text"])) == (True, True)
    spec = opened(site, "specs/Chat/index.html" if has_folders else "specs/Chat.html")
    assert "Greeting" in str(next(iter(spec.values()))["files"])
    card = found["Open in playground: A chat"]
    assert (card["text"], card["url"]) == (next(iter(spec.values()))["text"], next(iter(spec.values()))["url"])


@pytest.mark.parametrize("has_folders", [True, False])
def test_cards_open_what_the_home_page_shows(with_playground: Site, has_folders: bool) -> None:
    """The address of a home page is empty, while galleries call it `./`."""
    site = with_playground
    site.config["use_directory_urls"] = has_folders
    site.write("docs/index.md", "# Home\n\n```acdl\nHome[@T]: { U: HOME }\n```\n")
    site.build(strict=False)
    found = opened(site, "agents/index.html" if has_folders else "agents.html")
    assert found["Open in playground: Home"]["text"] == "Home[@T]: { U: HOME }\n"


def test_pages_of_specs_are_the_menu(with_playground: Site) -> None:
    """Each once, as its page is called; what stands on other pages can be opened from there alone."""
    site = with_playground
    site.build(strict=False)
    menu = json.loads((site.root / "out/playground/examples.json").read_text("utf-8"))
    assert [group["title"] for group in menu["groups"]] == ["Specs"]
    assert [each["title"] for each in menu["groups"][0]["examples"]] == ["A chat", "Greeting"]
    assert "0123/main.js" in (site.root / "out/playground/index.html").read_text("utf-8")
    assert (site.root / "out/playground/0123/main.js").read_text("utf-8") == "1"


def test_what_it_cannot_do_is_said(
    with_playground: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A page in its place, or a bundle that cannot be built: an error that says so."""
    site = with_playground
    site.write("docs/playground.md", "# Mine\n")
    with pytest.raises(Abort):
        site.build()
    assert "the playground and a page are both at `playground/`; rename the page" in caplog.messages
    (site.root / "docs/playground.md").unlink()

    def fail(cache: Path, say: object) -> Bundle:
        del cache, say
        raise PlaygroundError("there is no Node.js")

    monkeypatch.setattr(playground, "build_bundle", fail)
    with pytest.raises(Abort):
        site.build()
    assert "there is no Node.js" in caplog.messages
    assert not (site.root / "out").exists()


def test_pages_are_rendered_while_it_is_built(
    with_playground: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A build of the bundle that takes until all pages are rendered; what fails then ends the build with its cause."""
    site = with_playground
    are_rendered = Event()
    monkeypatch.setattr(AcdlPlugin, "on_env", lambda *_, **__: are_rendered.set())
    made = bundle_of(site)

    def build_slowly(cache: Path, say: Callable[[str], None]) -> Bundle:
        del cache
        say("building the playground")
        assert are_rendered.wait(60)
        return made

    def fail_slowly(cache: Path, say: Callable[[str], None]) -> Bundle:
        build_slowly(cache, say)
        raise PlaygroundError("npm cannot be run")

    monkeypatch.setattr(playground, "build_bundle", build_slowly)
    site.build(strict=False)
    assert (site.root / "out/playground/index.html").is_file()
    are_rendered.clear()
    monkeypatch.setattr(playground, "build_bundle", fail_slowly)
    with pytest.raises(Abort):
        site.build()
    assert "npm cannot be run" in caplog.messages


def digests(folder: Path) -> dict[str, str]:
    """Every file of a site."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_site_without_it_has_no_trace_of_it(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """The same bytes whether the option is absent, off, or all that it needs does not even exist."""
    site.write("docs/agents.md", PAGE.replace(" state=docs/chat.state.yaml at=2", "").replace("```acdl\n```\n", ""))
    site.write("docs/before.acdl", "Loop[@T]: { U: OLD }\n")
    site.build()
    absent = digests(site.root / "out")
    site.options["playground"] = False
    site.build()
    assert digests(site.root / "out") == absent
    assert lines_of(caplog) == []
    modules = (
        "acdl_mkdocs.frontends.playground",
        "acdl_mkdocs.frontends.docs.mkdocs.playground",
        "acdl_mkdocs.frontends.docs.blocks.example",
    )
    ran = subprocess.run(
        [sys.executable, "-c", _BUILD.format(blocked=modules), "again"],
        cwd=site.root, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert absent == {**digests(site.root / "again")}
    assert not any("playground" in path.read_text("utf-8").casefold() for path in (site.root / "again").rglob("*.html"))
