"""A difference as a comment of a pull request: what is in it, that nothing acts, that it is never too long."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from strategies import damaged, files, soups

import acdl_mkdocs
from acdl_mkdocs.compare.formats import markdown
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.foundation.reports.comment_markdown import (
    MOST_CHARACTERS,
    MarkdownComment,
    count_characters,
    format_code,
    format_code_block,
)
from comparison.compared import difference
from comparison.test_sent_difference import STATE

OLD = "P[@T]: {\n    S: RULES\n    ForEach(t: range(1, @T)) { U: env.q[@t] }\n}\n"
NEW = "P[@T]: {\n    S: RULES\n    Mark 1 { ForEach(t: range(2, @T)) { A: env.q[@t] } } // why\n}\n"
SHOWN = """\
### `old.acdl` → `new.acdl`

🟠 **Specs:** 3 changes and 1 change of comments: the messages can differ.
<br>🔴 **With the state:** the messages differ first at `@2`, and at 2 of 3 points tested.

|  | what | where | old | new |
| --- | --- | --- | --- | --- |
| ➕ wrapped (same messages) | `Mark 1` | `P[@T]` |  | `new.acdl:3` |
| ✏️ changed | bounds: `range(1, @T)` → `range(2, @T)` | `P[@T] > Mark 1` | `old.acdl:3` | `new.acdl:3` |
| ✏️ role | role: `user` → `assistant` | `P[@T] > Mark 1 > ForEach(t: range(2, @T))` | `old.acdl:3` | `new.acdl:3` |

| at |  | messages | common prefix | changes |
| --- | --- | --- | --- | --- |
| `@1` | 🟰 same | 1 |  |  |
| `@2` | 🔴 differs | 2 → 1 | 1 of 2 | 1 removed |
| `@3` | 🔴 differs | 3 → 2 | 1 of 3 | 1 removed, 1 with a different role |

Prompt cache: the previous prompt is a prefix at 2 of 2 points.

<details>
<summary>Messages at <code>@2</code></summary>

```diff
- message 2, User  (<text>:3 @t=1)
    one?
```

</details>

<details>
<summary>Messages at <code>@3</code></summary>

```diff
~ message 3 -> 2, User -> Assistant  (<text>:3 @t=2 -> <text>:3 @t=2)
    two?
… 1 as at the points before
```

</details>

1 change of comments, which are never sent.

<details>
<summary>All of it as text</summary>

```diff
--- old.acdl
+++ new.acdl
P[@T]
+ 3:5  Mark 1 put around 1 statement
P[@T] > Mark 1
~ 3:5 -> 3:14  ForEach(t: range(2, @T))
    bounds: range(1, @T) -> range(2, @T)
P[@T] > Mark 1 > ForEach(t: range(2, @T))
~ 3:32 -> 3:41  A
    role: user -> assistant
comments
+ 3:58  // why
3 changes and 1 change of comments: the messages can differ
```

</details>
"""
HOSTILE = (
    "@everyone",
    "<img src=x onerror=alert(1)>",
    "</details><script>",
    "`code`` and ```more",
    "a | b \\| c \\\\| d",
    "[link](javascript:alert(1)) ![x](http://a.example/x.png)",
    "*bold* _under_ ~~gone~~ #12 GH-1 http://a.example",
    "<!-- comment",
    "&lt;b&gt; &amp;",
    "line\nbreak\r\n| --- |",
    "\x1b[2J \u202e right to left",
    "$x$ $`y`$",
    "",
    " ",
)
OURS = re.compile(r"</?(details|summary|code)>|<br>")


def acting(text: str) -> list[str]:
    """What a reader of Markdown takes for more than words, code, headings and tables of ours."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    found: list[str] = []
    is_code = False
    for token in parser.parse(text):
        for each in (token, *(token.children or ())):
            is_html = each.type in ("html_inline", "html_block")
            outside = re.sub(r"<code>[^<]*</code>", "", each.content)
            if is_html and OURS.sub("", re.sub(r"(?s)<summary>[^<]*", "<summary>", outside)).strip():
                found.append(each.content)
            if is_html and re.search(r"@\w|#\d|://|www\.", outside):  # hosts look for these in HTML too
                found.append(each.content)
            if each.type in ("link_open", "image", "s_open", "em_open"):
                found.append(each.type)
            is_code = each.content == "<code>" or (is_code and each.content != "</code>")
            if each.type == "text" and not is_code and re.search(r"(?<![\w&;])@[a-z0-9]", each.content):
                found.append(each.content)
    return found


def test_comment() -> None:
    """The verdict first, then tables, then what is folded."""
    sent = acdl_mkdocs.diff_sent(OLD, NEW, STATE, tokens="none")
    assert markdown.write(difference(OLD, NEW), CompareOptions(sent=sent)) == SHOWN


def test_nothing_to_say() -> None:
    """No table is empty."""
    assert markdown.write(difference(OLD, OLD)) == "### `old.acdl` → `new.acdl`\n\n🟰 **Specs:** no difference.\n"


@pytest.mark.parametrize("words", HOSTILE)
def test_words_of_authors_do_not_act(words: str) -> None:
    """They are code in one cell of a row, and fences end where they should."""
    comment = MarkdownComment()
    comment.add_table(("one", "two"), [(format_code(words), "x")])
    comment.add_details(f"All of {words}", [*words.split("\n"), "end"])
    text = comment.format_text("")
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert acting(text) == []
    assert rendered.count("<td>") == 2
    assert rendered.count("<pre>") == 1
    assert rendered.rstrip().endswith("</details>")


@given(words=st.text(max_size=40))
def test_no_words_act(words: str) -> None:
    """Whatever they are."""
    assert acting(f"| a | b |\n| --- | --- |\n| {format_code(words)} | x |") == []
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(f"| a |\n| --- |\n| {format_code(words)} |")
    assert html.count("<td>") == 1
    assert MarkdownIt().render(format_code_block(words.split("\n"))).count("<pre>") == 1


def test_hostile_specs() -> None:
    """Neither what is compared nor what is sent can act."""
    old = 'P[@T]: { U: "@all </details> `x`" S: sys.a }'
    new = 'P[@T]: { U: "| <script> ![x](y) ```" S: sys.a // @all </details>\n }'
    state = {"acdl_state": 1, "sys": {"a": "x"}}
    other = {"acdl_state": 1, "sys": {"a": "```\n</details>\n@all | <b>"}}
    sent = acdl_mkdocs.diff_sent(old, new, state, new_state=other, tokens="none")
    assert acting(markdown.write(difference(old, new), CompareOptions(sent=sent))) == []


@given(one=st.one_of(files, soups, damaged()), other=st.one_of(files, soups, damaged()))
def test_any_difference_keeps_within_the_limit(one: str, other: str) -> None:
    """A limit that is much too small for most is kept too, and what is missing is told."""
    compared = difference(one, other)
    whole, short = (markdown.write(compared, CompareOptions(limit=limit)) for limit in (MOST_CHARACTERS, 1_200))
    assert (count_characters(whole) <= MOST_CHARACTERS, count_characters(short) <= 1_200) == (True, True)
    assert acting(short) == []
    if count_characters(whole) <= 700:
        assert short == whole


def test_long_differences_are_cut_and_say_so() -> None:
    """What has no room is counted."""
    old = "P[@T]: {\n" + "\n".join(f"U: ANSWER_{number}" for number in range(3_000)) + "\n}"
    new = "P[@T]: {\n" + "\n".join(f"S: A_LONGER_NAME_{number}\nU: ANSWER_{number}" for number in range(3_000)) + "\n}"
    text = markdown.write(difference(old, new))
    assert 50_000 < count_characters(text) <= MOST_CHARACTERS
    assert "and 2,940 more." in text
    assert re.search(r"… [\d,]+ more lines", text)
    tiny = markdown.write(difference(old, new), CompareOptions(limit=800))
    assert "had no room here. `acdl diff` shows all of it." in tiny
