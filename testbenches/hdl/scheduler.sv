// scheduler: a queue for each initiator, served in turn; a request with a fence waits, and those
// behind it in its queue, while a read of its initiator has no answer. Equals stage `scheduler` of
// the emulator without `until`, where each request is one flit.
//
// Each cycle sees, in this order: one answer, one flit that comes, one choice. What comes into an
// empty queue can be chosen in the same cycle; what is chosen at edge e can be taken from the output
// at edge e + LATENCY. Nothing is chosen while something that is finished can't leave. A packet, once
// begun, is sent whole. A place in a queue that becomes free can be taken from the next edge on.
//
// W            bits     tdata, which carries id [15:0], initiator [23:16], fence [28] and read [29]
// QUEUES       queues   an initiator's is its number modulo so many
// DEPTH        flits    in each queue
// INITIATORS   numbers  that initiators can have, from 0 on; at most 256
// OUTSTANDING  reads    of one initiator without an answer; one more waits
// PICK         0: scan, the queue under a cursor that moves on by one in each cycle in which no packet
//              is under way; 1: round robin, the next queue whose first request may go
// LATENCY      cycles   from the choice to the output, from 1 on
// INTERVAL     cycles   between two flits, from 1 on; 1 for the scan
// FAULT        0 for none; 1 to 9 those of the pipeline that is the way out; more below: README.md
// FAULT_AT     what the fault befalls
//
// clk, rst     everything at the rising edge; rst is synchronous, active high
// s_t*         AXI-Stream in, a packet a request
// m_t*         AXI-Stream out
// a_t*         AXI-Stream in, always ready: a read of this initiator has been answered

module scheduler #(
    parameter int W = 32,
    parameter int QUEUES = 16,
    parameter int DEPTH = 31,
    parameter int INITIATORS = 256,
    parameter int OUTSTANDING = 255,
    parameter int PICK = 0,
    parameter int LATENCY = 1,
    parameter int INTERVAL = 1,
    parameter int FAULT = 0,
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
    output logic         m_tlast,
    input  logic         a_tvalid,
    output logic         a_tready,
    // verilator lint_off UNUSEDSIGNAL
    // With fewer INITIATORS than 256 the bits above their numbers are 0.
    input  logic [7:0]   a_tdata
    // verilator lint_on UNUSEDSIGNAL
);

  localparam int ROUND_ROBIN = 1;

  // Faults: see README.md for the cycle and the port at which each shows.
  localparam int FENCE_IGNORED = 10;
  localparam int CURSOR_SKIPS = 11;
  localparam int BELOW_ZERO = 12;
  localparam int ANSWER_LOST = 13;
  localparam int PLACE_TOO_MANY = 14;

  localparam int QUEUE_BITS = QUEUES > 1 ? $clog2(QUEUES) : 1;
  localparam int PLACE_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int FILL_BITS = $clog2(DEPTH + 2);
  localparam int NUMBER_BITS = INITIATORS > 1 ? $clog2(INITIATORS) : 1;
  localparam int READ_BITS = $clog2(OUTSTANDING + 1);
  localparam int MOST_FLITS = FAULT == PLACE_TOO_MANY ? DEPTH + 1 : DEPTH;
  localparam logic [PLACE_BITS-1:0] LAST_PLACE = PLACE_BITS'(DEPTH - 1);
  localparam logic [QUEUE_BITS-1:0] LAST_QUEUE = QUEUE_BITS'(QUEUES - 1);

  function automatic logic [QUEUE_BITS-1:0] queue_of(input logic [7:0] initiator);
    queue_of = QUEUE_BITS'(32'(initiator) % QUEUES);
  endfunction

  function automatic logic [QUEUE_BITS-1:0] after(input logic [QUEUE_BITS-1:0] queue);
    after = queue == LAST_QUEUE ? '0 : queue + 1'b1;
  endfunction

  // Reads without an answer, for each initiator: how many, whether any, whether all there can be.
  logic [READ_BITS-1:0] reads[0:INITIATORS-1];
  logic [INITIATORS-1:0] has_reads, has_most;
  logic [NUMBER_BITS-1:0] answered, sender;
  logic [READ_BITS-1:0] reads_answered, reads_sender;
  logic answer, read_goes, is_last_answer, is_below;
  assign a_tready = 1'b1;
  assign answered = NUMBER_BITS'(a_tdata);
  assign reads_answered = reads[answered];
  assign reads_sender = reads[sender];
  assign is_below = FAULT == BELOW_ZERO && reads_answered == '0;
  assign is_last_answer = answer && reads_answered == 1;

  // The queues, and what the first in each is.
  logic accept;
  logic [QUEUE_BITS-1:0] comes_to;
  logic [QUEUES-1:0] is_full, has, may_go, takes;
  logic [QUEUES*(W+1)-1:0] heads;
  assign comes_to = queue_of(s_tdata[23:16]);
  assign s_tready = !is_full[comes_to];
  assign accept   = s_tvalid && s_tready;

  for (genvar q = 0; q < QUEUES; q++) begin : g_queue
    logic [W:0] store[0:DEPTH-1];
    logic [PLACE_BITS-1:0] first, last;
    logic [FILL_BITS-1:0] filled;
    logic put, is_empty, waits;
    logic [W:0] head;
    logic [NUMBER_BITS-1:0] owner;
    assign put = accept && comes_to == QUEUE_BITS'(q);
    assign is_empty = filled == '0;
    assign is_full[q] = filled == FILL_BITS'(MOST_FLITS);
    assign has[q] = !is_empty || put;
    assign head = is_empty ? {s_tlast, s_tdata} : store[first];
    assign heads[q*(W+1)+:W+1] = head;
    assign owner = NUMBER_BITS'(head[23:16]);
    assign waits = (head[28] && FAULT != FENCE_IGNORED && has_reads[owner]
            && !(is_last_answer && answered == owner))
        || (head[29] && has_most[owner] && !(answer && answered == owner));
    assign may_go[q] = has[q] && !waits;
    always_ff @(posedge clk) begin
      if (put) store[last] <= {s_tlast, s_tdata};
      if (rst) begin
        first <= '0;
        last <= '0;
        filled <= '0;
      end else begin
        if (put) last <= last == LAST_PLACE ? '0 : last + 1'b1;
        if (takes[q]) first <= first == LAST_PLACE ? '0 : first + 1'b1;
        filled <= filled + FILL_BITS'(put) - FILL_BITS'(takes[q]);
      end
    end
  end

  // Whose turn it is. In a scan `turn` is the cursor; else it is the queue after the one served last.
  logic [QUEUE_BITS-1:0] turn, from, chosen;
  logic is_sending, found, emit, may_emit, way_out_ready, is_blocked, skips;
  assign may_emit = way_out_ready && !is_blocked;
  assign emit = may_emit && found;
  always_comb begin
    chosen = turn;
    found  = may_go[turn];
    if (PICK == ROUND_ROBIN) begin
      // From the last to the first, so that the first stands: those before the turn come last.
      for (int q = QUEUES - 1; q >= 0; q--) begin
        if (may_go[q] && QUEUE_BITS'(q) < turn) begin
          chosen = QUEUE_BITS'(q);
          found  = 1'b1;
        end
      end
      for (int q = QUEUES - 1; q >= 0; q--) begin
        if (may_go[q] && QUEUE_BITS'(q) >= turn) begin
          chosen = QUEUE_BITS'(q);
          found  = 1'b1;
        end
      end
    end
    if (is_sending) begin
      chosen = from;
      found  = has[from];
    end
  end
  always_comb begin
    takes = '0;
    takes[chosen] = emit;
  end

  logic [W:0] flit;
  assign flit = heads[chosen*(W+1)+:W+1];
  assign sender = NUMBER_BITS'(flit[23:16]);
  assign read_goes = emit && !is_sending && flit[29];

  always_ff @(posedge clk) begin
    if (rst) begin
      turn <= '0;
      from <= '0;
      is_sending <= 1'b0;
    end else begin
      if (emit) begin
        is_sending <= !flit[W];
        from <= chosen;
      end
      if (PICK == ROUND_ROBIN) begin
        if (emit && !is_sending) turn <= skips ? after(after(chosen)) : after(chosen);
      end else if (!is_sending) begin
        turn <= skips ? after(after(turn)) : after(turn);
      end
    end
  end

  // An answer and a read of one initiator in one cycle leave its number as it is.
  always_ff @(posedge clk) begin
    if (rst) begin
      has_reads <= '0;
      has_most <= '0;
      for (int one = 0; one < INITIATORS; one++) reads[one] <= '0;
    end else begin
      if (answer && !(read_goes && sender == answered)) begin
        reads[answered] <= is_below ? READ_BITS'(OUTSTANDING) : reads_answered - 1'b1;
        has_reads[answered] <= reads_answered != 1;
        has_most[answered] <= is_below;
      end
      if (read_goes && !(answer && sender == answered)) begin
        reads[sender] <= reads_sender + 1'b1;
        has_reads[sender] <= 1'b1;
        has_most[sender] <= reads_sender == READ_BITS'(OUTSTANDING - 1);
      end
    end
  end

  // What a fault needs to know; nothing of it is left without one.
  logic [31:0] packets, answers;
  assign skips = FAULT == CURSOR_SKIPS && emit && !is_sending && packets == FAULT_AT;
  assign answer = a_tvalid && (has_reads[answered] || FAULT == BELOW_ZERO)
      && !(FAULT == ANSWER_LOST && answers == FAULT_AT);
  always_ff @(posedge clk) begin
    if (rst) begin
      packets <= '0;
      answers <= '0;
    end else begin
      packets <= packets + 32'(emit && !is_sending);
      answers <= answers + 32'(a_tvalid);
    end
  end

  pipeline #(
      .W(W + 1),
      .LATENCY(LATENCY),
      .INTERVAL(INTERVAL),
      .DEPTH(LATENCY),
      .FAULT(FAULT),
      .FAULT_AT(FAULT_AT)
  ) way_out (
      .clk,
      .rst,
      .s_tvalid(emit),
      .s_tready(way_out_ready),
      .s_tdata(flit),
      .m_tvalid,
      .m_tready,
      .m_tdata({m_tlast, m_tdata}),
      .blocked(is_blocked)
  );

endmodule
