// context_cache: a cache of connection records, one for each initiator. A request that finds its record
// goes on at once; one that does not waits for a fetch through the refill port. Equals stage `context_cache`
// of the emulator with one kind of `records`, each of an `initiator`, where the fetch takes as long as the
// memory behind the refill port, with the same `capacity`, `ways`, `replacement`, `interval`, `depth` and
// `refill`, while there is room for what waits: the emulator has no such limit.
//
// A record is looked up in the cycle in which its request comes, and is taken in then, not when its
// fetch is over. A miss can begin its fetch in that cycle, and can be taken from the output in the cycle
// in which the answer comes; a hit in that in which it comes itself. What can't leave waits: who was
// finished first goes first, in one cycle a miss before a hit. Misses leave in the order in which they came.
//
// W                 bits      tdata, which carries initiator [23:16]
// SETS              sets      a hash picks that of a record; its capacity is SETS times WAYS
// WAYS              records   in a set
// REPLACEMENT       0: lru; 1: random; 2: none, a full set takes in no more
// SEED              the state of the random numbers, that of the emulator's generator for the stage
// KIND              of the records, for the hash: 0 jetty, 1 channel, 2 qp, 3 segment
// DEPTH             misses    whose fetch has begun and that have not left, 1 to 256
// INTERVAL          cycles    between the beginnings of two fetches, from 1 on
// REFILL_NEXT_EDGE  1: a place of a miss that leaves is taken from the next edge on
// QUEUE             misses    that wait for their fetch
// BACKLOG           hits      that wait for the output
// FAULT, FAULT_AT   a planted fault, 0 for none, and what it befalls: README.md
//
// clk, rst          everything at the rising edge; rst is synchronous, active high
// s_t*              AXI-Stream in, a beat a request
// m_t*              AXI-Stream out
// r_t*              AXI-Stream out, fetches: the request's tdata; r_tid says which of those under way
// c_t*              AXI-Stream in, always ready, answers in any order; c_tid is that of the fetch

module context_cache #(
    parameter int W = 32,
    parameter int SETS = 1,
    parameter int WAYS = 8,
    parameter int REPLACEMENT = 0,
    parameter logic [63:0] SEED = 64'd0,
    parameter int KIND = 0,
    parameter int DEPTH = 4,
    parameter int INTERVAL = 1,
    parameter int REFILL_NEXT_EDGE = 0,
    parameter int QUEUE = 64,
    parameter int BACKLOG = 64,
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
    // verilator lint_off UNUSEDSIGNAL
    // What is in a record is not modelled, and places above DEPTH have no fetch.
    input  logic [W-1:0] c_tdata,
    input  logic [7:0]   c_tid
    // verilator lint_on UNUSEDSIGNAL
);

  localparam int RANDOM = 1;
  localparam int NONE = 2;

  // Faults: see README.md for the cycle and the port at which each shows.
  localparam int WRONG_WAY = 1;
  localparam int NOT_TAKEN_IN = 2;
  localparam int PLACE_LEAKED = 3;
  localparam int HIT_LATE = 4;
  localparam int MISS_LOST = 5;

  localparam int SET_BITS = SETS > 1 ? $clog2(SETS) : 1;
  localparam int WAY_BITS = $clog2(WAYS + 1);
  localparam int PLACE_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int HELD_BITS = $clog2(DEPTH + 1);
  localparam int MISS_BITS = $clog2(QUEUE + 1);
  localparam int HIT_BITS = $clog2(BACKLOG + 1);
  localparam int WAIT_BITS = INTERVAL > 1 ? $clog2(INTERVAL) : 1;
  localparam int LEAVING = BACKLOG + DEPTH;
  localparam int LEAVING_BITS = $clog2(LEAVING);
  localparam int STORED_BITS = $clog2(LEAVING + 1);
  localparam logic [PLACE_BITS-1:0] LAST_PLACE = PLACE_BITS'(DEPTH - 1);
  localparam logic [LEAVING_BITS-1:0] LAST_LEAVING = LEAVING_BITS'(LEAVING - 1);

  // SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): what it adds, and its output function.
  localparam logic [63:0] GAMMA = 64'h9E3779B97F4A7C15;
  function automatic logic [63:0] mixed(input logic [63:0] bits);
    logic [63:0] z;
    z = (bits ^ (bits >> 30)) * 64'hBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 64'h94D049BB133111EB;
    mixed = z ^ (z >> 31);
  endfunction

  function automatic logic [LEAVING_BITS-1:0] after(input logic [LEAVING_BITS-1:0] place);
    after = place == LAST_LEAVING ? '0 : place + 1'b1;
  endfunction

  // The records of each set: with lru from the one used last on, else in the order of their places.
  logic [WAYS*8-1:0] records[0:SETS-1];
  logic [WAY_BITS-1:0] filled[0:SETS-1];
  logic accept, is_hit, hit, miss, is_full, replaces;
  logic [7:0] key;
  logic [SET_BITS-1:0] set;
  logic [WAYS*8-1:0] now, then_records;
  logic [7:0] last_record;
  logic [WAY_BITS-1:0] count, found_at, drawn;
  assign accept = s_tvalid && s_tready;
  assign key = s_tdata[23:16];

  // The set of each initiator's record is a constant: a hash of the kind, the initiator and a zero.
  if (SETS == 1) begin : g_one_set
    assign set = '0;
  end else begin : g_sets
    localparam logic [63:0] OF_KIND = mixed(64'(KIND) + GAMMA);
    logic [256*SET_BITS-1:0] set_of;
    for (genvar one = 0; one < 256; one++) begin : g_set
      localparam logic [63:0] OF_INITIATOR = mixed(OF_KIND + 64'(one) + GAMMA);
      localparam logic [63:0] HASH = mixed(OF_INITIATOR + GAMMA);
      assign set_of[one*SET_BITS+:SET_BITS] = SET_BITS'(HASH % 64'(SETS));
    end
    assign set = set_of[key*SET_BITS+:SET_BITS];
  end

  assign now = records[set];
  assign last_record = now[(WAYS-1)*8+:8];
  assign count = filled[set];
  assign is_full = count == WAY_BITS'(WAYS);
  assign hit = accept && is_hit;
  assign miss = accept && !is_hit;
  assign replaces = miss && is_full;
  always_comb begin
    is_hit = 1'b0;
    found_at = '0;
    for (int way = 0; way < WAYS; way++) begin
      if (WAY_BITS'(way) < count && now[way*8+:8] == key) begin
        is_hit = 1'b1;
        found_at = WAY_BITS'(way);
      end
    end
  end

  // What a fault needs to know; nothing of it is left without one.
  logic [31:0] replaced, found_so_far, missed, fetched_so_far, gone_misses;
  logic is_wrong_way, is_not_taken_in, is_leaked, is_late, is_lost;
  assign is_wrong_way = FAULT == WRONG_WAY && replaces && replaced == FAULT_AT;
  assign is_not_taken_in = FAULT == NOT_TAKEN_IN && miss && missed == FAULT_AT;
  assign is_late = FAULT == HIT_LATE && hit && found_so_far == FAULT_AT;

  // What is in the set from the next cycle on.
  always_comb begin
    then_records = now;
    if (REPLACEMENT == RANDOM || REPLACEMENT == NONE) begin
      // The last record takes the place of the one that is dropped.
      if (replaces && REPLACEMENT == RANDOM) begin
        then_records[drawn*8+:8] = last_record;
        if (is_wrong_way && WAYS > 1) begin
          then_records = now;
          then_records[(drawn==0?1 : 0)*8+:8] = last_record;
        end
        then_records[(WAYS-1)*8+:8] = key;
      end else if (miss && !is_full) begin
        then_records[count*8+:8] = key;
      end
    end else begin
      for (int way = 1; way < WAYS; way++) begin
        if (!is_hit || WAY_BITS'(way) <= found_at) then_records[way*8+:8] = now[(way-1)*8+:8];
      end
      // The one that was used last is dropped in place of the one unused for longest.
      if (is_wrong_way && WAYS > 1) then_records[(WAYS-1)*8+:8] = last_record;
      then_records[0+:8] = key;
    end
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      for (int one = 0; one < SETS; one++) begin
        filled[one] <= '0;
        records[one] <= '0;
      end
    end else if (accept && !is_not_taken_in) begin
      records[set] <= then_records;
      if (miss && !is_full) filled[set] <= count + 1'b1;
    end
  end

  if (REPLACEMENT == RANDOM) begin : g_random
    localparam int WIDE = 64 + WAY_BITS;
    logic [63:0] state, state_after;
    assign state_after = state + GAMMA;
    assign drawn = WAY_BITS'((WIDE'(mixed(state_after)) * WIDE'(WAYS)) >> 64);
    always_ff @(posedge clk) begin
      if (rst) state <= SEED;
      else if (replaces) state <= state_after;
    end
  end else begin : g_not_random
    assign drawn = '0;
  end

  // Misses wait for their fetch, and then in order for its end.
  logic waits, begins, may_begin, has_place, frees, is_done, done_now;
  logic [MISS_BITS-1:0] misses;
  logic [W-1:0] waiting;
  logic [HELD_BITS-1:0] held, under_way;
  logic [WAIT_BITS-1:0] wait_left;
  logic [PLACE_BITS-1:0] first, last, place_answered;
  logic [W-1:0] fetched[0:DEPTH-1];
  logic [DEPTH-1:0] is_back;
  // verilator lint_off PINCONNECTEMPTY
  // A miss only comes when there is room for one: whether this is one is not known before.
  channel #(
      .W(W),
      .QUEUE(QUEUE)
  ) queue (
      .clk,
      .rst,
      .s_tvalid(miss),
      .s_tready(),
      .s_tdata(s_tdata),
      .m_tvalid(waits),
      .m_tready(begins),
      .m_tdata(waiting)
  );
  // verilator lint_on PINCONNECTEMPTY
  assign has_place = held != HELD_BITS'(DEPTH) || (REFILL_NEXT_EDGE == 0 && frees);
  assign may_begin = has_place && wait_left == '0;
  assign begins = waits && may_begin && r_tready;
  assign r_tvalid = waits && may_begin;
  assign r_tdata = r_tvalid ? waiting : '0;
  assign r_tid = 8'(last);
  assign c_tready = 1'b1;
  assign place_answered = PLACE_BITS'(c_tid);
  assign done_now = c_tvalid && place_answered == first;
  assign is_done = under_way != '0 && (is_back[first] || done_now);

  always_ff @(posedge clk) begin
    if (begins) fetched[last] <= waiting;
    if (rst) begin
      misses <= '0;
      held <= '0;
      under_way <= '0;
      wait_left <= '0;
      first <= '0;
      last <= '0;
      is_back <= '0;
    end else begin
      misses <= misses + MISS_BITS'(miss) - MISS_BITS'(begins);
      held <= held + HELD_BITS'(begins) - HELD_BITS'(frees);
      under_way <= under_way + HELD_BITS'(begins) - HELD_BITS'(is_done);
      if (begins) wait_left <= WAIT_BITS'(INTERVAL - 1);
      else if (wait_left != '0) wait_left <= wait_left - 1'b1;
      if (c_tvalid) is_back[place_answered] <= 1'b1;
      if (is_done) is_back[first] <= 1'b0;
      if (is_done) first <= first == LAST_PLACE ? '0 : first + 1'b1;
      if (begins) last <= last == LAST_PLACE ? '0 : last + 1'b1;
    end
  end

  // What leaves, {is a miss, data}: of what comes in one cycle, first the miss whose fetch is over.
  logic [W:0] store[0:LEAVING-1];
  logic [LEAVING_BITS-1:0] out_first, out_last;
  logic [STORED_BITS-1:0] out_filled;
  logic [HIT_BITS-1:0] hits;
  logic is_empty, leave, hit_leaves, miss_leaves, is_ready;
  logic [W:0] done, found, head;
  assign done = {1'b1, fetched[first]};
  assign found = {1'b0, s_tdata};
  assign is_empty = out_filled == '0;
  assign is_lost = FAULT == MISS_LOST && is_done && fetched_so_far == FAULT_AT;
  assign is_ready = is_done && !is_lost;
  always_comb begin
    head = store[out_first];
    if (is_empty) head = is_ready ? done : found;
  end
  assign m_tvalid = (!is_empty || is_ready || hit) && !is_late;
  assign m_tdata = m_tvalid ? head[W-1:0] : '0;
  assign leave = m_tvalid && m_tready;
  assign miss_leaves = leave && head[W];
  assign frees = miss_leaves && !is_leaked;
  assign hit_leaves = leave && !head[W];
  assign is_leaked = FAULT == PLACE_LEAKED && miss_leaves && gone_misses == FAULT_AT;
  assign s_tready = misses != MISS_BITS'(QUEUE) && hits != HIT_BITS'(BACKLOG);

  always_ff @(posedge clk) begin
    if (is_ready) store[out_last] <= done;
    if (hit) store[is_ready ? after(out_last) : out_last] <= found;
    if (rst) begin
      out_first <= '0;
      out_last <= '0;
      out_filled <= '0;
      hits <= '0;
    end else begin
      if (is_ready && hit) out_last <= after(after(out_last));
      else if (is_ready || hit) out_last <= after(out_last);
      if (leave) out_first <= after(out_first);
      out_filled <= out_filled + STORED_BITS'(is_ready) + STORED_BITS'(hit) - STORED_BITS'(leave);
      hits <= hits + HIT_BITS'(hit) - HIT_BITS'(hit_leaves);
    end
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      replaced <= '0;
      found_so_far <= '0;
      missed <= '0;
      fetched_so_far <= '0;
      gone_misses <= '0;
    end else begin
      replaced <= replaced + 32'(replaces);
      found_so_far <= found_so_far + 32'(hit);
      missed <= missed + 32'(miss);
      fetched_so_far <= fetched_so_far + 32'(is_done);
      gone_misses <= gone_misses + 32'(miss_leaves);
    end
  end

endmodule
