"""What a browser tells a page late: that its address has changed, that a part of it is new."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from chromium import PATIENCE_MS

if TYPE_CHECKING:
    from playwright.sync_api import Page

Found = TypeVar("Found")
MOST_SECONDS = PATIENCE_MS / 1000


def becomes(page: "Page", read: Callable[[], Found], expected: Found, most_s: float = MOST_SECONDS) -> None:
    """What is read becomes what is expected; what it is at last is told otherwise.

    `wait_for_function` would wait neither for what a promise says nor for what a test makes of several things.
    """
    end = time.monotonic() + most_s
    while read() != expected and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert read() == expected


def load_actions(page: "Page") -> None:
    """Use the first figure of a page that was just opened, and wait for the script of what readers do."""
    page.evaluate(
        """() => new Promise((done) => {
          document.addEventListener("acdl-actions", done, { once: true });
          document.querySelector("figure.acdl").dispatchEvent(new Event("focusin", { bubbles: true }));
        })"""
    )
