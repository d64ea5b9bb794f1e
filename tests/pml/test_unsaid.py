"""What of a document no prompt says is found, each at its place, and nothing else is."""

import pytest

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.prompts.pml.losses import find_ignored_content


def found(text: str) -> list[tuple[str, str]]:
    """What is found, and the text that begins there."""
    return [(each.what, text[each.span.start : each.span.end]) for each in find_ignored_content(Source(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<memory/>", []),
        ('<?xml version="1.0" encoding="utf-8"?>\n<!-- é -->\n<memory/>', [("a comment", "<!-- é -->")]),
        ("<memory>漢字<!--é--></memory><!-- end -->", [("a comment", "<!--é-->"), ("a comment", "<!-- end -->")]),
        (
            "<memory/><!--a--><conversation><!--b--></conversation>",
            [("a comment", "<!--a-->"), ("a comment", "<!--b-->")],
        ),
        ("<memory><fact><![CDATA[<!-- no -->]]></fact></memory>", []),
        (
            '<memory id="m" xml:lang="en"/>',
            [("the attribute `xml:lang` of `<memory>`", "<")],
        ),
        ('<conversation id="c"><turn><user id="u"><text/></user></turn></conversation>', []),
        ("<conversation><turn> \n </turn></conversation>", [("an empty `<turn>`", "<")]),
        (
            '<tool_output mime="a"><content>x</content></tool_output>',
            [],
        ),
        ('<attachment type="a"><content mime="b">x</content></attachment>', []),
        ("<memory><!-- a --><fact></memory>", [("a comment", "<!-- a -->")]),
        ("", []),
    ],
)
def test_unsaid(text: str, expected: list[tuple[str, str]]) -> None:
    """In the order of the text; text itself is never taken for a comment."""
    assert found(text) == expected
