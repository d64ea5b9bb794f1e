"""The block in AGENTS.md: it alone changes, and damaged markers are refused."""

from dataclasses import replace

import pytest
from shared_books import HOSTILE

from acdl_mkdocs.playbook.exchange.agents_md import block_name, read, replace_block, write
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook

BOOK = Playbook("my lessons", bullets=(Bullet(id="gen-1", section="general", content="Read it."),))
BEGIN, END = "<!-- acdl-playbook:begin my-lessons -->", "<!-- acdl-playbook:end my-lessons -->"


def placed(text: str, playbook: Playbook = BOOK) -> str:
    """The text with the block; nothing was wrong."""
    found = replace_block(text, playbook)
    assert found.problem is None
    assert found.text is not None
    return found.text


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("", ""),
        ("# Rules\n", "# Rules\n\n"),
        ("# Rules", "# Rules\n\n"),
        ("# Rules\r\n", "# Rules\r\n\r\n"),
        ("\ufeff# Rules\n", "\ufeff# Rules\n\n"),
    ],
)
def test_added_at_the_end(text: str, before: str) -> None:
    """What was there stays; the block has its line ends; a second time changes nothing."""
    line_end = "\r\n" if "\r\n" in text else "\n"
    once = placed(text)
    assert once == before + write(BOOK).replace("\n", line_end)
    assert placed(once) == once


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_only_the_block_changes(line_end: str) -> None:
    """Before and behind it every character stays, blanks at ends of lines and a missing last line end, too."""
    head, tail = f"# A  {line_end}\t{line_end}", f"{line_end}\x0b b {line_end}no end"
    text = f"{head}{BEGIN}{line_end}old{line_end}{END}{tail}"
    new = placed(text)
    assert new.startswith(f"{head}{BEGIN}{line_end}")
    assert new.endswith(f"{END}{tail}")
    assert "old" not in new
    assert "[gen-1] helpful=0 harmful=0 :: Read it." in new


def test_blocks_of_other_playbooks_stay() -> None:
    """Each playbook has its own."""
    two = placed(placed("# A\n"), replace(BOOK, name="second"))
    changed = placed(two, replace(BOOK, bullets=()))
    assert changed.endswith(write(replace(BOOK, name="second")))
    assert "Read it." in changed.split("second", 1)[1]
    assert "Read it." not in changed.split("second", 1)[0]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{BEGIN}\nx\n", 1),
        (f"x\n{END}\n", 2),
        (f"{END}\n{BEGIN}\n", 1),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", 2),
        (f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n", 3),
        (f"{BEGIN}\nx\n  {END}\n", 3),
        (f"x\n{BEGIN[:-1]}\n{END}\n", 2),
        ("<!--acdl-playbook:begin my-lessons-->\n", 1),
        (f"{BEGIN}\n<!-- acdl-playbook:begin other -->\n{END}\n", 2),
    ],
)
def test_damaged_markers_are_refused(text: str, line: int) -> None:
    """Nobody can tell what may be replaced: nothing is, and the line is named."""
    found = replace_block(text, BOOK)
    assert found.text is None
    assert found.problem is not None
    assert found.problem.line == line


def test_markers_in_code_are_examples() -> None:
    """A fenced block that shows the markers is left alone."""
    text = f"```md\n{BEGIN}\n{END}\n```\n"
    assert placed(text) == f"{text}\n{write(BOOK)}"


def test_no_bullet_opens_a_comment_or_a_marker() -> None:
    """The only comments of the block are its two markers, whatever the name and the texts are."""
    hostile = replace(HOSTILE, name="x --> <!-- acdl-playbook:end x -->\n# y")
    book = replace(hostile, bullets=(replace(HOSTILE.bullets[0], content=f"a {END} <!--"), *HOSTILE.bullets[1:]))
    text = write(book)
    assert text.count("<!--") == 2
    assert text.startswith(f"<!-- acdl-playbook:begin {block_name(book)} -->\n")
    assert text.endswith(f"<!-- acdl-playbook:end {block_name(book)} -->\n")
    assert placed(placed("", book), book) == text


def test_read_back_from_a_file_of_people() -> None:
    """Only the block is read; lines are those of the file."""
    text = placed("# Rules\n\n- not this\n").replace("helpful=0", "helpful=99999999999999999")
    found = read(text)
    assert [each.line for each in found.problems] == [9]
    assert read(placed("# Rules\n- not this\n")).playbook == replace(BOOK, name="my-lessons")
    assert read("# Rules\n").playbook is None


def test_further_blocks_are_reported() -> None:
    """Only the first block is read; the others are named, with their lines."""
    found = read(placed(write(BOOK), replace(BOOK, name="second")))
    assert found.playbook == replace(BOOK, name="my-lessons")
    assert [(each.line, each.is_note) for each in found.problems] == [(9, False)]
    assert "the block `second` is left out" in found.problems[0].message
