"""Calls and results of tools that providers run themselves: a sample of each, and what it is read as."""

from typing import Any, NamedTuple

from acdl_mkdocs.prompts.providers.anthropic import RESULTS


class Sample(NamedTuple):
    """What a message of the model holds, and what it is read as."""

    blocks: list[Any]
    tool: str
    """The tool that is called."""
    words: str = ""
    """What its result says."""
    is_error: bool = False


_FOUND = {"type": "web_search_result", "title": "Bridge", "url": "https://a.example", "encrypted_content": "c2Vj"}
_DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Open."}}
_CONTENTS: dict[str, tuple[str, Any, str]] = {
    "web_search_tool_result": ("web_search", [_FOUND], "https://a.example"),
    "web_fetch_tool_result": (
        "web_fetch",
        {"type": "web_fetch_result", "url": "https://a.example", "content": _DOCUMENT},
        "Open.",
    ),
    "code_execution_tool_result": (
        "code_execution",
        {"type": "code_execution_result", "stdout": "5\n", "stderr": "", "return_code": 0, "content": []},
        r"5\n",
    ),
    "bash_code_execution_tool_result": (
        "bash_code_execution",
        {"type": "bash_code_execution_result", "stdout": "a.py", "stderr": "", "return_code": 0, "content": []},
        "a.py",
    ),
    "text_editor_code_execution_tool_result": (
        "text_editor_code_execution",
        {"type": "text_editor_code_execution_create_result", "is_file_update": True},
        "is_file_update",
    ),
    "tool_search_tool_result": (
        "tool_search_tool_regex",
        {
            "type": "tool_search_tool_search_result",
            "tool_references": [{"type": "tool_reference", "tool_name": "get_weather"}],
        },
        "get_weather",
    ),
    "advisor_tool_result": ("advisor", {"type": "advisor_result", "text": "Look again."}, "Look again."),
    "mcp_tool_result": (
        "look",
        [{"type": "text", "text": "Two."}, {"type": "text", "text": "Three.", "citations": None}],
        "Two.\nThree.",
    ),
}
"""By the type of the result: its tool, its content, and words of that."""


def _anthropic(kind: str, content: Any = None) -> list[Any]:
    tool, usual, _ = _CONTENTS[kind]
    call = {"type": "server_tool_use", "id": "srvtoolu_1", "name": tool, "input": {"query": "bridge"}}
    if kind == "mcp_tool_result":
        call |= {"type": "mcp_tool_use", "server_name": "eyes"}
    return [call, {"type": kind, "tool_use_id": "srvtoolu_1", "content": usual if content is None else content}]


ANTHROPIC: dict[str, Sample] = {
    kind: Sample(_anthropic(kind), _CONTENTS[kind][0], _CONTENTS[kind][2]) for kind in RESULTS
} | {
    "failed": Sample(
        _anthropic("web_search_tool_result", {"type": "web_search_tool_result_error", "error_code": "unavailable"}),
        "web_search",
        "unavailable",
        is_error=True,
    )
}
_CODE = {"executableCode": {"language": "PYTHON", "code": "print(2 + 3)"}, "thoughtSignature": "c2lnbmVk"}
GEMINI: dict[str, Sample] = {
    "code": Sample([_CODE, {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "5\n"}}], "code_execution", "5"),
    "code-ids": Sample(
        [
            {"executableCode": {"id": "e1", "language": "PYTHON", "code": "1 / 0"}},
            {"codeExecutionResult": {"id": "e1", "outcome": "OUTCOME_FAILED", "output": "ZeroDivisionError"}},
        ],
        "code_execution",
        "ZeroDivisionError",
        is_error=True,
    ),
    "search": Sample(
        [
            {"toolCall": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"query": "bridge"}}},
            {"toolResponse": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "response": {"found": ["Open at noon"]}}},
        ],
        "google_search_web",
        "Open at noon",
    ),
}
