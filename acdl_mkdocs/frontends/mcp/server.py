"""The MCP server: tools, resources and prompts. The only module that knows the SDK.

Each call runs in its own process, which is ended when the call takes too long or the client cancels it:
no text that a client sends can stop the server. Nothing but the protocol goes to standard output.
"""

import asyncio
import base64
import logging
import os
import warnings
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from acdl_mkdocs import __version__
from acdl_mkdocs.foundation import extras
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.mcp import prompts, resources
from acdl_mkdocs.frontends.mcp.answers import Answer, CallError
from acdl_mkdocs.frontends.mcp.arguments import schema_of
from acdl_mkdocs.frontends.mcp.folders import Folders, resolve_links
from acdl_mkdocs.frontends.mcp.tool import Tool
from acdl_mkdocs.frontends.mcp.tools import TOOLS, run_tool

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server

LIMIT_S = 30.0
"""Time limit of a call."""
_ROOTS_LIMIT_S = 3.0
_INSTRUCTIONS = (
    "ACDL specs say what an LLM agent sends to its model: which messages, made of which parts, at which time. Read "
    "acdl://language before you write one, or call `read_reference`, which gives the same. After every change of a "
    "spec call `check` until `is_fine`, then `format`; `explain` and `render` show whether it says what you mean, "
    "`unroll` what it sends with a state. Paths start at the folder of the server. Where there is a playbook.yaml, "
    "call `playbook_retrieve` with your task before you begin it, and `playbook_tag` and `playbook_propose` when it "
    "is done."
)
_MOST_COMPLETIONS = 100
_log = logging.getLogger("acdl.mcp")


@dataclass
class Service:
    """The tools of the server, and the folders that it may read."""

    folders: Folders
    limit_s: float = LIMIT_S
    takes_client_roots: bool = False
    """Whether the folders of the client replace the server's own."""
    _has_asked_for_roots: bool = field(default=False, init=False)
    _places: Any = field(default=None, init=False)
    """A limit on concurrent calls."""
    _own: Folders | None = field(default=None, init=False)
    """The folders to use if the client names none."""

    async def call_tool(self, name: str, sent: Mapping[str, object] | None) -> Answer:
        """Run one call of a tool in another process."""
        anyio = extras.import_extra("anyio", "mcp")
        self._places = self._places or anyio.CapacityLimiter(os.cpu_count() or 1)
        async with self._places:  # at most as many calls run at once as processes; a waiting call has not started
            began = monotonic()
            answer = await self._await_answer(name, sent)
        _log.info("%s: %s in %.2f s", name, "error" if answer.is_error else "answered", monotonic() - began)
        return answer

    async def _await_answer(self, name: str, sent: Mapping[str, object] | None) -> Answer:
        """Return the answer of a process, or the reason why there is none."""
        anyio = extras.import_extra("anyio", "mcp")
        to_process = extras.import_extra("anyio.to_process", "mcp")
        answer: Answer | None = None
        with anyio.move_on_after(self.limit_s):
            try:
                answer = await to_process.run_sync(run_tool, name, sent, self.folders, cancellable=True)
            except anyio.BrokenWorkerProcess:
                answer = Answer(f"error: `{name}` ended unexpectedly; send a smaller text", is_error=True)
            except Exception as reason:  # report any error to the client
                kind = type(reason).__name__
                answer = Answer(f"error: `{name}` failed: {kind}; send another text, and report it", is_error=True)
        if answer is None:
            cure = "send a smaller text or fewer points, or let a person start the server with a larger `--timeout`"
            answer = Answer(f"error: `{name}` took longer than {self.limit_s:g} seconds; {cure}", is_error=True)
        return answer

    def forget_roots(self) -> None:
        """Ask for the folders of the client again at the next call, because they have changed."""
        self._has_asked_for_roots = False

    async def ask_for_roots(self, context: "ServerRequestContext[Any]") -> None:
        """Use the folders of the client, if it names any; asked once, and again after it reports a change."""
        if self._has_asked_for_roots or not self.takes_client_roots:
            return
        self._has_asked_for_roots = True
        client = context.session.client_params
        if client is None or client.capabilities.roots is None:
            return
        anyio = extras.import_extra("anyio", "mcp")
        try:
            with anyio.move_on_after(_ROOTS_LIMIT_S), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # newer versions of the protocol have no folders of clients
                answer = await context.session.list_roots()
                folders = tuple(filter(None, (_folder_of(str(each.uri)) for each in answer.roots)))
                self._own = self._own or self.folders
                self.folders = Folders(folders, self._own.may_write) if folders else self._own
                if folders:
                    _log.info("the client works in %s", ", ".join(map(str, folders)))
        except Exception as reason:  # a client that claims to have folders, but does not list them
            _log.warning("the client did not say its folders: %s", reason)


def _folder_of(uri: str) -> Path | None:
    """Return the folder of a `file://` address; never the whole disk, which cannot be meant."""
    parts = urlsplit(uri)
    path = resolve_links(Path(unquote(parts.path)))
    if path is None or path == path.parent:
        return None
    return path if parts.scheme == "file" and parts.netloc in ("", "localhost") and path.is_dir() else None


def serve_client(folders: Folders, limit_s: float = LIMIT_S, *, takes_client_roots: bool = False) -> None:
    """Serve one client over standard input and output, until it goes away.

    Parameters:
        folders: The folders that may be read and written.
        limit_s: How long a call may take.
        takes_client_roots: Whether the folders of the client replace `folders.roots`.

    Raises:
        MissingExtraError: The SDK is not installed.
    """
    server = make_server(Service(folders, limit_s, takes_client_roots))
    stdio = extras.import_extra("mcp.server.stdio", "mcp")

    async def run() -> None:
        async with stdio.stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    asyncio.run(run())


def make_server(service: Service) -> "Server[Any]":
    """Build the server of the SDK.

    Raises:
        MissingExtraError: The SDK is not installed.
    """
    lowlevel = extras.import_extra("mcp.server.lowlevel", "mcp")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions of the protocol have no folders of clients
        return _build_server(lowlevel, _RequestHandlers(service))


def _build_server(lowlevel: Any, handlers: "_RequestHandlers") -> "Server[Any]":
    server: Server[Any] = lowlevel.Server(
        "acdl",
        version=__version__,
        title="ACDL",
        instructions=_INSTRUCTIONS,
        website_url=None,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_completion=handlers.complete_argument,
        on_roots_list_changed=handlers.forget_roots,
    )
    return server


class _RequestHandlers:
    """The handlers of the protocol's requests."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.types = extras.import_extra("mcp_types", "mcp")
        self.error = extras.import_extra("mcp.shared.exceptions", "mcp").MCPError

    async def forget_roots(self, _: object, __: object) -> None:
        self.service.forget_roots()

    async def list_tools(self, _: object, __: object) -> "types.ListToolsResult":
        return self.types.ListToolsResult(tools=[self._describe_tool(each) for each in TOOLS])  # type: ignore[no-any-return]

    def _describe_tool(self, tool: Tool) -> "types.Tool":
        may_write = tool.can_write and self.service.folders.may_write
        hints = self.types.ToolAnnotations(
            title=tool.title,
            read_only_hint=not may_write,
            destructive_hint=may_write and not tool.is_adding,
            idempotent_hint=not tool.is_adding,
            open_world_hint=False,
        )
        return self.types.Tool(  # type: ignore[no-any-return]
            name=tool.name,
            title=tool.title,
            description=tool.about,
            input_schema=schema_of(tool.arguments),
            output_schema=tool.answer,
            annotations=hints,
        )

    async def call_tool(
        self, context: "ServerRequestContext[Any]", params: "types.CallToolRequestParams"
    ) -> "types.CallToolResult":
        await self.service.ask_for_roots(context)
        answer = await self.service.call_tool(params.name, params.arguments)
        texts = [self.types.TextContent(text=each) for each in (answer.text, answer.notes) if each]
        images = [
            self.types.ImageContent(data=base64.b64encode(each.data).decode("ascii"), mime_type=each.mime_type)
            for each in answer.images
        ]
        return self.types.CallToolResult(  # type: ignore[no-any-return]
            content=[*texts, *images],
            structured_content=None if answer.is_error else answer.data,
            is_error=answer.is_error,
        )

    async def list_resources(self, _: object, __: object) -> "types.ListResourcesResult":
        items = [
            self.types.Resource(uri=each.uri, name=each.name, description=each.about, mime_type=each.mime_type)
            for each in resources.RESOURCES
        ]
        return self.types.ListResourcesResult(resources=items)  # type: ignore[no-any-return]

    async def list_templates(self, _: object, __: object) -> "types.ListResourceTemplatesResult":
        templates = [
            self.types.ResourceTemplate(
                uri_template=each.uri, name=each.name, description=each.about, mime_type=each.mime_type
            )
            for each in resources.TEMPLATES
        ]
        return self.types.ListResourceTemplatesResult(resource_templates=templates)  # type: ignore[no-any-return]

    async def read_resource(self, _: object, params: "types.ReadResourceRequestParams") -> "types.ReadResourceResult":
        try:
            contents = resources.read_resource(str(params.uri))
        except CallError as reason:
            raise self._refusal_of(reason) from None
        items = [
            self.types.TextResourceContents(uri=each.uri, text=each.text, mime_type=each.mime_type) for each in contents
        ]
        return self.types.ReadResourceResult(contents=items)  # type: ignore[no-any-return]

    async def list_prompts(self, _: object, __: object) -> "types.ListPromptsResult":
        items = [
            self.types.Prompt(
                name=each.name,
                title=each.title,
                description=each.about,
                arguments=[
                    self.types.PromptArgument(name=one.name, description=one.about, required=one.is_required)
                    for one in each.arguments
                ],
            )
            for each in prompts.PROMPTS
        ]
        return self.types.ListPromptsResult(prompts=items)  # type: ignore[no-any-return]

    async def get_prompt(self, _: object, params: "types.GetPromptRequestParams") -> "types.GetPromptResult":
        try:
            prompt, text = prompts.fill_prompt(params.name, params.arguments)
        except CallError as reason:
            raise self._refusal_of(reason) from None
        message = self.types.PromptMessage(role="user", content=self.types.TextContent(text=text))
        return self.types.GetPromptResult(description=prompt.about, messages=[message])  # type: ignore[no-any-return]

    async def complete_argument(self, _: object, params: "types.CompleteRequestParams") -> "types.CompleteResult":
        uri = str(getattr(params.ref, "uri", ""))
        template = next((each for each in resources.TEMPLATES if each.uri == uri), None)
        kind = uri.removeprefix(resources.SCHEME).partition("/")[0]
        begun = params.argument.value
        every = [each for each in resources.list_names(kind) if each.startswith(begun)] if template is not None else []
        completions = every[:_MOST_COMPLETIONS]
        completion = self.types.Completion(values=completions, total=len(every), has_more=len(every) > len(completions))
        return self.types.CompleteResult(completion=completion)  # type: ignore[no-any-return]

    def _refusal_of(self, reason: CallError) -> Exception:
        refusal: Exception = self.error(self.types.INVALID_PARAMS, str(reason))
        return refusal
