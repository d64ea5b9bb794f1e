"""The browser of other tests, for sites of hostile texts."""

from browser.conftest import browser, playwright
from integrations.conftest import project

__all__ = ["browser", "playwright", "project"]
