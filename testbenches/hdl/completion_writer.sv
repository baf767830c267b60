// completion_writer: writes completions in batches. Those that wait when it may begin are taken together,
// as many as make a batch, and go out together, one a cycle. Equals stage `pipeline_step` (latency 1
// cycle, interval 1 cycle, depth 1) and behind it stage `completion` of the emulator with `queue`,
// `batch`, `latency`, `interval`, `depth` and `refill`.
//
// A completion that comes at edge e is in the queue at edge e + 1, and in a batch that begins at that
// edge. The first of a batch that begins at edge e can be taken from the output at edge e + LATENCY.
// A place that becomes free in the queue is filled at that edge.
//
// W                 bits         tdata
// QUEUE             completions  that can wait
// BATCH             completions  in a batch at most
// LATENCY           cycles       from 1 on
// INTERVAL          cycles       between the beginnings of two batches, from 1 on
// DEPTH             batches      begun and not gone
// REFILL_NEXT_EDGE  0: a batch can begin at the edge at which another has gone; 1: from the next on
// FAULT             0 for none; 1 to 9 those of the pipeline that batches go through; more below: README.md
// FAULT_AT          what the fault befalls
//
// clk, rst          everything at the rising edge; rst is synchronous, active high
// s_t*              AXI-Stream in, a beat a completion
// m_t*              AXI-Stream out, a packet a batch

module completion_writer #(
    parameter int W = 32,
    parameter int QUEUE = 16,
    parameter int BATCH = 4,
    parameter int LATENCY = 4,
    parameter int INTERVAL = 1,
    parameter int DEPTH = 2,
    parameter int REFILL_NEXT_EDGE = 0,
    parameter int FAULT = 0,
    parameter int FAULT_AT = 0
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         s_tvalid,
    output logic         s_tready,
    input  logic [W-1:0] s_tdata,
    output logic         m_tvalid,
    input  logic         m_tready,
    output logic [W-1:0] m_tdata,
    output logic         m_tlast
);

  // Faults: see README.md for the cycle and the port at which each shows.
  localparam int BATCH_SHORT = 10;
  localparam int LAST_MISSING = 11;

  // All that is inside: what waits, and then what is in batches, in the order in which it came.
  localparam int PLACES = QUEUE + DEPTH * BATCH;
  localparam int PLACE_BITS = $clog2(PLACES);
  localparam int WAIT_BITS = $clog2(QUEUE + 1);
  localparam int BATCH_BITS = $clog2(BATCH + 1);
  localparam logic [PLACE_BITS-1:0] LAST_PLACE = PLACE_BITS'(PLACES - 1);

  logic comes, takes_in, goes, is_last, begins, may_begin, is_full;
  logic [W-1:0] coming;
  logic [W-1:0] store[0:PLACES-1];
  logic [PLACE_BITS-1:0] first, last;
  logic [WAIT_BITS-1:0] waiting;
  logic [31:0] together;
  logic [BATCH_BITS-1:0] size, size_leaving, gone;
  logic [31:0] batches, batches_gone;
  logic batch_leaves;

  // verilator lint_off PINCONNECTEMPTY
  // Both take what they can: nothing is chosen.
  pipeline #(
      .W(W),
      .LATENCY(1),
      .DEPTH(1)
  ) way_in (
      .clk,
      .rst,
      .s_tvalid,
      .s_tready,
      .s_tdata,
      .m_tvalid(comes),
      .m_tready(takes_in),
      .m_tdata(coming),
      .blocked()
  );

  // A batch is its size; it is here from its beginning until its last completion goes.
  pipeline #(
      .W(BATCH_BITS),
      .LATENCY(LATENCY),
      .INTERVAL(INTERVAL),
      .DEPTH(DEPTH),
      .REFILL_NEXT_EDGE(REFILL_NEXT_EDGE),
      .FAULT(FAULT),
      .FAULT_AT(FAULT_AT)
  ) under_way (
      .clk,
      .rst,
      .s_tvalid(together != 0),
      .s_tready(may_begin),
      .s_tdata(size),
      .m_tvalid(m_tvalid),
      .m_tready(batch_leaves),
      .m_tdata(size_leaving),
      .blocked()
  );
  // verilator lint_on PINCONNECTEMPTY

  // What comes into a full queue takes the place of what begins, and so comes too late for it.
  assign is_full = waiting == WAIT_BITS'(QUEUE);
  assign together = 32'(waiting) + 32'(comes && !is_full);
  assign begins = together != 0 && may_begin;
  assign takes_in = !is_full || begins;
  always_comb begin
    size = together > BATCH ? BATCH_BITS'(BATCH) : BATCH_BITS'(together);
    if (FAULT == BATCH_SHORT && batches == FAULT_AT && size > 1) size = size - 1'b1;
  end

  assign goes = m_tvalid && m_tready;
  assign is_last = gone + 1'b1 == size_leaving;
  assign batch_leaves = m_tready && is_last;
  assign m_tlast = m_tvalid && is_last && !(FAULT == LAST_MISSING && batches_gone + 1 > FAULT_AT);
  always_comb begin
    m_tdata = '0;
    if (m_tvalid) m_tdata = store[first];
  end

  always_ff @(posedge clk) begin
    if (comes && takes_in) store[last] <= coming;
    if (rst) begin
      first <= '0;
      last <= '0;
      waiting <= '0;
      gone <= '0;
      batches <= '0;
      batches_gone <= '0;
    end else begin
      if (comes && takes_in) last <= last == LAST_PLACE ? '0 : last + 1'b1;
      if (goes) first <= first == LAST_PLACE ? '0 : first + 1'b1;
      if (goes) gone <= is_last ? '0 : gone + 1'b1;
      waiting <= waiting + WAIT_BITS'(comes && takes_in) - (begins ? WAIT_BITS'(size) : '0);
      batches <= batches + 32'(begins);
      batches_gone <= batches_gone + 32'(goes && is_last);
    end
  end

endmodule
