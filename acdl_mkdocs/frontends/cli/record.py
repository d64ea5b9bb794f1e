"""acdl record: run a program and record its requests to models, or answer them without a model."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.usage = "acdl record [OPTIONS] -- PROGRAM [ARGUMENT ...]"
    parser.add_argument("-o", "--out", metavar="FILE", help="recording to write, one request per line")
    add = parser.add_mutually_exclusive_group()
    add.add_argument("--force", action="store_true", help="replace an existing recording")
    add.add_argument("--append", action="store_true", help="append to an existing recording")
    answers = parser.add_mutually_exclusive_group()
    answers.add_argument("--replay", metavar="FILE", help="answer from a recording, without a network")
    answers.add_argument("--script", metavar="FILE", help="answer from a script of replies, without a network")
    parser.add_argument("--all", action="store_true", help="fail if any scripted reply or recorded request is unused")
    parser.add_argument(
        "--upstream",
        action="append",
        default=[],
        metavar="NAME=ADDRESS",
        help="address of a provider, such as openai, anthropic, gemini, vertex or azure, or of your own name (default: "
        "from its variable, or its usual address)",
    )
    parser.add_argument(
        "--variable",
        action="append",
        default=[],
        metavar="VARIABLE=NAME",
        help="additional variable to set to the recorder's address for a provider",
    )
    names = parser.add_mutually_exclusive_group()
    names.add_argument("--episode", metavar="NAME", help="name of this run in the recording (default: the file name)")
    names.add_argument(
        "--no-episode", action="store_true", help="no name, because the program has several conversations"
    )
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="PROGRAM", help="program to run and its arguments")


def run(args: argparse.Namespace) -> int:
    """Run the command; return the status of the program, unless the recorder has its own reason to fail."""
    from acdl_mkdocs.frontends.cli.recording import record_run

    return record_run(args)
