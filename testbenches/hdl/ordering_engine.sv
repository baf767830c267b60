// ordering_engine: holds a request of strict order (SO) and service ROI until those of order RO or SO
// before it, of its initiator, have been answered. What need not wait goes straight on as it comes;
// what is held is found by a scan. Equals stage `ordering_engine` of the emulator with `pick: scan`
// and without `until`, where each request is one flit.
//
// Each cycle sees, in this order: one answer, one flit that comes, and, if that did not go straight
// on, one look: the queue under a cursor, which moves on by one with each look. Nobody looks in a
// cycle in which a flit goes straight on, or while a packet is under way. What goes at edge e can be
// taken from the output at edge e + LATENCY. Nothing goes while something that is finished can't
// leave. A packet, once begun, is sent whole.
//
// With TRACKING 0 (`count`) the engine knows how many requests of an initiator have been sent and not
// answered. With 1 (`sequence`) it knows which came first: each request of order RO or SO takes the
// next of WINDOW places of its initiator, an answer is to the oldest that has been sent, and a
// request waits for the places before its own.
//
// W            bits      tdata, which carries id [15:0], initiator [23:16], order [25:24] (2 is SO,
//                        1 RO) and service [27:26] (0 is ROI)
// QUEUES       queues    for what is held; an initiator's is its number modulo so many
// DEPTH        flits     in each queue, and as many wait in front of the engine; the emulator has no
//                        such limit
// INITIATORS   numbers   that initiators can have, from 0 on; at most 256
// OUTSTANDING  requests  of one initiator without an answer, with TRACKING 0; one more waits
// WINDOW       places    of one initiator with TRACKING 1, a power of two; a place is free again when it and
//                        all before it are answered; until then one more waits
// TRACKING     0: count; 1: sequence
// STRICT       1: nothing of an initiator passes what is held in its queue
// LATENCY      cycles    from the choice to the output, from 1 on
// FAULT        0 for none; 1 to 9 those of the pipeline that is the way out; more below: README.md
// FAULT_AT     what the fault befalls
//
// clk, rst     everything at the rising edge; rst is synchronous, active high
// s_t*         AXI-Stream in, a packet a request
// m_t*         AXI-Stream out
// a_t*         AXI-Stream in, always ready: a request of this initiator has been answered

module ordering_engine #(
    parameter int W = 32,
    parameter int QUEUES = 16,
    parameter int DEPTH = 32,
    parameter int INITIATORS = 256,
    parameter int OUTSTANDING = 255,
    parameter int WINDOW = 16,
    parameter int TRACKING = 0,
    parameter int STRICT = 0,
    parameter int LATENCY = 1,
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

  localparam int SEQUENCE = 1;
  localparam logic [1:0] NO = 2'd0;
  localparam logic [1:0] SO = 2'd2;
  localparam logic [1:0] ROI = 2'd0;

  // Faults: see README.md for the cycle and the port at which each shows.
  localparam int OVERTAKES = 10;
  localparam int CURSOR_SKIPS = 11;
  localparam int BELOW_ZERO = 12;
  localparam int ANSWER_LOST = 13;

  // No bits at all is an error everywhere, and so is another window.
  localparam int IS_POWER_OF_TWO = WINDOW == 1 << $clog2(WINDOW) ? 1 : 0;
  // verilator lint_off UNUSEDPARAM
  localparam logic CAN_BE_BUILT = IS_POWER_OF_TWO'(1'b1);
  // verilator lint_on UNUSEDPARAM

  localparam int QUEUE_BITS = QUEUES > 1 ? $clog2(QUEUES) : 1;
  localparam int PLACE_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int FILL_BITS = $clog2(DEPTH + 1);
  localparam int NUMBER_BITS = INITIATORS > 1 ? $clog2(INITIATORS) : 1;
  localparam int AGE_BITS = WINDOW > 1 ? $clog2(WINDOW) : 1;
  localparam logic [PLACE_BITS-1:0] LAST_PLACE = PLACE_BITS'(DEPTH - 1);
  localparam logic [QUEUE_BITS-1:0] LAST_QUEUE = QUEUE_BITS'(QUEUES - 1);
  // A flit with its place in the window on top: {place, last, data}.
  localparam int HELD = AGE_BITS + 1 + W;

  function automatic logic [QUEUE_BITS-1:0] queue_of(input logic [7:0] initiator);
    queue_of = QUEUE_BITS'(32'(initiator) % QUEUES);
  endfunction

  function automatic logic [QUEUE_BITS-1:0] after(input logic [QUEUE_BITS-1:0] queue);
    after = queue == LAST_QUEUE ? '0 : queue + 1'b1;
  endfunction

  function automatic logic [PLACE_BITS-1:0] place_after(input logic [PLACE_BITS-1:0] place);
    place_after = place == LAST_PLACE ? '0 : place + 1'b1;
  endfunction

  function automatic logic is_strict(input logic [1:0] order, input logic [1:0] service);
    is_strict = order == SO && service == ROI;
  endfunction

  // What comes, in the order in which it comes.
  logic comes, take;
  logic [W:0] coming;
  channel #(
      .W(W + 1),
      .QUEUE(DEPTH)
  ) way_in (
      .clk,
      .rst,
      .s_tvalid,
      .s_tready,
      .s_tdata({s_tlast, s_tdata}),
      .m_tvalid(comes),
      .m_tready(take),
      .m_tdata(coming)
  );

  // What becomes of the first of them. An extension follows its header.
  logic is_extension, header_was_held;
  logic has_to_wait, has_to_stay, straight, put, is_counted, may_wait, was_put_before, overtakes;
  logic [NUMBER_BITS-1:0] owner;
  logic [QUEUE_BITS-1:0] comes_to;
  assign owner = NUMBER_BITS'(coming[23:16]);
  assign comes_to = queue_of(coming[23:16]);
  assign is_counted = !is_extension && coming[25:24] != NO;
  assign may_wait = !is_extension && is_strict(coming[25:24], coming[27:26]);

  // The queues of what is held, and whether the first in each waits for nobody.
  logic [QUEUES-1:0] is_full, is_empty, is_clear, may_go, takes;
  logic [QUEUES*HELD-1:0] heads;
  logic [AGE_BITS-1:0] own_place;
  assign was_put_before = STRICT != 0 && !is_empty[comes_to];

  for (genvar q = 0; q < QUEUES; q++) begin : g_queue
    logic [HELD-1:0] held[0:DEPTH-1];
    logic [PLACE_BITS-1:0] first_held, last_held;
    logic [FILL_BITS-1:0] filled_held;
    logic joins;
    assign joins = put && comes_to == QUEUE_BITS'(q);
    assign is_empty[q] = filled_held == '0;
    assign is_full[q] = filled_held == FILL_BITS'(DEPTH);
    assign heads[q*HELD+:HELD] = is_empty[q] ? {own_place, coming} : held[first_held];
    assign may_go[q] = (!is_empty[q] || joins) && is_clear[q];
    always_ff @(posedge clk) begin
      if (joins) held[last_held] <= {own_place, coming};
      if (rst) begin
        first_held <= '0;
        last_held <= '0;
        filled_held <= '0;
      end else begin
        if (joins) last_held <= place_after(last_held);
        if (takes[q]) first_held <= place_after(first_held);
        filled_held <= filled_held + FILL_BITS'(joins) - FILL_BITS'(takes[q]);
      end
    end
  end

  // The scan.
  logic [QUEUE_BITS-1:0] cursor, from, chosen;
  logic is_sending, is_sending_straight, looks, found, release_held, may_emit, skips;
  logic way_out_ready, is_blocked, emit;
  logic [HELD-1:0] leaving;
  assign may_emit = way_out_ready && !is_blocked;
  assign looks = !straight && !is_sending;
  assign chosen = is_sending ? from : cursor;
  assign found = is_sending ? !is_empty[from] || (put && comes_to == from)
      : may_go[cursor] && !is_sending_straight;
  assign release_held = may_emit && !straight && found;
  assign leaving = heads[chosen*HELD+:HELD];
  assign emit = straight || release_held;
  always_comb begin
    takes = '0;
    takes[chosen] = release_held;
  end

  // Whether the first that comes waits (for others), or stays where it is (for room).
  assign straight = comes && may_emit && !has_to_wait && !has_to_stay && !is_sending;
  assign put = comes && may_emit && has_to_wait && !has_to_stay && !is_full[comes_to];
  assign take = straight || put;

  always_ff @(posedge clk) begin
    if (rst) begin
      is_extension <= 1'b0;
      header_was_held <= 1'b0;
      is_sending <= 1'b0;
      is_sending_straight <= 1'b0;
      cursor <= '0;
      from <= '0;
    end else begin
      if (take) begin
        is_extension <= !coming[W];
        header_was_held <= put;
      end
      if (straight) is_sending_straight <= !coming[W];
      if (release_held) begin
        is_sending <= !leaving[W];
        from <= chosen;
      end
      if (looks) cursor <= skips ? after(after(cursor)) : after(cursor);
    end
  end

  // Who has not been answered.
  logic [NUMBER_BITS-1:0] answered, sender;
  logic answer, is_ignored, goes_held, waits_for_others, has_room;
  assign a_tready = 1'b1;
  assign answered = NUMBER_BITS'(a_tdata);
  assign sender = NUMBER_BITS'(leaving[23:16]);
  assign goes_held = release_held && !is_sending && leaving[25:24] != NO;
  assign has_to_wait = is_extension ? header_was_held
      : was_put_before || (may_wait && waits_for_others && !overtakes);
  assign has_to_stay = is_counted && !has_room;

  if (TRACKING == SEQUENCE) begin : g_sequence
    // Of each initiator, a bit for each place of the window; `oldest` is the first without an answer.
    logic [WINDOW-1:0] unanswered[0:INITIATORS-1];
    logic [WINDOW-1:0] sent[0:INITIATORS-1];
    logic [AGE_BITS-1:0] oldest[0:INITIATORS-1];
    logic [AGE_BITS-1:0] next[0:INITIATORS-1];

    // The answer is to the oldest that has been sent; both in ring order, from `oldest` on.
    logic [WINDOW-1:0] now_unanswered;
    logic [AGE_BITS-1:0] now_oldest, place;
    always_comb begin
      now_unanswered = unanswered[answered];
      answer = 1'b0;
      for (int age = 0; age < WINDOW; age++) begin
        place = oldest[answered] + AGE_BITS'(age);
        if (a_tvalid && !is_ignored && !answer && now_unanswered[place] && sent[answered][place])
        begin
          answer = 1'b1;
          now_unanswered[place] = 1'b0;
        end
      end
      now_oldest = next[answered];
      for (int age = WINDOW - 1; age >= 0; age--) begin
        place = oldest[answered] + AGE_BITS'(age);
        if (now_unanswered[place]) now_oldest = place;
      end
    end

    // What the others see of it in this cycle.
    assign own_place = next[owner];
    assign waits_for_others = answered == owner ? now_unanswered != '0 : unanswered[owner] != '0;
    assign has_room = answered == owner ? !now_unanswered[own_place] : !unanswered[owner][own_place];
    for (genvar q = 0; q < QUEUES; q++) begin : g_clear
      logic [NUMBER_BITS-1:0] holder;
      logic [AGE_BITS-1:0] ahead, since;
      logic [WINDOW-1:0] seen;
      logic has_ahead;
      assign holder = NUMBER_BITS'(heads[q*HELD+16+:8]);
      assign since = answered == holder ? now_oldest : oldest[holder];
      assign ahead = heads[q*HELD+W+1+:AGE_BITS] - since;
      assign seen = answered == holder ? now_unanswered : unanswered[holder];
      always_comb begin
        has_ahead = 1'b0;
        for (int age = 0; age < WINDOW; age++) begin
          if (AGE_BITS'(age) < ahead && seen[since+AGE_BITS'(age)]) has_ahead = 1'b1;
        end
      end
      assign is_clear[q] = !(has_ahead && is_strict(heads[q*HELD+24+:2], heads[q*HELD+26+:2]));
    end

    always_ff @(posedge clk) begin
      if (rst) begin
        for (int one = 0; one < INITIATORS; one++) begin
          unanswered[one] <= '0;
          sent[one] <= '0;
          oldest[one] <= '0;
          next[one] <= '0;
        end
      end else begin
        if (answer) begin
          unanswered[answered] <= now_unanswered;
          oldest[answered] <= now_oldest;
        end
        if (take && is_counted) begin
          unanswered[owner][own_place] <= 1'b1;
          sent[owner][own_place] <= straight;
          next[owner] <= own_place + 1'b1;
        end
        if (goes_held) sent[sender][leaving[HELD-1-:AGE_BITS]] <= 1'b1;
      end
    end
  end else begin : g_count
    localparam int COUNT_BITS = $clog2(OUTSTANDING + 1);
    logic [COUNT_BITS-1:0] count[0:INITIATORS-1];
    logic [INITIATORS-1:0] has_any, has_most;
    logic [COUNT_BITS-1:0] count_answered, count_goer;
    logic [NUMBER_BITS-1:0] goer;
    logic is_last, is_below, goes;
    assign own_place = '0;
    assign count_answered = count[answered];
    assign answer = a_tvalid && !is_ignored && (has_any[answered] || FAULT == BELOW_ZERO);
    assign is_below = FAULT == BELOW_ZERO && count_answered == '0;
    assign is_last = answer && count_answered == 1;
    assign waits_for_others = has_any[owner] && !(is_last && answered == owner);
    assign has_room = !has_most[owner] || (answer && answered == owner);
    for (genvar q = 0; q < QUEUES; q++) begin : g_clear
      logic [NUMBER_BITS-1:0] holder;
      logic [1:0] order;
      assign holder = NUMBER_BITS'(heads[q*HELD+16+:8]);
      assign order = heads[q*HELD+24+:2];
      assign is_clear[q] = is_strict(order, heads[q*HELD+26+:2])
          ? !has_any[holder] || (is_last && answered == holder)
          : order == NO || !has_most[holder] || (answer && answered == holder);
    end

    // An answer and a request of one initiator in one cycle leave its number as it is.
    assign goes = (straight && is_counted) || goes_held;
    assign goer = straight ? owner : sender;
    assign count_goer = count[goer];
    always_ff @(posedge clk) begin
      if (rst) begin
        has_any <= '0;
        has_most <= '0;
        for (int one = 0; one < INITIATORS; one++) count[one] <= '0;
      end else begin
        if (answer && !(goes && goer == answered)) begin
          count[answered] <= is_below ? COUNT_BITS'(OUTSTANDING) : count_answered - 1'b1;
          has_any[answered] <= count_answered != 1;
          has_most[answered] <= is_below;
        end
        if (goes && !(answer && goer == answered)) begin
          count[goer] <= count_goer + 1'b1;
          has_any[goer] <= 1'b1;
          has_most[goer] <= count_goer == COUNT_BITS'(OUTSTANDING - 1);
        end
      end
    end
  end

  // What a fault needs to know; nothing of it is left without one.
  logic [31:0] held_so_far, released, answers;
  assign overtakes = FAULT == OVERTAKES && held_so_far == FAULT_AT;
  assign skips = FAULT == CURSOR_SKIPS && release_held && !is_sending && released == FAULT_AT;
  assign is_ignored = FAULT == ANSWER_LOST && answers == FAULT_AT;
  always_ff @(posedge clk) begin
    if (rst) begin
      held_so_far <= '0;
      released <= '0;
      answers <= '0;
    end else begin
      held_so_far <= held_so_far
          + 32'(take && may_wait && waits_for_others);
      released <= released + 32'(release_held && !is_sending);
      answers <= answers + 32'(a_tvalid);
    end
  end

  pipeline #(
      .W(W + 1),
      .LATENCY(LATENCY),
      .DEPTH(LATENCY),
      .FAULT(FAULT),
      .FAULT_AT(FAULT_AT)
  ) way_out (
      .clk,
      .rst,
      .s_tvalid(emit),
      .s_tready(way_out_ready),
      .s_tdata(straight ? coming : leaving[W:0]),
      .m_tvalid,
      .m_tready,
      .m_tdata({m_tlast, m_tdata}),
      .blocked(is_blocked)
  );

endmodule
