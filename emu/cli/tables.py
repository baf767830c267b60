"""`emu tables`: what is shipped, what a table says once resolved, and whether a file is right."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from emu.cli import BAD_INPUT
from emu.cli.output import error, print_json, print_table, print_text
from emu.table import TableError, load, table_names
from emu.table.file_schema import file_schema
from emu.table.report import describe_table, source_text

TableName = Annotated[
    str,
    typer.Argument(metavar="TABLE", help="a shipped table's name, or a file", show_default=False),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME.PARAMETER=VALUE",
        help="put a value over the table's, as in --set 'wire_out.latency=75 ns'; may be repeated",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON, for scripts")]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    tables = typer.Typer(
        help="Timing tables: list, show, check. Example: emu tables show pcie_nic",
        no_args_is_help=True,
    )
    tables.command("list")(list_tables)
    tables.command("show")(show)
    tables.command("check")(check)
    tables.command("schema")(schema)
    app.add_typer(tables, name="tables")


def list_tables(json: AsJson = False) -> None:
    """Lists the shipped tables.

    Example: emu tables list
    """
    tables = [load(name) for name in table_names()]
    if json:
        print_json(
            [
                {
                    "name": table.name,
                    "title": table.head.title,
                    "operations": list(table.operations),
                    "stages": len(table.entries),
                }
                for table in tables
            ]
        )
        return
    rows = [
        (table.name, table.head.title, ", ".join(table.operations), str(len(table.entries)))
        for table in tables
    ]
    print_table(("table", "title", "operations", "stages"), rows, left=3)


def show(table: TableName, settings: Settings = None, json: AsJson = False) -> None:
    """Shows a table with all that it extends and all defaults put in.

    Example: emu tables show ub_async --set 'wire_out.latency=75 ns'
    """
    loaded = load(table, overrides=settings or ())
    described = describe_table(loaded)
    if json:
        print_json(described)
    else:
        _print_table(described)
        for setting in settings or ():
            print_text(f"changed here, whatever the source says: {setting}")


def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="files, or names", show_default=False)
    ],
) -> None:
    """Checks table files and prints all that is wrong with them; exits with 2 if anything is.

    Example: emu tables check my_table.yaml
    """
    bad = False
    for name in files:
        try:
            load(name)
        except TableError as problems:
            bad = True
            error(str(problems))
        else:
            print_text(f"{name}: ok")
    if bad:
        raise typer.Exit(BAD_INPUT)


def schema() -> None:
    """Prints the JSON Schema of a table file, with which an editor completes and checks.

    Example: emu tables schema > timing_table.schema.json
    """
    print_json(file_schema())


def _print_table(table: dict[str, Any]) -> None:
    print_text(f"{table['name']}: {table['title']}", style="bold")
    if table["description"]:
        print_text(table["description"])
    print_text(f"file {table['file']}, digest {table['digest'][:12]}")
    print_text()
    columns = ("stage", "kind", "at", "when", "clock", "timing", "depth", "queue", "from")
    rows = [
        (
            stage["name"],
            stage["stage"],
            stage["at"] or "",
            ", ".join(stage["when"]) or "all",
            stage["clock"] or "",
            _timing(stage),
            _depth(stage),
            _queue(stage),
            source_text(stage["source"]),
        )
        for stage in table["path"]
    ]
    print_table(columns, rows, left=len(columns))
    for key, said in _REMARKS.items():
        if any(stage[key] for stage in table["path"]):
            print_text(said)
    print_text()
    for title, key in (("clock", "clocks"), ("resource", "resources")):
        if table[key]:
            named = [(one["name"], one["text"], source_text(one["source"])) for one in table[key]]
            print_table((title, "is", "from"), named, left=3)
            print_text()
    messages = [(one["operation"], one["request"], _back(one)) for one in table["messages"]]
    print_table(("operation", "bytes there", "bytes back"), messages)
    for key, said in (
        ("resolution", "resolution"),
        ("other_operations", "for other operations see"),
    ):
        if table[key]:
            print_text(f"{said}: {table[key]}")
    if table["source"]:
        print_text(f"from: {source_text(table['source'])}")


_REMARKS = {
    "plain_delay": "plain delay: takes any number of requests at once, and does not limit the rate",
    "keeps_own_time": "own time: keeps requests by rules of its own, which 'emu stages NAME' tells",
    "looks_up": "misses: the timing is that of a miss; what is found goes on at once",
}


def _back(message: dict[str, str]) -> str:
    saved = message.get("fused_acknowledgement")
    return f"{message['response']}, less {saved}" if saved else message["response"]


def _timing(stage: dict[str, Any]) -> str:
    values = (f"{key} {value}" for key, value in stage["timing"].items())
    return ", ".join((*values, *(f"uses {use}" for use in stage["uses"])))


def _depth(stage: dict[str, Any]) -> str:
    """How many requests can be inside, and how they come in."""
    if stage["keeps_own_time"]:
        return "own time"
    if stage["plain_delay"] and not stage["looks_up"]:
        return "plain delay"
    misses = " misses" if stage["looks_up"] else ""
    batch = "" if stage["batch"] == "1" else f", in batches of {stage['batch']}"
    return f"{stage['depth']}{misses}{batch}{_unless(stage, 'refill', 'at_once')}"


def _queue(stage: dict[str, Any]) -> str:
    if stage["plain_delay"] or stage["keeps_own_time"]:
        return ""
    overflow = _unless(stage, "overflow", "hold")
    return f"{stage['queue']}{_unless(stage, 'channel', 'bypass')}{overflow}"


def _unless(stage: dict[str, Any], key: str, usual: str) -> str:
    return "" if stage[key] == usual else f", {stage[key]}"
