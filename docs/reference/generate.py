"""Write the reference pages from the code: ``python docs/reference/generate.py``, or ``make
schema``. A test holds them against it.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import typer.main

from lpm_kernel import cli, config, errors
from lpm_kernel.api import problems, refusals

HERE = Path(__file__).parent
MADE = "<!-- Made by generate.py; change the code instead. -->\n"


def settings() -> str:
    """Every setting with its default and what it means."""
    source = inspect.getsource(config.Settings)
    meaning = dict(re.findall(r'    (\w+): [^\n]+\n    """(.+?)"""', source, re.DOTALL))
    rows = [
        f"| `{field.name}` | `LPM_{field.name.upper()}` |"
        f" `{json.dumps(field.default, ensure_ascii=False)}` |"
        f" {' '.join(meaning[field.name].split())} |"
        for field in fields(config.Settings)
    ]
    return "\n".join(
        [
            "# Settings",
            "",
            MADE,
            (
                "In `settings.toml` of the home, or as a variable; the variable wins. `LPM_HOME`"
                " names the home itself (`~/.second-me`)."
            ),
            "",
            "| setting | variable | default | meaning |",
            "| -- | -- | -- | -- |",
            *rows,
            "",
        ]
    )


def commands() -> str:
    """Every command with its arguments."""
    lines = [
        "# Commands",
        "",
        MADE,
        (
            "Every command that answers takes `--json`, exits 0 on success, 1 when it could not do"
            " it (one sentence on standard error), 2 on wrong usage."
        ),
        "",
    ]
    group = typer.main.get_command(cli.app)
    for words, command in _commands(group, ()):
        arguments = [
            parameter.metavar or parameter.name.upper()
            for parameter in command.params
            if parameter.param_type_name == "argument"
        ]
        lines += [f"## `lpm {' '.join([*words, *arguments])}`", "", _unwrapped(command.help), ""]
        options = [
            parameter
            for parameter in command.params
            if parameter.param_type_name == "option"
            and "--json" not in parameter.opts
            and "--help" not in parameter.opts
        ]
        lines += [
            f"- `{' / '.join([*option.opts, *option.secondary_opts])}` {option.help or ''}".rstrip()
            for option in options
        ] + ([""] if options else [])
    return "\n".join(lines)


def _unwrapped(words: str | None) -> str:
    return re.sub(r"(?<!\n)\n(?!\n|[-*|] )", " ", words or "")


def _commands(group: object, before: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, command in sorted(group.commands.items()):
        if hasattr(command, "commands"):
            yield from _commands(command, (*before, name))
        else:
            yield (*before, name), command


def api() -> str:
    """Every endpoint."""
    described = json.loads(
        (Path(config.__file__).parent / "api" / "openapi.json").read_text("utf-8")
    )
    rows = [
        f"| `{method.upper()} {path}` | {each.get('summary', '')} |"
        f" {' '.join(each.get('description', '').split())} |"
        for path, methods in sorted(described["paths"].items())
        for method, each in sorted(methods.items())
    ]
    return "\n".join(
        [
            "# HTTP",
            "",
            MADE,
            (
                "The full contract is `lpm_kernel/api/openapi.json`; a running node shows it at"
                " `/docs`."
            ),
            "",
            "| call | what it does | more |",
            "| -- | -- | -- |",
            *rows,
            "",
        ]
    )


def _first_paragraph(doc: str | None) -> str:
    return " ".join((doc or "").strip().split("\n\n")[0].split())


def mishaps() -> str:
    """Every error with what it means."""
    known = [
        each
        for _, each in inspect.getmembers(errors, inspect.isclass)
        if issubclass(each, errors.NodeError)
    ]
    rows = [
        f"| `{each.__name__}` | `{problems.type_of(each.slug)}` | {problems.status_of_kind(each)} |"
        f" {each.title} | {_first_paragraph(each.__doc__)} |"
        for each in sorted(known, key=lambda each: each.__name__)
    ]
    refused = [
        f"| `{problems.type_of(each.slug)}` | {each.status.value} | {each.problem.title} |"
        f" {each.when} |"
        for each in refusals.REFUSALS
    ]
    return "\n".join(
        [
            "# Errors",
            "",
            MADE,
            (
                "Over HTTP an error is `application/problem+json`. Programs tell it by `type`,"
                " which never changes; titles and sentences may. Where nothing more"
            ),
            f"is known than what the status says, `type` is `{problems.ABOUT_BLANK}`.",
            "",
            "| error | `type` | status | title that the person reads | when |",
            "| -- | -- | -- | -- | -- |",
            *rows,
            "",
            "What the API itself refuses:",
            "",
            "| `type` | status | title that the person reads | when |",
            "| -- | -- | -- | -- |",
            *refused,
            "",
        ]
    )


PAGES = {"settings.md": settings, "commands.md": commands, "http.md": api, "errors.md": mishaps}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), "utf-8")
