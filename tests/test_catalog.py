"""Blocks of one page know each other: fragments, anchors, places in the page's file."""

import re
from pathlib import Path

import pytest
from markdown import markdown

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs import page as places
from acdl_mkdocs.frontends.docs.blocks.block import PageBlock, from_fence
from acdl_mkdocs.frontends.docs.markdown.extension import AcdlExtension
from acdl_mkdocs.frontends.docs.markdown.superfences import fence, validate
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.language.syntax.parse import Parsed, parse
from acdl_mkdocs.workspace import cache
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.fences import Fence, scan_fences
from acdl_mkdocs.workspace.read_block import BlockText

USE = "```acdl\nChat[@T]: { U: { Frag Greeting[@T] } }\n```\n\n"
FRAGMENT = "```{.acdl #hello}\nStrFrag Greeting[@t]: { HELLO(env.name[@t]) }\n```\n\n"
OTHER = "```{.acdl #evening}\nStrFrag Greeting[@t]: { GOOD_EVENING }\n```\n"


def drawn(text: str, page: Page) -> list[PageBlock]:
    """The blocks of a page, each knowing the others."""
    fences = list(scan_fences(text.split("\n")))
    page.expect_fences(fences)
    return [from_fence(each, page) for each in fences]


@pytest.mark.parametrize("text", [USE + FRAGMENT, FRAGMENT + USE], ids=["before", "after"])
def test_fragment_of_another_block(text: str) -> None:
    """A fragment that another block of the page defines is known, and its name links to that figure."""
    (use,) = [block for block in drawn(text, Page()) if block.id == "Chat"]
    assert use.log == ()
    assert 'xlink:href="#hello"' in use.html


def test_fragments_say_where_they_are_used() -> None:
    """The figure of a fragment lists those that use it, on its page and on others; itself and copies are no users."""
    site = Catalog()
    elsewhere = Page().read_fence(next(scan_fences(USE.replace("Chat", "Other").split("\n"))))
    site.add_text(elsewhere, "agents/#Other")
    page = Page(catalog=Catalog(site, lambda address: f"../{address}"))
    _, fragment = drawn(USE + FRAGMENT, page)
    assert 'Used in <a href="#Chat">Chat</a>, <a href="../agents/#Other">Other</a>' in fragment.html
    assert "Used in" not in drawn(FRAGMENT, Page())[0].html


def test_a_use_belongs_to_the_nearest_definition() -> None:
    """A figure whose own text or page defines the fragment does not use the one of the same name elsewhere."""
    site = Catalog()
    own_text = "```acdl\nOwn[@T]: { U: { Frag Greeting[@T] } }\nStrFrag Greeting[@t]: { HI }\n```\n"
    for address, text in {"own/#Own": own_text, "agents/#Chat": USE, "agents/#evening": OTHER}.items():
        site.add_text(Page().read_fence(next(scan_fences(text.split("\n")))), address)
    for block in drawn(own_text + FRAGMENT, Page(catalog=Catalog(site))):
        assert "Used in" not in block.html


def test_own_fragment_comes_first() -> None:
    """A block's own definition counts, and the name links to it."""
    own = "```acdl\nChat[@T]: { U: { Frag Greeting[@T] } }\nStrFrag Greeting[@t]: { HI }\n```\n\n"
    block = drawn(own + FRAGMENT, Page())[0]
    assert block.log == ()
    assert 'xlink:href="#hello"' not in block.html


def test_fragment_of_the_same_file(tmp_path: Path) -> None:
    """A figure of one spec of a file links to the pages of that file's fragments, not to those of another file."""
    (tmp_path / "a.acdl").write_text("A[@T]: { S: Frag Greeting[@T] }\nStrFrag Greeting[@t]: { HELLO }\n")
    (tmp_path / "b.acdl").write_text("StrFrag Greeting[@t]: { GOOD_EVENING }\n")
    site = Catalog()
    for name, spec in (("b", "Greeting"), ("a", "Greeting"), ("a", "A")):
        text = Page(root=tmp_path).read_fence(next(scan_fences([f"```acdl src={name}.acdl#{spec}", "```"])))
        site.add_text(text, f"{name}/{spec}/")
    page = Page(root=tmp_path, catalog=Catalog(site, lambda address: f"../{address}"))
    alone, whole = drawn("```acdl src=a.acdl#A\n```\n\n```acdl src=a.acdl id=all\n```\n", page)
    assert re.findall(r'xlink:href="([^"]*)"', alone.html) == ["#all"]
    assert "../" not in whole.html
    page = Page(root=tmp_path, catalog=Catalog(site, lambda address: f"../{address}"))
    (alone,) = drawn("```acdl src=a.acdl#A\n```\n", page)
    assert re.findall(r'xlink:href="([^"]*)"', alone.html) == ["../a/Greeting/"]


def test_same_text_twice_is_one_definition(tmp_path: Path) -> None:
    """Two figures of one file do not make its fragments ambiguous; two different definitions are."""
    (tmp_path / "a.acdl").write_text("A[@T]: { S: X }\nStrFrag Greeting[@t]: { HELLO }\n")
    twice = "```acdl src=a.acdl#A\n```\n\n```acdl src=a.acdl#Greeting\n```\n\n"
    use = drawn(twice + USE, Page(root=tmp_path))[2]
    assert use.log == ()
    assert 'xlink:href="#Greeting"' in use.html
    assert "ambiguous-fragment" in drawn(USE + FRAGMENT + OTHER, Page())[0].log[0][1]


def test_cache_knows_the_neighbours(tmp_path: Path) -> None:
    """A block is drawn anew when what it takes from another block changes, and only then."""

    def use_of(text: str) -> PageBlock:
        page = Page(name="a.md", cache=cache.open_page_cache(tmp_path, "a.md"))
        blocks = drawn(text, page)
        assert page.cache
        page.cache.save_file()
        return blocks[0]

    assert "unknown-fragment" in use_of(USE).log[0][1]
    assert use_of(USE + FRAGMENT).log == ()
    assert 'xlink:href="#evening"' in use_of(USE + OTHER).html
    assert "ambiguous-fragment" in use_of(USE + FRAGMENT + OTHER).log[0][1]
    assert "unknown-fragment" in use_of(USE + "```acdl\nStrFrag Other[@t]: { HELLO }\n```\n").log[0][1]


def test_each_text_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many blocks use a fragment, the block that defines it is parsed once for them."""
    parsed: list[Source] = []

    def counted(source: Source) -> Parsed:
        parsed.append(source)
        return parse(source)

    monkeypatch.setattr("acdl_mkdocs.language.syntax.parse.parse", counted)
    page = Page()
    for each in scan_fences((FRAGMENT + USE * 50).split("\n")):
        page.catalog.add_text(page.read_fence(each))
    text = page.read_fence(next(scan_fences(USE.split("\n"))))
    libraries = [page.catalog.build_library(page.catalog.find_sources(text)) for _ in range(50)]
    assert all(each.find_fragments("Greeting", outside=text.source) for each in libraries)
    assert len(parsed) == 1


@pytest.mark.parametrize(
    ("uses", "found"),
    [
        ({"A": "B", "B": "C", "C": "D", "D": ""}, {"A": "B", "B": "C", "C": "D", "D": ""}),
        ({"A": "B", "B": "A"}, {"A": "B", "B": "A"}),
        ({"A": "B", "B": "C", "C": "A"}, {"A": "BC", "B": "AC", "C": "AB"}),
        ({"A": "B", "B": "C", "C": "B"}, {"A": "B", "B": "C", "C": "B"}),
        ({"A": "B", "B": "AC", "C": ""}, {"A": "BC", "B": "AC", "C": ""}),
    ],
    ids=["chain", "pair", "ring", "before a ring", "behind a ring"],
)
def test_other_texts_of_a_text(uses: dict[str, str], found: dict[str, str]) -> None:
    """A text gets those that define what it uses; in a ring, what all of it uses: a fragment may use itself there."""
    texts = {
        name: BlockText(Source(f"StrFrag {name}[@t]: {{ {' '.join(f'Frag {each}[@t]' for each in used)} }}", name))
        for name, used in uses.items()
    }
    site = Catalog()
    for text in texts.values():
        site.add_text(text)
    for name, text in texts.items():
        (*_, others) = Catalog(site).find_sources(text)
        assert "".join(sorted(each.name for each in others)) == found[name]


def test_only_texts_whose_names_are_mentioned_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that is a fragment elsewhere brings in the text that defines it, and no other of the site."""
    site = Catalog()
    for number in range(50):
        site.add_text(BlockText(Source(f"StrFrag Part{number}[@t]: {{ WORDS }}", f"{number}.acdl")))
    user = BlockText(Source("P[@T]: {\n    U: { Part7[@T] env.Part8 } // Part9\n}\n"))
    page = Catalog(site)
    parsed: list[Source] = []

    def counted(source: Source) -> Parsed:
        parsed.append(source)
        return parse(source)

    monkeypatch.setattr("acdl_mkdocs.language.syntax.parse.parse", counted)
    library = page.build_library(page.find_sources(user))
    assert [each.name for each in parsed] == ["7.acdl"]
    assert library.find_fragments("Part7", outside=user.source)


@pytest.mark.parametrize("how", ["extension", "fence"])
def test_in_a_page(how: str, caplog: pytest.LogCaptureFixture) -> None:
    """The extension and the custom fence know all blocks of a page before the first is drawn."""
    if how == "extension":
        html = markdown(USE + FRAGMENT, extensions=[AcdlExtension()])
        assert 'xlink:href="#hello"' in html
    else:
        custom = [{"name": "acdl", "class": "acdl", "format": fence(), "validator": validate}]
        html = markdown(
            USE + FRAGMENT,
            extensions=["pymdownx.superfences"],
            extension_configs={"pymdownx.superfences": {"custom_fences": custom}},
        )
    assert html.count("<svg") == 2
    assert caplog.records == []


def test_anchors_do_not_depend_on_what_is_inside() -> None:
    """A figure has the name of its spec even if an earlier figure has something of that name inside."""
    inside = "```acdl\nChat[@T]: { U: { Frag Greeting[@T] } }\nStrFrag Greeting[@t]: { HI }\n```\n\n"
    blocks = drawn(inside + "```acdl\nStrFrag Greeting[@t]: { HELLO }\n```\n", Page())
    assert [block.id for block in blocks] == ["Chat", "Greeting"]
    ids = [each for block in blocks for each in re.findall(r'\sid="([^"]*)"', block.html)]
    assert len(ids) == len(set(ids))


def test_anchors_of_blocks_that_are_not_drawn() -> None:
    """A block that is shown as text takes no name from one that is drawn."""
    text = "Text:\n\n    ```acdl\n    Chat[@T]: { S: X }\n    ```\n\n```acdl\nChat[@T]: { S: X }\n```\n"
    assert '<figure class="acdl" id="Chat">' in markdown(text, extensions=["acdl"])


def test_many_blocks_are_found_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Finding the places of n blocks looks at each block of the file once, not n times."""
    n_blocks, n_looks = 300, 0
    words = places.words_of

    def counted(text: str) -> str:
        nonlocal n_looks
        n_looks += 1
        return words(text)

    monkeypatch.setattr(places, "words_of", counted)
    text = "".join(f"```acdl\nP{number % 7}[@T]: {{ U: env.q[@T] }}\n```\n\n" for number in range(n_blocks))
    page = Page(name="a.md", text=f"---\ntitle: x\n---\n{text}")
    lines = [page.locate_fence(each)[0].first for each in scan_fences(text.split("\n"))]
    assert lines == [3 + 4 * number for number in range(n_blocks)]
    assert n_looks == 4 * n_blocks


def test_block_that_is_drawn_twice() -> None:
    """A page whose text is rendered twice reports the second time as generated, and does not fail."""
    page = Page(name="a.md", text=USE)
    each = Fence(0, 3, "", "```", "acdl", "Chat[@T]: { S: X }\n", 1, is_closed=True)
    assert [page.claim_block(each)[1] for _ in range(2)] == ["Chat", "Chat-2"]


def test_prompt_of_another_block_answers() -> None:
    """A block may read what the prompt of another block of its page answers in the same turn."""
    judge = "```acdl\nJudge[@T]: { U: resp.answer[@T] }\n```\n\n"
    answer = "```acdl\nAnswer[@T]: { U: env.query[@T] }\n```\n"
    assert "resp-before-answer" in drawn(judge, Page())[0].log[0][1]
    assert [block.log for block in drawn(judge + answer, Page())] == [(), ()]
