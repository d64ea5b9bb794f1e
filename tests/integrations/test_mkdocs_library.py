"""Real builds of sites with a library: pages of specs, gallery, links across pages, references, navigation."""

import json
import logging
import os
import re
import subprocess
import sys
from ctypes.util import find_library
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer

from acdl_mkdocs.frontends.docs.blocks import block
from acdl_mkdocs.frontends.docs.mkdocs.navigation import extend_navigation
from acdl_mkdocs.frontends.docs.mkdocs.plugin import AcdlPlugin
from acdl_mkdocs.frontends.docs.pages import downloads
from acdl_mkdocs.workspace import parts, specs
from integrations.mkdocs_site import CHAT, GREETING, Site, lines_of

ASSETS = Path(block.__file__).parents[3] / "assets"


def broken_links(site: Site) -> list[tuple[str, str]]:
    """Page and address of every link that leads to no page, file or anchor of the site."""
    ids = {path: set(re.findall(r'\bid="([^"]*)"', html)) for path, html in site.pages().items()}
    broken = []
    for path, html in site.pages().items():
        for address in re.findall(r'(?<![\w:])(?:xlink:)?href="([^"]*)"', html):
            target, anchor = urldefrag(urljoin(f"http://site/{path}", address.replace("&amp;", "&")))
            name = unquote(target.removeprefix("http://site/").partition("?")[0])
            name = f"{name}index.html" if not name or name.endswith("/") else name
            is_known = not anchor or unquote(anchor) in ids.get(name, ())
            if "://" not in name and not ((site.root / "out" / name).is_file() and is_known):
                broken.append((path, address))
    return broken


@pytest.mark.parametrize("directory_urls", [True, False])
def test_everything_is_linked(directory_urls: bool, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Figures, references, gallery and spec pages lead to each other, in both kinds of addresses."""
    site.config["use_directory_urls"] = directory_urls
    site.options["downloads"] = ["acdl", "svg", "json"]
    site.write(
        "docs/deep/er.md",
        "[[acdl:Chat]] [[acdl:Chat#mark-1|mark]]\n\n```acdl\nA[@T]: { U: { Frag Greeting[@T] } }\n```\n",
    )
    site.write("docs/all.md", "```acdl-gallery kinds=all\n```\n")
    site.build()
    page, spec = (
        ("deep/er/index.html", "../../specs/Chat/") if directory_urls else ("deep/er.html", "../specs/Chat.html")
    )
    html = site.html(page)
    assert f'href="{spec}"' in html
    assert f'href="{spec}#Chat-mark-1"' in html
    assert f'xlink:href="{spec.replace("Chat", "Greeting")}"' in html
    assert broken_links(site) == []
    here = "" if directory_urls else "Chat/"
    assert f'href="{here}Chat-light.svg" download="Chat-light.svg"' in site.html(
        "specs/Chat/index.html" if directory_urls else "specs/Chat.html"
    )
    names = {path.name for path in (site.root / "out/specs/Chat").iterdir()} - {"index.html"}
    assert names == {"Chat.acdl", "Chat-light.svg", "Chat-dark.svg", "Chat.json"}
    assert lines_of(caplog) == []


@pytest.mark.parametrize("directory_urls", [True, False])
def test_tags_lead_to_their_lists(directory_urls: bool, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Tags of a page lead to the lists that the gallery has without a script; one that it does not list is a word."""
    site.config["use_directory_urls"] = directory_urls
    site.write("specs/chat.acdl", CHAT.replace("tags: chat", "tags: chat, zwölf & 12"))
    site.write("specs/deep/greeting.acdl", f"// tags: words\n{GREETING}")
    site.build()
    html = site.html("specs/Chat/index.html" if directory_urls else "specs/Chat.html")
    index = "../" if directory_urls else "index.html"
    assert f'<a href="{index}#acdl-tag-chat">chat</a>' in html
    assert f'<a href="{index}#acdl-tag-zw%C3%B6lf_20_26_2012">' in html
    assert "Tags</strong> words" in site.html("specs/Greeting/index.html" if directory_urls else "specs/Greeting.html")
    assert broken_links(site) == []
    site.write("docs/specs/index.md", "# Mine\n\n```acdl-gallery kinds=all tags=words id=mine\n```\n")
    site.build()
    assert "#mine-tag-words" in site.html("specs/Greeting/index.html" if directory_urls else "specs/Greeting.html")
    assert broken_links(site) == []
    assert lines_of(caplog) == []


def test_links_between_pages(site: Site) -> None:
    """A fragment that only another page shows is linked there."""
    site.options["specs"] = []
    site.write("docs/a b/é.md", f"```acdl id=hello\n{GREETING}```\n")
    site.write("docs/index.md", f"```acdl\n{CHAT}```\n")
    site.build()
    assert 'xlink:href="a%20b/%C3%A9/#hello"' in site.html()
    assert broken_links(site) == []
    assert not (site.root / "out/specs").exists()


def test_files_among_the_pages(site: Site) -> None:
    """Without the option, the `.acdl` files of the documentation get pages."""
    del site.options["specs"]
    site.write("docs/in/chat.acdl", CHAT + GREETING)
    site.build()
    assert "<svg" in site.html("specs/Chat/index.html")
    assert (site.root / "out/in/chat.acdl").is_file()


def test_ambiguous_fragment(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A fragment that two files define differently is reported with both places, and fails a strict build."""
    site.write("specs/other.acdl", GREETING.replace("HELLO", "GOOD_EVENING"))
    site.build(strict=False)
    (line,) = {line for line in lines_of(caplog) if "[ambiguous-fragment]" in line}
    assert line.startswith("specs/chat.acdl:4:")
    with pytest.raises(Abort):
        site.build()


def test_unknown_names_fail_a_strict_build(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """An unknown fragment and an unknown reference are errors with their places and the near name."""
    site.write("docs/index.md", "---\ntitle: T\n---\n\nSee [[acdl:Caht]].\n")
    site.write("specs/chat.acdl", CHAT.replace("Greeting", "Greetign"))
    with pytest.raises(Abort):
        site.build()
    reference, fragment = sorted(lines_of(caplog))
    assert reference.startswith("docs/index.md:5:5: error[unknown-reference]:")
    assert "did you mean `[[acdl:Chat]]`?" in reference
    assert fragment.startswith("specs/chat.acdl:4:")
    assert "[unknown-fragment]" in fragment


def test_ambiguous_reference(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Two specs of a name are a warning with both places; both have a page."""
    site.write("specs/second.acdl", CHAT.replace("env.q", "env.other"))
    site.write("docs/index.md", "[[acdl:Chat]]\n")
    site.build(strict=False)
    (line,) = lines_of(caplog)
    assert "`Chat` is defined in 2 places: specs/chat.acdl:3, specs/second.acdl:3" in line
    assert 'href="specs/Chat/"' in site.html()
    assert "env.other" in site.html("specs/Chat-second/index.html")
    assert 'href="../Chat/"' in site.html("specs/index.html") or 'href="Chat/"' in site.html("specs/index.html")
    assert broken_links(site) == []


@pytest.mark.parametrize("level", [None, "warning", "off"])
def test_name_of_two_files(level: str | None, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A name of two files is told once, and its file stands beside it in the navigation, gallery and `llms.txt`."""
    site.write("specs/second.acdl", CHAT.replace("env.q", "env.other"))
    site.config["nav"] = ["index.md", "specs/index.md"]
    site.options |= {"llms": True, "rules": {"duplicate-definition": level} if level else {}}
    caplog.set_level(logging.INFO, "mkdocs.plugins.acdl")
    site.build(strict=False)
    found = [each for each in caplog.records if "[duplicate-definition]" in each.message]
    assert [each.levelname for each in found] == {None: ["INFO"], "warning": ["WARNING"], "off": []}[level]
    for each in found:
        words = "`Chat` is defined here and in specs/second.acdl:3; give each a name of its own"
        assert each.message == f"specs/chat.acdl:3: {level or 'note'}[duplicate-definition]: {words}"
    for name in ("chat", "second"):
        assert f"[A chat ({name})](" in site.html()
        assert f"<small>specs/{name}.acdl</small>" in site.html("specs/index.html")
        assert f"[Chat: A chat (specs/{name}.acdl)](" in site.html("llms.txt")
    assert "greeting.acdl)" not in site.html() + site.html("llms.txt")


def test_names_of_all_kinds(site: Site) -> None:
    """Names that differ in case only have different paths on every disk; letters of any script can be in one."""
    names = ["Agent", "agent", "AGENT", "Größe", "Ёлка", "智能体", "index", "README"]
    site.write(
        "specs/names.acdl", "\n".join(f"{name}[@T]: {{ U: env.q_{number}[@T] }}" for number, name in enumerate(names))
    )
    site.write("docs/index.md", " ".join(f"[[acdl:{name}]]" for name in names))
    site.build()
    made = [path for path in site.pages() if path.startswith("specs/")]
    assert len({path.casefold() for path in made}) == len(made) == len(names) + 3
    for number, path in enumerate(re.findall(r'class="acdl-reference" href="([^"]*)"', site.html())):
        assert f"env.q_{number}[@T]" in site.html(f"{unquote(path)}index.html")
    assert broken_links(site) == []


def test_exact_name_keeps_its_path(site: Site) -> None:
    """A page of the documentation is that of the spec with exactly its name, whichever spec comes first."""
    site.write("specs/a.acdl", "Agent[@T]: { U: env.q_0[@T] }\n")
    site.write("specs/b.acdl", "agent[@T]: { U: env.q_1[@T] }\n")
    site.write("docs/specs/agent.md", '# Mine\n\n```acdl src="specs/b.acdl"\n```\n')
    site.write("docs/index.md", "[[acdl:Agent]] [[acdl:agent]]\n")
    found = []
    for order in (["specs/a.acdl", "specs/b.acdl"], ["specs/b.acdl", "specs/a.acdl"]):
        site.options["specs"] = order
        site.build()
        found.append(re.findall(r'class="acdl-reference" href="([^"]*)"', site.html()))
        assert broken_links(site) == []
        assert "env.q_0[@T]" in site.html("specs/Agent-a/index.html")
    assert found == [["specs/Agent-a/", "specs/agent/"]] * 2


def test_own_page_wins(site: Site) -> None:
    """A page of the documentation at the path of a spec's page is the page of that spec; so with the gallery."""
    site.write("docs/specs/Chat.md", '# Mine\n\n```acdl src="specs/chat.acdl#Chat"\n```\n')
    site.write("docs/specs/index.md", "# My gallery\n")
    site.write("docs/index.md", "[[acdl:Chat]]\n\n```acdl-gallery\n```\n")
    site.build()
    assert "Mine" in site.html("specs/Chat/index.html")
    assert "Files to download" not in site.html("specs/Chat/index.html")
    assert "My gallery" in site.html("specs/index.html")
    assert site.html().partition('<dt id="acdl-uses')[0].count('href="specs/Chat/"') == 3
    assert broken_links(site) == []


def test_no_pages(site: Site) -> None:
    """With an empty `spec_pages` fragments are known and nothing is made."""
    site.options["spec_pages"] = ""
    site.write("docs/index.md", '```acdl src="specs/chat.acdl"\n```\n')
    site.build()
    assert "<svg" in site.html()
    assert sorted(site.pages()) == ["index.html"]


def test_folder_of_pages(site: Site) -> None:
    """The folder can be any, also a deep one."""
    site.options["spec_pages"] = "library/all/"
    site.build()
    assert {"library/all/index.html", "library/all/Chat/index.html"} <= site.pages().keys()
    assert broken_links(site) == []


@pytest.mark.parametrize(
    "specs", [["specs", "specs/deep"], ["specs/*.acdl", "specs/**/*.acdl"], ["specs/chat.acdl", "specs"]]
)
def test_files_are_taken_once(specs: list[str], site: Site) -> None:
    """Folders and patterns may overlap."""
    site.options["specs"] = specs
    site.build()
    shown = json.loads(site.html("specs.json"))["specs"]
    assert len([path for path in site.pages() if path.startswith("specs/")]) == 3, shown


@pytest.mark.parametrize("name", ["nowhere", "../outside", "docs", "none*.acdl", "/"])
def test_folder_without_specs(name: str, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A name that leads to no file of the project is a warning."""
    site.options["specs"] = [name]
    site.write("../outside/a.acdl", CHAT)
    site.build(strict=False)
    assert lines_of(caplog) == [f"the option `specs` of `acdl` names `{name}`, which has no `.acdl` file"]


def test_unreadable_file(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A file that is not text is an error with its name; the others have their pages."""
    (site.root / "specs/bad.acdl").write_bytes(b"\0\1\2")
    with pytest.raises(Abort):
        site.build()
    assert lines_of(caplog) == ["specs/bad.acdl: is a binary file, not text"]
    site.build(strict=False)
    assert "specs/Chat/index.html" in site.pages()


def test_damaged_and_empty_files(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A file that is not understood has a page for what is, and its problems told; an empty one has none."""
    site.write("specs/damaged.acdl", "Good[@T]: { U: env.q[@T] }\n\nBad[@T]: {\n  U: env.q[@T\n}\n")
    site.write("specs/empty.acdl", "")
    site.build(strict=False)
    assert "specs/Good/index.html" in site.pages()
    assert any(line.startswith("specs/damaged.acdl:4:") for line in lines_of(caplog))


def test_edit_link(site: Site) -> None:
    """The page of a spec is edited where the spec is; without a known folder it has no such link."""
    site.config |= {"repo_url": "https://example.org/o/r", "edit_uri": "edit/main/docs/"}
    site.build()
    assert "<edit>https://example.org/o/r/edit/main/specs/chat.acdl</edit>" in site.html("specs/Chat/index.html")
    assert "<edit>https://example.org/o/r/edit/main/docs/index.md</edit>" in site.html()
    site.config["edit_uri"] = "edit/main/elsewhere/"
    site.build()
    assert "<edit>" not in site.html("specs/Chat/index.html")


def test_source_link(site: Site) -> None:
    """With `source_url`, a page leads to the line of its spec."""
    site.options["source_url"] = "https://example.org/blob/main"
    site.build()
    assert 'href="https://example.org/blob/main/specs/chat.acdl#L3"' in site.html("specs/Chat/index.html")


@pytest.mark.parametrize(
    ("nav", "expected"),
    [
        (None, ["Home", "Specs", "A chat", "Greeting"]),
        ([{"Start": "index.md"}, {"Mine": "specs/index.md"}], ["Start", "Specs", "A chat", "Greeting"]),
        (["index.md", "specs/index.md"], ["Home", "Specs", "A chat", "Greeting"]),
        ([{"All": ["specs/index.md", "index.md"]}], ["Specs", "A chat", "Greeting", "Home"]),
        ([{"Start": "index.md"}], ["Start"]),
        ([{"S": [{"Mine": "specs/Greeting.md"}]}, "specs/index.md"], ["Mine", "Specs", "A chat"]),
    ],
)
def test_navigation(nav: list[object] | None, expected: list[str], site: Site) -> None:
    """Pages stand behind the gallery, wherever the navigation has that; without navigation, in the order of files."""
    if nav is not None:
        site.config["nav"] = nav
    site.build()
    assert re.findall(r"\[([^\]]*)\]\(", site.html()) == expected


def test_navigation_is_extended_once() -> None:
    """What is already in the navigation is not added again."""
    pages = [("", {"specs/A.md": "A", "specs/B.md": "B"}), ("File", {"specs/C.md": "C"})]
    once = extend_navigation([{"Specs": "specs/index.md"}], ["specs/index.md"], pages)
    assert once == [
        {"Specs": ["specs/index.md", {"A": "specs/A.md"}, {"B": "specs/B.md"}, {"File": [{"C": "specs/C.md"}]}]}
    ]
    assert extend_navigation(once, ["specs/index.md"], pages) == once
    assert extend_navigation(None, ["specs/index.md"], pages) is None


def test_several_sites_in_one_process(tmp_path: Path) -> None:
    """Sites do not know each other's specs, and the same site builds to the same pages again."""
    sites = [Site(tmp_path / name) for name in ("one", "two")]
    for number, each in enumerate(sites):
        each.write("specs/a.acdl", f"Only{number}[@T]: {{ U: env.q[@T] }}\nBoth[@T]: {{ U: env.q_{number}[@T] }}\n")
        each.build()
    first = sites[0].pages()
    assert "specs/Only1/index.html" not in first
    assert "env.q_1" in sites[1].html("specs/Both/index.html")
    sites[0].build()
    assert sites[0].pages() == first


def test_preview_watches_and_rebuilds(site: Site) -> None:
    """Under `serve` pages and specs are watched, once each, and an edit reaches pages, the gallery and the links."""
    site.write("docs/index.md", "[[acdl:Chat]]\n")
    config = site.build()
    plugin = config.plugins["acdl"]
    assert isinstance(plugin, AcdlPlugin)
    watched: list[str] = []
    server = LiveReloadServer(lambda: None, "127.0.0.1", 0, str(site.root))
    server.watch = lambda path, *_: watched.append(Path(path).name)  # type: ignore[method-assign]
    plugin.on_serve(server, config=config, builder=build)
    assert watched == ["docs", "specs"]
    site.write("specs/chat.acdl", CHAT.replace("A chat", "Another").replace("env.q", "env.changed"))
    site.build()
    assert "env.changed" in site.html("specs/Chat/index.html")
    assert "Another" in site.html("specs/index.html")
    (site.root / "specs/chat.acdl").unlink()
    site.build(strict=False)
    assert "acdl-broken-reference" in site.html()


def test_dirty_build(site: Site) -> None:
    """A build of changed pages only has all links right."""
    site.build()
    site.write("docs/new.md", "[[acdl:Chat]]\n")
    config = load_config(str(site.root / "mkdocs.yml"))
    config.plugins.on_startup(command="build", dirty=True)
    build(config, dirty=True)
    assert 'href="../specs/Chat/"' in site.html("new/index.html")
    assert "<svg" in site.html("specs/Chat/index.html")


def test_warm_build_draws_nothing(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second build takes figures and files from the cache, and writes the same bytes."""
    site.options["downloads"] = ["acdl", "svg", "json"]
    site.build()
    out = site.root / "out"
    first = {path: path.read_bytes() for path in out.rglob("*") if path.is_file() and "sitemap" not in path.name}
    monkeypatch.setattr(block, "_draw_safely", lambda *_: pytest.fail("drawn again"))
    monkeypatch.setattr(downloads.SiteDownloads, "_make_files", lambda *_: pytest.fail("made again"))
    parts.specs_in.cache_clear()
    monkeypatch.setattr(specs, "specs_of", lambda *_: pytest.fail("read again"))
    site.build()
    assert {path: path.read_bytes() for path in first} == first


def test_same_bytes_whatever_the_hash_seed(site: Site) -> None:
    """Two processes with different hash seeds build the same site."""
    site.write("specs/more.acdl", "// tags: b, a\n" + CHAT.replace("Chat", "Other") + GREETING)
    site.write("docs/index.md", "[[acdl:Chat]]\n\n```acdl-gallery kinds=all\n```\n")
    site.build(strict=False)
    built = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "ACDL_NO_CACHE": "1", "SOURCE_DATE_EPOCH": "0"}
        command = [sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(site.root / seed)]
        subprocess.run(command, cwd=site.root, env=environment, check=True, capture_output=True)
        files = sorted(path for path in (site.root / seed).rglob("*") if path.is_file() and path.suffix != ".gz")
        built.append({path.relative_to(site.root / seed): path.read_bytes() for path in files})
    assert built[0] == built[1]


def test_site_below_a_path(site: Site) -> None:
    """A site in a folder of a host, as `mike` publishes versions, has links that stay in it, and right permalinks."""
    site.config["site_url"] = "https://example.org/project/1.0/"
    site.write("docs/index.md", "[[acdl:Chat]]\n")
    site.build()
    assert 'href="specs/Chat/"' in site.html()
    assert 'href="https://example.org/project/1.0/specs/Chat/"' in site.html("specs/Chat/index.html")
    assert not [link for _, link in broken_links(site) if not link.startswith("https://example.org/")]


def test_spec_files_have_their_problems_reported(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A problem of a file is told with its own place, though only a made page shows it."""
    site.write("specs/chat.acdl", CHAT.replace("U: env", "U: { S: { A } }\n    U: env"))
    with pytest.raises(Abort):
        site.build()
    assert any(line.startswith("specs/chat.acdl:6:10: error[nested-role]") for line in lines_of(caplog))


def material(site: Site, *plugins: object) -> None:
    """Give the site the usual theme and other plugins."""
    site.config["theme"] = {"name": "material", "font": False}
    site.plugins = ["search", *plugins]


def entries(site: Site) -> list[dict[str, str]]:
    """The search index."""
    found: list[dict[str, str]] = json.loads(site.html("search/search_index.json"))["docs"]
    return found


def test_search(site: Site) -> None:
    """A word of a figure is found once on each page that shows it, and not in a gallery."""
    material(site)
    site.options["downloads"] = ["acdl", "svg", "json"]
    site.write(
        "docs/index.md", '# Home\n\n```acdl src="specs/deep/greeting.acdl"\n```\n\n```acdl-gallery kinds=all\n```\n'
    )
    site.build()
    found = {
        page: sum(
            entry["text"].count("HELLO(env.name[@t])") for entry in entries(site) if entry["location"].startswith(page)
        )
        for page in ("specs/Greeting/", "specs/Chat/", "specs/#")
    }
    home = [entry for entry in entries(site) if not entry["location"].startswith("specs/")]
    assert found == {"specs/Greeting/": 1, "specs/Chat/": 0, "specs/#": 0}
    assert sum(entry["text"].count("HELLO(env.name[@t])") for entry in home) == 1
    assert "<svg" not in site.html("search/search_index.json")


def words_of(entry: dict[str, str]) -> str:
    """The text of an entry of the index; Material keeps some HTML in it."""
    return re.sub(r"<[^>]*>", " ", entry["text"])


def found_by(site: Site, query: str) -> list[str]:
    """The addresses of what a search engine finds: words are cut at blanks and hyphens, and trimmed, as Lunr does."""
    return [
        entry["location"]
        for entry in entries(site)
        if query.lower()
        in {
            re.sub(r"^\W+|\W+$", "", word).lower()
            for word in re.split(r"[\s-]+", f"{entry['title']} {words_of(entry)}")
        }
    ]


@pytest.mark.parametrize("is_material", [True, False])
def test_search_finds_a_spec_once(site: Site, is_material: bool) -> None:
    """A part of a dotted or indexed name finds the one spec that has it, once, and so does the whole name."""
    site.config["theme"] = {"name": "material", "font": False} if is_material else {"name": "mkdocs"}
    site.plugins = ["search"]
    site.options["downloads"] = ["acdl", "svg", "json"]
    site.write("specs/tools.acdl", "Tools[@T]: {\n  S: { Frag Greeting[@T] }\n  T: sys.tool_result[@T-1]\n}\n")
    site.build()
    for query in ("tool_result", "sys.tool_result[@T", "sys"):
        assert found_by(site, query) == ["specs/Tools/"], query
    assert found_by(site, "tools") == ["specs/Tools/"]
    assert found_by(site, "HELLO") == ["specs/Greeting/"]
    assert not found_by(site, "download")
    page = site.html("specs/Tools/index.html")
    assert all(words in page for words in ("What it reads", "Files to download", "<h1", "<svg"))


def test_text_of_a_spec_for_models(site: Site) -> None:
    """The Markdown beside the page of a spec has its description once, its links, and nothing that is for HTML only."""
    site.options["llms"] = True
    site.write("specs/chat.acdl", f"// Answers &lt; *all*.\n{CHAT}")
    site.build()
    text = site.html("specs/Chat/index.md")
    assert text.count("Answers &amp;lt; \\*all\\*.") == 1
    assert "\n\nAnswers &amp;lt; \\*all\\*.\n\n```acdl show=both explain=on\nChat[@T]: {\n" in text
    assert "| `env.name` | via [`Greeting`](../Greeting/index.md) | `env.name[@t]` |\n" in text
    assert "- [`Chat.acdl`](Chat.acdl): " in text
    assert not re.search(r"</?\w+[ >]|&#", text)


def test_escaped_reference(site: Site) -> None:
    """With a backslash it is text, in the page and in the text for models."""
    site.options["llms"] = True
    site.write("docs/index.md", "Write \\[[acdl:Chat]] for [[acdl:Chat]].\n")
    site.build()
    assert "Write [[acdl:Chat]] for <a" in site.html()
    assert "Write \\[[acdl:Chat]] for [`Chat`](specs/Chat/index.md)." in site.html("index.md")


def test_a_fragment_that_the_site_does_not_define(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A block that uses what no page and no file defines makes a strict build fail; what a file defines is known."""
    site.write("docs/index.md", "```acdl\nS: { Frag Greeting[@T] }\n```\n")
    site.build()
    site.write("docs/index.md", "```acdl\nS: { Frag Nowhere[@T] }\n```\n")
    with pytest.raises(Abort):
        site.build()
    assert lines_of(caplog)[0].startswith("docs/index.md:2:11: warning[unknown-fragment]: no fragment named `Nowhere`")


def test_offline_and_privacy(site: Site) -> None:
    """Material's plugins for sites without a network leave everything in place, and find nothing of ours to fetch."""
    if not hasattr(import_module("material.plugins.privacy.config").PrivacyConfig, "assets_exclude"):
        pytest.skip("Material before 9.7 cannot leave addresses out")
    material(site, "offline", {"privacy": {"assets_exclude": ["unpkg.com/*"]}})
    site.write("docs/index.md", "[[acdl:Chat]]\n\n```acdl-gallery\n```\n")
    site.build()
    assert 'href="specs/Chat.html"' in site.html()
    assert "<svg" in site.html("specs/Chat.html")


def test_social_cards(site: Site) -> None:
    """Cards are made of the pages of specs too; the fonts that Material would fetch are there already."""
    pytest.importorskip("PIL")
    if not find_library("cairo"):
        pytest.skip("there is no Cairo")
    pytest.importorskip("cairosvg")
    for style in ("Regular", "Bold"):
        font = site.root / "cache" / "fonts" / "Roboto" / f"{style}.ttf"
        font.parent.mkdir(parents=True, exist_ok=True)
        font.write_bytes((ASSETS / f"JetBrainsMono-{style}.ttf").read_bytes())
    material(site, {"social": {"cache_dir": str(site.root / "cache"), "concurrency": 1}})
    site.config["site_url"] = "https://example.org/"
    site.build()
    (card,) = re.findall(
        r'property="og:image" content="https://example.org/([^"]*)"', site.html("specs/Chat/index.html")
    )
    assert (site.root / "out" / card).read_bytes().startswith(b"\x89PNG")
    assert "<svg" in site.html("specs/Chat/index.html")


def test_minify(site: Site) -> None:
    """A plugin that shortens pages leaves figures and links."""
    pytest.importorskip("mkdocs_minify_plugin")
    material(site, {"minify": {"minify_html": True}})
    site.write("docs/index.md", "[[acdl:Chat]]\n")
    site.build()
    assert re.search(r'href="?specs/Chat/', site.html())
    assert "<svg" in site.html("specs/Chat/index.html")


def test_translated_site(site: Site) -> None:
    """Pages in several languages find specs; each language has the pages of specs or leads to them."""
    pytest.importorskip("mkdocs_static_i18n")
    languages = [
        {"locale": "en", "name": "English", "build": True, "default": True},
        {"locale": "fr", "name": "Français", "build": True},
    ]
    site.plugins = [{"i18n": {"docs_structure": "suffix", "languages": languages}}]
    site.write("docs/index.md", "[[acdl:Chat]]\n")
    site.write("docs/index.fr.md", "Voici [[acdl:Chat]]\n")
    site.build()
    for path in ("index.html", "fr/index.html"):
        (address,) = re.findall(r'class="acdl-reference" href="([^"]*)"', site.html(path))
        target = urljoin(f"http://site/{path}", address).removeprefix("http://site/")
        assert "<svg" in site.html(f"{target}index.html")


def test_versions(site: Site) -> None:
    """Each version that mike publishes has its own specs, at its own address, and old ones stay as they were."""
    pytest.importorskip("mike")
    person = {f"GIT_{role}_{part}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    environment = {**os.environ, **person, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

    def run(*words: str) -> str:
        ran = subprocess.run(words, cwd=site.root, env=environment, capture_output=True, text=True, encoding="utf-8")
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    site.plugins = ["mike"]
    site.config["site_url"] = "https://example.org/"
    site.build()
    run("git", "init", "--quiet", "--initial-branch", "main")
    run("git", "add", "docs", "specs", "theme", "mkdocs.yml")
    run("git", "commit", "--quiet", "--message", "first")
    run("mike", "deploy", "1.0")
    site.write("specs/deep/greeting.acdl", GREETING.replace("HELLO", "WELCOME"))
    run("mike", "deploy", "2.0")
    for version, template in (("1.0", "HELLO"), ("2.0", "WELCOME")):
        assert template in run("git", "show", f"gh-pages:{version}/specs/Greeting/index.html")
        addresses = [each["url"] for each in json.loads(run("git", "show", f"gh-pages:{version}/specs.json"))["specs"]]
        assert addresses
        assert all(each.startswith(f"https://example.org/{version}/specs/") for each in addresses)


def test_many_places_of_a_name(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A name that is everywhere is told in a line that can be read."""
    for number in range(9):
        site.write(f"specs/more-{number}.acdl", CHAT)
    caplog.set_level(logging.INFO, "mkdocs.plugins.acdl")
    site.build(strict=False)
    (line,) = (each.message for each in caplog.records if "[duplicate-definition]" in each.message)
    assert line.count(".acdl:") == 6
    assert line.endswith("and 4 more places; give each a name of its own")
