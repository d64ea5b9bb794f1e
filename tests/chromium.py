"""Headless Chromium with chosen fonts; tests skip where there is no browser, but not in CI."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Playwright

FONTS = {
    "preferred": ("jetbrains-mono", "dejavu", "noto"),
    "dejavu": ("dejavu",),
    "cjk": ("opentype/noto",),
}
"""What a machine has to the font folders that Chromium may see on it."""
_FOLDERS = Path("/usr/share/fonts")
_PROGRAMS = ("chromium-headless-shell", "chromium")
"""What is looked for, the best first: the shell has all that pages need, and takes half of the time."""

PATIENCE_MS = 180_000
"""How long what has to come on a page may take on a machine that does much else."""
_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--js-flags=--liftoff-only")
"""WebAssembly, which the playground runs Python in, is translated once and not optimized: half the time of a visit."""


def _missing(what: str) -> NoReturn:
    reason = f"{what} is missing: figures cannot be tried in a browser"
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def playwright() -> Iterator["Playwright"]:
    """The driver of browsers."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright")
    with sync_playwright() as running:
        yield running


def _folders(fonts: str) -> list[Path]:
    folders: list[Path] = []
    for name in FONTS[fonts]:
        found = [_FOLDERS / name] if "/" in name else sorted(_FOLDERS.glob(f"*/{name}"))
        found = [folder for folder in found if folder.is_dir()]
        if not found:
            _missing(f"the font folder {name}")
        folders += found
    return folders


@pytest.fixture(scope="session", params=FONTS)
def browser(
    playwright: "Playwright", request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator["Browser"]:
    """Chromium on a machine with these fonts and no others."""
    executable = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if executable is None:
        _missing("chromium")
    folder = tmp_path_factory.mktemp(request.param)
    config = folder / "fonts.conf"
    listed = "".join(f"<dir>{each}</dir>" for each in _folders(request.param))
    config.write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">'
        f"<fontconfig>{listed}<cachedir>{folder / 'cache'}</cachedir></fontconfig>",
        "utf-8",
    )
    launched = playwright.chromium.launch(
        executable_path=executable,
        args=_ARGUMENTS,
        env={**os.environ, "FONTCONFIG_FILE": str(config)},
    )
    _be_patient(launched)
    yield launched
    launched.close()


def _be_patient(browser: "Browser") -> None:
    """Let all pages of a browser wait as long as a busy machine may take."""
    open_context, open_page = browser.new_context, browser.new_page

    def new_context(**options: Any) -> "BrowserContext":
        context = open_context(**options)
        context.set_default_timeout(PATIENCE_MS)
        return context

    def new_page(**options: Any) -> "Page":
        page = open_page(**options)
        page.set_default_timeout(PATIENCE_MS)
        return page

    browser.new_context, browser.new_page = new_context, new_page  # type: ignore[method-assign]
