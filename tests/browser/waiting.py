"""What a browser tells a page late: that its address has changed, that a part of it is new."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from playwright.sync_api import Page

Found = TypeVar("Found")
MOST_SECONDS = 30


def becomes(page: "Page", read: Callable[[], Found], expected: Found) -> None:
    """What is read becomes what is expected; what it is at last is told otherwise."""
    end = time.monotonic() + MOST_SECONDS
    while read() != expected and time.monotonic() < end:
        page.wait_for_timeout(20)
    assert read() == expected
