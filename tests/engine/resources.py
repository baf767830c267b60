"""Sections `resources` for tests, with numbers that a test can say: a byte takes a nanosecond."""

from __future__ import annotations

from typing import Any

from tests.build import StageDict, station

SOURCE = {"text": "a test", "kind": "assumed"}


def link(**changes: Any) -> dict[str, Any]:
    """One direction of a link, of 1 GB/s."""
    return {"kind": "link", "bandwidth": "1 GB/s", "source": SOURCE, **changes}


def pcie(**changes: Any) -> dict[str, Any]:
    """Four lanes of the first generation, which are 1 GB/s; nothing is scarce unless it says so."""
    return {
        "kind": "pcie",
        "generation": 1,
        "lanes": 4,
        "payload": "256 B",
        "read_request": "512 B",
        "completion_boundary": "64 B",
        "header": "20 B",
        "tags": "unlimited",
        "nonposted_credits": "unlimited",
        "posted_credits": "unlimited",
        "credit_return": "500 ns",
        "source": SOURCE,
        **changes,
    }


def pool(capacity: object, **changes: Any) -> dict[str, Any]:
    """So many units."""
    return {"kind": "pool", "capacity": capacity, "source": SOURCE, **changes}


def channels(sharing: str, window: object, **changes: Any) -> dict[str, Any]:
    """Transport channels with a window."""
    made = {"kind": "channels", "sharing": sharing, "window": window, "source": SOURCE}
    return {**made, **changes}


def use(resource: str, **more: Any) -> dict[str, Any]:
    """One entry of `uses`; `as_` and `for_` stand for keys that Python keeps to itself."""
    return {"resource": resource, **{key.rstrip("_"): value for key, value in more.items()}}


def user(name: str, latency: object, *uses: dict[str, Any], **timing: Any) -> StageDict:
    """A stage without a clock and without limits but what it uses."""
    return station(name, latency, uses=list(uses), **timing)
