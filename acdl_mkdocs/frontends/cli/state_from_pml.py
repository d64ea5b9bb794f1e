"""acdl state from-pml: write a recorded conversation as a sample state, of a given spec or of one that sends it."""

import argparse

SUMMARY = "create a state from a recorded conversation in PML"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    parser.add_argument("path", metavar="FILE", help="PML document; `-` is standard input")
    parser.add_argument(
        "--spec",
        metavar="SPEC",
        help="spec to fill: .acdl file, page or `page.md#Name` (default: a spec that sends any conversation)",
    )
    parser.add_argument(
        "--lenient", action="store_true", help="repair mistakes that have only one possible meaning, and report them"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="file to write; the schema and the spec are written beside it (default: print the state)",
    )
    parser.add_argument("--schema", metavar="ADDRESS", help="address of the schema for editors")
    parser.set_defaults(act=_from_pml)


def _from_pml(args: argparse.Namespace) -> int:
    from acdl_mkdocs.frontends.cli.recorded_states import from_pml

    return from_pml(args)
