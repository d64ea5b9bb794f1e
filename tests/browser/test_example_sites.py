"""Sites that are not ours, the projects of `examples/` and a new one: no barrier, no error, nothing too wide."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from exhaustive import few

from acdl_mkdocs.frontends.cli.main import main
from browser.conftest import Quiet
from browser.test_accessibility import CONTRAST, serious

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)


@pytest.fixture(scope="module", params=few(["new", "mkdocs", "properdocs", "zensical"]))
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[str]]]:
    """Where a built site is served, and its pages."""
    folder = tmp_path_factory.mktemp("sites") / request.param
    tool = request.param if request.param != "new" else "mkdocs"
    if request.param == "new":
        assert main(["new", "site", str(folder)]) == 0
    else:
        shutil.copytree(EXAMPLES / f"{tool}-project", folder, ignore=shutil.ignore_patterns("site", ".cache"))
    program = shutil.which(tool, path=str(Path(sys.executable).parent)) or shutil.which(tool)
    if not program:
        pytest.skip(f"{tool} is not installed")
    environment = {**os.environ, "ACDL_NO_CACHE": "1", "NO_MKDOCS_2_WARNING": "1", "SITE_URL": ""}
    ran = subprocess.run([program, "build"], cwd=folder, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    pages = sorted(
        path.parent.relative_to(folder / "site").as_posix() for path in (folder / "site").rglob("index.html")
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder / "site"))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", pages
        server.shutdown()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_anybody_out(scheme: str, browser: "Browser", site: tuple[str, list[str]]) -> None:
    """No page has a serious finding or an error in the console, nor colours that cannot be told in the dark."""
    address, pages = site
    assert pages
    page = browser.new_page(color_scheme="dark" if scheme == "dark" else "light")
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    for name in pages:
        page.goto(f"{address}/{name}/")
        assert (name, serious(page, run_only=CONTRAST if scheme == "dark" else None), errors) == (name, [], [])
    page.close()


@pytest.mark.parametrize("has_scripts", few([True, False]))
def test_pages_fit(has_scripts: bool, browser: "Browser", site: tuple[str, list[str]]) -> None:
    """No page is wider than the window, with and without scripts."""
    address, pages = site
    page = browser.new_page(java_script_enabled=has_scripts)
    for name in pages:
        page.goto(f"{address}/{name}/")
        for width_px in (1280, 768, 360):
            page.set_viewport_size({"width": width_px, "height": 800})
            body = page.locator("body").bounding_box()
            figures = [each.bounding_box() for each in page.locator("figure.acdl").all()]
            assert body
            assert body["width"] <= width_px
            assert all(not box or box["x"] + box["width"] <= width_px for box in figures), name  # no box: behind a tab
    page.close()
