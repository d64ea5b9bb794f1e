"""What a site may show of a playbook: nothing that is not published, nothing that holds a secret."""

from dataclasses import replace

import pytest

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Provenance
from acdl_mkdocs.playbook.pages.block import PlaybookOptions, render_playbook
from acdl_mkdocs.playbook.pages.files import Addresses, machine_files
from acdl_mkdocs.playbook.pages.page import playbook_pages
from acdl_mkdocs.playbook.pages.published import Published, publish_playbook
from acdl_mkdocs.playbook.pages.sections import render_lessons
from acdl_mkdocs.playbook.pages.view import Surroundings
from acdl_mkdocs.playbook.store.history import Event
from playbook_pages.books import book, bullet, event, history, shown

SECRET = "ghp_" + "a1B2c3D4e5" * 4
WORDS = "The gadget of Mordecai squeaks"


def everything(found: Published) -> str:
    """All that a site would have."""
    parts = [page.markdown for page in playbook_pages(found)]
    parts += machine_files(found, lambda name: Addresses(home=name)).values()
    parts += render_playbook(PlaybookOptions(), found, Surroundings())
    return "\n".join([*parts, render_lessons(found, "acdl:React2", str)])


def told(*books: Playbook, more: tuple[Event, ...] = ()) -> Published:
    """A playbook with the history that leads to it."""
    return publish_playbook(books[-1], (*history(books), *more))


def hidden(**facts: object) -> Bullet:
    """A bullet that is not to be published."""
    return bullet("tu-hidden00", WORDS, publish=False, applies_to=("acdl:React2",), **facts)


def test_unpublished_is_nowhere() -> None:
    """A bullet with `publish: false` is in no page, feed or file: neither id, nor words, nor what was said of it."""
    first = book(hidden(), bullet("tu-shown000"), revision=1)
    pair = Pair("tu-hidden00", "tu-shown000", "conflict", 0.6, "opposites: squeaks / whispers")
    seen = bullet(
        "tu-shown000", reason=f"like tu-hidden00, which says: {WORDS}", superseded_by="tu-hidden00", status="superseded"
    )
    second = replace(book(hidden(helpful=2), seen, bullet("tu-other000"), pairs=(pair,)), revision=2)
    said = event(3, "UPDATE", bullet("tu-other000", "Old words."), bullet("tu-other000"), reason=f"unlike `{WORDS}`")
    guarded = event(4, "ADD", None, bullet("tu-other000"), guards=("opposites: squeaks / whispers",))
    found = told(first, second, more=(said, guarded))
    text = everything(found)
    assert "tu-other000" in text
    assert "Old words." in machine_files(found, lambda _: Addresses())["changes.json"]
    assert [each for each in ("tu-hidden00", "Mordecai", "squeaks") if each in text] == []
    assert (found.n_hidden, found.problems) == (1, ())


def test_published_later() -> None:
    """The words that a bullet had before it was published stay unsaid; it comes as added."""
    early = bullet("tu-later000", WORDS, publish=False)
    late = bullet("tu-later000", "Oil every joint.")
    found = told(book(early, revision=1), book(late, revision=2))
    text = everything(found)
    assert "Mordecai" not in text
    assert "Oil every joint." in text
    (step,) = [step for _, step in found.steps["tu-later000"]]
    assert step.before is None


def test_unpublished_later() -> None:
    """A bullet that was published once takes its whole history with it."""
    text = everything(
        told(book(bullet("tu-hidden00", WORDS), revision=1), book(hidden(), bullet("tu-else0000"), revision=2))
    )
    assert "Mordecai" not in text


def test_unpublished_and_gone() -> None:
    """So does one that is in the history only, and one that was merged into another."""
    gone = told(book(hidden(), revision=1), book(bullet("tu-shown000"), revision=2))
    assert "Mordecai" not in everything(gone)
    merged = bullet("tu-shown000", aliases=("tu-hidden00",))
    text = everything(told(book(hidden(), bullet("tu-shown000"), revision=1), book(merged, revision=2)))
    assert "Mordecai" not in text
    assert "tu-hidden00" not in text


def test_section_of_hidden_bullets() -> None:
    """A section that has nothing else to show is not shown; one without any bullet is only empty."""
    found = shown(hidden(section="tool_usage"), bullet("tu-shown000"))
    assert [section.id for section in found.playbook.sections] == ["general"]
    assert [section.id for section in shown().playbook.sections] == ["general", "tool_usage"]


@pytest.mark.parametrize(
    "facts",
    [
        {"content": f"Log in with {SECRET}."},
        {"status": "archived", "reason": f"{SECRET} is void"},
        {"source": (Provenance(reference=f"https://example.org/?t={SECRET}"),)},
        {"source": (Provenance(run=SECRET),)},
    ],
)
def test_secret(facts: dict[str, object]) -> None:
    """A bullet that holds what looks like a secret is an error, and nowhere; the message does not repeat the secret."""
    bad = replace(bullet("tu-secret00", "Log in."), **facts)  # type: ignore[arg-type]
    playbook = book(bad, bullet("tu-shown000"))
    source = Source("bullets:\n- id: tu-secret00\n  content: x\n", "playbook.yaml")
    found = publish_playbook(playbook, history([playbook]), source)
    (problem,) = found.problems
    assert (problem.rule, problem.severity) == ("secret-in-playbook", "error")
    assert source.text[problem.label.span.start : problem.label.span.end] == "tu-secret00"
    assert "GitHub token" in problem.message
    text = everything(found) + repr(problem)
    assert SECRET not in text
    assert "tu-secret00" not in everything(found)


def test_secret_in_history() -> None:
    """Earlier words that hold a secret are left out, with a warning; the bullet itself is shown."""
    old, new = bullet("tu-shown000", f"Use {SECRET}."), bullet("tu-shown000", "Use the key of the environment.")
    found = told(book(old, revision=1), book(new, revision=2))
    (problem,) = found.problems
    assert (problem.rule, problem.severity) == ("secret-in-history", "warning")
    text = everything(found)
    assert SECRET not in text
    assert "Use the key of the environment." in text


def test_secret_elsewhere() -> None:
    """Names, reasons, traces and titles with a secret are not shown."""
    playbook = replace(book(bullet("tu-shown000")), name=f"book {SECRET}")
    said = event(
        5,
        "UPDATE",
        bullet("tu-shown000", "Old."),
        bullet("tu-shown000"),
        reason=f"see {SECRET}",
        trace=SECRET,
        actor=SECRET,
    )
    section = replace(playbook.sections[0], title=SECRET)
    playbook = replace(playbook, sections=(section, playbook.sections[1]))
    assert SECRET not in everything(publish_playbook(playbook, (*history([playbook]), said)))


def test_what_is_published_stays() -> None:
    """Without anything to hide the playbook is the same."""
    playbook = book(bullet("tu-shown000", aliases=("tu-other000",)), bullet("tu-third000", helpful=3))
    assert publish_playbook(playbook).playbook == playbook
