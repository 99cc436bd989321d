"""The commands of `studio` that are about model servers.  Light: see `cli`."""

import argparse

from studio.terminal_arguments import Commands


def add_models(commands: Commands) -> None:
    parser = commands.add_parser("models", help="list the models of the known servers, or of one")
    parser.add_argument(
        "server", nargs="?", default="",
        help="auto (this machine's own), embedded, an address, or pool for all known ones",
    )  # fmt: skip
    parser.add_argument("--pull", metavar="NAME", default="", help="fetch a model first")
    parser.add_argument("--delete", metavar="NAME", default="", help="delete a model first")
    parser.add_argument("--unload", metavar="NAME", default="", help="free a model's memory first")
    parser.add_argument("--yes", action="store_true", help="delete without being asked again")
    parser.set_defaults(carry_out=_models)


def add_probe(commands: Commands) -> None:
    parser = commands.add_parser(
        "probe", help="find out what a model can do: tools, JSON schemas, its window, speed"
    )
    parser.add_argument("model", help="the model, by name")
    parser.add_argument(
        "--server", default="auto", metavar="ADDRESS", help="auto, embedded or an address"
    )
    parser.set_defaults(carry_out=_probe)


def _models(arguments: argparse.Namespace) -> int:
    from studio.terminal_models import Orders, list_models

    orders = Orders(arguments.pull, arguments.delete, arguments.unload, is_agreed=arguments.yes)
    return list_models(arguments.server, orders)


def _probe(arguments: argparse.Namespace) -> int:
    from studio.terminal_models import probe_model

    return probe_model(arguments.model, arguments.server)
