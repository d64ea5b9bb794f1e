"""A project of MkDocs with a library, to build and to look at."""

import logging
from pathlib import Path

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

CHAT = (
    "// title: A chat\n// tags: chat\nChat[@T]: {\n  S: { Frag Greeting[@T] }\n  Mark 1 {\n    U: env.q[@T]\n  }\n}\n"
)
GREETING = "StrFrag Greeting[@t]: { HELLO(env.name[@t]) }\n"
TEMPLATE = (
    "{% for item in nav %}{% for page in item.children or [item] %}"
    "[{{ page.title }}]({{ page.url }}){% endfor %}{% endfor %}"
    "{% if page.edit_url %}<edit>{{ page.edit_url }}</edit>{% endif %}{{ page.content }}"
)


class Site:
    """A project in a folder of its own."""

    def __init__(self, root: Path, **options: object) -> None:
        self.root = root
        self.options: dict[str, object] = {"specs": ["specs"], "downloads": ["acdl"], **options}
        self.config: dict[str, object] = {
            "site_name": "Test",
            "theme": {"name": None, "custom_dir": "theme"},
            "docs_dir": "docs",
            "site_dir": "out",
            "validation": {"anchors": "warn", "nav": {"omitted_files": "ignore"}},
        }
        self.plugins: list[object] = []
        self.write("theme/main.html", TEMPLATE)
        self.write("docs/index.md", "# Home\n")

    def write(self, path: str, text: str) -> None:
        """Put a file into the project."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

    def build(self, *, strict: bool = True) -> MkDocsConfig:
        """Build the site, as `mkdocs build` does."""
        self.config["plugins"] = [*self.plugins, {"acdl": self.options}]
        self.write("mkdocs.yml", yaml.safe_dump(self.config))
        config = load_config(str(self.root / "mkdocs.yml"), strict=strict)
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
        return config

    def html(self, path: str = "index.html") -> str:
        """A page of the built site."""
        return (self.root / "out" / path).read_text("utf-8")

    def pages(self) -> dict[str, str]:
        """All pages by their addresses."""
        out = self.root / "out"
        return {path.relative_to(out).as_posix(): path.read_text("utf-8") for path in sorted(out.rglob("*.html"))}


def lines_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the plugin logged, beside what is only for information."""
    found = [each for each in caplog.records if each.name == "mkdocs.plugins.acdl" and each.levelno > logging.INFO]
    return [each.message for each in found]
