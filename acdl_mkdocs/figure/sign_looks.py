"""How every sign of a box is drawn, as data; each differs from the others in more than colour."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class SignLook(NamedTuple):
    """How a sign is drawn in the column at the left edge, and what lies behind the words of its box."""

    icon: str
    style: str
    """Of the icon."""
    tint: str = ""
    edge: str = ""
    """Style of the line at the left of the tint."""
    is_struck: bool = False
    """Whether the words are struck out."""


def _change(icon: str, family: str, *, is_struck: bool = False) -> SignLook:
    return SignLook(icon, f"sign-{family}", f"tint-{family}", f"edge-{family}", is_struck)


SIGN_LOOKS: Mapping[str, SignLook] = MappingProxyType(
    {
        "added": _change("plus", "new"),
        "removed": _change("minus", "gone", is_struck=True),
        "changed": _change("tilde", "other"),
        "moved": _change("arrows", "other"),
        "renamed": _change("tag", "other"),
        "wrapped": _change("box-plus", "new"),
        "unwrapped": _change("box-minus", "gone", is_struck=True),
        "role": _change("person", "other"),
        "comment": SignLook("slashes", "sign-quiet"),
        "confirmed": SignLook("check", "sign-new"),
        "refuted": _change("cross", "gone"),
        "unexercised": _change("ring", "quiet"),
        "uncontrollable": SignLook("question", "sign-quiet"),
    }
)
"""Sign of a box to its look."""
