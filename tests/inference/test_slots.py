"""What is constant in messages, and what is a value."""

import pytest

from acdl_mkdocs.runs.infer.slots import Piece, split_texts


def kinds(role: str, texts: list[str]) -> list[list[str]]:
    """The pieces of each text, which two runs have: constants and templates as they are, values by their content."""
    split = split_texts(role, {text: {0, 1} for text in texts})
    return [[_write_piece(piece) for piece in split[text][1]] for text in texts]


def _write_piece(piece: Piece) -> str:
    value = "".join(getattr(part, "text", "") for part in piece.parts)
    return {"constant": piece.text, "value": f"<{value}>", "template": f"{piece.text} <{value}>"}[piece.kind]


def test_ends() -> None:
    """Where lines that a user writes happen to be alike, what all texts begin and end with is still constant."""
    head, tail = "<task>\nSolve this:", "</task>\nUse the tools.\n```\nrun\n```"
    texts = [f"{head}\n{issue}\n{tail}" for issue in ("```\nx", "A bug\n```\ny", "A bug\nz", "A bug")]
    split = split_texts("user", {text: {number} for number, text in enumerate([*texts, "Go on."])}, "ends")
    found = [[_write_piece(piece) for piece in split[text][1]] for text in texts]
    assert found == [[head, f"<{text[len(head) + 1 : -len(tail) - 1]}>", tail] for text in texts]
    assert len({split[text][0] for text in texts}) == 1
    assert [_write_piece(piece) for piece in split["Go on."][1]] == ["<Go on.>"]
    fenced = split_texts("user", {f"---\n{text}\n---": {0} for text in "ab"}, "ends")
    assert all(len({piece.key for piece in pieces}) == 3 for _, pieces in fenced.values())


@pytest.mark.parametrize(
    ("role", "texts", "expected"),
    [
        pytest.param(
            "system",
            [f"You guide.\nToday is 2026-03-{day}." for day in (10, 11, 12)],
            [["You guide.", f"Today is {{{{value}}}}. <2026-03-{day}>"] for day in (10, 11, 12)],
            id="dates that come again in each run",
        ),
        pytest.param(
            "system",
            ["Rules:\n1. Be kind\n2. Be kind\nGo on.", "Rules:\n1. Be kind\n2. Be kind\nStop."],
            [["Rules:\n1. Be kind\n2. Be kind", "<Go on.>"], ["Rules:\n1. Be kind\n2. Be kind", "<Stop.>"]],
            id="a numbered list",
        ),
        pytest.param(
            "user",
            ["Where?", "Summary of the talk: a b", "When?", "Who?", "Why?", "How?", "Summary of the talk: c"],
            [
                *(["<Where?>"], ["Summary of the talk: {{value}} <a b>"], ["<When?>"], ["<Who?>"], ["<Why?>"]),
                *(["<How?>"], ["Summary of the talk: {{value}} <c>"]),
            ],
            id="a rare label of several words",
        ),
        pytest.param(
            "user",
            ["Where?", "Note: a b", "When?", "Who?", "Why?", "How?", "Since?", "Until?", "Note: c"],
            [
                [f"<{text}>"]
                for text in ("Where?", "Note: a b", "When?", "Who?", "Why?", "How?", "Since?", "Until?", "Note: c")
            ],
            id="a rare label of one word",
        ),
    ],
)
def test_pieces(role: str, texts: list[str], expected: list[list[str]]) -> None:
    """The program writes what several texts have, around what differs."""
    assert kinds(role, texts) == expected
