"""The specs that `acdl explain` is asked for, in words."""

import argparse
import os

from acdl_mkdocs.evaluation.explain.explain import explain
from acdl_mkdocs.evaluation.explain.model import Explanation
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.frontends.cli.spec_and_state import UnusableRequestError, chosen_input, inputs_of, named_spec
from acdl_mkdocs.workspace.read_block import Finding


def explained(args: argparse.Namespace) -> tuple[tuple[Explanation, ...], tuple[Finding, ...]]:
    """The explanations, and the errors of the texts.

    Raises:
        AcdlError: The text, or the spec in it, is not there.
    """
    path, name = named_spec(args)
    if path != "-" and not os.path.lexists(path):
        _refuse_rule(path)
    inputs = inputs_of(path)
    chosen = inputs if name is None else [chosen_input(inputs, name, path)]
    told: list[Explanation] = []
    errors: list[Finding] = []
    for given in chosen:
        examined = given.understood()
        errors += [each for each in given.all_findings(examined) if each[0].severity == "error"]
        told += explain(examined.resolved, name, Config(range=args.range or given.text.options.range))
    return tuple(told), tuple(errors)


def _refuse_rule(name: str) -> None:
    """Say where rules are explained.

    Raises:
        UnusableRequestError: The name is that of a rule.
    """
    from acdl_mkdocs.frontends.docs.problems.rule_pages import all_names

    if name in all_names():
        raise UnusableRequestError(f"{name} is a rule and no file: `acdl rules {name}` explains it")
