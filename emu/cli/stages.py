"""`emu stages`: which stages tables can name, and what each wants to know."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer

from emu.actor import Actor
from emu.cli.output import print_json, print_table, print_text
from emu.errors import EmuError, did_you_mean, listed
from emu.stage import Stage, StageError, registry
from emu.table.keys import timing_keys
from emu.table.parameters import Parameter, parameters_of
from emu.table.schema import StageTiming


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("stages")(stages)


def stages(
    name: Annotated[
        str | None, typer.Argument(help="a stage to show in full", show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="JSON, for scripts")] = False,
) -> None:
    """Lists the stages that tables can name, or shows one with its parameters.

    Example: emu stages cpu_cache
    """
    known = registry()
    if name is not None and name not in known:
        hint = did_you_mean(name, known)
        text = f"there is no stage '{name}'; expected one of {listed(known)}"
        raise EmuError(f"{text}; {hint}" if hint else text)
    if json:
        shown = [_as_json(name)] if name is not None else [_loaded_as_json(one) for one in known]
        shared = [vars(one) for one in parameters_of(StageTiming)]
        print_json({"stages": shown, "shared": shared})
    elif name is None:
        rows = [(one, _described(one), known.origin(one)) for one in known]
        print_table(("stage", "what it is", "from"), rows, left=3)
        print_text("emu stages NAME shows a stage's parameters.")
    else:
        _show(name)


def description(stage: type[Stage]) -> str:
    """The first line of a stage's docstring."""
    return (inspect.getdoc(stage) or "").partition("\n")[0]


def _described(name: str) -> str:
    """What a stage is, or why it can't be loaded; a broken one must not hide the others."""
    try:
        return description(registry()[name])
    except StageError as problem:
        return str(problem)


def _loaded_as_json(name: str) -> dict[str, Any]:
    """The stage, or why it can't be loaded."""
    try:
        return _as_json(name)
    except StageError as problem:
        return {"name": name, "problem": str(problem), "origin": registry().origin(name)}


def _as_json(name: str) -> dict[str, Any]:
    stage = registry()[name]
    return {
        "name": name,
        "description": description(stage),
        "text": inspect.getdoc(stage) or "",
        "turns": stage.turns,
        "has_latency": stage.has_latency,
        "source": stage.source,
        "origin": registry().origin(name),
        "parameters": [vars(one) for one in parameters_of(stage.Parameters)],
    }


def _show(name: str) -> None:
    stage = registry()[name]
    print_text(name, style="bold")
    print_text(inspect.getdoc(stage) or "")
    print_text()
    if stage.source:
        print_text(f"behaviour from: {stage.source}")
    print_text(f"registered by: {registry().origin(name)}")
    if stage.turns:
        print_text("the operation takes effect here; from here on its response travels")
    keys = timing_keys(stage)
    if not issubclass(stage, Actor) and not stage.has_latency:
        print_text("times itself: its entry has no latency")
    own = list(parameters_of(stage.Parameters))
    print_text()
    if own:
        _print_parameters("its own parameters", own)
    else:
        print_text("It has no parameters of its own.")
    print_text()
    shared = [one for one in parameters_of(StageTiming) if one.name in keys]
    _print_parameters("what its entry can say besides", shared)


def _print_parameters(title: str, parameters: list[Parameter]) -> None:
    rows = [(one.name, one.kind, one.bounds, one.default, one.description) for one in parameters]
    columns = ("parameter", "unit or type", "bounds", "default", "meaning")
    print_table(columns, rows, title=title, left=5)
