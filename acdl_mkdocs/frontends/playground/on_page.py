"""Cures in the words of the page: where a message names a command, the page has a button, or nothing at all."""

from collections.abc import Mapping

from acdl_mkdocs.app.cures import Option

_OPTIONS: Mapping[Option, str] = {
    Option("missing", "placeholder"): "*Missing values: keep the placeholder*",
    Option("state", "FILE"): "*Generate a sample state*",
}
"""The page's controls for options."""
_WORDS = {
    "`acdl convert --from drawing FILE` writes it as ACDL": "choose *convert this drawing to ACDL*",
    "to check a piece of a spec on its own, use `acdl check --snippet`": "",
    "ask `acdl check` what is wrong with it": "solve the problems of the text first",
    "`acdl check` says what is wrong with it": "solve the problems of the text first",
    ", or let `acdl state new SPEC` write a state": ", or choose *Generate a sample state*",
    "compare with a file of `acdl state new`": "compare with what *Generate a sample state* writes",
    "`acdl format` brings it to its normal form": "*Format* brings it to its normal form",
    "give one: `--model NAME`": 'add it: `"model": "NAME"`',
    "draw it again from a spec without errors: `acdl check` names them": "draw it again from a spec without errors",
}
"""Texts of messages for the command line, with the page's replacements; empty if it has none."""


def option_words(option: Option) -> str:
    """Return the page's form of an option: the label of a button or a list, and what to choose there."""
    return _OPTIONS.get(option, f"`{option.name}`")


def on_page(words: str) -> str:
    """Translate a message for a visitor of the page; empty if it cannot be followed there."""
    if "`acdl " not in words and "`--" not in words:
        return words
    for command, button in _WORDS.items():
        words = words.replace(command, button)
    return words
