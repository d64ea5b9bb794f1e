"""Options of the formats of an inspection."""

from acdl_mkdocs.foundation.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Price:
    """The cost of a million model tokens of a request, in any currency."""

    input: float
    cached: float

    @classmethod
    def parse_price(cls, text: str) -> "Price | None":
        """Read a price such as `2.50,0.25`; `None` if it is not a price, or a cached token costs more than another."""
        try:
            price, cached = map(float, text.split(","))
        except ValueError:
            return None
        return cls(price, cached) if 0 <= cached <= price < float("inf") else None


@dataclass(frozen=True, slots=True)
class InspectionOptions:
    """Options of every format of an inspection."""

    color: bool = False
    """Whether terminal colours are used."""
    has_excerpts: bool = True
    """Whether contents of messages are shown; keys and passwords never are."""
    price: Price | None = None
    """Adds costs to the numbers of model tokens."""
    id_prefix: str = ""
    """Prefix of every id of HTML, so that several inspections on one page do not collide."""
