"""Cures in the words of the page: what a message tells to do by a command is done there by a button, or not at all."""

from collections.abc import Mapping

from acdl_mkdocs.app.cures import Option

_OPTIONS: Mapping[Option, str] = {
    Option("missing", "placeholder"): "*What has no value: stays as a place*",
    Option("state", "FILE"): "*Make a state for this spec*",
}
"""What the page has for an option."""
_WORDS = {
    "`acdl convert --from drawing FILE` writes it as ACDL": "choose *convert this drawing to ACDL*",
    "to check a piece of a spec on its own, use `acdl check --snippet`": "",
    "ask `acdl check` what is wrong with it": "solve the problems of the text first",
    "`acdl check` says what is wrong with it": "solve the problems of the text first",
    ", or let `acdl state new SPEC` write a state": ", or choose *Make a state for this spec*",
    "compare with a file of `acdl state new`": "compare with what *Make a state for this spec* writes",
    "`acdl format` brings it to its normal form": "*Format* brings it to its normal form",
    "give one: `--model NAME`": 'add it: `"model": "NAME"`',
    "draw it again from a spec without errors: `acdl check` names them": "draw it again from a spec without errors",
}
"""What messages say to someone at a command line, and what helps on the page; nothing where it does not concern it."""


def option_words(option: Option) -> str:
    """What the page calls an option: the label of a button or a list, and what to choose there."""
    return _OPTIONS.get(option, f"`{option.name}`")


def on_page(words: str) -> str:
    """Words of a message for a visitor of the page; empty for what cannot be done there."""
    if "`acdl " not in words and "`--" not in words:
        return words
    for command, button in _WORDS.items():
        words = words.replace(command, button)
    return words
