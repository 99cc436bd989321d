"""The `studio` command: the window, and the same engine in a terminal.

Written with argparse and imports inside the commands, so that `studio --help` starts in a few
hundredths of a second; a CLI framework alone would cost ten times that.
"""

import argparse
import sys
from pathlib import Path

from studio import __version__, cli_models
from studio.terminal_arguments import AnyOrder, Commands


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="studio",
        description="Evaluate tool-using agents on your own laptop.",
        epilog="Without a command the window opens with the project that was open last.",
    )
    parser.add_argument("--version", action="version", version=f"studio {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=AnyOrder)
    _add_open(commands)
    _add_demo(commands)
    _add_run(commands)
    _add_project_command(commands, "check", "list every mistake in a project's files", _check)
    _add_project_command(commands, "runs", "list the stored runs of a project", _runs)
    _add_trace(commands)
    _add_rescore(commands)
    _add_analyse(commands)
    _add_grade(commands)
    cli_models.add_models(commands)
    cli_models.add_probe(commands)
    _add_help(commands)
    return parser


def _add_project_command(commands: Commands, name: str, summary: str, carry_out: object) -> None:
    parser = commands.add_parser(name, help=summary)
    parser.add_argument("project", type=Path, help="the project folder")
    parser.set_defaults(carry_out=carry_out)


def _add_open(commands: Commands) -> None:
    parser = commands.add_parser("open", help="open a project in the window")
    parser.add_argument("project", type=Path, nargs="?", help="the project folder")
    parser.set_defaults(carry_out=_open)


def _add_demo(commands: Commands) -> None:
    parser = commands.add_parser(
        "demo", help="run the sample project on the embedded model, the window filling as it goes"
    )
    parser.add_argument("--headless", action="store_true", help="in the terminal, without a window")
    parser.set_defaults(carry_out=_demo)


def _add_run(commands: Commands) -> None:
    parser = commands.add_parser("run", help="run and score a project in the terminal")
    parser.add_argument("project", type=Path, help="the project folder")
    parser.add_argument("--prompt", help="the prompt, by name")
    parser.add_argument("--tools", help="the tool set, by name")
    parser.add_argument("--model", help="the model, by name as in project.yaml")
    parser.add_argument(
        "--server", action="append", metavar="ADDRESS", default=[],
        help="ask this server (again for more: the trials are spread over those that have the same "
        "model); auto, embedded, or pool for all known ones; with --continue: go on there, if that "
        "has the very model of the run",
    )  # fmt: skip
    parser.add_argument("--trials", type=int, help="how often each query is run")
    parser.add_argument("--at-once", type=int, help="how many trials run together on each server")
    parser.add_argument(
        "--query", action="append", metavar="ID", help="only this query (again for more)"
    )
    parser.add_argument(
        "--continue", dest="continue_run", type=int, metavar="RUN", help="run what RUN is missing"
    )
    parser.add_argument(
        "--again",
        type=int,
        metavar="RUN",
        help="run RUN again exactly, and tell how far the two differ: the noise",
    )
    parser.add_argument(
        "--num-ctx", type=int, metavar="TOKENS",
        help="the model's window; with --continue: run the trials again whose prompt did not fit, "
        "in a new run",
    )  # fmt: skip
    parser.add_argument(
        "--trust",
        action="store_true",
        help="allow this project's own code (tools.py, metrics.py) to run",
    )
    parser.set_defaults(carry_out=_run)


def _add_trace(commands: Commands) -> None:
    parser = commands.add_parser("trace", help="list a run's trials, or show one step by step")
    parser.add_argument("project", type=Path, help="the project folder")
    parser.add_argument("run", type=int, help="the run, by number")
    parser.add_argument("query", nargs="?", help="the query, by id; unsaid: list the trials")
    parser.add_argument("--trial", type=int, metavar="N", help="which of its trials (default: 1)")
    parser.add_argument("--json", action="store_true", help="list the trials for programs")
    parser.add_argument(
        "--prompt", action="store_true", help="ask the server how the model read the last request"
    )
    parser.set_defaults(carry_out=_trace)


def _add_rescore(commands: Commands) -> None:
    parser = commands.add_parser(
        "rescore",
        help="score a stored run again, without running anything",
        description="Score the trials of a stored run again, by the metrics of project.yaml as it "
        "is now or by those that are named; nothing is run.",
    )
    parser.add_argument("project", type=Path, help="the project folder")
    parser.add_argument("run", type=int, nargs="?", help="the run, by number; the newest if unsaid")
    parser.add_argument(
        "--metric", action="append", default=[], metavar="NAME",
        help="by this metric in place of the project's (again for more); settings in brackets: "
        "'tokens(count=prompt)'",
    )  # fmt: skip
    parser.add_argument(
        "--trust", action="store_true", help="allow this project's own code (metrics.py) to run"
    )
    parser.set_defaults(carry_out=_rescore)


def _rescore(arguments: argparse.Namespace) -> int:
    from studio.terminal_rescoring import Wish, rescore

    return rescore(Wish(arguments.project, arguments.run, arguments.metric, arguments.trust))


def _add_analyse(commands: Commands) -> None:
    parser = commands.add_parser(
        "analyse",
        help="reliability, calibration and failure map of a stored run, and what changed",
        description="Print every figure of a stored run.  `studio help figures` says what each "
        "means.",
    )
    parser.add_argument("project", type=Path, help="the project folder")
    parser.add_argument("--run", type=int, metavar="RUN", help="the run (default: the newest)")
    parser.add_argument(
        "--against", type=int, metavar="RUN", help="the earlier run that it is compared with"
    )
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.set_defaults(carry_out=_analyse)


def _add_grade(commands: Commands) -> None:
    parser = commands.add_parser(
        "grade",
        help="grade cases that never were a run, or list the metrics",
        description="Grade cases, one JSON object a line: one verdict a line comes out.  Without a "
        "metric, list the metrics.  `studio help METRIC` says what each needs.",
    )
    parser.add_argument("metric", nargs="?", help="a metric, by name")
    parser.add_argument("cases", nargs="?", help="a file of JSON Lines; - reads the standard input")
    parser.add_argument("--example", action="store_true", help="print a case that can be edited")
    parser.add_argument(
        "--mode", choices=("published", "corrected"), help="with the published defects, or without"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the metric"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="write the verdicts, or the example, to FILE"
    )
    parser.add_argument(
        "--project", type=Path, metavar="FOLDER", help="with the metrics of this project's own"
    )
    parser.add_argument(
        "--trust", action="store_true", help="allow the project's own code (metrics.py) to run"
    )
    parser.set_defaults(carry_out=_grade)


def _add_help(commands: Commands) -> None:
    parser = commands.add_parser("help", help="print a help page, or what it says of a metric")
    parser.add_argument("page", nargs="?", help="a page or a metric; without it, list the pages")
    parser.set_defaults(carry_out=_help)


def _help(arguments: argparse.Namespace) -> int:
    from studio.terminal_help import show_help

    return show_help(arguments.page)


def _grade(arguments: argparse.Namespace) -> int:
    from studio.grader import Wish, grade_cases, list_metrics, print_example

    if arguments.metric is None:
        return list_metrics(arguments.project)
    if arguments.example:
        return print_example(arguments.metric, arguments.project, arguments.out)
    if arguments.trust and arguments.project is not None:
        from studio.engine import trust

        trust.trust(arguments.project)
    wish = Wish(
        arguments.metric,
        arguments.cases,
        arguments.mode,
        arguments.set,
        arguments.out,
        arguments.project,
    )
    return grade_cases(wish)


def _open(arguments: argparse.Namespace) -> int:
    from studio.ui.app import main as open_window

    return open_window(arguments.project)


def _demo(arguments: argparse.Namespace) -> int:
    from studio.samples import own_sample

    folder = own_sample("metal_prices")
    if arguments.headless:
        from studio.terminal import Picks, run_project

        return run_project(folder, Picks())
    from studio.ui.app import main as open_window

    return open_window(folder, evaluates=True)


def _run(arguments: argparse.Namespace) -> int:
    from studio.terminal import Picks, run_project

    picks = Picks(
        prompt=arguments.prompt,
        tool_set=arguments.tools,
        model=arguments.model,
        servers=tuple(arguments.server),
        trials=arguments.trials,
        at_once=arguments.at_once,
        queries=tuple(arguments.query or ()),
        continue_run=arguments.continue_run,
        window=arguments.num_ctx,
        again=arguments.again,
        trusts_code=arguments.trust,
    )
    return run_project(arguments.project, picks)


def _check(arguments: argparse.Namespace) -> int:
    from studio.terminal_projects import check_project

    return check_project(arguments.project)


def _runs(arguments: argparse.Namespace) -> int:
    from studio.terminal_projects import list_runs

    return list_runs(arguments.project)


def _analyse(arguments: argparse.Namespace) -> int:
    from studio.terminal_analysis import analyse

    return analyse(arguments.project, arguments.run, arguments.against, as_json=arguments.json)


def _trace(arguments: argparse.Namespace) -> int:
    from studio.terminal_trace import Wish, trace

    asked = arguments
    return trace(Wish(asked.project, asked.run, asked.query, asked.trial, asked.prompt, asked.json))


def main() -> None:
    """Run the `studio` command.

    Exit code 0: done; 1: it could not be done; 2: wrong usage; 130: ended by Ctrl+C.
    """
    arguments = _parser().parse_args()
    if arguments.command is None:
        arguments = argparse.Namespace(carry_out=_open, project=None)
    from studio.ending import exit_code

    sys.exit(exit_code(lambda: int(arguments.carry_out(arguments))))
