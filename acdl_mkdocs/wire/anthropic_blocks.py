"""Types of blocks of Anthropic Messages that only this provider has."""

from collections.abc import Mapping

CALLS = frozenset(("server_tool_use", "mcp_tool_use"))
"""Calls of tools that the provider runs."""
BLOCKS = "mcp_tool_result"
"""The result whose content is text or blocks, as that of a tool of the caller."""
RESULTS: Mapping[str, str | None] = {
    "web_search_tool_result": "web_search",
    "web_fetch_tool_result": "web_fetch",
    "code_execution_tool_result": "code_execution",
    "bash_code_execution_tool_result": "bash_code_execution",
    "text_editor_code_execution_tool_result": "text_editor_code_execution",
    "tool_search_tool_result": None,
    "advisor_tool_result": "advisor",
    BLOCKS: None,
}
"""Results of these tools, and the tool that such a result is of, where that is always the same."""
KEPT = frozenset(
    (
        *("search_result", "container_upload", "compaction", "tool_reference", "tool_addition", "tool_removal"),
        *("mcp_tool_listing", "fallback", "browser_state"),
    )
)
"""Blocks that are neither text nor calls nor results: kept as they are."""
