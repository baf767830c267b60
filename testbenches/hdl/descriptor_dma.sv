// descriptor_dma: reads a descriptor from memory for each request. A read takes a tag and a credit;
// answers can come in any order. Equals stage `descriptor_dma` of the emulator where memory answers
// after M cycles: latency ISSUE + M, the same `interval`, `depth` and `refill`, a pool of TAGS that are
// held until the data is back (and TAG_RETURN cycles more, or until the request has left), and a pool of
// CREDITS, each held for CREDIT_RETURN cycles.
//
// What is taken at edge e is at the memory port from edge e + ISSUE on. An answer that comes at edge e, and
// whose turn it is, can be taken from the output at edge e. A tag, a credit or a place that becomes free
// at an edge is taken at that edge.
//
// W                 bits      tdata
// TAGS              tags      1 to 256
// CREDITS           credits   0: none is needed
// CREDIT_RETURN     cycles    after which the credit of a read is back, from 1 on
// DEPTH             requests  inside, those whose data is back and that can't leave included
// INTERVAL          cycles    from 1 on
// ISSUE             cycles    from 1 on
// IN_ORDER          1: requests leave in the order in which they came; 0: in that of the answers
// TAG_RETURN        cycles    for which a tag is kept when its data is back
// TAG_UNTIL_LEFT    1: a tag is kept until its request leaves; TAG_RETURN then counts from there
// REFILL_NEXT_EDGE  1: a place that becomes free is taken from the next edge on
// FAULT             0 for none; 1 to 9 those of the pipeline to the memory port; more below: README.md
// FAULT_AT          what the fault befalls
//
// clk, rst          everything at the rising edge; rst is synchronous, active high
// s_t*              AXI-Stream in, a beat a request
// m_t*              AXI-Stream out, a beat a descriptor
// r_t*              AXI-Stream out, reads: the request's tdata, with the tag in r_tid
// c_t*              AXI-Stream in, always ready, answers: the descriptor, with the tag of the read

module descriptor_dma #(
    parameter int W = 32,
    parameter int TAGS = 8,
    parameter int CREDITS = 0,
    parameter int CREDIT_RETURN = 1,
    parameter int DEPTH = 16,
    parameter int INTERVAL = 1,
    parameter int ISSUE = 1,
    parameter int IN_ORDER = 1,
    parameter int TAG_RETURN = 0,
    parameter int TAG_UNTIL_LEFT = 0,
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
    output logic         r_tvalid,
    input  logic         r_tready,
    output logic [W-1:0] r_tdata,
    output logic [7:0]   r_tid,
    input  logic         c_tvalid,
    output logic         c_tready,
    input  logic [W-1:0] c_tdata,
    // verilator lint_off UNUSEDSIGNAL
    // With fewer TAGS than 256 the bits above their numbers are 0.
    input  logic [7:0]   c_tid
    // verilator lint_on UNUSEDSIGNAL
);

  // Faults: see README.md for the cycle and the port at which each shows.
  localparam int TAG_REUSED_EARLY = 10;
  localparam int TAG_LEAKED = 11;
  localparam int CREDIT_LEAKED = 12;
  localparam int ORDER_IGNORED = 13;

  localparam int TAG_BITS = TAGS > 1 ? $clog2(TAGS) : 1;
  localparam int PLACE_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int HELD_BITS = $clog2(DEPTH + 1);
  localparam int WAIT_BITS = INTERVAL > 1 ? $clog2(INTERVAL) : 1;
  localparam int CREDIT_BITS = $clog2(CREDITS + 2);
  localparam logic [PLACE_BITS-1:0] LAST_PLACE = PLACE_BITS'(DEPTH - 1);

  function automatic logic [PLACE_BITS-1:0] after(input logic [PLACE_BITS-1:0] place);
    after = place == LAST_PLACE ? '0 : place + 1'b1;
  endfunction

  logic accept, leave, answer;
  assign accept = s_tvalid && s_tready;
  assign leave = m_tvalid && m_tready;
  assign answer = c_tvalid;
  assign c_tready = 1'b1;

  // What a fault needs to know; nothing of it is left without one.
  logic [31:0] came;
  logic befalls;
  assign befalls = FAULT != 0 && came == FAULT_AT;
  always_ff @(posedge clk) begin
    if (rst) came <= '0;
    else came <= came + 32'(accept);
  end

  // Tags: the lowest that is free is taken.
  logic [TAGS-1:0] is_free, now_free;
  logic [TAG_BITS-1:0] tag, tag_answered, tag_returned, tag_back;
  logic returned, back, has_tag;
  assign tag_answered = TAG_BITS'(c_tid);
  if (TAG_RETURN == 0) begin : g_back_at_once
    assign back = returned;
    assign tag_back = tag_returned;
  end else begin : g_back_later
    logic [TAG_RETURN-1:0] is_returned;
    logic [TAG_RETURN*TAG_BITS-1:0] tags;
    assign back = is_returned[TAG_RETURN-1];
    assign tag_back = tags[(TAG_RETURN-1)*TAG_BITS+:TAG_BITS];
    always_ff @(posedge clk) begin
      is_returned[0] <= returned && !rst;
      tags[0+:TAG_BITS] <= tag_returned;
      for (int one = 1; one < TAG_RETURN; one++) begin
        is_returned[one] <= is_returned[one-1] && !rst;
        tags[one*TAG_BITS+:TAG_BITS] <= tags[(one-1)*TAG_BITS+:TAG_BITS];
      end
    end
  end
  // The tag that never comes back.
  logic [TAG_BITS-1:0] leaked_tag;
  logic is_leaked;
  always_comb begin
    now_free = is_free;
    if (back) now_free[tag_back] = 1'b1;
    if (is_leaked) now_free[leaked_tag] = 1'b0;
    has_tag = now_free != '0;
    tag = '0;
    for (int one = TAGS - 1; one >= 0; one--) if (now_free[one]) tag = TAG_BITS'(one);
  end
  always_ff @(posedge clk) begin
    if (rst) begin
      is_free <= '1;
      is_leaked <= 1'b0;
    end else begin
      is_free <= now_free;
      if (accept && !(FAULT == TAG_REUSED_EARLY && befalls)) is_free[tag] <= 1'b0;
      if (accept && FAULT == TAG_LEAKED && befalls) is_leaked <= 1'b1;
    end
    if (accept && befalls) leaked_tag <= tag;
  end

  // Credits.
  logic has_credit;
  if (CREDITS == 0) begin : g_no_credits
    assign has_credit = 1'b1;
  end else begin : g_credits
    logic [CREDIT_RETURN-1:0] lent;
    logic [CREDIT_BITS-1:0] left;
    assign has_credit = left != '0 || lent[CREDIT_RETURN-1];
    always_ff @(posedge clk) begin
      lent[0] <= accept && !rst && !(FAULT == CREDIT_LEAKED && befalls);
      for (int one = 1; one < CREDIT_RETURN; one++) lent[one] <= lent[one-1] && !rst;
      if (rst) left <= CREDIT_BITS'(CREDITS);
      else left <= left + CREDIT_BITS'(lent[CREDIT_RETURN-1]) - CREDIT_BITS'(accept);
    end
  end

  // Places and interval.
  logic [HELD_BITS-1:0] held;
  logic [WAIT_BITS-1:0] wait_left;
  logic has_place;
  assign has_place = held != HELD_BITS'(DEPTH) || (REFILL_NEXT_EDGE == 0 && leave);
  assign s_tready = wait_left == '0 && has_place && has_tag && has_credit;
  always_ff @(posedge clk) begin
    if (rst) begin
      held <= '0;
      wait_left <= '0;
    end else begin
      held <= held + HELD_BITS'(accept) - HELD_BITS'(leave);
      if (accept) wait_left <= WAIT_BITS'(INTERVAL - 1);
      else if (wait_left != '0) wait_left <= wait_left - 1'b1;
    end
  end

  // The way to the memory. Each read in it has a tag, so there is room for all.
  // verilator lint_off PINCONNECTEMPTY
  pipeline #(
      .W(8 + W),
      .LATENCY(ISSUE),
      .DEPTH(TAGS),
      .FAULT(FAULT),
      .FAULT_AT(FAULT_AT)
  ) way_to_memory (
      .clk,
      .rst,
      .s_tvalid(accept),
      .s_tready(),
      .s_tdata({8'(tag), s_tdata}),
      .m_tvalid(r_tvalid),
      .m_tready(r_tready),
      .m_tdata({r_tid, r_tdata}),
      .blocked()
  );
  // verilator lint_on PINCONNECTEMPTY

  // The data that is back: in the order of the requests, or of the answers.
  if (IN_ORDER != 0 && FAULT != ORDER_IGNORED) begin : g_in_order
    logic [PLACE_BITS-1:0] place_of[0:TAGS-1];
    logic [TAG_BITS-1:0] tag_of[0:DEPTH-1];
    logic [W-1:0] data[0:DEPTH-1];
    logic [DEPTH-1:0] is_back;
    logic [PLACE_BITS-1:0] first, last, place;
    logic comes_now;
    assign place = place_of[tag_answered];
    assign comes_now = answer && place == first;
    assign m_tvalid = held != '0 && (is_back[first] || comes_now);
    always_comb begin
      m_tdata = '0;
      if (m_tvalid) m_tdata = is_back[first] ? data[first] : c_tdata;
    end
    assign returned = TAG_UNTIL_LEFT != 0 ? leave : answer;
    assign tag_returned = TAG_UNTIL_LEFT != 0 ? tag_of[first] : tag_answered;
    always_ff @(posedge clk) begin
      if (accept) begin
        place_of[tag] <= last;
        tag_of[last] <= tag;
      end
      if (answer) data[place] <= c_tdata;
      if (rst) begin
        is_back <= '0;
        first <= '0;
        last <= '0;
      end else begin
        if (answer) is_back[place] <= 1'b1;
        if (leave) is_back[first] <= 1'b0;
        if (leave) first <= after(first);
        if (accept) last <= after(last);
      end
    end
  end else begin : g_as_answered
    logic [TAG_BITS-1:0] tag_leaving;
    // verilator lint_off PINCONNECTEMPTY
    // There is a place for every request inside.
    channel #(
        .W(TAG_BITS + W),
        .QUEUE(DEPTH)
    ) come_back (
        .clk,
        .rst,
        .s_tvalid(answer),
        .s_tready(),
        .s_tdata({tag_answered, c_tdata}),
        .m_tvalid(m_tvalid),
        .m_tready(m_tready),
        .m_tdata({tag_leaving, m_tdata})
    );
    // verilator lint_on PINCONNECTEMPTY
    assign returned = TAG_UNTIL_LEFT != 0 ? leave : answer;
    assign tag_returned = TAG_UNTIL_LEFT != 0 ? tag_leaving : tag_answered;
  end

endmodule
