"""acdl tokens: count the model tokens of a prompt, and of the same prompt in other spellings."""

import argparse

from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.frontends.cli.messages import StoppedError, print_error

FORMATS = ("terminal", "json", "markdown")
"""The formats of `token_tables.TABLES`, which need not be imported to be named."""

_ABOUT = (
    "FILE is a PML document, the JSON of a request (OpenAI Chat or Responses, Anthropic, Gemini) or of a list of "
    "tools, or an .acdl file with --state and --at, as for `acdl unroll`; anything else is counted as one text. "
    "Nothing is sent or downloaded."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = _ABOUT
    parser.add_argument("path", metavar="FILE", help="a prompt or any text; `-` is standard input")
    parser.add_argument("--compare", action="store_true", help="also count the prompt in other spellings")
    parser.add_argument(
        "--encoding",
        metavar="NAME",
        action="append",
        help="o200k_base, cl100k_base, claude or estimate; can be repeated (default: o200k_base, or the estimate)",
    )
    parser.add_argument("--format", choices=FORMATS, default="terminal", help="output format")
    parser.add_argument("--lenient", action="store_true", help="count as much as can be read of a prompt with errors")
    parser.add_argument("--state", metavar="FILE", help="state for an .acdl file")
    parser.add_argument("--at", metavar="POINTS", help="points in time, `3.2` or `1..3` (default: from the state)")
    parser.add_argument("--spec", metavar="NAME", help="spec of an .acdl file or page")
    parser.add_argument(
        "--missing",
        choices=("error", "placeholder", "empty"),
        help="what to do about values that the state lacks (default: error)",
    )


def run(args: argparse.Namespace) -> int:
    """Count tokens; return 1 if the prompt has errors, 2 if something could not be done."""
    from acdl_mkdocs.frontends.cli.token_inputs import read_inputs
    from acdl_mkdocs.frontends.cli.token_tables import TABLES, CountedPrompt
    from acdl_mkdocs.prompts.tokens.compare import compare, weigh_prompt, weigh_text
    from acdl_mkdocs.prompts.tokens.counter import counter  # loads vocabularies

    try:
        counters = [counter(name) for name in dict.fromkeys(args.encoding or [None])]
        inputs = read_inputs(args)
        if args.compare and any(isinstance(each.prompt, str) for each in inputs.inputs):
            raise StoppedError(f"{args.path}: is a text without messages or tools, which has one spelling")
    except StoppedError as reason:
        print_error(str(reason))
        return reason.status
    except AcdlError as reason:
        print_error(str(reason))
        return 2
    counted = []
    for each in inputs.inputs:
        if isinstance(each.prompt, str):
            counted.append(CountedPrompt(each.name, [weigh_text(each.prompt, one) for one in counters]))
        else:
            compared = compare(each.prompt, *counters) if args.compare else ()
            counted.append(
                CountedPrompt(each.name, [weigh_prompt(each.prompt, one) for one in counters], compared, each.left_out)
            )
    print(TABLES[args.format](args.path, counted), end="")
    return int(inputs.has_errors)
