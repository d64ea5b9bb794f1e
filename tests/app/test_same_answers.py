"""The same questions through every front end that can answer them: the answers are the same.

Each row of `QUESTIONS` is one question. A front end tells what it can, in its own words for files and options, which
are taken out; everything that two of them tell is compared, to the byte.
"""

from pathlib import Path

import pytest

from app.front_ends import Question, front_ends

CHAT = """Chat[@T]: {
    S: INSTRUCTIONS
    ForEach(t: range(1, @T)) {
        U: env.question[@t]
        A: resp.answer[@t]
    }
    U: env.question[@T]
}
"""
FULL = """acdl_state: 1
spec: Chat
at: "2"
templates: {INSTRUCTIONS: Be brief.}
steps:
  1: {env: {question: Who?}, resp: {answer: I.}}
  2: {env: {question: Why?}}
"""
NO_TEXT = FULL.replace("templates: {INSTRUCTIONS: Be brief.}\n", "")
LACKING = FULL.replace("2: {env: {question: Why?}}", "2: {env: {qestion: Why?}}")
UNFILLED = FULL.replace("Why?", "…")
UNDECIDED = CHAT.replace("    S: INSTRUCTIONS\n", "    If sys.is_first[@T] { S: INSTRUCTIONS }\n")
REJECTED = "Chat[@T]: {\n    U: { S: INSTRUCTIONS }\n    U: env.question[@T]\n}\n"
LOSSY = "Chat[@T]: {\n    U: env.question[@T]\n    S: INSTRUCTIONS\n}\n"
UNKNOWN = "Chat[@T]: {\n    U: { Frag Greting[@T] }\n}\nStrFrag Greeting[@T]: { HELLO }\n"
DRAWN = "Chat [@T]\n  ROLE: SYSTEM\n    INSTRUCTIONS\n  ROLE: USER\n    env.question[@T]\n"
RENAMED = CHAT.replace("INSTRUCTIONS", "RULES")
SHORTER = CHAT.replace("        A: resp.answer[@t]\n", "")
RENAMED_LOOP = CHAT.replace("t: range", "turn: range").replace("[@t]", "[@turn]")
OPEN_ENDED = CHAT.replace("range(1, @T)", "1 ... @T").replace("    ", "  ")
BROKEN = "Chat[@T]: {\n    U: ) = (\n    S: A\n}\n"
AGENTS = Path(__file__).parents[2] / "examples" / "agents"
REACT = (AGENTS / "react_openai.acdl").read_text("utf-8")
RUN = "react_openai.run.jsonl"

QUESTIONS = {
    "check a text without problems": Question("check", CHAT, "[]"),
    "check a text with an error": Question("check", REJECTED, "nested-role"),
    "check a text that is not understood": Question("check", BROKEN, "syntax"),
    "check a text with a warning": Question(
        "check", "Chat[@T]: {\n    U: env.q[@T]\n    A: resp.answer[@T]\n}\n", "warning"
    ),
    "check a text with an unknown name": Question("check", UNKNOWN, "did you mean"),
    "check a page that shows a file twice": Question(
        "check_folder", REJECTED, "nested-role", page="```acdl src=chat.acdl\n```\n\n```acdl src=chat.acdl\n```\n"
    ),
    "check a page with a state that lacks a value": Question(
        "check_folder", CHAT, "missing-value", LACKING, page="```acdl src=chat.acdl state=chat.state.yaml\n```\n"
    ),
    "check a fragment that another file uses": Question(
        "check_folder", "StrFrag Greeting[@T]: { HELLO }\n", "[]", other="Chat[@T]: { U: { Frag Greeting[@T] } }\n"
    ),
    "mend a text": Question("fix", CHAT.replace("[@t]", "[@(t)]").replace("U:", "user:"), "U: env.question"),
    "format a text": Question("format", CHAT.replace("    ", " "), CHAT.splitlines()[3]),
    "format a text with an error": Question("format", f"{REJECTED}B[@T]: {{ U: A }}\n", "U: { S: INSTRUCTIONS }"),
    "format a page": Question(
        "format_page",
        CHAT,
        "1 ... @T",
        page=f"A bell \x07\n\n```acdl range=inclusive\n{CHAT}```\n\n```acdl\n{OPEN_ENDED}```\n",
    ),
    "draw a text": Question("render", CHAT, "<svg"),
    "draw a text in words": Question("render", CHAT, "Role: System", format="text"),
    "draw what is not understood": Question("render", BROKEN, "<svg"),
    "explain a text": Question("explain", CHAT, "INSTRUCTIONS"),
    "convert a drawing": Question("convert", DRAWN, "S: INSTRUCTIONS"),
    "convert a drawing with a guess": Question("convert", DRAWN.replace("ROLE: USER", "ROLE: CLIENT"), "CLIENT"),
    "compare two texts": Question("compare", CHAT, "RULES", other=RENAMED),
    "compare a text with its other spelling": Question(
        "compare", CHAT, "no difference", other=CHAT.replace("    ", " ")
    ),
    "compare what is sent": Question("compare_sent", CHAT, "different", FULL, other=SHORTER),
    "compare what is sent by another spelling": Question("compare_sent", CHAT, "same", FULL, other=RENAMED_LOOP),
    "send with a whole state": Question("unroll", CHAT, "Be brief.", FULL, format="openai"),
    "send to another provider": Question("unroll", CHAT, "Be brief.", FULL, format="anthropic"),
    "send a document": Question("unroll", CHAT, "Be brief.", FULL, format="pml"),
    "send without a text of a template": Question("unroll", CHAT, "so its name is sent", NO_TEXT, format="openai"),
    "send without a state": Question("unroll", CHAT, "there is no state", format="openai"),
    "send a template without a state": Question("unroll", "C: { U: HELLO }\n", "there is no state", format="openai"),
    "send what needs no state": Question("unroll", 'C: { U: "hello" }\n', "hello", format="openai"),
    "send without a value": Question("unroll", CHAT, "missing-value", LACKING, format="openai"),
    "send what is not decided": Question("unroll", UNDECIDED, "undecided-condition", FULL, format="openai"),
    "send placeholders of a first state": Question("unroll", CHAT, "still `…`", UNFILLED, format="openai"),
    "send what the rules reject": Question("unroll", REJECTED, "nested-role", FULL, format="openai"),
    "send what a provider cannot hold": Question("unroll", LOSSY, "lossy-request", FULL, format="anthropic"),
    "send names for values": Question(
        "unroll", CHAT, "⟦env.question[@2]⟧", LACKING, format="openai", missing="placeholder"
    ),
    "send nothing for values": Question("unroll", CHAT, "missing-value", LACKING, format="openai", missing="empty"),
    "send with a state that cannot be read": Question("unroll", CHAT, "state-file", "- 1\n", format="openai"),
    "show messages": Question("unroll", CHAT, "Be brief.", FULL),
    "show messages without a state": Question("unroll", CHAT, "⟦env.question[@1]⟧"),
    "show messages without a value": Question("unroll", CHAT, "did you mean question?", LACKING),
    "write a first state": Question("new_state", CHAT, "INSTRUCTIONS"),
    "write a first state of what the rules reject": Question("new_state", REJECTED, "question"),
    "check a recorded run": Question("check_run", REACT, "confirmed", other=RUN),
    "check a recorded run against a spec with an error": Question("refuse_run", BROKEN, "syntax", other=RUN),
    "check a recorded run with a state that has errors": Question(
        "refuse_run", BROKEN, "state-file", "- 1\n", other=RUN
    ),
    "propose a lesson": Question("propose", "Ask before you cancel an order.", "proposed"),
    "propose a lesson that is there": Question("propose", "Check the dates of  all orders", "says so already"),
    "propose no lesson": Question("propose", " ", "content: "),
    "propose a key": Question("propose", f"Use sk-proj-{'a1B2c3D4e5F6' * 4}.", "content: "),
    "tag a lesson": Question("tag", "harmful", "0, 1)"),
    "infer the spec of a recorded run": Question("infer", REACT, "ForEach", other=RUN),
    "refine a spec by a recorded run": Question(
        "refine", REACT.replace("        T: sys.result[@1.i]\n", ""), "'added'", other=RUN
    ),
    "refine a spec that agrees with a recorded run": Question("refine", REACT, "is unchanged", other=RUN),
    "inspect a recorded run": Question("inspect", REACT, "messages", other=RUN),
}


@pytest.mark.parametrize("asked", QUESTIONS)
def test_the_same_answer(
    asked: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Whatever another front end tells is what the command line tells."""
    question = QUESTIONS[asked]
    monkeypatch.chdir(tmp_path)
    files = {"chat.acdl": question.text, "chat.state.yaml": question.state, "new.acdl": question.other or None}
    files["page.md"] = question.page or None
    if question.other == RUN:
        files[RUN] = (AGENTS / RUN).read_text("utf-8")
    for name, text in files.items():
        if text is not None:
            Path(name).write_text(text, "utf-8")
    answers = {
        name: getattr(each, question.about)(question)
        for name, each in front_ends(capsys, caplog).items()
        if hasattr(each, question.about)
    }
    told = answers.pop("command line")
    assert question.has in str(told)
    assert answers, "nobody else can answer this"
    for name, answer in answers.items():
        assert answer == {key: told[key] for key in answer}, f"{name} answers differently"
