"""Snippets, files and libraries of fragments are told apart, and nobody is blamed for what a snippet leaves out."""

import pytest

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse

SNIPPETS = {
    "content alone": ("env.user_input[@T]\nINSTRUCTIONS\n", set()),
    "a loop that may stand in a message": ("ForEach(i: env.rooms) {\n    env.door[i]\n}\n", set()),
    "content beside a message": (
        "ForEach(i: env.rooms) {\n    env.door[i]\n    U: env.x[i]\n}\n",
        {"content-outside-role"},
    ),
    "a break whose loop is left out": ("If @T > 9 { break }\n", set()),
    "both kinds of message": ("N: TASK_DESCRIPTION\nU: env.user_input[@T]\n", set()),
    "a name whose use is left out": ("Name docs := find(env.query[@T])\n", set()),
    "a fragment whose use is left out": ("P[@T]: { S: INSTRUCTIONS }\nStrFrag Note: { NOTE }\n", set()),
    "a spec with a mistake": ("P[@T]: { env.user_input[@T] }\n", {"content-outside-role"}),
    "a text fragment that may stand in a message": ("StrFrag Note: { NOTE }\nFrag Note\n", set()),
    "a roles fragment in a message": (
        "RolesFrag Turn: { U: env.x }\nU: { Frag Turn }\n",
        {"role-fragment-inside-role"},
    ),
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippet(name: str) -> None:
    """In a fence only what is certainly wrong is reported."""
    text, expected = SNIPPETS[name]
    assert {found.rule for found in analyse(Source(text), Config(snippet=True)).diagnostics} == expected


TITLES = {
    "chat.acdl": "Chat[@T]: {",
    "specs/my-agent.v2.acdl": "MyAgent[@T]: {",
    "specs\\tool_agent.acdl": "ToolAgent[@T]: {",
    "2nd.acdl": "Name[@T]: {",
    "---.acdl": "Name[@T]: {",
    "<stdin>": "Name[@T]: {",
    "agenté.acdl": "Agenté[@T]: {",
}


@pytest.mark.parametrize("name", TITLES)
def test_title_for_a_snippet_in_a_file(name: str) -> None:
    """The title to add is named after the file."""
    (found,) = analyse(Source("S: INSTRUCTIONS\n", name)).diagnostics
    assert found.rule == "snippet-in-file"
    assert f"`{TITLES[name]}`" in found.help[0]
    assert found.fix is not None
    assert found.fix.edits[0].text.startswith(TITLES[name])


def test_library_of_fragments() -> None:
    """A file of fragments is complete without a spec."""
    text = "// shared\nStrFrag Note: { NOTE }\nRolesFrag Turn[@t]: { U: env.x[@t] }\nNamespace env := { x: text }\n"
    assert analyse(Source(text, "shared.acdl")).diagnostics == ()
