"""Items of OpenAI Responses beside messages and functions: a sample of each, and what it is read as."""

from typing import Any, NamedTuple

from acdl_mkdocs.prompts.prompt import Role
from wire.samples import PIXEL


class Sample(NamedTuple):
    """Items that belong together, and the roles of the messages that they are read as."""

    items: list[Any]
    roles: tuple[Role, ...]
    tool: str = ""
    """The tool that is called."""
    words: str = ""
    """What its result says."""


_CALLED: tuple[Role, ...] = ("assistant", "tool")
_SHELL = {"outcome": {"type": "exit", "exit_code": 0}, "stdout": "a.py\n", "stderr": ""}
_SCREEN = {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{PIXEL}"}
_FILE = {"type": "computer_screenshot", "file_id": "file_1"}
_ACTION = {"type": "exec", "command": ["ls"], "env": {}}
_PATCH = {"type": "update_file", "path": "a.py", "diff": "@@"}
_FUNCTION = {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}, "strict": False}


def _item(type: str, **keys: Any) -> dict[str, Any]:
    return {"type": type, **keys}


SAMPLES: dict[str, Sample] = {
    "custom": Sample(
        [
            _item("custom_tool_call", call_id="c1", name="apply_patch", input="*** Begin Patch", id="ctc_1"),
            _item("custom_tool_call_output", call_id="c1", output="Success"),
        ],
        _CALLED,
        "apply_patch",
        "Success",
    ),
    "custom-parts": Sample(
        [
            _item("custom_tool_call", call_id="c1", name="look", input="screen", namespace="n"),
            _item(
                "custom_tool_call_output",
                call_id="c1",
                output=[{"type": "input_text", "text": "Two."}, {"type": "input_text", "text": "Three."}],
            ),
        ],
        _CALLED,
        "look",
        "Two.\nThree.",
    ),
    "computer": Sample(
        [
            _item(
                "computer_call",
                id="cu_1",
                call_id="c1",
                action={"type": "screenshot"},
                pending_safety_checks=[],
                status="completed",
            ),
            _item("computer_call_output", call_id="c1", output=_SCREEN, acknowledged_safety_checks=[]),
        ],
        _CALLED,
        "computer",
    ),
    "computer-file": Sample(
        [
            _item(
                "computer_call",
                id="cu_1",
                call_id="c1",
                actions=[{"type": "wait"}],
                pending_safety_checks=[],
                status="completed",
            ),
            _item("computer_call_output", call_id="c1", output=_FILE),
        ],
        _CALLED,
        "computer",
        '{"type": "computer_screenshot", "file_id": "file_1"}',
    ),
    "local-shell": Sample(
        [
            _item("local_shell_call", id="ls_1", call_id="c1", action=_ACTION, status="completed"),
            _item("local_shell_call_output", id="c1", output="[1]"),
        ],
        _CALLED,
        "local_shell",
        "[1]",
    ),
    "local-shell-item": Sample(
        [
            _item("local_shell_call", id="ls_1", call_id="c1", action=_ACTION, status="completed"),
            _item("local_shell_call_output", id="ls_1", output="a.py"),
        ],
        _CALLED,
        "local_shell",
        "a.py",
    ),
    "shell": Sample(
        [
            _item("shell_call", call_id="c1", action={"commands": ["ls"]}, environment={"type": "local"}),
            _item("shell_call_output", call_id="c1", output=[_SHELL], max_output_length=99),
        ],
        _CALLED,
        "shell",
    ),
    "patch": Sample(
        [
            _item("apply_patch_call", call_id="c1", operation=_PATCH, status="completed"),
            _item("apply_patch_call_output", call_id="c1", status="failed", output="no such file"),
        ],
        _CALLED,
        "apply_patch",
        "no such file",
    ),
    "patch-silent": Sample(
        [
            _item("apply_patch_call", call_id="c1", operation=_PATCH, status="completed"),
            _item("apply_patch_call_output", call_id="c1", status="completed"),
        ],
        _CALLED,
        "apply_patch",
    ),
    "tool-search": Sample(
        [
            _item("tool_search_call", call_id="c1", arguments={"query": "mail"}, execution="client"),
            _item("tool_search_output", call_id="c1", tools=[_FUNCTION], execution="client"),
        ],
        _CALLED,
        "tool_search",
    ),
    "tool-search-server": Sample(
        [
            _item("tool_search_call", call_id=None, arguments={"query": "mail"}, execution="server"),
            _item("tool_search_output", call_id=None, tools=[_FUNCTION], execution="server"),
        ],
        _CALLED,
        "tool_search",
    ),
    "program": Sample(
        [
            _item("program", id="pr_1", call_id="c1", code="f()", fingerprint="x"),
            _item("program_output", id="po_1", call_id="c1", result="4", status="completed"),
        ],
        _CALLED,
        "program",
        "4",
    ),
    "mcp-approval": Sample(
        [
            _item("mcp_approval_request", id="ap_1", server_label="d", name="roll", arguments='{"n": 2}'),
            _item("mcp_approval_response", approval_request_id="ap_1", approve=True, reason="ok"),
        ],
        _CALLED,
        "mcp_approval_request",
        "true",
    ),
    "mcp": Sample(
        [_item("mcp_call", id="mcp_1", server_label="d", name="roll", arguments='{"n":2}', output="[4]", error=None)],
        _CALLED,
        "roll",
        "[4]",
    ),
    "mcp-error": Sample(
        [
            _item(
                "mcp_call",
                id="mcp_1",
                server_label="d",
                name="roll",
                arguments='{"n": 2}',
                error={"type": "mcp_protocol_error", "code": 1, "message": "no dice"},
            )
        ],
        _CALLED,
        "roll",
        "no dice",
    ),
    "mcp-tools": Sample(
        [_item("mcp_list_tools", id="ml_1", server_label="d", tools=[{"name": "roll", "input_schema": {}}])],
        _CALLED,
        "mcp_list_tools",
    ),
    "web-search": Sample(
        [_item("web_search_call", id="ws_1", status="completed", action={"type": "search", "query": "news"})],
        _CALLED,
        "web_search",
        "",
    ),
    "file-search": Sample(
        [
            _item(
                "file_search_call",
                id="fs_1",
                status="completed",
                queries=["price"],
                results=[{"file_id": "f", "text": "9"}],
            )
        ],
        _CALLED,
        "file_search",
        '[{"file_id": "f", "text": "9"}]',
    ),
    "file-search-silent": Sample(
        [_item("file_search_call", id="fs_1", status="completed", queries=["price"], results=None)],
        _CALLED,
        "file_search",
    ),
    "code": Sample(
        [
            _item(
                "code_interpreter_call",
                id="ci_1",
                status="completed",
                code="2+2",
                container_id="cntr_1",
                outputs=[{"type": "logs", "logs": "4"}],
            )
        ],
        _CALLED,
        "code_interpreter",
        '[{"type": "logs", "logs": "4"}]',
    ),
    "image": Sample(
        [_item("image_generation_call", id="ig_1", status="completed", result=PIXEL, output_format="png", size="auto")],
        _CALLED,
        "image_generation",
    ),
    "compaction": Sample([_item("compaction", id="cmp_1", encrypted_content="gAAA")], ("assistant",)),
    "reference": Sample([_item("item_reference", id="msg_1")], ("assistant",)),
    "reference-bare": Sample([{"id": "msg_1"}], ("assistant",)),
    "tools": Sample([_item("additional_tools", role="developer", tools=[_FUNCTION])], ("system",)),
    "configuration": Sample([_item("configuration_update", reasoning={"effort": "high"})], ("system",)),
    "trigger": Sample([_item("compaction_trigger")], ("system",)),
}
