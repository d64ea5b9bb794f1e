"""The bundle of the playground for tests: one for all of them, built with Node.js and the npm registry."""

import os
from functools import cache
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.errors import PlaygroundError
from acdl_mkdocs.frontends.playground.bundle import Bundle, bundle_in
from acdl_mkdocs.frontends.playground.own_files import examples_of
from acdl_mkdocs.frontends.playground.site import SiteFacts, site_files, write_site

ROOT = Path(__file__).parent.parent


@cache
def _built() -> Bundle | PlaygroundError:
    try:
        return bundle_in(Path(os.environ["ACDL_CACHE_DIR"], "playground").resolve())
    except PlaygroundError as reason:
        return reason


def shared_bundle() -> Bundle:
    """The bundle of this checkout; processes that need it at the same time wait for the one that builds it."""
    built = _built()
    if isinstance(built, PlaygroundError):
        reason = f"the playground cannot be tried: {built}"
        if os.environ.get("CI"):
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    return built


def write_playground(folder: Path) -> Path:
    """A playground with the project's examples, as `acdl playground` writes it."""
    facts = SiteFacts("ACDL figures", "./", "rules/{rule}/")
    write_site(folder, site_files(shared_bundle(), facts, examples_of(sorted((ROOT / "examples").glob("*.acdl")))))
    return folder
