"""Real builds of small sites with MkDocs: figures, problems, strict mode, assets, cache, watching."""

import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, PluginError
from mkdocs.livereload import LiveReloadServer

from acdl_mkdocs.foundation.user_cache import project_cache
from acdl_mkdocs.frontends.docs.blocks import block
from acdl_mkdocs.frontends.docs.mkdocs import plugin as mkdocs_plugin
from acdl_mkdocs.frontends.docs.mkdocs.config import AcdlConfig
from acdl_mkdocs.frontends.docs.mkdocs.plugin import AcdlPlugin, report_write_errors
from acdl_mkdocs.frontends.docs.pages.search_text import SearchablePage, hide_drawings

GOOD = "React2[@T]: {\n  Mark 2 {\n    U: env.question[@T]\n  }\n}\n"
NESTED = "Chat[@T]: {\n  U: {\n    S: { INSTRUCTIONS }\n  }\n}\n"
TWICE = "A[@T]: { U: env.q }\nA[@T]: { U: env.q }\n"


class Site:
    """A project in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.config: dict[str, object] = {
            "site_name": "Test",
            "theme": {"name": None, "custom_dir": "theme"},
            "plugins": ["acdl"],
            "docs_dir": "docs",
            "site_dir": "out",
        }
        self.write("theme/main.html", "{% for css in extra_css %}{{ css | url }} {% endfor %}{{ page.content }}")

    def write(self, path: str, text: str) -> None:
        """Put a file into the project."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

    def load(self, *, strict: bool = False) -> MkDocsConfig:
        """Read the configuration, as `mkdocs build` does."""
        self.write("mkdocs.yml", yaml.safe_dump(self.config))
        config = load_config(str(self.root / "mkdocs.yml"), strict=strict)
        config.plugins.on_startup(command="build", dirty=False)
        return config

    def build(self, *, strict: bool = False) -> MkDocsConfig:
        """Build the site."""
        config = self.load(strict=strict)
        build(config)
        return config

    def html(self, path: str = "index.html") -> str:
        """A page of the built site."""
        return (self.root / "out" / path).read_text("utf-8")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A site with one good page; MkDocs' counting of warnings is undone afterwards."""
    made = Site(tmp_path)
    made.write("docs/index.md", f"# Home\n\n```acdl\n{GOOD}```\n")
    logger = logging.getLogger("mkdocs")
    handlers = list(logger.handlers)
    yield made
    logger.handlers[:] = handlers


def lines_of(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    """Level and message of what the plugin logged."""
    return [(each.levelname, each.message) for each in caplog.records if each.name == "mkdocs.plugins.acdl"]


def test_build(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Four lines of configuration give a figure and its style sheet, and nothing to complain about."""
    site.build(strict=True)
    assert '<figure class="acdl" id="React2">' in site.html()
    assert "assets/acdl/acdl.css" in site.html()
    names = sorted(path.name for path in (site.root / "out/assets/acdl").iterdir() if path.suffix == ".js")
    assert names == ["acdl-actions.js", "acdl-gallery.js", "acdl-playbook.js", "acdl-steps.js", "acdl.js"]
    assert lines_of(caplog) == []


def test_headings_with_the_id_of_a_line(site: Site) -> None:
    """A heading keeps an id that a line of a figure would have; the other lines have theirs, and the build ends."""
    site.config["markdown_extensions"] = ["attr_list"]
    site.write("docs/index.md", f"## One {{ #React2-line-3 }}\n\n```acdl\n{GOOD}```\n")
    site.build()
    html = site.html()
    assert html.count('id="React2-line-3"') == 1
    assert '<h2 id="React2-line-3">' in html
    assert html.count('id="React2-line-1"') == 1


@pytest.mark.parametrize("directory_urls", [True, False])
def test_both_kinds_of_addresses(directory_urls: bool, site: Site) -> None:
    """The style sheet is found from every page, and links of a figure stay on its page."""
    site.config["use_directory_urls"] = directory_urls
    site.write("docs/deep/page.md", f"```acdl\n{GOOD}```\n")
    site.build(strict=True)
    html = site.html("deep/page/index.html" if directory_urls else "deep/page.html")
    assert ("../../assets/acdl/acdl.css" if directory_urls else "../assets/acdl/acdl.css") in html
    assert set(re.findall(r'href="([^"]*)"', html)) == {"#React2"}


def test_assets_of_the_package(site: Site) -> None:
    """Every style sheet and script of the package is a file of the site; the site's own copy wins."""
    site.write("docs/assets/acdl/acdl.css", "/* ours */")
    site.build()
    assert site.html("assets/acdl/acdl.css") == "/* ours */"


@pytest.mark.parametrize(
    ("features", "is_own", "name"),
    [
        ([], False, "acdl-figure.css"),
        (["navigation.instant"], False, "acdl.css"),
        ([], True, "acdl.css"),
    ],
)
def test_styles_of_a_page(features: list[str], is_own: bool, name: str, site: Site) -> None:
    """A page loads the styles that it uses; all where no other page is loaded, or where the site has its own."""
    site.config["theme"] = {"name": "material", "features": features}
    if is_own:
        site.write("docs/assets/acdl/acdl.css", "/* ours */")
    site.build()
    assert re.findall(r'href="assets/acdl/([^"]*)"', site.html()) == [name]
    assert site.html(f"assets/acdl/{name}")


@pytest.mark.parametrize("has_script", [True, False])
@pytest.mark.parametrize("name", ["acdl.css", "acdl-figure.css"])
def test_styles_know_whether_there_is_a_script(name: str, has_script: bool, site: Site) -> None:
    """Rules for pages with the script apply from the start, or never: none waits for the script."""
    site.config["plugins"] = [{"acdl": {"script": has_script}}]
    site.build()
    assert ("[data-acdl-script]" in site.html(f"assets/acdl/{name}")) is not has_script
    assert "figure.acdl > details:not([open])::details-content" in site.html(f"assets/acdl/{name}")


def test_strict_build_fails_with_the_place(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """An error fails a strict build and no other; the log has the line of the file, front matter counted."""
    body = NESTED.replace("\n", "\n    ").rstrip(" ")
    site.write("docs/agents.md", f"---\ntitle: A\n---\n\n!!! note\n\n    ```acdl\n    {body}    ```\n")
    site.config["markdown_extensions"] = ["admonition"]
    site.build()
    (message,) = [message for level, message in lines_of(caplog) if level == "ERROR"]
    assert message.startswith("docs/agents.md:10:9: error[nested-role]: ")
    assert "error[nested-role]" in site.html("agents/index.html")
    with pytest.raises(Abort):
        site.build(strict=True)


def test_warnings_and_notes(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A warning fails a strict build and is only in the log; `show_warnings` puts it into the page."""
    site.write("docs/index.md", f"```acdl\n{TWICE}```\n")
    with pytest.raises(Abort):
        site.build(strict=True)
    assert lines_of(caplog)[0][0] == "WARNING"
    site.build()
    assert "acdl-problem" not in site.html()
    site.config["plugins"] = [{"acdl": {"show_warnings": True}}]
    site.build()
    assert "warning[duplicate-definition]" in site.html()


def test_src(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A file is found from the project's folder and read again by the next build; its problems have its own name."""
    site.write("examples/a.acdl", GOOD)
    site.write("docs/deep/page.md", '```acdl src="examples/a.acdl#React2" caption="From a file"\n```\n')
    site.build(strict=True)
    assert '<figure class="acdl" id="React2">' in site.html("deep/page/index.html")
    site.write("examples/a.acdl", GOOD + NESTED)
    site.build()
    assert lines_of(caplog)[0][1].startswith("examples/a.acdl:8:5: error[nested-role]")


def test_links_to_figures_are_known(site: Site) -> None:
    """A link to the anchor of a figure or of a mark in it passes MkDocs' own check."""
    site.config["validation"] = {"anchors": "warn"}
    site.write("docs/other.md", "[figure](index.md#React2) and [mark](index.md#React2-mark-2)\n")
    site.build(strict=True)
    site.build(strict=True)
    site.write("docs/other.md", "[figure](index.md#React3)\n")
    with pytest.raises(Abort):
        site.build(strict=True)


@pytest.mark.parametrize(
    "listed",
    [[], ["acdl"], [{"acdl": {"show": "text"}}], ["acdl_mkdocs.frontends.docs.markdown.extension:AcdlExtension"]],
)
def test_extension_is_there_once(listed: list[object], site: Site) -> None:
    """The extension is added unless the site lists it; then its settings count."""
    site.config["markdown_extensions"] = listed
    config = site.build(strict=True)
    assert len([name for name in config.markdown_extensions if "acdl" in str(name)]) == 1
    assert ("<svg" not in site.html()) is (isinstance(listed[0], dict) if listed else False)


def test_options_of_the_plugin(site: Site) -> None:
    """Options are defaults of the headers."""
    site.config["plugins"] = [{"acdl": {"show": "figure", "width": 300, "comments": False, "theme": "dark"}}]
    site.write("docs/index.md", f"```acdl\n// a remark\n{GOOD}```\n")
    site.build(strict=True)
    assert "a remark" not in site.html()
    assert "language-acdl" not in site.html()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"shwo": "both"}, "did you mean `show`?"),
        ({"show": "figur"}, "did you mean `figure`?"),
        ({"width": 5}, "expected a number of px from 120 to 10000"),
        ({"show_warnings": "perhaps"}, "expected `true` or `false`"),
        ({"cache": "perhaps"}, "cache"),
        ({"rules": {"unused-nmae": "off"}}, "there is no rule `unused-nmae`; did you mean `unused-name`?"),
        ({"rules": {"unused-name": "quiet"}}, "`unused-name` cannot be 'quiet'; it can be `off`"),
        ({"rules": ["unused-name"]}, "expected rule names with their levels"),
        ({"spec_pages": "../up"}, "`spec_pages` of `acdl` cannot be '../up': expected a folder of the site"),
        ({"spec_pages": "a/../../up"}, "expected a folder of the site, such as `specs`"),
        ({"spec_pages": "/abs"}, "expected a folder of the site"),
        ({"spec_pages": "C:\\x"}, "expected a folder of the site"),
        ({"spec_pages": 5}, "spec_pages"),
        ({"rule_url": 5}, "`rule_url` of `acdl` cannot be 5: expected an address that begins with `https://`"),
        ({"source_url": "javascript:alert(1)"}, "expected an address that begins with `https://`"),
        ({"source_url": " java\tscript:alert(1)"}, "expected an address that begins with `https://`"),
        ({"source_url": "file:///etc/passwd"}, "expected an address that begins with `https://`"),
    ],
)
def test_wrong_options(options: dict[str, object], words: str, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """An option that does not exist or cannot be is an error of the configuration."""
    site.config["plugins"] = [{"acdl": options}]
    with pytest.raises(Abort):
        site.load()
    assert words in caplog.text


@pytest.mark.parametrize("plugins", [[], ["acdl"]])
def test_wrong_settings_of_the_extension(plugins: list[str], site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A setting that does not exist is an error of the configuration, with and without the plugin."""
    site.config |= {"plugins": plugins, "markdown_extensions": [{"acdl": {"thme": "dark"}}]}
    with pytest.raises(Abort):
        site.load()
    assert "Config value 'markdown_extensions'" in caplog.text
    assert "did you mean `theme`?" in caplog.text


def test_rules_of_the_site(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """The project's file says what rules are, and the plugin's options win; `off` needs no quotes."""
    site.write("docs/index.md", f"```acdl\n{TWICE}```\n")
    site.write("acdl.toml", '[rules]\nduplicate-definition = "error"\n')
    site.build()
    assert "error[duplicate-definition]" in site.html()
    caplog.clear()
    site.config["plugins"] = [{"acdl": {"rules": {"duplicate-definition": False}}}]
    site.build(strict=True)
    assert lines_of(caplog) == []


def test_wrong_settings_of_the_project(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A mistake in the project's file stops the build with a sentence."""
    site.write("acdl.toml", "rnage = 1\n")
    with pytest.raises(Abort):
        site.build()
    assert "acdl.toml: there is no setting `rnage`; did you mean `range`?" in caplog.text


def test_words_for_true(site: Site) -> None:
    """`show_warnings: "yes"` is true, in the plugin and in the extension."""
    site.write("docs/index.md", f"```acdl\n{TWICE}```\n")
    for name in ("plugins", "markdown_extensions"):
        site.config |= {"plugins": ["acdl"], "markdown_extensions": [], name: [{"acdl": {"show_warnings": "yes"}}]}
        site.build()
        assert "warning[duplicate-definition]" in site.html()


def test_watched_path_that_does_not_exist(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A wrong path is told, and fails a strict build."""
    site.config["plugins"] = [{"acdl": {"watch": ["docs", "nowhere"]}}]
    site.build()
    assert lines_of(caplog) == [("WARNING", "the option `watch` of `acdl` names `nowhere`, which does not exist")]
    with pytest.raises(Abort):
        site.build(strict=True)


def test_no_script(site: Site) -> None:
    """With `script: false` no page loads a script and none is in the site."""
    site.config["plugins"] = [{"acdl": {"script": False}}]
    config = site.build(strict=True)
    assert {path.suffix for path in (site.root / "out/assets/acdl").iterdir()} == {".css"}
    assert not any("acdl" in str(each) for each in config.extra_javascript)


HOOK = "def on_page_context(context, page, config, nav):\n    page.content = "


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("'<p>ENCRYPTED</p>'", ("<p>ENCRYPTED</p>", 0)),
        ("page.content + '<p>ADDED</p>'", ("<p>ADDED</p>", 2)),
        ("page.content.partition('Home')[2].rpartition('<figure')[0]", ("", 1)),
        ("page.content", ("Home", 2)),
        ("''", ("", 0)),
    ],
    ids=["replaced", "added", "cut", "untouched", "emptied"],
)
def test_work_of_other_plugins_is_kept(content: str, expected: tuple[str, int], site: Site) -> None:
    """What another plugin makes of a page is published, with the drawings where it left their words."""
    site.write("hook.py", f"{HOOK}{content}\n")
    site.write("docs/index.md", f"# Home\n\n```acdl\n{GOOD}```\n\n```acdl\n{GOOD}```\n")
    site.config["hooks"] = ["hook.py"]
    site.build(strict=True)
    assert expected[0] in site.html()
    assert site.html().count("<svg") == expected[1]
    assert "<!--" not in site.html()
    if not expected[1]:
        assert "question" not in site.html()


@pytest.mark.parametrize("is_looked_at", [True, False])
def test_words_for_others_only(is_looked_at: bool, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words in place of drawings are found out only where another plugin or a hook looks at pages."""
    asked: list[str] = []

    def noted(html: str, between: str) -> SearchablePage:
        asked.append(html)
        return hide_drawings(html, between)

    monkeypatch.setattr(mkdocs_plugin, "hide_drawings", noted)
    site.write("hook.py", f"{HOOK}page.content\n" if is_looked_at else "")
    site.config["hooks"] = ["hook.py"]
    site.build(strict=True)
    assert "<svg" in site.html()
    assert bool(asked) is is_looked_at


def test_every_option_is_explained() -> None:
    """Each option of the plugin has a docstring, from which its documentation is made."""
    source = Path(__import__("inspect").getfile(AcdlConfig)).read_text("utf-8")
    body = source.partition("class AcdlConfig")[2].partition("\n\nclass ")[0]
    for name, _ in AcdlConfig._schema:
        assert re.search(rf"^    {name} = .*\n    \"\"\"", body, re.MULTILINE), name


def test_warm_build_draws_nothing(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A second build takes every block from the cache, problems and places included."""
    site.write("docs/bad.md", f"```acdl\n{NESTED}```\n")
    site.build()
    first = {path.name: path.read_bytes() for path in (site.root / "out").rglob("index.html")}
    said = lines_of(caplog)
    caplog.clear()
    monkeypatch.setattr(block, "_draw_safely", lambda *_: pytest.fail("drawn again"))
    site.build()
    assert {path.name: path.read_bytes() for path in (site.root / "out").rglob("index.html")} == first
    assert lines_of(caplog) == said != []


@pytest.mark.parametrize("how", ["option", "environment"])
def test_cache_can_be_switched_off(how: str, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a cache nothing is written but the site."""
    monkeypatch.setenv("ACDL_CACHE_DIR", str(site.root / "caches"))
    site.build()
    assert not (site.root / "caches").exists()  # in the project, there is none
    monkeypatch.setenv("ACDL_CACHE_DIR", str(site.root.parent / "caches"))
    if how == "option":
        site.config["plugins"] = [{"acdl": {"cache": False}}]
    else:
        monkeypatch.setenv("ACDL_NO_CACHE", "1")
    site.build()
    assert not (site.root.parent / "caches").exists()


def test_cache_is_safe_to_delete_and_does_not_grow(site: Site) -> None:
    """The files of pages that are gone disappear; a damaged file changes nothing."""
    site.write("docs/gone.md", f"```acdl\n{GOOD}```\n")
    site.build()
    folder = project_cache(site.root)
    assert len(list(folder.glob("*.page"))) == 2
    before = site.html()
    (site.root / "docs/gone.md").unlink()
    for path in folder.glob("*.page"):
        path.write_bytes(b"damaged")
    site.build(strict=True)
    assert len(list(folder.glob("*.page"))) == 1
    assert site.html() == before


def test_preview_survives_errors_and_watches_files(site: Site) -> None:
    """Under `serve`, wrong blocks and missing files are shown, and files are watched as soon as they are named."""
    site.write("docs/index.md", f"```acdl\n{NESTED}```\n\n```acdl src=specs/none.acdl\n```\n")
    site.write("specs/a.acdl", GOOD)
    site.write("examples/e.acdl", GOOD)
    site.write("more.acdl", GOOD)
    site.config["plugins"] = [{"acdl": {"watch": ["more.acdl", "nowhere"]}}]
    site.write("docs/long.md", f"```acdl src={'a' * 300}\n```\n")
    config = site.build()
    assert "missing-src" in site.html()
    plugin = config.plugins["acdl"]
    assert isinstance(plugin, AcdlPlugin)
    server = LiveReloadServer(lambda: None, "127.0.0.1", 0, str(site.root))
    plugin.on_serve(server, config=config, builder=build)
    assert {Path(each).name for each in server._watched_paths} == {"docs", "examples", "more.acdl"}
    site.write("docs/index.md", "```acdl src=specs/a.acdl\n```\n\n```acdl src=examples/e.acdl\n```\n")
    build(config)
    assert {Path(each).name for each in server._watched_paths} == {"docs", "examples", "more.acdl", "a.acdl"}


def test_snippets_in_a_fence(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A fence whose lines come from another file counts them from its own first line and says where it stands."""
    site.write("parts/a.acdl", NESTED)
    site.write("docs/index.md", '# Home\n\n```acdl\n--8<-- "parts/a.acdl"\n```\n')
    site.config["markdown_extensions"] = [{"pymdownx.snippets": {"base_path": [str(site.root)]}}]
    site.build()
    assert lines_of(caplog)[0][1].startswith(
        "docs/index.md (block of line 3, with its snippets):4:5: error[nested-role]"
    )


def test_warm_build_is_lean(site: Site) -> None:
    """When nothing changed, neither the parser nor what draws is imported."""
    code = (
        "import sys\nfrom mkdocs.__main__ import cli\n"
        "try: cli(['build', '-q'])\nexcept SystemExit as end: assert not end.code\n"
        "heavy = ['lark', 'svgwrite']\n"
        "heavy += [f'acdl_mkdocs.{name}' for name in ("
        "'language.analyse', 'language.names', 'foundation.reports', 'playbook', 'drawing.figure.boxes')]\n"
        "heavy += [f'acdl_mkdocs.language.syntax.{name}' for name in ('nodes', 'tokenize', 'parse')]\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    site.load()
    runs = [
        subprocess.run([sys.executable, "-c", code], cwd=site.root, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert "acdl_mkdocs.language.analyse" in runs[0].stdout
    assert runs[1].stdout == "[]\n"


def test_generated_pages(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A page that a hook made has no file, and its problems still say which page it is."""
    site.write(
        "hook.py",
        "from mkdocs.structure.files import File\n"
        "def on_files(files, config):\n"
        f"    files.append(File.generated(config, 'made.md', content={f'```acdl{chr(10)}{NESTED}```'!r}))\n",
    )
    site.config["hooks"] = ["hook.py"]
    site.build()
    assert lines_of(caplog)[0][1].startswith("made.md:4:5: error[nested-role]")


def test_extension_without_the_plugin(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """The extension alone knows the page and fails a strict build too."""
    site.config["plugins"] = []
    site.config["markdown_extensions"] = ["acdl"]
    site.write("docs/a/b.md", f"---\nx: y\n---\n```acdl\n{NESTED}```\n")
    with pytest.raises(Abort):
        site.build(strict=True)
    assert lines_of(caplog)[0][1].startswith("docs/a/b.md:7:5: error[nested-role]")
    assert not (site.root / ".cache").exists()


def test_material(site: Site) -> None:
    """The usual set-up, with the Material theme and its extensions, builds strictly."""
    site.config["theme"] = {"name": "material"}
    site.config["plugins"] = ["search", "acdl"]
    site.config["markdown_extensions"] = ["admonition", "pymdownx.superfences", "pymdownx.details", "attr_list"]
    site.write(
        "docs/index.md", f"# Home\n\n!!! note\n\n    ```acdl\n    {GOOD.replace(chr(10), chr(10) + '    ')}\n    ```\n"
    )
    site.build(strict=True)
    assert '<figure class="acdl" id="React2">' in site.html()
    assert "React2" in (site.root / "out/search/search_index.json").read_text("utf-8")


def test_comments_link_to_the_source_repository(site: Site) -> None:
    """With `source_url`, a comment that names a file and a line is a link to them; another comment is text."""
    site.config["plugins"] = [{"acdl": {"source_url": "https://example.org/blob/main"}}]
    site.write("docs/index.md", "```acdl\nS: A // <- src/agent.py:40\nU: env.q // see above\n```\n")
    site.build(strict=True)
    assert 'xlink:href="https://example.org/blob/main/src/agent.py#L40"' in site.html()
    assert site.html().count('xlink:href="https://example.org/') == 1


def test_search_finds_the_words_of_a_figure_once(site: Site) -> None:
    """The index holds the words of a drawing, not its markup, its summary or its source; the page holds the drawing."""
    site.config["theme"] = {"name": "material"}
    site.config["plugins"] = ["search", "acdl"]
    site.write("docs/index.md", "# Home\n\n```acdl\nS: { SECRET_WORD(env.q[@t]) } // a remark\n```\n")
    site.build(strict=True)
    entries = json.loads((site.root / "out/search/search_index.json").read_text("utf-8"))["docs"]
    text = " ".join(entry["text"] for entry in entries)
    assert text.count("SECRET_WORD(env.q[@t])") == 1
    assert "a remark" in text
    assert "font-size" not in text
    assert "<svg" in site.html()


def test_files_that_fail_at_the_end_of_a_build(tmp_path: Path) -> None:
    """What is said is true of the file: one of the site was to be written, another to be read; there is a cure."""
    (tmp_path / "out").mkdir()
    for path, said in ((tmp_path / "out" / "a", "written"), (tmp_path / "notes", "read")):
        with pytest.raises(PluginError) as raised, report_write_errors(str(tmp_path / "out")):
            raise PermissionError(13, "Permission denied", str(path))
        assert str(raised.value).startswith(f"{path}: cannot be {said}: permission denied; ")
    full = pytest.raises(PluginError, match="out: cannot be written: no space left on device; free space")
    with full, report_write_errors(str(tmp_path / "out")):
        raise OSError(28, "No space left on device")


def test_source_of_one_definition(site: Site) -> None:
    """A figure of one definition of a file shows the source of that definition, with the comment above it."""
    site.write(
        "examples/two.acdl",
        "// title: Two\n\n// the first\nA[@T]: { U: env.q }\n\n// the second\nB[@T]: { U: env.r }\n",
    )
    site.write("docs/index.md", '```acdl src="examples/two.acdl#B"\n```\n')
    site.build(strict=True)
    source = site.html().partition('language-acdl">')[2].partition("</code>")[0]
    assert re.sub("<[^>]*>", "", source) == "// the second\nB[@T]: { U: env.r }\n"
