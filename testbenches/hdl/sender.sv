// sender: the ten stages of a sender, from the doorbell to the wire. Equals table openurma_tx, under
// whose names its stages stand below, while none of its queues is full: there the emulator drops
// a request, and this holds it.
//
// One flit a cycle and stage. The posted request of a cycle is taken by the doorbell from the next
// one on, flit by flit. Nothing in front of the framer has to wait for it while WIRE_QUEUE flits
// are room enough.
//
// W            bits      tdata, which carries id [15:0], initiator [23:16], order [25:24] (0 NO, 1 RO, 2 SO),
//                        service [27:26] (0 ROI, 1 ROT, 2 ROL, 3 UNO), fence [28] and read [29]
// QUEUES       queues    of the scheduler and of the ordering engine
// DEPTH        flits     in each of the scheduler's queues
// HELD_DEPTH   flits     in each of the ordering engine's queues
// INITIATORS   numbers   that initiators can have, from 0 on; at most 256
// OUTSTANDING  requests  of an initiator that wait for their answer
// WIRE_QUEUE   flits     that wait for the framer
// FAULT        0 for none; FAULT_STAGE has it, 0 being the doorbell: README.md
// FAULT_AT     what the fault befalls
//
// clk, rst     everything at the rising edge; rst is synchronous, active high
// s_t*         AXI-Stream in, a packet a request: a header, or a header and an extension
// m_t*         AXI-Stream out, a frame a request, chunk by chunk; m_tdata is the header's, and
//              m_tuser marks the first chunk
// f_t*         AXI-Stream in, always ready: to the scheduler, a read of this initiator has been answered
// a_t*         AXI-Stream in, always ready: to the ordering engine, a request of this initiator has

module sender #(
    parameter int W = 32,
    parameter int QUEUES = 16,
    parameter int DEPTH = 31,
    parameter int HELD_DEPTH = 32,
    parameter int INITIATORS = 256,
    parameter int OUTSTANDING = 255,
    parameter int WIRE_QUEUE = 256,
    parameter int FAULT = 0,
    parameter int FAULT_STAGE = 0,
    parameter int FAULT_AT = 0
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         s_tvalid,
    output logic         s_tready,
    input  logic [W-1:0] s_tdata,
    input  logic         s_tlast,
    output logic         m_tvalid,
    input  logic         m_tready,
    output logic [W-1:0] m_tdata,
    output logic [31:0]  m_tkeep,
    output logic         m_tuser,
    output logic         m_tlast,
    input  logic         f_tvalid,
    output logic         f_tready,
    input  logic [7:0]   f_tdata,
    input  logic         a_tvalid,
    output logic         a_tready,
    input  logic [7:0]   a_tdata
);

  // Which stage has the fault.
  localparam int DOORBELL = 0;
  localparam int JSCHED = 1;
  localparam int ORD_INI = 2;
  localparam int BTAH_B = 3;
  localparam int NTH_B = 8;
  localparam int ETHENC = 9;

  function automatic int fault_of(input int stage);
    fault_of = stage == FAULT_STAGE ? FAULT : 0;
  endfunction

  // What leaves each stage but the last: {last, data}, flit by flit.
  logic doorbell_valid, doorbell_ready, jsched_valid, jsched_ready, ord_ini_valid, ord_ini_ready;
  logic [W:0] doorbell_flit, jsched_flit, ord_ini_flit;

  // verilator lint_off PINCONNECTEMPTY
  // Nobody chooses what comes into these pipelines.
  pipeline #(
      .W(W + 1),
      .LATENCY(1),
      .DEPTH(1),
      .FAULT(fault_of(DOORBELL)),
      .FAULT_AT(FAULT_AT)
  ) doorbell (
      .clk,
      .rst,
      .s_tvalid,
      .s_tready,
      .s_tdata({s_tlast, s_tdata}),
      .m_tvalid(doorbell_valid),
      .m_tready(doorbell_ready),
      .m_tdata(doorbell_flit),
      .blocked()
  );

  scheduler #(
      .W(W),
      .QUEUES(QUEUES),
      .DEPTH(DEPTH),
      .INITIATORS(INITIATORS),
      .OUTSTANDING(OUTSTANDING),
      .FAULT(fault_of(JSCHED)),
      .FAULT_AT(FAULT_AT)
  ) jsched (
      .clk,
      .rst,
      .s_tvalid(doorbell_valid),
      .s_tready(doorbell_ready),
      .s_tdata(doorbell_flit[W-1:0]),
      .s_tlast(doorbell_flit[W]),
      .m_tvalid(jsched_valid),
      .m_tready(jsched_ready),
      .m_tdata(jsched_flit[W-1:0]),
      .m_tlast(jsched_flit[W]),
      .a_tvalid(f_tvalid),
      .a_tready(f_tready),
      .a_tdata(f_tdata)
  );

  ordering_engine #(
      .W(W),
      .QUEUES(QUEUES),
      .DEPTH(HELD_DEPTH),
      .INITIATORS(INITIATORS),
      .OUTSTANDING(OUTSTANDING),
      .FAULT(fault_of(ORD_INI)),
      .FAULT_AT(FAULT_AT)
  ) ord_ini (
      .clk,
      .rst,
      .s_tvalid(jsched_valid),
      .s_tready(jsched_ready),
      .s_tdata(jsched_flit[W-1:0]),
      .s_tlast(jsched_flit[W]),
      .m_tvalid(ord_ini_valid),
      .m_tready(ord_ini_ready),
      .m_tdata(ord_ini_flit[W-1:0]),
      .m_tlast(ord_ini_flit[W]),
      .a_tvalid,
      .a_tready,
      .a_tdata
  );

  // btah_b, tpc_tx, cwnd, retrans, rtph_b and nth_b.
  for (genvar stage = BTAH_B; stage <= NTH_B; stage++) begin : g_step
    logic in_valid, in_ready, valid, ready;
    logic [W:0] in_flit, flit;
    if (stage == BTAH_B) begin : g_first
      assign in_valid = ord_ini_valid;
      assign in_flit = ord_ini_flit;
      assign ord_ini_ready = in_ready;
    end else begin : g_next
      assign in_valid = g_step[stage-1].valid;
      assign in_flit = g_step[stage-1].flit;
      assign g_step[stage-1].ready = in_ready;
    end
    pipeline #(
        .W(W + 1),
        .LATENCY(1),
        .DEPTH(1),
        .FAULT(fault_of(stage)),
        .FAULT_AT(FAULT_AT)
    ) element (
        .clk,
        .rst,
        .s_tvalid(in_valid),
        .s_tready(in_ready),
        .s_tdata(in_flit),
        .m_tvalid(valid),
        .m_tready(ready),
        .m_tdata(flit),
        .blocked()
    );
  end
  // verilator lint_on PINCONNECTEMPTY

  logic wire_valid, wire_ready;
  logic [W:0] wire_flit;
  channel #(
      .W(W + 1),
      .QUEUE(WIRE_QUEUE)
  ) wire_queue (
      .clk,
      .rst,
      .s_tvalid(g_step[NTH_B].valid),
      .s_tready(g_step[NTH_B].ready),
      .s_tdata(g_step[NTH_B].flit),
      .m_tvalid(wire_valid),
      .m_tready(wire_ready),
      .m_tdata(wire_flit)
  );

  framer #(
      .W(W),
      .FAULT(fault_of(ETHENC)),
      .FAULT_AT(FAULT_AT)
  ) ethenc (
      .clk,
      .rst,
      .s_tvalid(wire_valid),
      .s_tready(wire_ready),
      .s_tdata(wire_flit[W-1:0]),
      .s_tlast(wire_flit[W]),
      .m_tvalid,
      .m_tready,
      .m_tdata,
      .m_tkeep,
      .m_tuser,
      .m_tlast
  );

endmodule
