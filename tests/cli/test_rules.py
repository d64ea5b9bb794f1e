"""`acdl rules`: the list, a page, both for programs, and names that do not exist."""

import json

import pytest

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.docs.problems.rule_pages import all_names, rule_page
from acdl_mkdocs.language.rules import RULES


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    """One line for each problem: name, mark, severity, what is wrong."""
    assert main(["rules"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert [line.split()[0] for line in lines] == list(all_names())
    (line,) = [line for line in lines if line.startswith("nested-role ")]
    assert line.split(maxsplit=2)[1:] == ["error", "a role message is inside another one."]


def test_page(capsys: pytest.CaptureFixture[str]) -> None:
    """Why, the example with the message that it gives, and the cure; no colours in a pipe."""
    assert main(["rules", "nested-role"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("nested-role (error)\n")
    parts = [
        out.index(part) for part in ("\nWhy\n", "\nExample\n", "  error[nested-role]: ", "\nUse instead\n", "\nRef")
    ]
    assert parts == sorted(parts)
    assert "\x1b" not in out
    assert "```" not in out
    assert not any(line != line.rstrip() for line in out.splitlines())


def test_colors(capsys: pytest.CaptureFixture[str]) -> None:
    """Headings and the message are coloured if that is asked for."""
    assert main(["rules", "--color", "always", "nested-role"]) == 0
    out = capsys.readouterr().out
    assert "\x1b[1mnested-role\x1b[0m" in out
    assert "\x1b[1;31merror[nested-role]\x1b[0m: a System message" in out


@pytest.mark.parametrize("name", all_names())
def test_page_for_programs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One object with the parts of the page; every rule has them all."""
    assert main(["rules", name, "--format", "json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    page = json.loads(line)
    assert page["version"] == 1
    assert page["rule"] == name
    assert page["severity"] in ("error", "warning", "note")
    assert page["problem"].endswith(".")
    if name in RULES:
        assert page["kind"] == "rule"
        assert all(page[part] for part in ("why", "example", "use_instead", "reference"))
    if "example" in page:
        assert page["message"].startswith(f"{page['severity']}[{name}]: ")


def test_list_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    """One object a line."""
    assert main(["rules", "--format", "json"]) == 0
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["rule"] for each in listed] == list(all_names())
    assert {each["fix"] for each in listed} <= {"safe", "unsafe", None}
    assert {each["kind"] for each in listed} == {
        "rule",
        "text",
        "block",
        "drawing",
        "state",
        "evaluation",
        "playbook",
        "pml",
    }


def test_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    """The source of the site's pages."""
    assert main(["rules", "--format", "markdown"]) == 0
    assert "| [`nested-role`](nested-role.md) |" in capsys.readouterr().out
    assert main(["rules", "nested-role", "--format", "markdown"]) == 0
    assert capsys.readouterr().out.startswith("# nested-role\n")


@pytest.mark.parametrize(
    ("name", "hint"), [("nested-roel", "did you mean `nested-role`?"), ("zebra", "`acdl rules` lists them")]
)
def test_no_such_rule(name: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The near name, or where to look."""
    assert main(["rules", name]) == 2
    assert capsys.readouterr() == ("", f"acdl: no rule `{name}`; {hint}\n")


def test_severity_and_cure() -> None:
    """Both are those of the example; a problem without one has a severity all the same."""
    assert rule_page("duplicate-definition").severity == "warning"
    assert rule_page("repeated-id").severity == "warning"
    assert rule_page("internal-error").severity == "error"
    assert {rule_page(name).cure for name in RULES} >= {"", "safe"}
    with pytest.raises(KeyError):
        rule_page("no-such-rule")
