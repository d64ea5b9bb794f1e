"""The protocol on the wire: every request gets an answer, also if it is malformed, too early or too late.

The session keeps the texts of documents, so the copy that pygls keeps is left out.
"""

import logging
from collections.abc import Generator, Iterator
from typing import Any

from cattrs import Converter
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcInvalidRequest, JsonRpcServerNotInitialized
from pygls.protocol import LanguageServerProtocol, default_converter
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage
from pygls.protocol.language_server import lsp_method

from acdl_mkdocs.frontends.editor.positions import Encoding

_LOG = logging.getLogger(__name__)
_ENCODINGS: tuple[Encoding, ...] = ("utf-16", "utf-32", "utf-8")
"""Known encodings; the first that the editor supports is used."""
EXPERIMENTAL = {"acdl": dict.fromkeys(("preview", "export", "evaluate", "fence"), True)}
"""The capabilities beyond the protocol, as announced to the editor."""
EARLY = (lsp.INITIALIZE, lsp.EXIT)
"""Messages that may come before the editor has introduced itself."""


def build_converter() -> Converter:
    """Return the converter that reads messages; the parameters of our own requests stay plain data."""
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]  # pygls has no annotations there
    converter.register_structure_hook(
        JsonRPCRequestMessage, lambda data, kind: kind(**_select_known_fields(data, ("id", "params")))
    )
    converter.register_structure_hook(
        JsonRPCNotification, lambda data, kind: kind(**_select_known_fields(data, ("params",)))
    )
    return converter


def _select_known_fields(data: dict[str, Any], field_names: tuple[str, ...]) -> dict[str, Any]:
    return {"method": data["method"], "jsonrpc": data["jsonrpc"], **{name: data.get(name) for name in field_names}}


def _is_message(data: dict[str, Any]) -> bool:
    return isinstance(data.get("method"), str) or ("id" in data and not {"result", "error"}.isdisjoint(data))


class JsonRpcConnection(LanguageServerProtocol):
    """The JSON-RPC connection; see the module."""

    _is_begun = False

    @property
    def is_shut_down(self) -> bool:
        """Whether the editor has asked for shutdown."""
        return self._shutdown

    def position_encoding(self, capabilities: lsp.ClientCapabilities) -> Encoding:
        """Return the unit that is counted within lines: UTF-16 unless the editor only supports another."""
        general = capabilities.general
        encodings = [
            str(getattr(each, "value", each)) for each in (general and general.position_encodings) or ("utf-16",)
        ]
        return next((each for each in _ENCODINGS if each in encodings), "utf-16")

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Read a message; an unreadable request is answered with an error, and then ignored."""
        if not _is_message(data):
            _LOG.warning("a message has neither a method nor an answer: %s", str(data)[:200])
            return JsonRPCNotification("$/malformed", "2.0", None)
        try:
            return super().structure_message({"jsonrpc": "2.0", **data})
        except JsonRpcException:
            _LOG.warning("a message could not be read: %s", str(data)[:200])
            if "id" in data and "method" in data:
                reason = JsonRpcInvalidParams(f"the parameters of `{data['method']}` are not those of the protocol")
                self._send_response(data["id"], error=reason.to_response_error())
            return JsonRPCNotification("$/malformed", "2.0", None)

    def handle_message(self, message: Any) -> None:
        """Answer requests that come before initialization or after shutdown with an error."""
        method, number = getattr(message, "method", ""), getattr(message, "id", None)
        if method == lsp.INITIALIZE:
            self._is_begun = True
        if method and number is not None and self._shutdown:
            reason: JsonRpcException = JsonRpcInvalidRequest(f"`{method}` came after `shutdown`")
        elif method and number is not None and not self._is_begun:
            reason = JsonRpcServerNotInitialized(f"`{method}` came before `initialize`")
        elif method and not self._is_begun and method not in EARLY:
            return
        else:
            super().handle_message(message)
            return
        self._send_response(number, error=reason.to_response_error())

    def refuse_request(self, number: Any, reason: JsonRpcException) -> None:
        """Answer a request that is not handled."""
        self._send_response(number, error=reason.to_response_error())

    def cancel_request(self, number: Any) -> None:
        """Cancel a request that is being handled; one that was answered already needs nothing."""
        if number in self._request_futures:
            self._handle_cancel_notification(number)

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(self, params: lsp.InitializeParams) -> Generator[Any, Any, lsp.InitializeResult]:
        """Return the capabilities of the server, in the protocol and beyond it."""
        result = yield from super().lsp_initialize(params)
        result.capabilities.position_encoding = lsp.PositionEncodingKind(self.position_encoding(params.capabilities))
        result.capabilities.experimental = EXPERIMENTAL
        return result

    @lsp_method(lsp.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: lsp.DidOpenTextDocumentParams) -> Iterator[Any]:
        """Pass an opened text to the session."""
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: lsp.DidChangeTextDocumentParams) -> Iterator[Any]:
        """Pass edits to the session."""
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: lsp.DidCloseTextDocumentParams) -> Iterator[Any]:
        """Notify the session that a text is closed."""
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_CLOSE], (params,), None
