"""What the server writes to standard error, where editors keep a log: faults of ours.

A refusal, such as a name that cannot be renamed, is an answer: the person at the editor reads it there.
"""

import logging
import sys

from cattrs.errors import BaseValidationError
from pygls.exceptions import JsonRpcException, JsonRpcInternalError

_FORMAT = "acdl lsp: %(levelname)s: %(message)s"


def is_refusal(reason: BaseException | None) -> bool:
    """Whether an error is an answer to what was asked, and no fault."""
    return isinstance(reason, JsonRpcException) and reason.code != JsonRpcInternalError.CODE


class _Faults(logging.Filter):
    """Lets all through but refusals and malformed messages, which pygls logs with a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written."""
        reason = record.exc_info[1] if record.exc_info else None
        return not (is_refusal(reason) or isinstance(reason, BaseValidationError))


def begin_log() -> None:
    """Write warnings and faults to standard error from now on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_Faults())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, format=_FORMAT)
