// pipeline: a request takes LATENCY cycles, at most one enters in INTERVAL cycles, and at most DEPTH
// are inside, those that are finished and can't leave included. They leave in the order in which
// they came. Equals any clocked stage of the emulator with `latency`, `interval`, `depth` and `refill`.
//
// A request moves one register a cycle through LATENCY - 1 of them, which never stop, and then into
// a queue with a place for every request inside, so that nothing is ever in its way. What was taken
// at edge e can be taken from the output at edge e + LATENCY. A DEPTH below LATENCY / INTERVAL is
// what limits the rate.
//
// W                 bits     tdata
// LATENCY           cycles   from 1 on
// INTERVAL          cycles   from 1 on
// DEPTH             requests from 1 on; the emulator's `unlimited` can't be built: give it what
//                            the test can have inside
// REFILL_NEXT_EDGE  0: a place that becomes free at an edge is taken at that edge (`at_once`: ready
//                   then depends on m_tready in the same cycle); 1: from the next on (`next_edge`)
// FAULT, FAULT_AT   a planted fault, 0 for none, and the request that it befalls, from 0 on: README.md
//
// clk, rst          everything at the rising edge; rst is synchronous, active high
// s_t*              AXI-Stream in, one beat a request
// m_t*              AXI-Stream out; m_tdata is 0 while m_tvalid is
// blocked           1 where a finished request does not leave at the coming edge; for those who
//                   choose what comes in here, and can be left open

module pipeline #(
    parameter int W = 32,
    parameter int LATENCY = 4,
    parameter int INTERVAL = 1,
    parameter int DEPTH = 4,
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
    output logic         blocked
);

  // Faults: see README.md for the cycle and the port at which each shows.
  localparam int LATE = 1;
  localparam int LOST = 2;
  localparam int DOUBLED = 3;
  localparam int SWAPPED = 4;
  localparam int READY_STUCK_HIGH = 5;
  localparam int READY_STUCK_LOW = 6;
  localparam int UNKNOWN = 7;
  localparam int PLACE_LEAKED = 8;
  localparam int VALID_DROPPED = 9;

  // No bits at all is an error everywhere, and so is a parameter below 1.
  localparam int ALL_FROM_1_ON = LATENCY > 0 && INTERVAL > 0 && DEPTH > 0 ? 1 : 0;
  // verilator lint_off UNUSEDPARAM
  localparam logic CAN_BE_BUILT = ALL_FROM_1_ON'(1'b1);
  // verilator lint_on UNUSEDPARAM

  localparam int PLACE_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int COUNT_BITS = $clog2(DEPTH + 1);
  localparam int WAIT_BITS = INTERVAL > 1 ? $clog2(INTERVAL) : 1;
  localparam logic [PLACE_BITS-1:0] LAST_PLACE = PLACE_BITS'(DEPTH - 1);

  logic accept, leave, remove, befalls;
  assign accept = s_tvalid && s_tready;
  assign leave  = m_tvalid && m_tready;

  // Places taken, and cycles until the next request may come.
  logic [COUNT_BITS-1:0] held;
  logic [WAIT_BITS-1:0] wait_left;
  logic has_place, frees;
  assign has_place = held != COUNT_BITS'(DEPTH) || (REFILL_NEXT_EDGE == 0 && frees);

  // The steps on the way; `done` is the request that can be taken after the coming edge.
  logic done;
  logic [W-1:0] done_data;
  if (LATENCY == 1) begin : g_no_steps
    assign done = accept;
    assign done_data = s_tdata;
  end else begin : g_steps
    logic [LATENCY-2:0] taken;
    logic [(LATENCY-1)*W-1:0] data;
    assign done = taken[LATENCY-2];
    assign done_data = data[(LATENCY-2)*W+:W];
    always_ff @(posedge clk) begin
      taken[0] <= accept && !rst;
      data[0+:W] <= s_tdata;
      for (int step = 1; step < LATENCY - 1; step++) begin
        taken[step] <= taken[step-1] && !rst;
        data[step*W+:W] <= data[(step-1)*W+:W];
      end
    end
  end

  // The queue of those that are finished.
  logic [W-1:0] queue[0:DEPTH-1];
  logic [PLACE_BITS-1:0] first, last;
  logic [COUNT_BITS-1:0] finished;

  function automatic logic [PLACE_BITS-1:0] after(input logic [PLACE_BITS-1:0] place);
    after = place == LAST_PLACE ? '0 : place + 1'b1;
  endfunction

  // What a fault needs to know; nothing of it is left without one.
  logic [31:0] came, gone;
  logic [W-1:0] exchanged;
  logic was_first, was_shown;
  assign befalls = FAULT != 0 && gone == FAULT_AT && finished != '0;

  always_comb begin
    s_tready = wait_left == '0 && has_place;
    if (FAULT == READY_STUCK_HIGH && came >= FAULT_AT) s_tready = 1'b1;
    if (FAULT == READY_STUCK_LOW && came >= FAULT_AT) s_tready = 1'b0;
  end

  always_comb begin
    m_tvalid = finished != '0;
    if (FAULT == LATE && befalls && !was_first) m_tvalid = 1'b0;
    if (FAULT == LOST && befalls) m_tvalid = 1'b0;
    if (FAULT == SWAPPED && befalls && finished == 1) m_tvalid = 1'b0;
    if (FAULT == VALID_DROPPED && befalls && was_shown) m_tvalid = 1'b0;
    m_tdata = m_tvalid ? queue[first] : '0;
    if (FAULT == SWAPPED && befalls && m_tvalid) m_tdata = queue[after(first)];
    if (FAULT == SWAPPED && gone == FAULT_AT + 1 && m_tvalid) m_tdata = exchanged;
    if (FAULT == UNKNOWN && befalls) m_tdata[0] = 1'bx;
  end

  always_comb begin
    remove = leave;
    if (FAULT == LOST && befalls) remove = 1'b1;
    if (FAULT == DOUBLED && befalls) remove = 1'b0;
    frees = remove;
    if (FAULT == PLACE_LEAKED && befalls) frees = 1'b0;
    blocked = finished != COUNT_BITS'(remove);
  end

  always_ff @(posedge clk) begin
    if (done) queue[last] <= done_data;
    if (rst) begin
      held <= '0;
      wait_left <= '0;
      first <= '0;
      last <= '0;
      finished <= '0;
    end else begin
      held <= held + COUNT_BITS'(accept) - COUNT_BITS'(frees);
      finished <= finished + COUNT_BITS'(done) - COUNT_BITS'(remove);
      if (accept) wait_left <= WAIT_BITS'(INTERVAL - 1);
      else if (wait_left != '0) wait_left <= wait_left - 1'b1;
      if (remove) first <= after(first);
      if (done) last <= after(last);
    end
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      came <= '0;
      gone <= '0;
      was_first <= 1'b0;
      was_shown <= 1'b0;
    end else begin
      came <= came + 32'(accept);
      gone <= gone + 32'(leave || remove);
      was_first <= befalls;
      was_shown <= m_tvalid && !m_tready;
    end
    if (befalls) exchanged <= queue[first];
  end

endmodule
