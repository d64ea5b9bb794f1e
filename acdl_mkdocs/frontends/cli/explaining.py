"""The explanations of specs for `acdl explain`."""

import argparse
import os

from acdl_mkdocs.app.explain import Explained, explain
from acdl_mkdocs.app.understood import understand_input
from acdl_mkdocs.frontends.cli.spec_and_state import (
    UnusableRequestError,
    choose_input,
    inputs_of,
    parse_spec_name,
)


def explain_texts(args: argparse.Namespace) -> Explained:
    """Return the explanations, and the errors of the texts.

    Raises:
        AcdlError: The text, or the spec in it, does not exist.
    """
    path, name = parse_spec_name(args)
    if path != "-" and not os.path.lexists(path):
        _refuse_rule(path)
    inputs = inputs_of(path)
    chosen = inputs if name is None else [choose_input(inputs, name, path)]
    texts = map(understand_input, chosen)
    return explain([each.with_range(args.range) if args.range else each for each in texts], name)


def _refuse_rule(name: str) -> None:
    """Refuse the name of a rule, and name the command that explains rules.

    Raises:
        UnusableRequestError: The name is that of a rule.
    """
    from acdl_mkdocs.frontends.docs.problems.rule_pages import all_names

    if name in all_names():
        raise UnusableRequestError(f"{name} is a rule and no file: `acdl rules {name}` explains it")
