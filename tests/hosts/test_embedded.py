"""What `make hosts-embedded` found last: every tool that the documentation names was built, in these versions."""

import json

from acdl_mkdocs.frontends.docs.pages.embedded import read_page
from hosts.embedded import BODY, HOSTS, NAMES, RESULTS


def test_results_are_of_these_hosts() -> None:
    """Each works, in the versions that the script installs."""
    found = json.loads(RESULTS.read_text("utf-8"))
    assert found == {
        name: {"title": host.title, "versions": [*host.python, *host.node], "works": True}
        for name, host in HOSTS.items()
    }


def test_page() -> None:
    """The page that is built has the blocks that are looked for."""
    assert len(read_page(BODY).blocks) == len(NAMES)
