"""Pages of a MkDocs site load the styles that they use."""

import re

import pytest

from acdl_mkdocs.frontends.docs.mkdocs.assets import PARTS, load_parts, read_styles

LINK = '<link rel="stylesheet" href="../assets/acdl/acdl.css">'
SCRIPT = '<script src="../assets/acdl/acdl-gallery.js"></script>'
NAME = re.compile(r"(?<!--)\bacdl-[\w-]+")
AROUND_FIGURES = {"acdl-half", "acdl-column", "acdl-stepper", "acdl-results"}
"""Classes of other parts that rules of figures name, for figures inside them and what scrolls like them."""


def parts_loaded(html: str) -> list[str]:
    """The parts of the style sheet that a page with this text loads."""
    return re.findall(r"/acdl-(\w+)\.css", load_parts(f"<head>{LINK}</head><body>{html}{SCRIPT}</body>"))


def own_names(part: str) -> set[str]:
    """The classes and attributes that no other part of the style sheet names."""
    styles = read_styles()
    own = set(NAME.findall(styles.pop(part)))
    return own - set(NAME.findall("".join(styles.values()))) | own & AROUND_FIGURES


def test_all_parts_are_known() -> None:
    """Every part of the style sheet has the words by which pages are known that use it."""
    assert list(read_styles()) == ["figure", *PARTS]


@pytest.mark.parametrize("part", PARTS)
def test_every_rule_of_a_part_needs_it(part: str) -> None:
    """No rule is for elements of other parts: a page that does without the part looks the same."""
    selectors = re.findall(r"([^{}]+)\{\}", re.sub(r"\{[^{}]*\}", "{}", read_styles()[part]))
    own, words = own_names(part), tuple(word.removeprefix('class="') for word in PARTS[part])
    for selector in selectors:
        assert any(name in own or name.startswith(words) for name in NAME.findall(selector)), selector


def test_pages_with_figures_alone() -> None:
    """A page of figures loads no other styles, and no script of galleries; one with a gallery loads both."""
    figure = '<figure class="acdl" id="Chat"><div class="acdl-figure"></div></figure>'
    gallery = '<div class="acdl-gallery"><ul class="acdl-cards"></ul></div>'
    assert parts_loaded(figure) == ["figure"]
    assert parts_loaded(figure + gallery) == ["figure", "gallery"]
    assert SCRIPT not in load_parts(f"{LINK}{figure}{SCRIPT}")
    assert SCRIPT in load_parts(f"{LINK}{gallery}{SCRIPT}")
    assert load_parts(figure) == figure
    said = f"{LINK}<script>1</script><p>Copy <code>assets/acdl/acdl-gallery.js</code>.</p><script>2</script>"
    assert load_parts(said).endswith(said.removeprefix(LINK))
    quoted = f'{LINK}{figure}<p>Copy <code>src="assets/acdl/acdl-gallery.js"</code>.</p>'
    assert load_parts(f"{quoted}{SCRIPT}") == load_parts(quoted)
