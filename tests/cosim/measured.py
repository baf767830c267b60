"""DUTs to be characterised: those of the project, and small ones that are special in one way."""

from __future__ import annotations

from pathlib import Path

from emu.cosim.characterise.report import Characterised
from emu.cosim.characterise.run import characterise
from tests.cosim.bound import HDL, PIPELINE

#: The descriptor DMA engine behind its memory.
DMA = """\
schema: 1
clock: {signal: clk, period: 3106 ps}
reset: {signal: rst, active: high, cycles: 4}
parameters: {W: 32}
ports:
  in:
    side: sink
    valid: s_tvalid
    ready: s_tready
    fields: {id: "s_tdata[15:0]"}
  out:
    side: source
    valid: m_tvalid
    ready: m_tready
    fields: {id: "m_tdata[15:0]"}
  read:
    side: source
    valid: r_tvalid
    ready: r_tready
    fields: {id: "r_tdata[15:0]", tag: r_tid}
  data:
    side: sink
    valid: c_tvalid
    ready: c_tready
    fields: {id: "c_tdata[15:0]", tag: c_tid}
memory:
  host: {request: read, answer: data, tag: tag}
"""
DMA_FILES = ("channel.sv", "pipeline.sv", "descriptor_dma.sv")


def of_pipeline(
    folder: Path,
    builds: Path,
    parameters: dict[str, int | str],
    *,
    simulator: str = "icarus",
    requests: int = 150,
    seeds: int = 2,
) -> Characterised:
    """The project's pipeline, measured."""
    binding = folder / "pipeline.yaml"
    binding.write_text(PIPELINE, encoding="utf-8")
    suffix = "vhd" if simulator == "ghdl" else "sv"
    return characterise(
        binding,
        [HDL / f"pipeline.{suffix}"],
        "pipeline",
        simulator=simulator,
        parameters=parameters,
        requests=requests,
        seeds=range(1, seeds + 1),
        builds=builds,
    )


def of_dma(
    folder: Path,
    builds: Path,
    parameters: dict[str, int | str],
    *,
    simulator: str = "icarus",
    requests: int = 100,
    seeds: int = 2,
    queued: bool = False,
) -> Characterised:
    """The project's descriptor DMA engine, measured; with a queue in front if that is asked for."""
    binding = folder / "dma.yaml"
    binding.write_text(DMA.replace("parameters: {W: 32}\n", ""), encoding="utf-8")
    sources = [HDL / file for file in DMA_FILES]
    if queued:
        sources.append(folder / "queued.sv")
        sources[-1].write_text(QUEUED, encoding="utf-8")
    return characterise(
        binding,
        sources,
        "queued" if queued else "descriptor_dma",
        simulator=simulator,
        parameters=parameters,
        requests=requests,
        seeds=range(1, seeds + 1),
        builds=builds,
    )


#: A cache of records behind its memory: each request of an initiator of its own fetches one.
CACHE = DMA.replace("parameters: {W: 32}\n", "").replace(
    'fields: {id: "s_tdata[15:0]"}',
    'fields: {id: "s_tdata[15:0]", initiator: "s_tdata[23:16]"}',
)


def of_cache(folder: Path, builds: Path, parameters: dict[str, int | str]) -> Characterised:
    """The project's context cache, measured with requests that all miss."""
    binding = folder / "cache.yaml"
    binding.write_text(CACHE, encoding="utf-8")
    return characterise(
        binding,
        [HDL / "channel.sv", HDL / "context_cache.sv"],
        "context_cache",
        parameters=parameters,
        counting=["initiator"],
        requests=100,
        seeds=(1, 2),
        builds=builds,
    )


#: A queue in front of that engine, in which requests wait for a tag.
QUEUED = """\
module queued #(parameter int QUEUE = 3, TAGS = 4, ISSUE = 1, TAG_RETURN = 0) (
    input logic clk, input logic rst,
    input logic s_tvalid, output logic s_tready, input logic [31:0] s_tdata,
    output logic m_tvalid, input logic m_tready, output logic [31:0] m_tdata,
    output logic r_tvalid, input logic r_tready, output logic [31:0] r_tdata,
    output logic [7:0] r_tid,
    input logic c_tvalid, output logic c_tready, input logic [31:0] c_tdata,
    input logic [7:0] c_tid
);
  logic valid, ready;
  logic [31:0] data;
  pipeline #(.LATENCY(2), .DEPTH(QUEUE), .REFILL_NEXT_EDGE(1)) queue (
      .clk, .rst, .s_tvalid, .s_tready, .s_tdata,
      .m_tvalid(valid), .m_tready(ready), .m_tdata(data), .blocked()
  );
  descriptor_dma #(.TAGS(TAGS), .ISSUE(ISSUE), .TAG_RETURN(TAG_RETURN), .DEPTH(8)) engine (
      .clk, .rst, .s_tvalid(valid), .s_tready(ready), .s_tdata(data),
      .m_tvalid, .m_tready, .m_tdata, .r_tvalid, .r_tready, .r_tdata, .r_tid,
      .c_tvalid, .c_tready, .c_tdata, .c_tid
  );
endmodule
"""

#: A module without anything in it: `BODY` says what it does with these ports.
MODULE = """\
module special(
    input clk, input rst_n,
    input s_valid, output s_ready, input [15:0] s_data,
    output m_valid, input m_ready, output [15:0] m_data
);
BODY
endmodule
"""
BINDING = """\
schema: 1
clock: {signal: clk, period: 10 ns}
reset: {signal: rst_n, active: low, cycles: 2}
ports:
  in: {side: sink, valid: s_valid, ready: s_ready, fields: {id: s_data}}
  out: {side: source, valid: m_valid, ready: m_ready, fields: {id: m_data}}
"""


def special(
    folder: Path, body: str, *, binding: str = BINDING, patience: int = 200
) -> Characterised:
    """A small module, measured."""
    (folder / "special.v").write_text(MODULE.replace("BODY", body), encoding="utf-8")
    (folder / "special.yaml").write_text(binding, encoding="utf-8")
    return characterise(
        folder / "special.yaml",
        [folder / "special.v"],
        "special",
        requests=150,
        seeds=(1, 2),
        patience_cycles=patience,
        builds=folder / "builds",
    )
