"""Keep the garbage collector from walking a growing tree again and again.

The stages make very many objects that live together and hold no cycles. The collector would visit all of them each
time their number grows by a quarter: half of the time that a spec of 10,000 lines takes. Knows nothing about ACDL.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_MANY = 10_000
"""New objects after which those that are young are looked through, where much is done."""


@contextmanager
def relaxed() -> Iterator[None]:
    """Within this, the collector looks for garbage more rarely: most objects are gone before it would look at them."""
    young, *older = gc.get_threshold()
    if not 0 < young < _MANY:
        yield
        return
    gc.set_threshold(_MANY, *older)
    try:
        yield
    finally:
        gc.set_threshold(young, *older)


@contextmanager
def paused() -> Iterator[None]:
    """Within this, nothing is collected; afterwards the collector is as it was."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
