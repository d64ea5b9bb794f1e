"""Formats of prompts, one module each: the requests of `PROVIDERS`, and PML documents; `WIRES` lists them all.

A module has one `Provider` with everything about its format; all lists, choices and menus derive from these.
`Written.losses` has what a format cannot hold, `Read.problems` what does not follow the format; writing and reading
never raise because of a prompt or a body.
"""

from acdl_mkdocs.prompts.providers.provider import PROVIDERS, WIRES, Provider
from acdl_mkdocs.prompts.providers.results import Loss, Problem, Read, Written
from acdl_mkdocs.prompts.providers.sniff import sniff

__all__ = ["PROVIDERS", "WIRES", "Loss", "Problem", "Provider", "Read", "Written", "sniff"]
