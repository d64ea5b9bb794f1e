"""How a difference is shown: as text and as JSON."""

import json
from importlib import import_module

from acdl_mkdocs.compare.formats import COMPARISONS, json_tree, text
from acdl_mkdocs.compare.formats.options import CompareOptions
from comparison.compared import difference

OLD = """\
P[@T]: {
    S: RULES
    ForEach(t: range(1, @T)) {
        U: env.q[@t]
        A: resp.a[@t] // said
    }
    If sys.x { U: X1 }
}
"""
NEW = """\
P[@T]: {
    S: RULES(sys.a)
    ForEach(u: range(1, @T-1)) {
        A: resp.a[@u] // answered
    }
    Mark 1 { If sys.x { U: X1 } }
    U: { ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN ELEVEN TWELVE THIRTEEN }
}
"""
SHOWN = """\
--- old.acdl
+++ new.acdl
P[@T] > S
  ~ 2:8 -> 2:8  RULES(sys.a)
      arguments: RULES -> RULES(sys.a)
P[@T]
  ~ 3:5 -> 3:5  ForEach(u: range(1, @T-1))
      variable renamed: t -> u
      bounds: range(1, @T) -> range(1, @T-1)
P[@T] > ForEach(t: range(1, @T))
  - 4:9  U: env.q[@t]
P[@T]
  + 6:5  Mark 1 put around 1 statement
  + 7:5  U: {
  +          ONE
  +          TWO
  +          THREE
  +          FOUR
  +          FIVE
  +          SIX
  +          SEVEN
  +          EIGHT
  +          NINE
  +          TEN
  +      … 3 more lines
  +      }
comments
  - 5:23  // said
  + 4:23  // answered
6 changes and 1 change of comments: the messages can differ
"""


def test_text() -> None:
    """What stays is folded; every edit has its places."""
    assert text.write(difference(OLD, NEW)) == SHOWN


def test_color() -> None:
    """Colours are beside signs, never instead of them."""
    colored = text.write(difference(OLD, NEW), CompareOptions(color=True))
    plain = colored
    for code in ("\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m", "\x1b[1m", "\x1b[0m"):
        assert code in colored
        plain = plain.replace(code, "")
    assert plain == SHOWN


def test_nothing_to_show() -> None:
    """Without a difference there is one line."""
    assert text.write(difference(OLD, OLD.replace("    ", "\t"))) == "no difference\n"


def test_same_is_sent() -> None:
    """The last line says whether anybody has to care."""
    shown = text.write(difference(OLD, OLD.replace("t:", "s:").replace("@t]", "@s]")))
    assert shown.splitlines()[-1] == "1 change: the messages are the same"


def test_hostile_words() -> None:
    """A text cannot command the terminal."""
    assert "\x1b" not in text.write(difference("P[@T]: { U: 'a' }", "P[@T]: { U: 'a\x1b[2J' } // \x1b[2J"))


def test_json() -> None:
    """Places on both sides, from 1 and as spans."""
    found = json.loads(json_tree.write(difference(OLD, NEW)))
    assert (found["acdl_diff"], found["equal"], found["equal_sent"]) == (1, False, False)
    assert [each["kind"] for each in found["edits"]] == ["changed", "renamed", "changed", "removed", "wrapped", "added"]
    bounds = found["edits"][2]
    assert bounds["around"] == ["P[@T]"]
    assert bounds["old"]["start"] == {"line": 3, "column": 5}
    (change,) = bounds["changes"]
    assert (change["what"], change["old"], change["new"]) == ("bounds", "range(1, @T)", "range(1, @T-1)")
    for text_of_side, place in ((OLD, change["old_place"]), (NEW, change["new_place"])):
        start, end = place["span"]
        assert text_of_side[start:end].startswith("range(1, @T")
    removed, wrapped = found["edits"][3:5]
    assert (removed["new"], wrapped["old"]) == (None, None)
    assert wrapped["carried"] == [{"old_path": [0, 2], "new_path": [0, 2, 0]}]
    assert (wrapped["head_only"], wrapped["can_change_sent"]) == (True, False)
    assert found["comments"][0]["old"][0]["text"] == "said"


def test_formats() -> None:
    """Each way to show a difference is where it is said to be."""
    assert set(COMPARISONS) >= {"text", "json", "markdown"}
    assert all(callable(import_module(module).write) for module in COMPARISONS.values())


def test_half_a_character_in_json() -> None:
    """It stands there by its number, as in every JSON that is printed, so that nothing is lost."""
    written = json_tree.write(difference(OLD, OLD.replace("RULES", '"a\ud800"')))
    assert "\\ud800" in written
    assert written.encode()
