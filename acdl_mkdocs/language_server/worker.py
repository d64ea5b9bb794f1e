"""One thread that works while the editor goes on asking, so that typing never waits for it.

Knows nothing about ACDL.
"""

import logging
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread

Work = Callable[[], None]

_LOG = logging.getLogger(__name__)
_IS_OVER = "Event loop is closed"
"""What asyncio says to work that ends after the editor has gone."""


class Worker:
    """Does one thing after another. Ends with the process: what it does then is of no use to anybody."""

    def __init__(self, name: str) -> None:
        """Start the thread.

        Parameters:
            name: What the thread is called.
        """
        self._waiting: SimpleQueue[Work | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def add(self, work: Work) -> None:
        """Do something when all that was asked for before is done."""
        self._waiting.put(work)

    def stop(self) -> None:
        """Take no more."""
        self._waiting.put(None)

    def _run(self) -> None:
        while (work := self._waiting.get()) is not None:
            try:
                work()
            except Exception as reason:  # a fault in one check must not end all others
                if str(reason) == _IS_OVER:
                    return
                _LOG.exception("a check failed")
