"""The same names as in `acdl_mkdocs.evaluation.state.read`, at the path that users know."""

from acdl_mkdocs.evaluation.state.read import KEYS, VERSION, StateFile, read_state, state_of

__all__ = (
    "KEYS",
    "VERSION",
    "StateFile",
    "read_state",
    "state_of",
)
