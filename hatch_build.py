"""Metadata that depends on where the project lives: its addresses, and the README as a package index shows it.

`ACDL_REPOSITORY` is the address of the repository on the web, which a release sets. An index shows only the README, so
links to files of the repository become addresses of the files of this version; without the variable, their words stay.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"\[([^\]]+)\]\((?!https?://|#)([^)#\s]+)(#[^)\s]*)?\)")
_PICTURE = re.compile(r'<img src="(?!https?://)([^"]+)"([^>]*)>')
_ALTERNATIVE = re.compile(r'alt="([^"]*)"')


class CustomMetadataHook(MetadataHookInterface):
    """Fill in `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Change the metadata of `pyproject.toml` in place."""
        repository = os.environ.get("ACDL_REPOSITORY", "").rstrip("/")
        text = Path(self.root, "README.md").read_text("utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": shown_by_an_index(text, repository, f"v{metadata['version']}"),
        }
        metadata["urls"] = addresses(repository)


def addresses(repository: str) -> dict[str, str]:
    """What an index lists beside a package."""
    paper = {"Paper": "https://doi.org/10.1145/3786335.3813126"}
    if not repository:
        return paper
    return {
        "Homepage": repository,
        "Documentation": f"{repository}/tree/main/site_src",
        "Source": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        **paper,
    }


def shown_by_an_index(text: str, repository: str, revision: str) -> str:
    """The README without links and pictures that only lead somewhere from the repository.

    Parameters:
        text: The README.
        repository: Address of the repository; empty if nobody knows it.
        revision: The tag whose files are meant.
    """

    def link(found: re.Match[str]) -> str:
        words, path, anchor = found[1], found[2], found[3] or ""
        return f"[{words}]({repository}/blob/{revision}/{path}{anchor})" if repository else words

    def picture(found: re.Match[str]) -> str:
        if repository:
            return f'<img src="{repository}/raw/{revision}/{found[1]}"{found[2]}>'
        alternative = _ALTERNATIVE.search(found[2])
        return alternative[1] if alternative else ""

    return _PICTURE.sub(picture, _LINK.sub(link, text))
