"""HTML of a page on another page: ids that only it has, links that lead where they led, names that stay right."""

import re

import pytest
from markdown import Markdown

from acdl_mkdocs.frontends.docs.pages.relocate import PageCopy, relocate_html

FIGURE = """```acdl
Chat[@T]: { S: { Frag Greeting[@T] } U: env.q[@T] }
```

```acdl
StrFrag Greeting[@t]: { HELLO }
```
"""


@pytest.mark.parametrize(
    ("home", "shown_at", "target", "expected"),
    [
        ("blog/post/", "blog/", "#Chat", "post/#Chat"),
        ("blog/post/", "blog/archive/2025/", "#Chat", "../../post/#Chat"),
        ("blog/post/", "blog/", "../../", "../"),
        ("blog/post/", "blog/", "../../specs/Chat/#Chat-mark-1", "../specs/Chat/#Chat-mark-1"),
        ("blog/post/", "", "#Chat", "blog/post/#Chat"),
        ("blog/post/", "blog/", "../../playground/#example=a%20b", "../playground/#example=a%20b"),
        ("blog/post.html", "blog/index.html", "#Chat", "post.html#Chat"),
        ("a%20b/", "", "#Chat", "a%20b/#Chat"),
        ("blog/post/", "blog/", "https://example.org/x#y", "https://example.org/x#y"),
        ("blog/post/", "blog/", "/from/the/host/", "/from/the/host/"),
        ("blog/post/", "blog/", "mailto:a@example.org", "mailto:a@example.org"),
    ],
)
def test_links(home: str, shown_at: str, target: str, expected: str) -> None:
    """A link of a copy leads where that of the page leads."""
    assert PageCopy(home, shown_at).relocate_part(f'<a href="{target}">x</a>') == f'<a href="{expected}">x</a>'


def test_figures() -> None:
    """All ids of a figure differ from those of the page, and what names a drawing is still in the drawing."""
    html = Markdown(extensions=["acdl"]).convert(FIGURE)
    copy = PageCopy("posts/1/", "posts/").relocate_part(html)
    ids, before = (set(re.findall(r'\sid="([^"]*)"', each)) for each in (copy, html))
    assert ids == {f"posts-1-{each}" for each in before}
    named = re.findall(r'aria-(?:labelledby|describedby)="([^"]*)"', copy)
    assert named
    assert set(named) <= ids
    assert set(re.findall(r'href="([^"]*)"', copy)) == {"1/#Chat", "1/#Greeting"}
    text = re.compile(r"<[^>]*>")
    assert text.sub("", copy) == text.sub("", html)


def test_what_only_looks_like_an_attribute() -> None:
    """Text and other attributes stay; escaped values are read and written as such."""
    html = '<p title="href=#a" data-id="a">id="a" &lt;a href="#a"&gt;</p><a id="x&amp;y" href="?a=1&amp;b=2#c">z</a>'
    moved = relocate_html(html, str.upper, lambda link: f"{link}!")
    assert moved == html.replace('id="x&amp;y"', 'id="X&amp;Y"').replace("b=2#c", "b=2#c!")
