"""This project beside the tools that a docs author would otherwise use, as far as `make bench-peers` has them."""

import peers_figures
import peers_sites


def measure() -> dict[str, object]:
    """What `peers_page` shows."""
    missing = peers_figures.missing()
    present = peers_figures.present()
    versions = {peer.name: peers_figures.version_of(peer) for peer in present}
    figures, undrawn = peers_figures.measure(present)
    pages, unbuilt = peers_sites.measure([peer for peer in present if peer.name not in undrawn])
    for each, reason in (undrawn | unbuilt).items():
        missing[each] = (f"does not run: {reason}", ", ".join(next(p for p in present if p.name == each).packages))
    tools = {
        peer.name: {"version": versions[peer.name], "needs": peer.needs, "integration": peer.integration}
        for peer in present
    }
    return {"tools": tools, "figures": figures, "pages": pages, "missing": missing}
