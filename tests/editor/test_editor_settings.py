"""Settings that an editor gives to the language server."""

import pytest

from acdl_mkdocs.frontends.lsp.session import SETTINGS, EditorSettings, read_settings


@pytest.mark.parametrize("given", [None, {}, [], "x", {"acdl": None}, {"acdl": []}, {"server": {"command": "acdl"}}])
def test_nothing_is_set(given: object) -> None:
    """What is not a setting, or one of the client's own, leaves all as it is."""
    assert read_settings(given) == (EditorSettings(), ())


def test_defaults_are_told() -> None:
    """The settings that are documented are those that hold."""
    assert read_settings({each.name: each.default for each in SETTINGS}) == (EditorSettings(), ())


def test_all_are_read() -> None:
    """Each setting has an effect; the section may stand around them."""
    given = {"range": "inclusive", "diagnostics": "open", "codeLens": False, "inlayHints": False, "maxFiles": 7}
    wanted = EditorSettings("inclusive", "open", False, False, 7, "https://a.example/{rule}")
    assert read_settings({"acdl": {**given, "ruleUrl": "https://a.example/{rule}"}}) == (wanted, ())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"diagnostic": "off"}, "there is no setting `acdl.diagnostic`; did you mean `acdl.diagnostics`?"),
        ({"range": "both"}, "`acdl.range` cannot be 'both'; it can be `project`, `half-open`, `inclusive`"),
        ({"range": []}, "`acdl.range` cannot be []; it can be `project`, `half-open`, `inclusive`"),
        ({"codeLens": 1}, "`acdl.codeLens` cannot be 1; it can be `true` or `false`"),
        ({"maxFiles": -1}, "`acdl.maxFiles` cannot be -1; it has to be a number from 0"),
        ({"maxFiles": True}, "`acdl.maxFiles` cannot be True; it has to be a number from 0"),
        ({"ruleUrl": 3}, "`acdl.ruleUrl` has to be a text"),
        *(
            ({"ruleUrl": each}, f"`acdl.ruleUrl` cannot be {each!r}; it has to begin with `https://`")
            for each in (
                "command:workbench.action.quit",
                "javascript:x",
                "file:///a",
                "a",
                "https://a b",
                "https://a\n",
            )
        ),
    ],
)
def test_what_is_wrong_keeps_its_default(given: object, said: str) -> None:
    """A setting that cannot be is told, and the others hold."""
    assert read_settings(given) == (EditorSettings(), (said,))
