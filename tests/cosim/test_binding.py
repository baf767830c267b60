"""Bindings: what they say, and what is wrong with them, word for word."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.cosim.binding import Binding, Slice, parse_slice, read_binding
from emu.errors import EmuError

GOOD = """\
schema: 1
clock: {signal: clk, period: 3106 ps}
reset: {signal: core.rst_n, active: low, cycles: 4}
parameters: {W: 32, KIND: fast}
tie: {some_enable: 1}
ports:
  in:
    side: sink
    valid: s_tvalid
    ready: s_tready
    last: s_tlast
    fields: {id: "s_tdata[15:0]", flag: "s_tdata[16]", user: s_tuser}
  out: {side: source, valid: m_tvalid, fields: {id: "m_tdata[15:0]"}}
  ask: {side: source, valid: r_valid, fields: {tag: r_tag}}
  answer: {side: sink, valid: a_valid, fields: {tag: a_tag}}
memory:
  host: {request: ask, answer: answer, tag: tag}
"""


def read(folder: Path, text: str) -> Binding:
    file = folder / "b.yaml"
    file.write_text(text, encoding="utf-8")
    return read_binding(file).binding


def test_a_binding_says_what_it_says(tmp_path: Path) -> None:
    binding = read(tmp_path, GOOD)
    assert binding.clock.period == 3106
    assert binding.reset is not None
    assert (binding.reset.signal, binding.reset.active, binding.reset.cycles) == (
        "core.rst_n",
        "low",
        4,
    )
    assert binding.parameters == {"W": 32, "KIND": "fast"}
    assert binding.tie == {"some_enable": 1}
    assert binding.ports["in"].fields == {
        "id": Slice("s_tdata", 15, 0),
        "flag": Slice("s_tdata", 16, 16),
        "user": Slice("s_tuser"),
    }
    assert binding.ports["out"].ready is None
    assert binding.ports["out"].last is None
    assert binding.memory["host"].answer == "answer"


def test_reset_parameters_ties_and_memory_may_be_left_out(tmp_path: Path) -> None:
    binding = read(
        tmp_path,
        "schema: 1\nclock: {signal: clk, period: 10 ns}\n"
        "ports: {in: {side: sink, valid: v, fields: {x: d}}}\n",
    )
    assert (binding.reset, binding.parameters, binding.tie, binding.memory) == (None, {}, {}, {})


@pytest.mark.parametrize(
    ("good", "bad", "problems"),
    (
        (
            "period: 3106 ps",
            "period: 3106",
            [
                (
                    "2:30: binding.clock.period: '3106' has no unit; expected one of ps, ns, us, "
                    "µs, ms or s, as in '150 ns'"
                )
            ],
        ),
        (
            "period: 3106 ps",
            "period: 1 ps",
            ["2:30: binding.clock.period: '1 ps' is no period of a clock; expected 2 ps or more"],
        ),
        (
            "clock: {signal: clk, period: 3106 ps}",
            "clock: {sginal: clk, period: 3106 ps}",
            [
                "2:8: binding.clock: 'signal' is missing; expected for example 'signal: s_tvalid'",
                (
                    "2:9: binding.clock: unknown key 'sginal'; expected one of signal or period; "
                    "did you mean 'signal'?"
                ),
            ],
        ),
        (
            "active: low",
            "active: lwo",
            [
                (
                    "3:37: binding.reset.active: 'lwo' is not known here; expected high or low; "
                    "did you mean 'low'?"
                )
            ],
        ),
        (
            "cycles: 4",
            "cycles: 0",
            ["3:50: binding.reset.cycles: 0 is out of bounds; expected at least 1"],
        ),
        (
            "some_enable: 1",
            "some_enable: -1",
            ["5:20: binding.tie.some_enable: -1 is out of bounds; expected at least 0"],
        ),
        (
            "side: sink\n",
            "side: snik\n",
            [
                (
                    "8:11: binding.ports.in.side: 'snik' is not known here; expected sink or "
                    "source; did you mean 'sink'?"
                )
            ],
        ),
        (
            "s_tdata[15:0]",
            "s_tdata[0:15]",
            [
                (
                    "12:18: binding.ports.in.fields.id: 's_tdata[0:15]' counts upwards; expected "
                    "the higher bit first, as in 's_tdata[15:0]'"
                )
            ],
        ),
        (
            "s_tdata[15:0]",
            "s_tdata[15:0",
            [
                (
                    "12:18: binding.ports.in.fields.id: 's_tdata[15:0' names no bits of a signal; "
                    "expected for example 's_tdata[15:0]'"
                )
            ],
        ),
        (
            "s_tdata[15:0]",
            "s_tdata[16:0]",
            [
                (
                    "12:41: binding.ports.in.fields.flag: bits of s_tdata[16:16] are those of "
                    "'id', s_tdata[16:0], too; expected bits of its own"
                )
            ],
        ),
        (
            "valid: m_tvalid",
            "valid: s_tvalid",
            [
                (
                    "13:30: binding.ports.out.valid: signal 's_tvalid' is at "
                    "binding.ports.in.valid already; expected another signal"
                )
            ],
        ),
        (
            "valid: m_tvalid",
            "valid: 7up",
            [
                (
                    "13:30: binding.ports.out.valid: '7up' is no name of a signal; expected for "
                    "example 's_tvalid'"
                )
            ],
        ),
        (
            "request: ask",
            "request: aks",
            [
                (
                    "17:19: binding.memory.host.request: there is no port 'aks'; expected one of "
                    "in, out, ask or answer; did you mean 'ask'?"
                )
            ],
        ),
        (
            "request: ask",
            "request: in",
            ["17:19: binding.memory.host.request: port 'in' is a sink; expected a source"],
        ),
        (
            "tag: tag}",
            "tag: tga}",
            [
                (
                    "17:45: binding.memory.host.tag: port 'ask' has no field 'tga'; expected one "
                    "of tag; did you mean 'tag'?"
                ),
            ],
        ),
        (
            "schema: 1",
            "schema: 2\nport: 3",
            [
                "1:9: binding.schema: 2 is not known here; expected 1",
                (
                    "2:1: binding: unknown key 'port'; expected one of schema, clock, reset, "
                    "parameters, tie, ports or memory; did you mean 'ports'?"
                ),
            ],
        ),
        (
            "tie: {some_enable: 1}",
            "tie:",
            ["5:5: binding.tie: there is no value; expected a value, or the key left out"],
        ),
        (
            "  out: {",
            "  in: {",
            ["13:3: YAML: the key 'in' is given twice, first at FILE:7:3; expected it once"],
        ),
    ),
)
def test_what_is_wrong_is_told(tmp_path: Path, good: str, bad: str, problems: list[str]) -> None:
    file = tmp_path / "b.yaml"
    assert good in GOOD
    with pytest.raises(EmuError) as error:
        read(tmp_path, GOOD.replace(good, bad, 1))
    said = [line.replace(str(file), "FILE") for line in str(error.value).splitlines()]
    assert said == [f"FILE:{one}" for one in problems]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "b.yaml"
    with pytest.raises(EmuError) as error:
        read_binding(file)
    assert str(error.value) == f"{file}: there is no such file; expected a binding in YAML"


@given(low=st.integers(0, 500), width=st.integers(1, 64))
def test_a_slice_is_read_as_it_is_shown(low: int, width: int) -> None:
    bits = Slice("x.y", low + width - 1, low)
    assert parse_slice(str(bits)) == bits
