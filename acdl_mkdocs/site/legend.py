"""The notation of figures, explained by a figure: a small spec whose comments say what stands beside them."""

from functools import lru_cache

from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.source import Source

LEGEND = """\
Spec[@T]: { // a spec: everything a model is sent at turn @T
    S: { // messages, by role: System
        TEMPLATE // text that somebody wrote
        sys.state // what the program around the model knows
    }
    ForEach(t: range(1, @T)) { // a loop, here over all turns before @T
        Mark 1 { // a part that the text around the figure refers to
            U: env.input[@t] // User; what comes from outside, at that turn
            A: resp.answer[@t] // Assistant; what a model answered
        }
        If (sys.has_called[@t]) { // only if the condition holds
            T: call(sys.tool[@t]) // Tool; what a function gives back
        }
    }
    Frag Reminder[@T] // messages from a fragment
}

RolesFrag Reminder[@t]: { // a fragment with messages: RF; with content only: SF
    U: env.input[@t]
}
"""

_WIDTH_PX = 360
"""As wide as a phone can show with letters of a legible size."""


@lru_cache(maxsize=8)
def legend_svg(id_prefix: str) -> str:
    """The legend as an inline figure.

    Parameters:
        id_prefix: Put before every id, so that it cannot collide with others of the page.
    """
    from acdl_mkdocs.drawing.figure.describe import describe
    from acdl_mkdocs.language.analyse import understand  # most pages have no gallery

    figure = describe(understand(Source(LEGEND, "legend")).resolved)
    options = OutputOptions(title="Legend of the notation", id_prefix=id_prefix, standalone=False, width_px=_WIDTH_PX)
    return OUTPUTS["svg"](figure, options)
