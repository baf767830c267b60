// channel: a queue in front of a stage that costs no time. Equals the emulator's bypass channel,
// `queue: N`: what comes into an empty one can be taken in the same cycle, and a place that becomes
// free can be filled in the same cycle.
//
// W          bits   tdata
// QUEUE      beats  that can wait, from 1 on
//
// clk, rst   everything at the rising edge; rst is synchronous, active high
// s_t*       AXI-Stream in; s_tready depends on m_tready in the same cycle
// m_t*       AXI-Stream out; m_tvalid and m_tdata depend on s_tvalid and s_tdata in the same cycle

module channel #(
    parameter int W = 32,
    parameter int QUEUE = 16
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         s_tvalid,
    output logic         s_tready,
    input  logic [W-1:0] s_tdata,
    output logic         m_tvalid,
    input  logic         m_tready,
    output logic [W-1:0] m_tdata
);

  localparam int PLACE_BITS = QUEUE > 1 ? $clog2(QUEUE) : 1;
  localparam int FILL_BITS = $clog2(QUEUE + 1);
  localparam logic [PLACE_BITS-1:0] LAST_PLACE = PLACE_BITS'(QUEUE - 1);

  logic [W-1:0] store[0:QUEUE-1];
  logic [PLACE_BITS-1:0] first, last;
  logic [FILL_BITS-1:0] filled;
  logic is_empty, put, take;
  assign is_empty = filled == '0;
  assign s_tready = filled != FILL_BITS'(QUEUE) || m_tready;
  assign m_tvalid = !is_empty || s_tvalid;
  assign put = s_tvalid && s_tready;
  assign take = m_tvalid && m_tready;
  always_comb begin
    m_tdata = '0;
    if (m_tvalid) m_tdata = is_empty ? s_tdata : store[first];
  end

  always_ff @(posedge clk) begin
    if (put) store[last] <= s_tdata;
    if (rst) begin
      first <= '0;
      last <= '0;
      filled <= '0;
    end else begin
      if (put) last <= last == LAST_PLACE ? '0 : last + 1'b1;
      if (take) first <= first == LAST_PLACE ? '0 : first + 1'b1;
      filled <= filled + FILL_BITS'(put) - FILL_BITS'(take);
    end
  end

endmodule
