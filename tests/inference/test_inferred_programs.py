"""Kinds of agents of `examples/infer`: the specs of their recordings, as a person would write them."""

import subprocess
import sys
from pathlib import Path

import pytest

from acdl_mkdocs import format as format_spec
from acdl_mkdocs import infer_recording

ROOT = Path(__file__).parent.parent.parent
N_TURNS = (7, 12)
"""Of each run."""
RESULTS = """\
// acdl: range=inclusive
Agent[@T.I]: {{
    S: INSTRUCTIONS
    ForEach(t: range(1, @T)) {{
        U: env.question[@t]
        ForEach(i: range(1, @t.substeps)) {{
            A: resp.call[@t.i]
            If {} {{
                T: sys.result[@t.i]
            }}
            Else {{
                T: {}
            }}
        }}
        PromptEndsHere when @t == @T
        A: resp.answer[@t]
    }}
}}
"""
RETRIES = """\
// acdl: range=inclusive
Agent[@T.I]: {
    S: INSTRUCTIONS
    ForEach(t: range(1, @T)) {
        U: env.question[@t]
        ForEach(i: range(1, @t.substeps)) {
            If sys.is_kept[@t.i] | @t == @T & @i > sys.last_kept[@T.I] {
                A: resp.call[@t.i]
                T: sys.result[@t.i]
            }
        }
        If @t < @T {
            A: resp.answer[@t]
        }
    }
    If sys.has_tool_failed_check_arguments[@T.I] {
        U: TOOL_FAILED_CHECK_ARGUMENTS
    }
}
"""
AGING = """\
// acdl: range=inclusive
Agent[@T.I]: {
    S: INSTRUCTIONS
    ForEach(t: range(1, @T-1)) {
        U: env.question[@t]
        ForEach(i: range(1, @t.substeps)) {
            A: resp.call[@t.i]
            If @t <= @T-3 {
                T: OLD_RESULT_CLEARED
            }
            ElseIf @t > @T-3 & sys.old_result[@t.i] {
                T: sys.old_result[@t.i]
            }
            Else {
                T: sys.result[@t.i]
            }
        }
        A: resp.answer[@t]
    }
    U: env.question[@T]
    ForEach(i: range(1, @T.substeps)) {
        A: resp.call[@T.i]
        T: sys.result[@T.i]
    }
}
"""
REMINDED = """\
// acdl: range=inclusive
Agent[@T.I]: {
    S: INSTRUCTIONS
    ForEach(t: range(1, @T)) {
        U: env.question[@t]
        ForEach(i: range(1, @t.substeps)) {
            A: resp.call[@t.i]
            T: sys.result[@t.i]
        }
        If @t < @T {
            A: resp.answer[@t]
        }
    }
    If sys.list[@T.I] {
        U: {
            REMINDER_LIST
            sys.list[@T.I]
            REMINDER
        }
    }
    Else {
        U: REMINDER_LIST_NOTHING_LEFT
    }
}
"""
ROUTED = """\
// acdl: range=inclusive
// requests: system="What is the question about? Answer with one word: billing,"
QuestionAbout[@T]: {
    S: INSTRUCTIONS
    U: env.question[@T]
}

// requests: others
FrontDesk[@T]: {
    Switch resp.route[@T] {
        Case billing {
            S: INSTRUCTIONS
        }
        Case technical {
            S: ANSWER_TECHNICAL_QUESTIONS_ASK
        }
        Default { // other
            S: FRONT_DESK_SAY_WHO
        }
    }
    ForEach(t: range(1, @T)) {
        U: env.question[@t]
        PromptEndsHere when @t == @T
        A: resp.answer[@t]
    }
}
"""
EXPECTED = {
    "aging": AGING,
    "last_reminder": REMINDED,
    "newest_results": RESULTS.format("@t.i >= sys.first_kept[@T.I]", "RESULT_CHARACTERS(sys.old_result[@t.i])"),
    "retries": RETRIES,
    "router": ROUTED,
    "shortened_results": RESULTS.format("@t == @T & @i == @T.substeps", "sys.old_result[@t.i]"),
}


@pytest.mark.parametrize("program", EXPECTED)
def test_programs(program: str, tmp_path: Path) -> None:
    """The spec is short, and sends all that was recorded."""
    for number, n_turns in enumerate(N_TURNS, 7):
        words = ("--seed", str(number), "--turns", str(n_turns), "--out", str(tmp_path / f"{number}.jsonl"))
        subprocess.run([sys.executable, str(ROOT / "examples" / "infer" / f"{program}.py"), *words], check=True)
    inferred = infer_recording(tmp_path, mutants=0)
    assert inferred.text == EXPECTED[program]
    assert format_spec(inferred.text) == inferred.text
    assert inferred.is_proven
