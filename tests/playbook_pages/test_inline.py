"""Texts of bullets as HTML: a little Markdown, and nothing that acts."""

import re

import pytest

from acdl_mkdocs.playbook.pages.html_text import (
    is_safe_link,
    render_content,
    render_inline,
    render_text_changes,
    strip_markup,
)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("plain words", "plain words"),
        ("use `a < b` here", "use <code>a &lt; b</code> here"),
        ("two ``a ` b`` ticks", "two <code>a ` b</code> ticks"),
        ("**never** do *this* or _that_", "<strong>never</strong> do <em>this</em> or <em>that</em>"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        (r"\*not\* markup", "*not* markup"),
        ("[guide](https://e.org/a?b=1&c=2)", '<a href="https://e.org/a?b=1&amp;c=2">guide</a>'),
        ("[here](../a.md#b)", '<a href="../a.md#b">here</a>'),
        ("[me](mailto:a@b.org)", '<a href="mailto:a@b.org">me</a>'),
        ("see https://e.org/x_(y), and so", 'see <a href="https://e.org/x_(y)">https://e.org/x_(y)</a>, and so'),
        ("(https://e.org)", '(<a href="https://e.org">https://e.org</a>)'),
        ("**[a](https://b.c)**", '<strong><a href="https://b.c">a</a></strong>'),
        ("[a https://x.y](https://b.c)", '<a href="https://b.c">a https://x.y</a>'),
        ("a\nb", "a b"),
        ("{{ secret }} {% x %}", "&#123;&#123; secret &#125;&#125; &#123;% x %&#125;"),
    ],
)
def test_inline(content: str, expected: str) -> None:
    """Code, emphasis, links and addresses are markup; everything else is itself."""
    assert render_inline(content) == expected
    assert render_content(content) == f"<p>{expected}</p>"


@pytest.mark.parametrize(
    "content",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](java&#115;cript:alert(1))",
        "[x](\x01javascript:alert(1))",
        "[x](data:text/html,a)",
        "[x](//evil.example/a)",
        "[x](\\\\evil.example)",
        "[x](vbscript:a)",
        '[x](https://e.org/"onmouseover="alert(1))',
        "`</code><script>`",
        "**<b onclick=a>**",
        "```\n</code></pre><script>x</script>\n```",
        "<javascript:a@b.c>",
    ],
)
def test_hostile(content: str) -> None:
    """No tag of an author, no attribute of an author, no address that runs something."""
    html = render_content(content)
    tags = re.findall(r"<[^>]*>", html)
    allowed = r'</?(p|pre|code|em|strong|a)>|<pre tabindex="0">|<a href="(https?:|mailto:)[^"<> ]*">'
    assert [tag for tag in tags if not re.fullmatch(allowed, tag)] == []
    assert "<" not in re.sub(r"<[^>]*>", "", html)


def test_hidden_characters() -> None:
    """What turns the direction of a line, or cannot be seen, is shown by its number."""
    assert render_inline("a\u202eb") == "a&lt;U+202E&gt;b"


def test_fenced_block() -> None:
    """A fenced block keeps its lines, without a line that Markdown could take for its own."""
    html = render_content("```python\nfor a in b:\n\n    # heading\n```")
    assert html == '<pre tabindex="0"><code>for a in b:&#10;&#10;    # heading</code></pre>'
    assert strip_markup("```\na\n  b\n```") == "a b"


@pytest.mark.parametrize("href", ["a", "a/b:c", "#x", "?a=b:c", "https://a", "http://a", "mailto:a@b", "/a"])
def test_safe(href: str) -> None:
    """The web, mail and the same site can be linked to."""
    assert is_safe_link(href)


@pytest.mark.parametrize("href", ["//a", "\\a", "/\\a", "javascript:a", "a:b", "&#106;avascript:a", ":a", "1:2"])
def test_unsafe(href: str) -> None:
    """Nothing else can."""
    assert not is_safe_link(href)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("retry after 5 s", "retry after 50 s", "retry after <del>5</del> <ins>50</ins> s"),
        ("a b", "a b", "a b"),
        ("", "new", "<ins>new</ins>"),
        (
            "say `a b` now",
            "say `a c` now",
            "say <code>a </code><del><code>b</code></del> <ins><code>c</code></ins> now",
        ),
        ("a `b` c", "a `b` d", "a <code>b</code> <del>c</del> <ins>d</ins>"),
        ("one ` a", "one ` b", "one ` <del>a</del> <ins>b</ins>"),
        ("<b> x", "<i> x", "&lt;<del>b</del> <ins>i</ins>&gt; x"),
    ],
)
def test_word_diff(before: str, after: str, expected: str) -> None:
    """What went and what came, word by word and escaped."""
    assert render_text_changes(before, after) == expected


def test_word_diff_of_long_texts() -> None:
    """Long parts that stay are cut; texts without anything in common are shown one after the other."""
    same = " ".join(f"word{number}" for number in range(60))
    assert (
        render_text_changes(f"{same} old", f"{same} new")
        == "… word56 word57 word58 word59 <del>old</del> <ins>new</ins>"
    )
    assert render_text_changes("a" * 3000, "b" * 3000).startswith("<del>aaa")
