"""`emu state`: the bytes of connection records, by how they are organised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from emu.cli.options import OptionError, read_size
from emu.cli.output import print_json, print_table, print_text, several
from emu.errors import did_you_mean, listed
from emu.state import (
    RECORD_BYTES,
    Organisation,
    groups,
    most_that_fit,
    per_pair,
    private,
    shared,
    ub,
)

#: The organisations, in words.
WORDS = {
    "per_pair": "a queue pair for each pair",
    "ub": "Jetties and transport channels",
    "private": "a transport for each endpoint and destination",
    "shared": "a transport for each destination",
    "groups": "a transport for each destination and group",
}


def register(app: typer.Typer) -> None:
    """Adds the command to the `emu` command line."""
    app.command("state")(state)


def state(
    applications: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Applications on this machine.")
    ] = None,
    peers: Annotated[
        int | None, typer.Option(min=1, metavar="M", help="Peers that each of them talks to.")
    ] = None,
    endpoints: Annotated[
        int | None, typer.Option(min=1, metavar="L", help="Endpoints that may share transport.")
    ] = None,
    destinations: Annotated[
        int | None, typer.Option(min=1, metavar="P", help="Destinations of each of them.")
    ] = None,
    group_count: Annotated[
        int | None,
        typer.Option("--groups", min=1, metavar="K", help="Groups of endpoints, at most L."),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="BYTES", help="Also say what fits into so much, as in `1MiB`."),
    ] = None,
    record: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=BYTES",
            help="Another size of a record, as in `jetty=48B`; may be given several times. "
            f"Names: {', '.join(RECORD_BYTES)}.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON, for scripts")] = False,
) -> None:
    """Count the state that connections need: a queue pair for each pair, or shared transport.

    With N applications and M peers: a queue pair for each pair of them, or Jetties and transport
    channels. With L endpoints and P destinations: a transport for each pair, one for each
    destination, or one for each destination and group.

    Examples:

      emu state --applications 1024 --peers 1024 --memory 1MiB

      emu state --endpoints 64 --destinations 128 --groups 4 --memory 2MiB
    """
    sizes = {**RECORD_BYTES, **dict(_record(text) for text in record or [])}
    _both({"--applications": applications, "--peers": peers})
    _both({"--endpoints": endpoints, "--destinations": destinations})
    if group_count is not None and endpoints is None:
        raise OptionError("--groups of what? expected --endpoints and --destinations beside it")
    organisations: list[Organisation] = []
    if applications is not None and peers is not None:
        organisations += [per_pair(applications, peers), ub(applications, peers)]
    if endpoints is not None and destinations is not None:
        organisations += [private(endpoints, destinations), shared(endpoints, destinations)]
        if group_count is not None:
            if group_count > endpoints:
                raise OptionError(
                    f"--groups {group_count} of {several(endpoints, 'endpoint')}; expected at most "
                    "one for each of them"
                )
            organisations.append(groups(endpoints, destinations, group_count))
    found: dict[str, Any] = {"record_bytes": sizes, **_counted(organisations, sizes)}
    if memory is not None:
        memory_bytes = read_size(memory, f"--memory {memory}")
        found["memory"] = _fitting(memory_bytes, endpoints, destinations, sizes)
    elif not organisations:
        raise OptionError(
            "nothing to count; expected --applications and --peers, --endpoints and "
            "--destinations, or --memory"
        )
    if as_json:
        print_json(found)
    else:
        _print(found)


def _both(options: Mapping[str, int | None]) -> None:
    given = [name for name, value in options.items() if value is not None]
    missing = [name for name, value in options.items() if value is None]
    if given and missing:
        raise OptionError(f"{given[0]} without {missing[0]}; expected both")


def _record(text: str) -> tuple[str, int]:
    name, _, size = text.partition("=")
    if name not in RECORD_BYTES:
        near = did_you_mean(name, RECORD_BYTES)
        raise OptionError(
            f"--record {text}: '{name}' is no record; expected NAME=BYTES with one of "
            f"{listed(RECORD_BYTES)}" + (f"; {near}" if near else "")
        )
    return name, read_size(size, f"--record {text}")


def _counted(organisations: list[Organisation], sizes: Mapping[str, int]) -> dict[str, Any]:
    """Each organisation with its records and bytes, and how much those that share save."""
    taken = {one.name: one.bytes(sizes) for one in organisations}
    pairs = [(large, small) for large, small in _COMPARED if taken.get(small)]
    return {
        "organisations": {
            one.name: {"records": one.records, "bytes": taken[one.name]} for one in organisations
        },
        "ratios": {f"{large}_to_{small}": taken[large] / taken[small] for large, small in pairs},
    }


_COMPARED = (("per_pair", "ub"), ("private", "shared"), ("private", "groups"))


def _fitting(
    memory_bytes: int, endpoints: int | None, destinations: int | None, sizes: Mapping[str, int]
) -> dict[str, Any]:
    """The most that fits: applications with as many peers, and groups of the endpoints given."""
    most = {
        "per_pair": most_that_fit(lambda n: per_pair(n, n), memory_bytes, sizes),
        "ub": most_that_fit(lambda n: ub(n, n), memory_bytes, sizes),
    }
    if endpoints is not None and destinations is not None:
        fitting = most_that_fit(
            lambda count: groups(endpoints, destinations, count), memory_bytes, sizes
        )
        # There are no more groups than endpoints, so that all of them may fit.
        most["groups"] = min(fitting, endpoints)
    overflows_at: dict[str, int | None] = {name: count + 1 for name, count in most.items()}
    if "groups" in most and most["groups"] == endpoints:
        overflows_at["groups"] = None
    return {"bytes": memory_bytes, "most": most, "overflows_at": overflows_at}


def _print(found: dict[str, Any]) -> None:
    organisations = found["organisations"]
    if organisations:
        rows = [
            (
                WORDS[name],
                ", ".join(f"{count:,} {kind}" for kind, count in one["records"].items()),
                f"{one['bytes']:,}",
            )
            for name, one in organisations.items()
        ]
        print_table(("organisation", "records", "bytes"), rows, left=2)
        for name, ratio in found["ratios"].items():
            large, small = name.split("_to_")
            print_text(f"{WORDS[large]}: {ratio:.4g} times {WORDS[small]}")
        print_text()
    if "memory" in found:
        memory = found["memory"]
        fits = [
            (
                WORDS[name],
                "groups" if name == "groups" else "applications, and as many peers",
                f"{most:,}",
                "never" if (above := memory["overflows_at"][name]) is None else f"{above:,}",
            )
            for name, most in memory["most"].items()
        ]
        columns = ("organisation", "how many", "most that fits", "overflows at")
        print_table(columns, fits, title=f"in {memory['bytes']:,} B", left=2)
