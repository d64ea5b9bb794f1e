"""Print the pairs of bullets of a playbook that somebody should look at."""

import argparse

from acdl_mkdocs.cli.playbook_files import playbook_at, print_json
from acdl_mkdocs.counted import counted
from acdl_mkdocs.figure.metrics import visible
from acdl_mkdocs.playbook.plain import pair_data
from acdl_mkdocs.playbook.prompt_text import bullet_text
from acdl_mkdocs.playbook.review import waiting


def print_queue(args: argparse.Namespace) -> int:
    """Print the queue, the pairs first that most likely say the same.

    Raises:
        PlaybookError: The playbook cannot be read.
    """
    playbook = playbook_at(args.playbook)
    pairs = waiting(playbook)
    if args.format == "json":
        print_json({"playbook": str(args.playbook), "pairs": [pair_data(each) for each in pairs]})
        return 0
    for each in pairs:
        why = f", {each.why}" if each.why else ""
        print(visible(f"{each.verdict} (similarity {each.score:.2f}{why})"))
        for name in (each.a, each.b):
            print(visible(f"  {bullet_text(playbook.by_id[name])}"))
    print(visible(f"{args.playbook}: {counted(len(pairs), 'pair')} to look at"))
    if pairs:
        print(visible(f"decide with: acdl playbook review {args.playbook} keep|merge {pairs[0].a} {pairs[0].b}"))
    return 0
