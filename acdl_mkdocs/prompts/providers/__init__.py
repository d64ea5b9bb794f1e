"""Formats of prompts, one module each: the requests of `PROVIDERS`, and PML documents; `WIRES` lists them all.

A module has one `Provider` with everything that is known of its format; all lists, choices and menus are made of these.
What a format cannot hold is in `Written.losses`, what does not follow the format is in `Read.problems`; neither ever
raises because of a prompt or a body.
"""

from acdl_mkdocs.prompts.providers.provider import PROVIDERS, WIRES, Provider
from acdl_mkdocs.prompts.providers.results import Loss, Problem, Read, Written
from acdl_mkdocs.prompts.providers.sniff import sniff

__all__ = ["PROVIDERS", "WIRES", "Loss", "Problem", "Provider", "Read", "Written", "sniff"]
