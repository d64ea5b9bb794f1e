"""acdl rules: list the rules for specs, or explain one rule with an example."""

import argparse
import json
import sys

from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.cli.messages import print_error, should_color


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="rule to explain (default: list all rules)")
    parser.add_argument("--format", choices=("terminal", "json", "markdown"), default="terminal", help="output format")


def run(args: argparse.Namespace) -> int:
    """Print the list or the page; return 2 if there is no such rule."""
    from acdl_mkdocs.frontends.docs.problems import rule_texts
    from acdl_mkdocs.frontends.docs.problems.rule_pages import all_names, rule_page

    names = all_names()
    color = should_color(args.color, sys.stdout)
    if args.name is None:
        pages = [rule_page(name) for name in names]
        if args.format == "json":
            sys.stdout.writelines(json.dumps(rule_texts.summary_data(page)) + "\n" for page in pages)
        else:
            is_text = args.format == "terminal"
            sys.stdout.write(
                rule_texts.list_for_terminal(pages, color=color) if is_text else rule_texts.write_catalogue(pages)
            )
        return 0
    if args.name not in names:
        near = find_closest(args.name, names)
        print_error(f"no rule `{args.name}`; " + (f"did you mean `{near}`?" if near else "`acdl rules` lists them"))
        return 2
    page = rule_page(args.name)
    if args.format == "json":
        print(json.dumps(rule_texts.to_object(page)))
    else:
        is_text = args.format == "terminal"
        sys.stdout.write(rule_texts.to_text(page, color=color) if is_text else rule_texts.to_markdown(page))
    return 0
