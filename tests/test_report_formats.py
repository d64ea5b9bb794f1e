"""Reports for other programs: JSON lines, GitHub's workflow commands, SARIF, JUnit, each by the rules of its format."""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from exhaustive import exhaustive
from jsonschema import Draft4Validator, Draft202012Validator

from acdl_mkdocs.app import check as checking
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, TextEdit, error, note, warning
from acdl_mkdocs.foundation.reports import DOCUMENTS, REPORTS, CheckedFile, ReportOptions, WholeRun
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.docs.problems.rule_pages import all_names
from acdl_mkdocs.frontends.docs.problems.rule_texts import rule_helps
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.workspace.examine import Examined, examine_text

ROOT = Path(__file__).parent.parent
SARIF = Draft4Validator(json.loads((ROOT / "tests" / "data" / "sarif-2.1.0.schema.json").read_text("utf-8")))
SCHEMA = json.loads((ROOT / "acdl_mkdocs" / "assets" / "diagnostic.schema.json").read_text("utf-8"))
JSON_LINE = Draft202012Validator(SCHEMA)

GOOD = "Chat[@T]: {\n  U: env.q[@T]\n}\n"
NESTED = "Chat[@T]: {\n  U: {\n    S: { INSTRUCTIONS }\n  }\n}\n"
BROKEN = sorted((ROOT / "tests" / "golden" / "syntax").glob("*.acdl")) + sorted(
    (ROOT / "tests" / "golden" / "check").rglob("*.acdl")
)
HOSTILE = "a,b:c%d\r\n::error::x \x1b[0m \x00 \ufffe ]]> <é> & \"q\" 'r' \u540d \U0001f600 [x](1) {0}"


def finding(severity: str = "error", text: str = "Frag X\nfrag Y\n", name: str = "a.acdl") -> tuple[Diagnostic, Source]:
    """A problem with everything that a problem can have."""
    source = Source(text, name, first_line=7, first_column=3)
    fix = Fix("rename it", (TextEdit(Span(9, 9), "Z"), TextEdit(Span(5, 6), "Y")), is_safe=False)
    made = {"error": error, "warning": warning, "note": note}[severity](
        "unknown-fragment",
        "no fragment named `X`",
        Label(Span(5, 6), "not defined"),
        related=[Label(Span(0, 4), "used here"), Label(Span(7, 13), "and here")],
        help=["write `{ Y }`", "or not"],
        fix=fix,
    )
    return made, source


def of_hostile_words() -> tuple[Diagnostic, Source]:
    """A problem whose every word is one that some format gives a meaning."""
    source = Source(f"U: {HOSTILE}\n", f"folder, 100%: é/{HOSTILE}")
    fix = Fix(HOSTILE, (TextEdit(Span(0, 1), HOSTILE),))
    label = Label(Span(3, 8), HOSTILE)
    return error("unquoted-text", HOSTILE, label, related=[label], help=HOSTILE, fix=fix), source


def sarif(*files: CheckedFile, unread: tuple[str, ...] = (), options: ReportOptions | None = None) -> str:
    """A SARIF log that its schema accepts."""
    names = {diagnostic.rule for file in files for diagnostic, _ in file.findings}
    log = DOCUMENTS["sarif"](WholeRun(files, unread, rule_helps(names)), options)
    SARIF.validate(json.loads(log))
    return log


def junit(*files: CheckedFile, unread: tuple[str, ...] = (), is_strict: bool = False) -> ElementTree.Element:
    """The root of a JUnit document whose structure is the common one."""
    text = DOCUMENTS["junit"](WholeRun(files, unread, is_strict=is_strict), None)
    root = ElementTree.fromstring(text.encode())  # noqa: S314 - our own text
    assert_junit(root)
    return root


def assert_junit(root: ElementTree.Element) -> None:
    """Elements, attributes and numbers as the schemas of Jenkins and GitLab want them."""
    assert root.tag == "testsuites"
    assert {suite.tag for suite in root} <= {"testsuite"}
    for counted in (root, *root):
        assert {"name", "tests", "failures", "errors", "time"} <= set(counted.attrib)
        cases = list(counted.iter("testcase"))
        assert int(counted.attrib["tests"]) == len(cases)
        assert int(counted.attrib["failures"]) == sum(case.find("failure") is not None for case in cases)
        assert int(counted.attrib["errors"]) == sum(case.find("error") is not None for case in cases)
        assert int(counted.attrib["skipped"]) == 0
    for suite in root:
        assert {case.tag for case in suite} == {"testcase"}
        names = [(case.attrib["classname"], case.attrib["name"]) for case in suite]
        assert len(set(names)) == len(names)
        for case in suite:
            assert set(case.attrib) <= {"classname", "name", "file", "line", "time"}
            assert float(case.attrib["time"]) >= 0
            assert [inside.tag for inside in case] in ([], ["failure"], ["error"], ["system-out"])
            for inside in case.findall("failure") + case.findall("error"):
                assert set(inside.attrib) == {"message", "type"}


def test_json_schema_is_one() -> None:
    """The published schema is a schema, and says of every key what it is."""
    Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["properties"]) == set(SCHEMA["required"])


def test_json_lines_follow_their_schema() -> None:
    """With and without a fix, whatever the words."""
    for diagnostic, source in (finding(), finding("note"), of_hostile_words()):
        (line,) = REPORTS["json"]([diagnostic], source, None).splitlines()
        JSON_LINE.validate(json.loads(line))
        assert list(json.loads(line)) == list(SCHEMA["properties"])
    assert not JSON_LINE.is_valid({"version": 1})


@exhaustive
def test_real_problems_in_every_format() -> None:
    """What the golden cases find is valid in each format, with nothing left out."""
    files = []
    for path in BROKEN:
        source = Source(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())
        found = analyse(source).diagnostics
        files.append(CheckedFile(source.name, tuple((each, source) for each in found)))
        lines = REPORTS["json"](found, source, None).splitlines()
        for line in lines:
            JSON_LINE.validate(json.loads(line))
        severities = [commands(line)[0] for line in REPORTS["github"](found, source, None).splitlines()]
        assert len(lines) == len(severities) == len(found)
    n_found = sum(len(file.findings) for file in files)
    assert n_found > len(BROKEN) // 2
    assert len(json.loads(sarif(*files))["runs"][0]["results"]) == n_found
    root = junit(*files)
    assert len(list(root.iter("failure"))) + len(list(root.iter("system-out"))) == n_found


def commands(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as GitHub's runner reads it."""
    read = re.fullmatch(r"::(?P<command>\w+) (?P<properties>.*?)::(?P<message>.*)", line)
    assert read, line
    pairs = (pair.split("=", 1) for pair in read["properties"].split(","))
    properties = {key: unescaped(value, in_property=True) for key, value in pairs}
    return read["command"], properties, unescaped(read["message"], in_property=False)


def unescaped(text: str, *, in_property: bool) -> str:
    """The runner's own order: the percent sign last."""
    for sign, character in ((":", "%3A"), (",", "%2C")) if in_property else ():
        text = text.replace(character, sign)
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def test_github_command() -> None:
    """Severity, place and words; columns only within one line."""
    diagnostic, source = finding("note")
    (line,) = REPORTS["github"]([diagnostic], source, None).splitlines()
    assert line == (
        "::notice file=a.acdl,line=7,endLine=7,col=8,endColumn=9,title=note[unknown-fragment]"
        "::no fragment named `X`: not defined%0Ahelp: write `{ Y }`%0Ahelp: or not"
    )
    over_lines = error("r", "m", Label(Span(5, 10), "l"))
    assert "col" not in commands(REPORTS["github"]([over_lines], source, None).strip())[1]
    windows = REPORTS["github"]([diagnostic], Source(source.text, "docs\\a.md"), None)
    assert commands(windows.strip())[1]["file"] == "docs/a.md"


def test_github_escapes() -> None:
    """No word of a text can end the command, add a property or begin another command."""
    diagnostic, source = of_hostile_words()
    text = REPORTS["github"]([diagnostic], source, None)
    (line,) = text.splitlines()
    command, properties, message = commands(line)
    assert command == "error"
    assert list(properties) == ["file", "line", "endLine", "col", "endColumn", "title"]
    assert properties["file"].startswith("folder, 100%: é/a,b:c%d")
    assert properties["title"] == "error[unquoted-text]"
    assert message.startswith("a,b:c%d")
    assert "\U0001f600" in message
    assert not set("\x1b\x00\r") & set(text)


def test_sarif_result() -> None:
    """Rule, message, places, related places and the fix of a problem in a block of a page."""
    (run,) = json.loads(
        sarif(CheckedFile("a.acdl", (finding(),)), options=ReportOptions(rule_url="https://example.org/{rule}/"))
    )["runs"]
    (result,) = run["results"]
    place = {"uri": "a.acdl", "uriBaseId": "%SRCROOT%"}
    assert result["ruleId"] == "unknown-fragment"
    assert result["level"] == "error"
    assert result["message"]["text"] == "no fragment named `X`\nhelp: write `{{ Y }}`\nhelp: or not"
    (location,) = result["locations"]
    region = {"startLine": 7, "startColumn": 8, "endLine": 7, "endColumn": 9}
    assert location["physicalLocation"] == {"artifactLocation": place, "region": region}
    related = [(each["id"], each["message"]["text"]) for each in result["relatedLocations"]]
    assert related == [(1, "used here"), (2, "and here")]
    (fix,) = result["fixes"]
    assert fix["description"]["text"] == "rename it"
    assert fix["properties"] == {"isSafe": False}
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"] == place
    inserted = {"startLine": 8, "startColumn": 5, "endLine": 8, "endColumn": 5}
    assert change["replacements"] == [
        {"deletedRegion": region, "insertedContent": {"text": "Y"}},
        {"deletedRegion": inserted, "insertedContent": {"text": "Z"}},
    ]
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["helpUri"] == "https://example.org/unknown-fragment/"


def test_sarif_rules() -> None:
    """Each broken rule is described once, from its docstring, and results point at it; the unknown has its name."""
    label = Label(Span(0, 1), "l")
    source = Source("A\n", "a.acdl")
    names = ("unknown-fragment", "nested-role", "no-such-rule", "nested-role", "missing-src")
    (run,) = json.loads(sarif(CheckedFile("a.acdl", tuple((error(name, "m", label), source) for name in names))))[
        "runs"
    ]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted(set(names))
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == list(names)
    by_name = {rule["id"]: rule for rule in rules}
    assert by_name["no-such-rule"] == {"id": "no-such-rule"}
    nested = by_name["nested-role"]
    assert nested["shortDescription"]["text"] == "A role message is inside another one."
    assert "## Use instead\n\n```acdl\n" in nested["help"]["markdown"]
    assert "Use instead\n" in nested["help"]["text"]
    assert nested["defaultConfiguration"]["level"] == "error"


def test_every_rule_has_help() -> None:
    """Each has text and Markdown without marks of our own site."""
    helps = rule_helps(all_names())
    assert set(helps) == set(all_names())
    for name, each in helps.items():
        assert each.problem[0].isupper() or each.problem[0] == "`"
        assert each.markdown.startswith(f"# {name}\n\n{each.problem}\n")
        assert not re.search(
            r"\{ ?\.[a-z]|<\w|\x1b", re.sub(r"```.*?^```|`[^`\n]*`", "", each.markdown, flags=re.DOTALL | re.M)
        )


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("docs/a b.md", "docs/a%20b.md"),
        ("docs\\a.md", "docs/a.md"),
        ("é#1?.acdl", "%C3%A9%231%3F.acdl"),
        ("a:b.acdl", "a%3Ab.acdl"),
        ("../a.acdl", "../a.acdl"),
        ("<stdin>", "%3Cstdin%3E"),
        ("/srv/a b.acdl", "file:///srv/a%20b.acdl"),
        ("C:\\specs\\a.acdl", "file:///C:/specs/a.acdl"),
    ],
)
def test_sarif_addresses(name: str, uri: str) -> None:
    """Names of files become references that a viewer can follow; only relative ones have a base."""
    text = REPORTS["sarif"]([error("r", "m", Label(Span(0, 1), "l"))], Source("A\n", name), None)
    log = json.loads(text)
    SARIF.validate(log)
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == uri
    assert ("uriBaseId" in place) is not uri.startswith("file:")


def test_sarif_of_hostile_words() -> None:
    """Braces and links in messages are escaped as the format says; text of fixes stays as it is."""
    (run,) = json.loads(sarif(CheckedFile("a", (of_hostile_words(),))))["runs"]
    (result,) = run["results"]
    assert "{{0}}" in result["message"]["text"]
    assert "[x\\](1)" in result["message"]["text"]
    replacement = result["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert replacement["insertedContent"]["text"] == HOSTILE


def test_sarif_of_files_that_could_not_be_read() -> None:
    """The run did not succeed, and the log says why."""
    (run,) = json.loads(sarif(CheckedFile("a.acdl"), unread=("b.acdl: does not exist",)))["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "b.acdl: does not exist"
    assert json.loads(sarif())["runs"][0]["invocations"] == [{"executionSuccessful": True}]


def test_junit_cases() -> None:
    """A suite for each file; errors fail, warnings pass with output, and fail if they count."""
    files = (CheckedFile("a.acdl", (finding(), finding("warning", "x\n" * 20))), CheckedFile("b.acdl"))
    root = junit(*files, unread=("c.acdl: does not exist",))
    assert [suite.attrib["name"] for suite in root] == ["a.acdl", "b.acdl", "files"]
    failed, passed = root[0]
    assert failed.attrib["name"] == "7:8 unknown-fragment"
    (failure,) = failed
    assert failure.attrib == {"message": "no fragment named `X`", "type": "error[unknown-fragment]"}
    assert "  = help: or not" in (failure.text or "")
    assert (passed.findtext("system-out") or "").startswith("a.acdl:9:4: warning[unknown-fragment]: ")
    assert [case.attrib["name"] for case in root[1]] == ["no problems"]
    assert root.find("testsuite/testcase/error") is not None
    assert Counter(each.tag for each in junit(*files, is_strict=True).iter())["failure"] == 2


def test_junit_names_the_file_that_a_block_names() -> None:
    """A problem in a file named by `src` is a case of the page, with the place in the file."""
    (case,) = junit(CheckedFile("page.md", (finding(name="specs/a.acdl"),)))[0]
    assert case.attrib["name"] == "specs/a.acdl:7:8 unknown-fragment"
    assert case.attrib["file"] == "specs/a.acdl"


def test_junit_of_hostile_words() -> None:
    """Every character that XML forbids is replaced, every other one kept."""
    (failure,) = junit(CheckedFile(HOSTILE, (of_hostile_words(),)))[0][0]
    assert "]]> <é> & \"q\" 'r' \u540d \U0001f600" in failure.attrib["message"]
    assert "]]> <é>" in (failure.text or "")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with two texts that have mistakes, in three files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad é.acdl").write_text(NESTED, "utf-8")
    (tmp_path / "good.acdl").write_text(GOOD, "utf-8")
    (tmp_path / "page.md").write_text(f"# P\n\n```acdl\n{NESTED}```\n", "utf-8")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_documents_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """`acdl check` writes one document about all files, with the places in their hosts."""
    assert main(["check", "--format", "sarif", ".", "none.acdl"]) == 2
    log = json.loads(capsys.readouterr().out)
    SARIF.validate(log)
    (run,) = log["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert [(each["artifactLocation"]["uri"], each["region"]["startLine"]) for each in places] == [
        ("bad%20%C3%A9.acdl", 3),
        ("page.md", 6),
    ]
    assert run["tool"]["driver"]["rules"][0]["help"]["markdown"]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert main(["check", "--format", "junit", "."]) == 1
    root = ElementTree.fromstring(capsys.readouterr().out.encode())  # noqa: S314 - our own text
    assert_junit(root)
    assert [suite.attrib["name"] for suite in root] == ["bad é.acdl", "good.acdl", "page.md"]


@pytest.mark.usefixtures("folder")
def test_nothing_wrong_in_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    """Lines are none; documents are valid and say that all is well."""
    for name in sorted(set(REPORTS) - {"html"}):
        assert main(["check", "--format", name, "good.acdl"]) == 0
        out = capsys.readouterr().out
        if name == "sarif":
            SARIF.validate(json.loads(out))
            assert json.loads(out)["runs"][0]["results"] == []
        elif name == "junit":
            assert_junit(ElementTree.fromstring(out.encode()))  # noqa: S314 - our own text
        else:
            assert out == ""


@pytest.mark.usefixtures("folder")
def test_json_streams(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of a file is there before what comes after it is looked at."""
    printed: list[str] = []

    def noting(*arguments: Any) -> Examined:
        printed.append(capsys.readouterr().out)
        return examine_text(*arguments)

    monkeypatch.setattr(checking, "examine_text", noting)
    assert main(["check", "--format", "json", "bad é.acdl", "page.md", "good.acdl"]) == 1
    assert printed[0] == ""
    assert [json.loads(line)["file"] for line in printed[1].splitlines()] == ["bad é.acdl"]
    assert [json.loads(line)["file"] for line in "".join(printed[2:]).splitlines()][:1] == ["page.md"]
