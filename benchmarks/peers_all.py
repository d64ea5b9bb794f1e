"""This project beside the tools that a docs author would otherwise use, as far as `make bench-peers` has them."""

import json
import subprocess
import sys

import peers_figures
import peers_sites
from circumstances import DISTRIBUTIONS
from peers_install import VENV
from peers_page import PLAIN
from peers_table import OURS


def measure() -> dict[str, object] | None:
    """What `peers_page` shows; nothing where there is nothing to compare with, or ours does not run."""
    missing = peers_figures.missing()
    if OURS in missing or not VENV.exists():
        print("other tools are not there: run `make bench-peers`", file=sys.stderr)
        return None
    present = peers_figures.present()
    versions = {peer.name: peers_figures.version_of(peer) for peer in present}
    figures, undrawn = peers_figures.measure(present)
    pages, unbuilt = peers_sites.measure([peer for peer in present if peer.name not in undrawn])
    broken = undrawn | unbuilt
    for each in broken.keys() & {OURS, PLAIN}:
        print(f"{each}: does not run: {broken[each]}", file=sys.stderr)
        return None
    for each, reason in broken.items():
        missing[each] = (f"does not run: {reason}", ", ".join(next(p for p in present if p.name == each).packages))
    tools = {
        peer.name: {"version": versions[peer.name], "needs": peer.needs, "integration": peer.integration}
        for peer in present
    }
    return {"tools": tools, "figures": figures, "pages": pages, "missing": missing}


def with_versions(where: dict[str, str]) -> dict[str, str]:
    """Where something was measured, with the versions of the environment in which the tools are."""
    words = [str(VENV / "bin" / "python"), "-m", "pip", "list", "--format=json", "--disable-pip-version-check"]
    listed = json.loads(subprocess.run(words, check=True, capture_output=True, encoding="utf-8").stdout)
    versions = {each["name"].lower(): each["version"] for each in listed}
    own = {name: said for name, said in where.items() if name not in DISTRIBUTIONS}
    return own | {name: versions[name] for name in DISTRIBUTIONS if name in versions}
