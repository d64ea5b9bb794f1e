"""The front ends, each asked the same questions in process: an answer is data in words that all of them share.

A front end has a method for each question that it can answer. Names of files, options and buttons, which each has in
its own way, are taken out.
"""

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as field_of
from pathlib import Path
from typing import Any, Protocol

import pytest
from markdown import Markdown

import acdl_mkdocs
from acdl_mkdocs.app.check_runs import NOT_CHECKED
from acdl_mkdocs.app.infer_report import build_report, describe_inferred
from acdl_mkdocs.compare.formats import format_difference as show_difference
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.evaluation.explain import text as explanation_text
from acdl_mkdocs.evaluation.formats import TRANSCRIPTS, TranscriptOptions
from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.foundation.reports import json_lines
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.docs.markdown.extension import AcdlExtension
from acdl_mkdocs.frontends.editor.documents import Document
from acdl_mkdocs.frontends.editor.exports import evaluate_document, export_figure
from acdl_mkdocs.frontends.editor.formatting import format_edits
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.frontends.mcp.answers import Answer
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.tools import run_tool
from acdl_mkdocs.frontends.playground.engine import answer_question
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Section
from acdl_mkdocs.playbook.store import create, load
from acdl_mkdocs.runs.inspect.json_tree import build_tree
from acdl_mkdocs.runs.inspect.options import InspectionOptions
from acdl_mkdocs.runs.report import RUN_REPORTS, RunReportOptions
from acdl_mkdocs.testing import assert_matches_spec
from app.facts import (
    COUNTS,
    SENT,
    WEIGHTS,
    WORDS,
    Facts,
    Problem,
    figure,
    from_here,
    of_diagnostics,
    of_objects,
    of_page,
    of_terminal,
    plain,
    sent,
)

URI = "file:///project/chat.acdl"


@dataclass(frozen=True)
class Question:
    """One question, and words that have to be in every answer."""

    about: str
    """What a front end has a method for."""
    text: str
    has: str
    """In the answer of the command line, so that not all front ends agree on saying nothing."""
    state: str | None = None
    other: str = ""
    """The new text of a comparison; a recording."""
    format: str = ""
    missing: str | None = None
    page: str = ""
    """A page beside the text."""


class FrontEnd(Protocol):
    """Something that answers."""


# ---------------------------------------------------------------------------------------------------------- front ends


_BOOK = Playbook(
    "lessons",
    sections=(Section("general", "General"),),
    bullets=(Bullet(id="gen-7k3q9f2m", section="general", content="Check the dates of all orders."),),
)


def _bullets(path: str) -> list[tuple[object, ...]]:
    """What a playbook says, without what history alone tells."""
    found = load(Path(path)).playbook
    assert found is not None
    return [(each.content, each.section, each.status, each.seen, each.helpful, each.harmful) for each in found.bullets]


def _state(question: Question) -> tuple[str, ...]:
    return ("--state", "chat.state.yaml") if question.state else ()


@dataclass(frozen=True)
class CommandLine:
    """`acdl`, in a folder with the files of the question."""

    capsys: pytest.CaptureFixture[str]

    def ran(self, *words: str) -> tuple[str, str]:
        """What a command prints on its two streams."""
        self.capsys.readouterr()
        main(list(words))
        out, err = self.capsys.readouterr()
        return out, err

    def check(self, question: Question) -> Facts:
        """`acdl check`."""
        del question
        out, _ = self.ran("check", "chat.acdl", "--format", "json")
        problems = of_objects(map(json.loads, out.splitlines()))
        return {"problems": problems, "log": [each[:6] for each in problems]}

    def check_folder(self, question: Question) -> Facts:
        """`acdl check` of the working folder."""
        del question
        problems = of_objects(map(json.loads, self.ran("check", ".", "--format", "json")[0].splitlines()))
        return {"problems": problems, "counts": COUNTS.findall(self.ran("check", ".")[1].split(" in ")[0])}

    def fix(self, question: Question) -> Facts:
        """`acdl check --fix`."""
        self.ran("check", "--fix", "chat.acdl")
        made = Path("chat.acdl").read_text("utf-8")
        Path("chat.acdl").write_text(question.text, "utf-8")
        return {"text": made}

    def format(self, question: Question) -> Facts:
        """`acdl format`."""
        self.ran("format", "chat.acdl")
        made = Path("chat.acdl").read_text("utf-8")
        Path("chat.acdl").write_text(question.text, "utf-8")
        return {"text": made}

    def format_page(self, question: Question) -> Facts:
        """`acdl format` of a page."""
        self.ran("format", "page.md")
        made = Path("page.md").read_text("utf-8")
        Path("page.md").write_text(question.page, "utf-8")
        return {"text": made}

    def render(self, question: Question) -> Facts:
        """`acdl render`."""
        return figure(self.ran("render", "chat.acdl", "--format", question.format or "svg", "-o", "-")[0])

    def explain(self, question: Question) -> Facts:
        """`acdl explain`."""
        del question
        return {"text": plain(self.ran("explain", "chat.acdl")[0]).rstrip()}

    def convert(self, question: Question) -> Facts:
        """`acdl convert`."""
        del question
        out, err = self.ran("convert", "chat.acdl")
        return {"text": out.rstrip(), "problems": of_terminal(err)}

    def compare(self, question: Question) -> Facts:
        """`acdl diff`."""
        del question
        return {"text": plain(self.ran("diff", "chat.acdl", "new.acdl")[0]).rstrip()}

    def compare_sent(self, question: Question) -> Facts:
        """`acdl diff` with a state."""
        del question
        words = ("diff", "chat.acdl", "new.acdl", "--state", "chat.state.yaml", "--format", "json")
        return {"sent": json.loads(plain(self.ran(*words)[0]))["sent"]}

    def unroll(self, question: Question) -> Facts:
        """`acdl unroll`."""
        more = ("--missing", question.missing) if question.missing else ()
        out, err = self.ran("unroll", "chat.acdl", "--format", question.format or "transcript", *more)
        return sent(out, of_terminal(err), re.findall(r"(?m)^acdl: (.*)$", err), is_request=bool(question.format))

    def new_state(self, question: Question) -> Facts:
        """`acdl state new`."""
        del question
        return {"text": self.ran("state", "new", "chat.acdl")[0].split("\n", 1)[1]}

    def check_run(self, question: Question) -> Facts:
        """`acdl check-run`."""
        words = ("check-run", "chat.acdl", question.other, "--mutants", "0")
        return {"report": json.loads(self.ran(*words, "--format", "json")[0]), "text": self.ran(*words)[0].rstrip()}

    def refuse_run(self, question: Question) -> Facts:
        """`acdl check-run` with errors."""
        return {"problems": of_terminal(self.ran("check-run", "chat.acdl", question.other, *_state(question))[1])}

    def propose(self, question: Question) -> Facts:
        """`acdl playbook curate` with a proposal."""
        operation = {"type": "ADD", "section": "general", "content": question.text, "status": "proposed"}
        return self.curated({"operations": [operation]})

    def tag(self, question: Question) -> Facts:
        """`acdl playbook tag`."""
        return self.curated({"operations": [{"type": "TAG", "bullet_id": _BOOK.bullets[0].id, "tag": question.text}]})

    def curated(self, delta: Facts) -> Facts:
        """What a delta does."""
        create(Path("cli.yaml"), _BOOK, time=None)
        Path("delta.json").write_text(json.dumps(delta), "utf-8")
        out, _ = self.ran("playbook", "curate", "cli.yaml", "delta.json", "--actor", "agent", "--format", "json")
        rejected = json.loads(out)["deltas"][0]["rejected"]
        why = [f"{each['path'].rpartition('.')[2]}: {each['message']}; {each['help']}" for each in rejected]
        return {"bullets": _bullets("cli.yaml"), "refused": why}

    def infer(self, question: Question) -> Facts:
        """`acdl infer`."""
        text, err = self.ran("infer", question.other)
        self.ran("infer", question.other, "-o", "agent.acdl", "--report", "agent.json", "--force")
        state, report = Path("agent.state.yaml").read_text("utf-8"), json.loads(Path("agent.json").read_text("utf-8"))
        sentences = re.findall(r"(?m)^acdl: (.*)$", err)
        return {"spec": text, "state": from_here(state), "report": report, "sentences": sentences}

    def refine(self, question: Question) -> Facts:
        """`acdl infer --into`."""
        report, err = self.ran("infer", question.other, "--into", "chat.acdl", "--check", "--report", "-")
        text = self.ran("infer", question.other, "--into", "chat.acdl", "-o", "-")[0]
        return {"spec": text, "report": json.loads(report), "sentences": re.findall(r"(?m)^acdl: (.*)$", err)}

    def inspect(self, question: Question) -> Facts:
        """`acdl inspect`."""
        return {"report": json.loads(self.ran("inspect", question.other, "--format", "json")[0])}


class Python:
    """The functions of `import acdl_mkdocs`."""

    def check(self, question: Question) -> Facts:
        """`check`."""
        return {"problems": of_diagnostics(acdl_mkdocs.check(question.text), Source(question.text))}

    def format(self, question: Question) -> Facts:
        """`format`."""
        return {"text": acdl_mkdocs.format(question.text)}

    def render(self, question: Question) -> Facts:
        """`render`."""
        return figure(acdl_mkdocs.render(question.text, question.format or "svg"))

    def explain(self, question: Question) -> Facts:
        """`explain`."""
        return {"text": plain(explanation_text.write(acdl_mkdocs.explain(question.text))).rstrip()}

    def compare(self, question: Question) -> Facts:
        """`diff`."""
        difference = acdl_mkdocs.diff(question.text, question.other)
        return {"text": plain(show_difference(difference, "text", CompareOptions())).rstrip()}

    def compare_sent(self, question: Question) -> Facts:
        """`diff_sent`."""
        assert question.state
        found = acdl_mkdocs.diff_sent(question.text, question.other, question.state)
        difference = acdl_mkdocs.diff(question.text, question.other)
        return {"sent": json.loads(plain(show_difference(difference, "json", CompareOptions(sent=found))))["sent"]}

    def unroll(self, question: Question) -> Facts:
        """`evaluate`, which gives values that are missing as errors unless it is asked for something else."""
        missing: Any = question.missing or ("error" if question.state and question.format else "placeholder")
        made = acdl_mkdocs.evaluate(question.text, question.state, missing=missing)
        found = [json_lines.to_object(each.diagnostic, each.source) for each in made.findings]
        answer = sent("", of_objects(found), ())
        text = TRANSCRIPTS["transcript"]([made], TranscriptOptions()).text if not question.format else None
        return {"errors": answer["errors"]} | ({"text": plain(text).rstrip()} if text else {})

    def check_run(self, question: Question) -> Facts:
        """`assert_matches_spec`, which returns what it found."""
        found = assert_matches_spec(question.other, "chat.acdl")
        return {"report": json.loads(RUN_REPORTS["json"](found, RunReportOptions()))}

    def refuse_run(self, question: Question) -> Facts:
        """`assert_matches_spec` with errors."""
        with pytest.raises(TraceError, match=NOT_CHECKED) as reason:
            assert_matches_spec(question.other, "chat.acdl", state=Path("chat.state.yaml") if question.state else None)
        return {"problems": of_terminal(str(reason.value))}

    def infer(self, question: Question) -> Facts:
        """`infer_recording`."""
        inferred = acdl_mkdocs.infer_recording(question.other)
        return {
            "spec": inferred.text,
            "state": inferred.prompts[0].states[0],
            "report": build_report(inferred, "agent.acdl"),
            "sentences": list(describe_inferred(inferred, "spec")),
        }

    def refine(self, question: Question) -> Facts:
        """`infer_recording`."""
        refined = acdl_mkdocs.infer_recording(question.other, into="chat.acdl")
        return {
            "spec": refined.text,
            "report": build_report(refined, "chat.acdl"),
            "sentences": list(describe_inferred(refined, "chat.acdl")),
        }

    def inspect(self, question: Question) -> Facts:
        """`inspect_recording`."""
        tree = build_tree(acdl_mkdocs.inspect_recording(question.other), InspectionOptions())
        return {"report": json.loads(json.dumps(tree))}


@dataclass(frozen=True)
class Mcp:
    """The tools for agents."""

    folders: Folders = field_of(default_factory=lambda: Folders((Path(),)))

    def called(self, name: str, **given: object) -> Answer:
        """What a tool answers."""
        answer = run_tool(name, {key: value for key, value in given.items() if value}, self.folders)
        assert not answer.is_error, answer.text
        return answer

    def check(self, question: Question) -> Facts:
        """`check`."""
        data: Facts = self.called("check", text=question.text).data
        return {"problems": of_objects(data["problems"])}

    def check_folder(self, question: Question) -> Facts:
        """`check` of the folder of the server."""
        del question
        answer = self.called("check", path=".")
        data: Facts = answer.data
        return {
            "problems": of_objects(data["problems"]),
            "counts": COUNTS.findall(answer.text.split(" in ")[0]),
        }

    def fix(self, question: Question) -> Facts:
        """`check` with `fix`."""
        return {"text": self.called("check", text=question.text, fix=True).data["fixed"]}

    def format(self, question: Question) -> Facts:
        """`format`."""
        return {"text": self.called("format", text=question.text).data["text"]}

    def format_page(self, question: Question) -> Facts:
        """`format` with a path, which may write."""
        writing = Mcp(Folders((Path(),), may_write=True))
        writing.called("format", path="page.md", write=True)
        made = Path("page.md").read_text("utf-8")
        Path("page.md").write_text(question.page, "utf-8")
        return {"text": made}

    def render(self, question: Question) -> Facts:
        """`render`."""
        return figure(self.called("render", text=question.text, format=question.format or "svg").text + "\n")

    def explain(self, question: Question) -> Facts:
        """`explain`."""
        return {"text": plain(self.called("explain", text=question.text).text).rstrip()}

    def convert(self, question: Question) -> Facts:
        """`convert`."""
        data: Facts = self.called("convert", text=question.text).data
        return {"text": data["text"].rstrip(), "problems": of_objects(data["problems"])}

    def compare(self, question: Question) -> Facts:
        """`diff`."""
        return {"text": plain(self.called("diff", old=question.text, new=question.other).text)}

    def compare_sent(self, question: Question) -> Facts:
        """`diff` with a state."""
        data: Facts = self.called("diff", old=question.text, new=question.other, state=question.state).data
        return {"sent": json.loads(plain(json.dumps(data["difference"]["sent"])))}

    def unroll(self, question: Question) -> Facts:
        """`unroll`."""
        given = {"state": question.state, "format": question.format, "missing": question.missing}
        answer = self.called("unroll", text=question.text, **given)
        data: Facts = answer.data
        is_refused = answer.text.startswith(SENT)
        remarks = [answer.text.split("\n")[0]] if is_refused else data["remarks"]
        return sent(
            "" if is_refused else answer.text, of_objects(data["problems"]), remarks, is_request=bool(question.format)
        )

    def new_state(self, question: Question) -> Facts:
        """`new_state`."""
        return {"text": str(self.called("new_state", text=question.text).data["state"]).split("\n", 1)[1]}

    def check_run(self, question: Question) -> Facts:
        """`check_run`."""
        answer = self.called("check_run", path="chat.acdl", traces=[question.other])
        return {"report": from_here(answer.data["report"]), "text": from_here(answer.text)}

    def propose(self, question: Question) -> Facts:
        """`playbook_propose`."""
        return self.curated("playbook_propose", content=question.text)

    def tag(self, question: Question) -> Facts:
        """`playbook_tag`."""
        return self.curated("playbook_tag", id=_BOOK.bullets[0].id, tag=question.text)

    def curated(self, name: str, **given: object) -> Facts:
        """What a tool does to a playbook."""
        create(Path("mcp.yaml"), _BOOK, time=None)
        answer = run_tool(name, {"path": "mcp.yaml", **given}, Folders((Path(),), may_write=True))
        return {"bullets": _bullets("mcp.yaml"), "refused": [answer.text[len("error: ") :]] if answer.is_error else []}

    def refuse_run(self, question: Question) -> Facts:
        """`check_run` with errors."""
        state = {"state_path": "chat.state.yaml"} if question.state else {}
        answer = self.called("check_run", path="chat.acdl", traces=[question.other], **state)
        assert answer.text.startswith(NOT_CHECKED)
        data: Facts = answer.data
        return {"problems": of_objects(data["problems"])}

    def infer(self, question: Question) -> Facts:
        """`infer_spec`."""
        answer = self.called("infer_spec", recordings=[question.other], mutants=50)
        data: Facts = from_here(answer.data)
        return {"spec": data["spec"], "state": data["states"]["Agent"], "report": data["report"]}

    def refine(self, question: Question) -> Facts:
        """`infer_spec`."""
        answer = self.called("infer_spec", recordings=[question.other], into="chat.acdl", mutants=50)
        data: Facts = from_here(answer.data)
        return {"spec": data["spec"], "report": data["report"]}

    def inspect(self, question: Question) -> Facts:
        """`inspect_recording`."""
        return {"report": from_here(self.called("inspect_recording", recordings=[question.other]).data["report"])}


class Playground:
    """The engine of the playground."""

    def asked(self, method: str, **params: object) -> Facts:
        """What the engine answers."""
        given = answer_question(method, params)
        result = given.get("result")
        assert isinstance(result, dict), given
        return result

    def check(self, question: Question) -> Facts:
        """The problems of the text."""
        return {"problems": of_page(self.asked("look", text=question.text)["diagnostics"], question.text)}

    def format(self, question: Question) -> Facts:
        """The button *Format*."""
        return {"text": self.asked("format", text=question.text)["text"]}

    def render(self, question: Question) -> Facts:
        """A download."""
        return figure(self.asked("export", text=question.text, format=question.format or "svg")["data"])

    def convert(self, question: Question) -> Facts:
        """The button that converts."""
        made = self.asked("convert", text=question.text)
        return {"text": made["text"].rstrip(), "problems": of_page(made["diagnostics"], question.text)}

    def compare(self, question: Question) -> Facts:
        """The view of changes."""
        return {"text": plain(self.asked("diff", old=question.text, new=question.other)["text"]).rstrip()}

    def unroll(self, question: Question) -> Facts:
        """The view of what is sent."""
        at = re.search(r'at: "([\d.]+)"', question.state or "")
        made = self.asked(
            "evaluate",
            text=question.text,
            state=question.state or "",
            provider=question.format or "text",
            at=at[1] if at else "1",
            missing=question.missing or "",
        )
        if not made["points"]:
            found = of_page(made["problems"], question.text, question.state)
            return {"text": "", "messages": [(each[0], each[2]) for each in found]}
        return {"text": WEIGHTS.sub("", plain(made["body"])).rstrip(), "notes": sorted(map(plain, made["notes"]))}

    def infer(self, question: Question) -> Facts:
        """A recording that is dropped on the page."""
        made = self.asked("infer", name=question.other, text=Path(question.other).read_text("utf-8"))
        return {"spec": made["text"], "state": made["state"], "sentences": list(made["notes"])}

    def new_state(self, question: Question) -> Facts:
        """The button that makes a state."""
        return {"text": self.asked("new_state", text=question.text)["state"]}


class Editor:
    """What the language server shows and saves."""

    def workspace(self, question: Question) -> Workspace:
        """The text as an editor has it."""
        states = {URI: Source(question.state, "chat.state.yaml")} if question.state else {}
        return Workspace({URI: Document(URI, question.text, "acdl", display_name="chat.acdl")}, states=states)

    def check(self, question: Question) -> Facts:
        """Diagnostics."""
        workspace = self.workspace(question)
        (piece,) = workspace.pieces_of(URI)
        return {"problems": of_diagnostics(workspace.list_diagnostics(piece), piece.source)}

    def format(self, question: Question) -> Facts:
        """Formatting, as edits."""
        text = question.text
        edits = format_edits(self.workspace(question), URI)
        for each in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
            text = text[: each.span.start] + each.text + text[each.span.end :]
        return {"text": text}

    def render(self, question: Question) -> Facts:
        """A figure that is saved."""
        return figure(export_figure(self.workspace(question), URI, question.format or "svg").content)

    def unroll(self, question: Question) -> Facts:
        """What is sent, beside the text; an editor has no option for values that are missing."""
        if question.missing:
            return {}
        at = re.search(r'at: "([\d.]+)"', question.state or "")
        made = evaluate_document(
            self.workspace(question), URI, format=question.format or "transcript", at=at[1] if at else "1"
        )
        found = [(each.severity, plain(each.message)) for each in made.problems]
        return {"text": plain(made.text).rstrip(), "messages": [each for each in found if SENT not in each[1]]}


@dataclass(frozen=True)
class Fence:
    """A fence in a page that Python-Markdown renders."""

    caplog: pytest.LogCaptureFixture

    def rendered(self, question: Question, header: str = "") -> tuple[str, list[Problem]]:
        """HTML of the page, and the log of it, which has the first cure of each problem."""
        self.caplog.clear()
        with self.caplog.at_level(logging.INFO, "acdl_mkdocs"):
            html = Markdown(extensions=[AcdlExtension()]).convert(f"```acdl{header}\n{question.text}```\n")
        found: list[Problem] = []
        for record in self.caplog.records:
            head = re.match(r".*?:(\d+):(\d+): (\w+)\[([\w-]+)\]: (.*)", record.getMessage())
            assert head, record.getMessage()
            line, column, severity, rule, said = head.groups()
            found.append((severity, rule, plain(said), str(int(line) - 1), column))
        return html, found

    def check(self, question: Question) -> Facts:
        """The log of the build."""
        _, found = self.rendered(question)
        return {
            "log": [(*each[:2], *each[2].split("; ", 1)[:1], *each[3:], *each[2].split("; ", 1)[1:]) for each in found]
        }

    def render(self, question: Question) -> Facts:
        """The figure in the page."""
        html, _ = self.rendered(question)
        drawn = html[html.index("<svg") : html.index("</svg>")]
        return {"words": WORDS.findall(drawn)} if question.format != "text" else {}

    def unroll(self, question: Question) -> Facts:
        """What is wrong with the messages beside the figure: a page never shows names for values."""
        if not question.state or not question.format or question.missing:
            return {}
        _, found = self.rendered(question, " state=chat.state.yaml")
        return {"errors": [(each[1], each[2].split("; ")[0]) for each in found if each[0] == "error"]}


def front_ends(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> Mapping[str, FrontEnd]:
    """All of them; with the first, the others are compared."""
    return {
        "command line": CommandLine(capsys),
        "Python": Python(),
        "MCP": Mcp(),
        "playground": Playground(),
        "editor": Editor(),
        "page": Fence(caplog),
    }
