"""What other programs write in the reference text format, and what is said of lines that mean nothing."""

from functools import partial

import pytest
from steps import n_steps

from acdl_mkdocs.playbook.exchange.reference_text import read, write
from acdl_mkdocs.playbook.model.bullets import Bullet

ACE = """\
## STRATEGIES & INSIGHTS
[shr-00001] helpful=5 harmful=0 :: Paginate list endpoints until an empty page comes back.

## FORMULAS & CALCULATIONS
[calc-00002] helpful=1 harmful=3 :: ROI = (gain - cost) / cost
"""


def only(text: str) -> Bullet:
    """The one bullet of a text without problems."""
    found = read(text)
    assert [each for each in found.problems if not each.is_note] == []
    assert found.playbook is not None
    (bullet,) = found.playbook.bullets
    return bullet


def test_canonical_text_comes_back() -> None:
    """Ids, headings in capitals and counters stay as they are."""
    found = read(ACE)
    assert found.problems == ()
    assert found.playbook is not None
    assert write(found.playbook) == ACE
    assert [section.id for section in found.playbook.sections] == ["strategies_insights", "formulas_calculations"]


@pytest.mark.parametrize(
    "line",
    [
        "[a-1] helpful=2 harmful=1 :: Read it.",
        "[a-1] helpful=2 harmful=1 neutral=0 :: Read it.",
        "[a-1] harmful=1, helpful=2 :: Read it.",
        "[a-1] Helpful: 2; Harmful: 1 :: Read it.",
        "- [a-1] helpful=2 harmful=1 :: Read it.",
        "* [a-1] helpful=2 harmful=1:: Read it.",
        "   [a-1] helpful=2   harmful=1   ::   Read   it.  ",
        "[a-1] helpful=2 harmful=1 ::\n    Read it.",
        "[a-1] helpful=2 harmful=1 :: Read\nit.",
        "[a-1] helpful=2 harmful=1 :: Read\r\n  it.",
    ],
)
def test_dialects(line: str) -> None:
    """Marks, blanks, order and signs of counters, and texts of several lines do not matter."""
    bullet = only(f"## A\n{line}\n")
    assert (bullet.id, bullet.helpful, bullet.harmful, bullet.content) == ("a-1", 2, 1, "Read it.")


def test_bullets_without_counters_or_ids() -> None:
    """An id alone is enough; a list item without one gets an id; what stands under no heading is general."""
    bullet = only("[a-1] Read it.")
    assert (bullet.id, bullet.section, bullet.helpful, bullet.content) == ("a-1", "general", 0, "Read it.")
    assert only("- Read it.").id.startswith("gen-")
    assert only("- [x] Read it.").content == "[x] Read it."


def test_further_counters() -> None:
    """`neutral` and `seen` are read where they are told."""
    bullet = only("[a-1] helpful=1 harmful=2 neutral=3 seen=4 :: Read it.")
    assert (bullet.neutral, bullet.seen) == (3, 4)


def test_ids_that_cannot_stay() -> None:
    """One that is there twice, or is not an id, gets another; nothing is lost, and the line is named."""
    found = read(
        "[a-1] helpful=1 harmful=0 :: One.\n[a-1] helpful=2 harmful=0 :: Two.\n[7 x] helpful=3 harmful=0 :: Three.\n"
    )
    assert found.playbook is not None
    assert sorted(each.content for each in found.playbook.bullets) == ["One.", "Three.", "Two."]
    assert [(each.line, each.is_note) for each in found.problems] == [(2, True), (3, True)]


def test_code_blocks_with_lines_like_headings() -> None:
    """Until the block is closed nothing in it is a heading or a bullet, indented or not."""
    for indent in ("", "    "):
        block = "\n".join(f"{indent}{line}" for line in ("# comment", "## more", "", "- item", "```"))
        bullet = only(f"[a-1] helpful=1 harmful=0 :: ```sh\n{block}\n")
        assert bullet.content == "```sh\n# comment\n## more\n\n- item\n```"


def test_lines_of_a_list_belong_to_their_bullet() -> None:
    """Items without ids behind a bullet with one are its text."""
    bullet = only("[a-1] helpful=1 harmful=0 :: Do this:\n- read\n- write\n")
    assert bullet.content == "```text\nDo this:\n- read\n- write\n```"


NOTES = """\
---
title: Rules
---
# My rules
<!-- no
- lesson -->
## Tools

- Page through lists.
  - first
<!-- nor this -->
1. One.
2) Two.

```sh
## no heading
<!-- code -->
- make
```

| a | b |
|---|---|

    indented
      more

***

Prose that nobody
marked as a lesson.

- ```sh
  <!-- stays -->
  ```
"""


def test_notes_in_markdown() -> None:
    """Items, code, tables and indented blocks are lessons; front matter and comments are none; a paragraph is named."""
    found = read(NOTES)
    assert found.playbook is not None
    assert [each.title for each in found.playbook.sections] == ["Tools"]
    assert {each.content for each in found.playbook.bullets} == {
        "```text\nPage through lists.\n  - first\n```",
        "One.",
        "Two.",
        "```sh\n## no heading\n<!-- code -->\n- make\n```",
        "```text\n| a | b |\n|---|---|\n```",
        "```text\n    indented\n      more\n```",
        "```sh\n<!-- stays -->\n```",
    }
    assert [(each.line, each.message) for each in found.problems if not each.is_note] == [
        (29, "is not a bullet and does not belong to one")
    ]
    left_out = [each.message for each in found.problems if "left out" in each.message]
    assert left_out == ["the front matter is left out", "the comment is left out", "the comment is left out"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("## A\n\nprose\n", 3, "is not a bullet and does not belong to one"),
        ("[a-1] helpful=1 harmful=0 :: One.\n\nprose\n", 3, "is not a bullet"),
        ("[a-1] helpful=1 harmful=0 ::\n", 1, "left out: the content is empty"),
        ("\n[a-1] helpful=99999999999999999999 harmful=0 :: x\n", 2, "left out: `helpful` has more than 15 digits"),
        ("[a-1] helpful=1 harmful=0 :: ```\nnever closed\n", 1, "left out: the content opens a fenced block"),
        ("[a-1] helpful=1 harmful=0 :: bell \x07\n", 1, "left out: the content has the character U+0007"),
    ],
)
def test_problems_have_lines(text: str, line: int, message: str) -> None:
    """What cannot be taken is said, with its line, and does not hold up the rest."""
    found = read(f"{text}[z-9] helpful=1 harmful=0 :: Last.\n" if "never" not in text else text)
    (problem,) = found.problems
    assert (problem.line, problem.is_note) == (line, False)
    assert problem.message.startswith(message)
    if "never" not in text:
        assert found.playbook is not None
        assert "z-9" in found.playbook.by_id


def test_a_name() -> None:
    """A heading of the first level is the name of the playbook."""
    found = read("# My lessons\n\n## A\n[a-1] One.\n").playbook
    assert found is not None
    assert found.name == "My lessons"


def test_long_blocks_take_linear_time() -> None:
    """Whether a block is open is not asked of all its lines again for each line."""
    few, many = (n_steps(partial(read, f"- ```\n{'x' * 9}\n" + "x\n" * size)) for size in (100, 400))
    assert many < 5 * few
