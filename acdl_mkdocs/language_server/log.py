"""What the server writes to standard error, where editors keep a log: faults of ours.

A refusal, such as a name that cannot be renamed, is an answer: the person at the editor reads it there.
"""

import logging
import sys

from pygls.exceptions import JsonRpcException, JsonRpcInternalError

_FORMAT = "acdl lsp: %(levelname)s: %(message)s"


def is_refusal(reason: BaseException | None) -> bool:
    """Whether an error is an answer to what was asked, and no fault."""
    return isinstance(reason, JsonRpcException) and reason.code != JsonRpcInternalError.CODE


class _Faults(logging.Filter):
    """Lets all through but refusals and malformed messages, which pygls logs with a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written."""
        is_malformed = str(record.msg).startswith("Unable to deserialize message")  # `Wire` says it in one line
        return not (is_malformed or (record.exc_info and is_refusal(record.exc_info[1])))


def begin_log() -> None:
    """Write warnings and faults to standard error from now on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_Faults())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, format=_FORMAT)
