"""Guards: what each says, that order does not matter, that no text is too long for them."""

import random
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import n_steps

import acdl_mkdocs.similarity
from acdl_mkdocs.similarity import GUARDS, guards, is_equal
from acdl_mkdocs.similarity.lexicon import canonical
from acdl_mkdocs.similarity.stems import stem
from acdl_mkdocs.similarity.tables import lines

from .pairs import EVERY_PAIR

MAX_CHARACTERS = 2_000
FOLDER = Path(acdl_mkdocs.similarity.__file__).parent
SENTENCES = st.sampled_from([text for pair in EVERY_PAIR for text in (pair.a, pair.b)])
PIECES = [
    *["a", "A", "to", ",", ".", "(", ")", "%", "$", "'", "<", "-", "="],
    "not",
    "never",
    "from",
    "5",
    "50",
    "`x`",
    "x_y",
    "and",
    "or",
    "if",
    "II",
    "but",
    "of",
]
WORDS = st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join)
TEXTS = st.one_of(SENTENCES, WORDS, st.text(max_size=60))


def test_every_guard_is_listed() -> None:
    """A file `guard_*.py` is a line of `GUARDS`."""
    files = {path.stem for path in FOLDER.glob("guard_*.py")}
    assert {guard.__module__.rpartition(".")[2] for guard in GUARDS} == files


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ("Wait 5 seconds.", "Wait 50 seconds.", "numbers: numbers differ: 5 / 50"),
        ("Keep five copies.", "Keep copies.", "numbers: numbers differ: 5 / -"),
        ("Wait 5 seconds.", "Wait 5 ms.", "units: units differ: seconds / ms"),
        ("Call `a_b`.", "Call `a_c`.", "identifiers: identifiers differ: `a_b` / `a_c`"),
        ("Check that x < y.", "Check that x <= y.", "identifiers: signs differ: < / <="),
        ("Retry it.", "Do not retry it.", "negation: one negates: - / not retry"),
        ("Sort ascending.", "Sort descending.", "opposites: opposites: ascending / descending"),
        ("It is ordered.", "It is unordered.", "opposites: opposites: ordered / unordered"),
        ("It must stop.", "It may stop.", "modality: not as strong: must / may"),
        ("Log all calls.", "Log any calls.", "modality: not of as many: all / any"),
        ("Log errors.", "Only log errors.", "scope: conditions differ: - / Only"),
        ("Grow by 5.", "Grow to 5.", "scope: not the same relation: by 5 / to 5"),
        ("Prefer a cache over a disk.", "Prefer a disk over a cache.", "order: order differs: cach disk / disk cach"),
        ("Deploy to staging.", "Deploy to testbed.", "substitution: only one says: staging / testbed"),
    ],
)
def test_why(a: str, b: str, why: str) -> None:
    """A guard says in plain words what differs, with both sides."""
    assert why in [f"{block.guard}: {block.why}" for block in guards(a, b)]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Wait five seconds.", "Wait 5 s."),
        ("Limit it to 5 million rows.", "Limit it to 5,000,000 rows."),
        ("Keep twenty-five rows.", "Keep 25 rows."),
        ("Use the second match.", "Use the 2nd match."),
        ("Do not guess.", "Never guess."),
        ("Use at least 3 seeds.", "Use no fewer than 3 seeds."),
        ("Before you merge, test.", "Test before you merge."),
        ("Read the phone app's contacts.", "Read the contacts of the phone app."),
        ("Files must be closed after use.", "Close files after use."),
        ("Divide by the cost of goods sold.", "Divide by COGS."),
        ("Write the file name.", "Write the filename."),
        ("Normalise the colours.", "Normalize the colors."),
    ],
)
def test_harmless(a: str, b: str) -> None:
    """Spelling, inflection, numbers in words, and where a clause stands are no reason to keep two texts."""
    assert guards(a, b) == guards(b, a) == ()


@given(TEXTS, TEXTS)
@settings(max_examples=400, deadline=None)
def test_symmetric_and_deterministic(a: str, b: str) -> None:
    """Whatever the texts: the same guards object both ways, each time in the same words, and none to a text itself."""
    one = guards(a, b)
    assert guards(a, b) == one
    assert [block.guard for block in one] == [block.guard for block in guards(b, a)]
    assert guards(a, a) == ()
    assert is_equal(a, b) == is_equal(b, a)
    assert is_equal(a, a)


def hostile() -> list[str]:
    """Texts of 2,000 characters that make careless programs slow."""
    chance = random.Random(6)  # noqa: S311 no secret is made
    pieces = (
        r"""a |`|'|"x" |(|[|-|/|1/|1.|1,234|a/|a.|\d|not |if |of x |x, and the |one |hundred and |中|a_b |- - |e.g."""
    )
    texts = [(piece * MAX_CHARACTERS)[:MAX_CHARACTERS] for piece in pieces.split("|") if piece]
    texts.append(" ".join("".join(chance.choices("abcdefgh", k=5)) for _ in range(400))[:MAX_CHARACTERS])
    return texts


def test_long_texts_take_no_time() -> None:
    """Guards of two texts of 2,000 characters take about four times the steps that 500 take, whatever is in them."""
    texts = hostile()
    slow = []
    for a, b in pairwise([*texts, *reversed(texts)]):
        few, many = (n_steps(partial(guards, a[:size], b[:size])) for size in (MAX_CHARACTERS // 4, MAX_CHARACTERS))
        if many > 8 * few or many > 1_000_000:
            slow.append((a[:20], b[:20]))
    assert slow == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Use  the Cache. ", "use the cache"),
        ("Say “no”.", "Say 'no'"),
        ("Wait ５ s!", "wait 5 s"),
        ("", "  "),
    ],
)
def test_equal(a: str, b: str) -> None:
    """Case, spaces, quotes, compatibility forms and the punctuation at the end do not matter."""
    assert is_equal(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Use `Foo`.", "Use `foo`."),
        ("Limit it to 5 Mb.", "Limit it to 5 MB."),
        ("Use 10² rows.", "Use 102 rows."),
        ("Use 5½ rows.", "Use 51/2 rows."),
        ("Separate with ;", "Separate with ,"),
        ("Use it.", "Use them."),
    ],
)
def test_not_equal(a: str, b: str) -> None:
    """The case of code and units matters, and a power is no digit."""
    assert not is_equal(a, b)
    assert guards(a, b) or a == "Use it."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("plan", "plane"),
        ("strip", "stripe"),
        ("rate", "rating"),
        ("http", "https"),
        ("stage", "staging"),
        ("new", "news"),
    ],
)
def test_stems_keep_words_apart(one: str, other: str) -> None:
    """Two words are not taken for two forms of one."""
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    "words", ["cache caches cached caching", "plan plans planned planning", "policy policies", "code coded coding"]
)
def test_stems_bring_forms_together(words: str) -> None:
    """Plural and tense do not matter."""
    assert len({stem(word) for word in words.split()}) == 1


@pytest.mark.parametrize(
    "table", ["near", "opposites", "phrases", "pointers", "prepositions", "synonyms", "units", "words"]
)
def test_tables_are_sorted(table: str) -> None:
    """Tables are read by people: sorted, no line twice."""
    assert list(lines(table)) == sorted(set(lines(table)))


def test_opposites_are_no_synonyms() -> None:
    """No pair of opposites is one word after inflection and synonyms, and no word stands in two lines of synonyms."""
    assert [pair for pair in lines("opposites") if canonical(pair[0]) == canonical(pair[1])] == []
    words = [word for line in lines("synonyms") for word in line]
    assert sorted(words) == sorted(set(words))


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ("```\nif a:\n    b()\n    c()\n```", "```\nif a:\n    b()\nc()\n```", r"code differs: if a:\n    b()\n"),
        ("Match `a  b` exactly.", "Match `a b` exactly.", "code differs: a  b / a b"),
        ("Set PATH before the call.", "Set path before the call.", "capitals differ: PATH / -"),
        ("Ask us users.", "Ask US users.", "capitals differ: - / US"),
        ("Pushing on Friday is allowed.", "Pushing on Friday is allowed?", "one asks, the other says"),
        ("Answer in JSON.", "Preferably answer in JSON.", "not as strong: - / preferably"),
    ],
)
def test_spelling(a: str, b: str, why: str) -> None:
    """Code, capitals and question marks are compared to the letter, where only blanks or case differ."""
    assert not is_equal(a, b) or a == b
    assert any(block.why.startswith(why) for block in guards(a, b)), guards(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("NEVER commit secrets.", "Never commit secrets."),
        ("```\nb()  \n```", "```\nb()\n```"),
        ("Use `git rebase`.", "Use git rebase."),
    ],
)
def test_spelling_that_does_not_matter(a: str, b: str) -> None:
    """Words in capitals for emphasis, blanks at the ends of lines, and marks of code do not keep texts apart."""
    assert "spelling" not in [block.guard for block in guards(a, b)]
