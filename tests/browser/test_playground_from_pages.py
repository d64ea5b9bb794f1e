"""Every link of a site into its playground opens what its figure shows: in a browser, by keys, with no word said."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from exhaustive import few
from playground_bundle import shared_bundle

from browser.conftest import Quiet
from browser.playground_page import ENGINE_MS, drawn, lines

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

CONFIG: dict[str, object] = {
    "site_name": "Agents",
    "theme": {"name": "material", "font": False, "features": ["navigation.instant"]},
    "plugins": ["search", {"acdl": {"playground": True, "specs": ["specs"]}}],
}
HOME = """# Agents

```acdl title="Two turns" state=specs/turns.state.yaml at=2 range=inclusive
Turns[@T]: {
    ForEach(t: range(1, @T)) { U: env.q[@t] }
}
```

```acdl src=specs/two.acdl#Second
```

```acdl-diff old=specs/before.acdl#Chat new=specs/after.acdl#Chat
```

```acdl-variants
specs:
  - {spec: specs/before.acdl#Chat, name: before}
  - {spec: specs/after.acdl#Chat, name: after}
base: before
```

```acdl-gallery kinds=all
```
"""
USE = '// acdl: use "parts/lib.acdl"\n'
FILES = {
    "docs/index.md": HOME,
    "specs/turns.state.yaml": 'acdl_state: 1\nat: "*"\nsteps: {1: {env: {q: one}}, 2: {env: {q: two}}, }\n',
    "specs/two.acdl": f"{USE}First[@T]: {{ U: env.q[@T] }}\nSecond[@T]: {{ U: {{ Frag Part[env.q[@T]] }} }}\n",
    "specs/parts/lib.acdl": "StrFrag Part[x]: {\n    x\n    PART\n}\n",
    "specs/before.acdl": "Chat[@T]: { U: env.q[@T] }\nOther[@T]: { U: env.z[@T] }\n",
    "specs/after.acdl": f"{USE}Chat[@T]: {{ U: {{ Frag Part[env.q[@T]] }} }}\n",
}


@pytest.fixture(scope="module", params=few(["folders", "files"]))
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site below another folder that does not know its own address, with and without folders for pages."""
    root = tmp_path_factory.mktemp("site")
    shared_bundle()
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    config = {**CONFIG, "use_directory_urls": request.param == "folders", "site_dir": "served/below"}
    (root / "mkdocs.yml").write_text(json.dumps(config), "utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"],
        cwd=root, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root / "served"))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/below/"
        server.shutdown()


def openers(page: "Page") -> dict[str, str]:
    """The links of a page into the playground: address by name."""
    links = page.locator("a.acdl-open")
    return {
        link.get_attribute("aria-label") or "": link.evaluate("link => link.href")
        for link in (links.nth(number) for number in range(links.count()))
    }


def test_each_link_opens_its_figure(browser: "Browser", site: str) -> None:
    """Text, chosen spec, range, state and point; both sides of a difference; what is taken from other files."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, service_workers="block")
    page = context.new_page()
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(site + "index.html")
    found = openers(page)
    difference = "Open in playground: specs/before.acdl#Chat and specs/after.acdl#Chat"
    assert set(found) == {
        *(f"Open in playground: {name}" for name in ("Two turns", "Turns", "First", "Second", "Chat", "Other", "Part")),
        *(f"Open {name} in playground" for name in ("before", "after")),
        difference,
    }
    first = page.locator('a.acdl-open[aria-label="Open in playground: Two turns"]')
    first.focus()
    page.keyboard.press("Enter")
    drawn(page)
    assert page.url.startswith(f"{site}playground/")
    assert lines(page).startswith("Turns[@T]: {")
    assert "excl." not in (page.locator("#figure svg:not(.acdl-narrow)").text_content() or "")
    page.locator("#tab-sent").click()
    page.locator("#sent", has_text="two").wait_for()
    page.locator("#tab-figure").click()
    expected = {
        "Open in playground: Second": ("Second", "Part"),
        "Open in playground: Part": ("Part", "PART"),
        "Open in playground: Other": ("Other", "env.z"),
        "Open before in playground": ("Chat", "env.q"),
    }
    for name, words in expected.items():
        opened(page, found[name])
        for word in words:
            page.locator("#figure svg:not(.acdl-narrow)", has_text=word).wait_for(timeout=ENGINE_MS)
        page.get_by_text("No problems").first.wait_for()
    for name in ("Open after in playground", difference):
        opened(page, found[name])
        page.locator("#changes .verdict", has_text="change").wait_for(timeout=ENGINE_MS)
        page.locator("#tab-old").click()
        assert lines(page, "old").strip() == "Chat[@T]: { U: env.q[@T] }"
        page.locator("#tab-spec").click()
        page.get_by_text("No problems").first.wait_for()
    assert said == []
    context.close()


def opened(page: "Page", address: str) -> None:
    """Follow a link on the page of the playground, which need not load again."""
    page.evaluate("address => { location.href = address; }", address)


@pytest.mark.parametrize("has_script", [True, False])
@pytest.mark.parametrize("width", few([360, 1280]))
def test_where_the_links_are(browser: "Browser", site: str, width: int, has_script: bool) -> None:
    """With and without scripts: large enough for a finger, nothing sticks out, and not on paper."""
    context = browser.new_context(viewport={"width": width, "height": 800}, java_script_enabled=has_script)
    page = context.new_page()
    page.goto(site + "index.html")
    links = page.locator("a.acdl-open")
    assert links.count() >= 9
    for number in range(links.count()):
        box = links.nth(number).bounding_box()
        assert box is not None
        assert box["height"] >= 24, links.nth(number).get_attribute("aria-label")
        assert (box["x"] >= 0, box["x"] + box["width"] <= width) == (True, True)
    page.emulate_media(media="print")
    assert page.locator("a.acdl-open:visible").count() == 0
    context.close()
