"""The files of a spec in a browser: a click saves each under its own name, in any theme and with any addresses."""

import os
import subprocess
import sys
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
import yaml
from exhaustive import few

from browser.conftest import Quiet

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

ENDINGS = [".acdl", "-light.svg", "-dark.svg", ".png", ".pdf", ".json"]


def built(root: Path, address: str, theme: dict[str, object], *, directory_urls: bool) -> Path:
    """A site with one spec."""
    (root / "docs").mkdir(parents=True)
    (root / "docs/index.md").write_text("# Home\n")
    (root / "a.acdl").write_text("Größe_[@T]: {\n    U: env.question[@T]\n}\n", "utf-8")
    settings = {
        "site_name": "Test",
        "site_url": address,
        "theme": theme,
        "use_directory_urls": directory_urls,
        "plugins": [{"acdl": {"specs": ["a.acdl"]}}],
    }
    (root / "mkdocs.yml").write_text(yaml.safe_dump(settings))
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    ran = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr
    return root / "site"


@pytest.mark.parametrize(
    ("theme", "directory_urls"),
    few(
        [
            ({"name": "material", "font": False, "features": ["navigation.instant"]}, True),
            ({"name": "mkdocs"}, False),
        ]
    ),
    ids=["material", "mkdocs"],
)
def test_files_are_saved(theme: dict[str, object], directory_urls: bool, browser: "Browser", tmp_path: Path) -> None:
    """The page stays, and what is saved is the file with its name."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "site"))) as server:
        address = f"http://127.0.0.1:{server.server_port}/"
        site = built(tmp_path, address, theme, directory_urls=directory_urls)
        Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(f"{address}specs/Größe_" + ("/" if directory_urls else ".html"))
        place = page.url
        saved = {}
        for link in page.locator(".acdl-downloads + ul a").all():
            with page.expect_download() as waiting:
                link.click()
            saved[waiting.value.suggested_filename] = Path(waiting.value.path()).read_bytes()
        assert list(saved) == [f"Größe_{ending}" for ending in ENDINGS]
        assert all(content == (site / "specs/Größe_" / name).read_bytes() for name, content in saved.items())
        assert page.url == place
        page.close()
        server.shutdown()
