"""The one near name that every message suggests."""

import pytest

from acdl_mkdocs.foundation.wording import KnownNames, find_closest

_FRAGMENTS = KnownNames({"DocumentContext": 1, "Greeting": 2, "k_relevant_docs": 3, "Doc": 4})


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("DocumentContxt", "DocumentContext"),
        ("greeting", "Greeting"),
        ("kRelevantDocs", "k_relevant_docs"),
        ("Docs", "Doc"),
        ("Salutation", None),
        ("", None),
        ("D" * 100, None),
    ],
)
def test_closest(word: str, near: str | None) -> None:
    """A near name is found, a far one is not; `KnownNames` names and others give the same."""
    assert find_closest(word, _FRAGMENTS) == find_closest(word, _FRAGMENTS) == near
    assert find_closest(word, list(_FRAGMENTS)) == near


def test_ties_go_to_the_first_in_the_alphabet() -> None:
    """The answer does not depend on the order of the candidates."""
    assert find_closest("abcx", ["abcz", "abcy"]) == find_closest("abcx", ["abcy", "abcz"]) == "abcy"


def test_many_words_among_many_names() -> None:
    """Thousands of words do not cost thousands of comparisons each; equal names are found to the end."""
    names = KnownNames({f"Document{number}Context": number for number in range(3_000)})
    found = [find_closest(f"document_{number}_contxt", names) for number in range(3_000)]
    assert found[0] == "Document0Context"
    assert found[-1] is None
    assert names.near.work < 5_000_000
    assert find_closest("document2999context", names) == "Document2999Context"
    assert find_closest("document_2999_contxt", KnownNames(names)) == "Document2999Context"
