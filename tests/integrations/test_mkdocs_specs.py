"""Specs of a MkDocs site beside their pages: navigation, names of files, data, and what the log says of them."""

import json
import logging
import re

import pytest
from mkdocs.exceptions import Abort

from integrations.mkdocs_site import CHAT, GREETING, Site, lines_of
from integrations.test_mkdocs_library import broken_links


def test_files_are_sections_of_the_navigation(site: Site) -> None:
    """A file with several specs is a section: variants behind their original, fragments last."""
    text = (
        "// title: All agents\n\nStrFrag F[@t]: { X }\n\nOne[@T]: { U: { Frag F[@T] } }\n\nTwo[@T]: { U: X }\n\n"
        "// title: One, corrected\n// variant-of: One\nOneCorrected[@T]: { U: X }\n"
    )
    site.write("specs/several.acdl", text)
    site.write("specs/untitled.acdl", "A[@T]: { U: X }\nB[@T]: { U: X }\n")
    site.config["nav"] = [{"Specs": "specs/index.md"}]
    nav = site.build().nav
    own = [{"One": "specs/One.md"}, {"One, corrected": "specs/OneCorrected.md"}]
    assert nav == [
        {
            "Specs": [
                "specs/index.md",
                {"A chat": "specs/Chat.md"},
                {"Greeting": "specs/Greeting.md"},
                {"All agents": [*own, {"Two": "specs/Two.md"}, {"F": "specs/F.md"}]},
                {"untitled": [{"A": "specs/A.md"}, {"B": "specs/B.md"}]},
            ]
        }
    ]


def test_references_beside_code(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Those in code and comments stay as they are, and the place of a wrong one is that in the prose."""
    literal = "<!--\n[](acdl:Caht)\n-->\n\n    [](acdl:Chat) [[acdl:Chat]] [](acdl:Caht)\n\n`[[acdl:Chat]]` "
    site.options["llms"] = True
    site.write("specs/chat.acdl", CHAT)
    site.write("specs/greeting.acdl", GREETING)
    site.write("docs/index.md", f"# T\n\n{literal}[](acdl:Caht) [[acdl:Chat]]\n")
    site.build(strict=False)
    (line,) = lines_of(caplog)
    assert line.startswith("docs/index.md:9:20: error[unknown-reference]:")
    assert f"{literal}[`Caht`](acdl:Caht) [`Chat`](specs/Chat/index.md)\n" in site.html("index.md")


def test_variant_of_nothing(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A spec that says that it is a variant of one that the site lacks fails a strict build, once."""
    site.write("specs/v.acdl", "// variant-of: Chta\nV[@T]: { U: X }\n")
    site.write("docs/index.md", '```acdl src="specs/v.acdl"\n```\n')
    with pytest.raises(Abort):
        site.build()
    message = "no spec or fragment of this site is named `Chta`; did you mean `Chat`?"
    assert lines_of(caplog) == [f"specs/v.acdl:1:16: warning[unknown-variant]: {message}"]


def test_names_of_devices(site: Site) -> None:
    """No folder and no file of the site has a name that Windows keeps for itself."""
    site.write(
        "specs/d.acdl", "".join(f"{name}[@T]: {{ U: X }}\n" for name in ("CON", "nul", "Aux", "Com1", "Console"))
    )
    site.build()
    names = {part.partition(".")[0].lower() for path in site.root.joinpath("out").rglob("*") for part in path.parts}
    assert not names & {"con", "nul", "aux", "com1"}
    assert {"specs/CON-spec/index.html", "specs/Console/index.html"} <= site.pages().keys()
    assert (site.root / "out/specs/CON-spec/CON-spec.acdl").is_file()
    assert broken_links(site) == []


def test_address_of_the_home_page_in_data(site: Site) -> None:
    """A spec that the home page shows is at the address of the site."""
    site.config["site_url"] = "https://example.org/docs/"
    site.write("docs/index.md", "```acdl\nHome[@T]: { U: X }\n```\n")
    site.build()
    found = {each["name"]: each["url"] for each in json.loads(site.html("specs.json"))["specs"]}
    assert found["Home"] == "https://example.org/docs/#Home"


def test_log_names_what_people_can_open(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Pages that were made are no places; other pages that show the same problem are named once."""
    caplog.set_level(logging.INFO)
    site.write("specs/bad.acdl", "Bad[@T]: {\n  U: { S: A }\n}\n")
    for name in "abcde":
        site.write(f"docs/{name}.md", '# Page\n\n```acdl src="specs/bad.acdl"\n```\n')
    site.build(strict=False)
    told = [each.message for each in caplog.records if each.name == "mkdocs.plugins.acdl"]
    assert len([line for line in told if "nested-role" in line]) == 1
    shown = [place for line in told for place in re.findall(r"(?:by |, )([^ ,]+?):\d+", line)]
    assert set(shown) <= {f"docs/{name}.md" for name in "abcde"}
    assert "docs/b.md" in shown
    assert any(line.startswith("the same problems of spec files are shown by docs/") for line in told)


def test_a_problem_of_a_file_is_told_once(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A mistake in a spec file is one line of the log, whatever number of blocks and pages show it."""
    site.write("specs/bad.acdl", "Bad[@T]: {\n  U: { S: A }\n}\nWorse[@T]: { U: env.q[@T] }\n")
    site.write("docs/index.md", '```acdl src="specs/bad.acdl"\n```\n\n```acdl src="specs/bad.acdl#Bad"\n```\n')
    with pytest.raises(Abort):
        site.build()
    told = [line for line in lines_of(caplog) if "error[nested-role]" in line]
    assert len(told) == 1
    assert "; to send two messages, close `U: {` first" in told[0]
    assert "(shown by specs/" not in told[0]


def test_pages_link_to_each_other_in_a_translated_site(site: Site) -> None:
    """Links between pages of specs are those that MkDocs checks, also where all pages are files."""
    pytest.importorskip("mkdocs_static_i18n")
    languages = [{"locale": "en", "name": "English", "default": True}, {"locale": "fr", "name": "Français"}]
    site.plugins = [{"i18n": {"docs_structure": "suffix", "languages": languages}}]
    site.config["use_directory_urls"] = False
    site.build()
    assert 'href="Greeting.html"' in site.html("specs/Chat.html")
    assert broken_links(site) == []
