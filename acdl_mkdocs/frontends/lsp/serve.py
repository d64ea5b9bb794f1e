"""Start the language server on standard input and output.

A fault in one answer is logged and sent to the editor as an error; the server continues. It writes no file and prints
nothing: standard output has the protocol alone.
"""

import gc
import logging
import os
import sys
from io import BufferedReader, BufferedWriter

from pygls.io_ import StdoutWriter

from acdl_mkdocs.frontends.lsp.answers import register_answers
from acdl_mkdocs.frontends.lsp.files import register_files
from acdl_mkdocs.frontends.lsp.requests import register_requests
from acdl_mkdocs.frontends.lsp.server import Server, is_refusal

_FORMAT = "acdl lsp: %(levelname)s: %(message)s"


class _FaultFilter(logging.Filter):
    """A log filter that drops refusals and malformed messages, which pygls logs with a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is written."""
        # `JsonRpcConnection` logs malformed messages in one line.
        is_malformed = str(record.msg).startswith("Unable to deserialize message")
        return not (is_malformed or (record.exc_info and is_refusal(record.exc_info[1])))


def begin_log() -> None:
    """Start to log warnings and faults to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_FaultFilter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, format=_FORMAT)


def serve_editor() -> int:
    """Serve an editor on standard input and output until it ends; return 0 if it asked for shutdown first."""
    begin_log()
    status = serve_streams(*_own_streams())
    gc.freeze()  # avoid garbage collection of a large workspace while the editor waits for the exit
    return status


def serve_streams(stdin: BufferedReader, stdout: BufferedWriter) -> int:
    """Talk to an editor on two streams; 0 if it said goodbye."""
    server = Server()
    for register in (register_files, register_answers, register_requests):
        register(server)
    server.protocol.set_writer(StdoutWriter(stdout))
    try:
        server.turns.run_until_end(stdin)
    except (KeyboardInterrupt, SystemExit):
        pass  # the editor has sent `exit`
    finally:
        server.checks.stop_checks()
        server.aside.stop_queries()
        server.shutdown()  # type: ignore[no-untyped-call]  # pygls has no annotations there
    return 0 if server.protocol.is_shut_down else 1


def _own_streams() -> tuple[BufferedReader, BufferedWriter]:
    """Reserve standard input and output for the protocol: other output goes to standard error."""
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return stdin, stdout
