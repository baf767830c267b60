// framer: makes frames of packets, chunk by chunk. A packet is a header, or a header and an extension.
// Equals the last stage, `ethenc`, of table openurma_tx, with its times: they are those of the first chunk.
//
// A header alone is taken, and its chunks go from the next cycle on, one a cycle; then comes an idle
// cycle. After a header with an extension there is an idle cycle, then the extension is taken
// when it is there, and the chunks follow in the same way. A chunk that is sent at edge e can be taken from
// the output at edge e + 1; one that can't go on stops those behind it. What is in the headers is not
// modelled: a chunk carries the header's tdata, and which of its bytes belong to the frame.
//
// W            bits    tdata
// SHORT_BYTES  bytes   of the frame of a header alone
// LONG_BYTES   bytes   of the frame of a header and an extension
// CHUNK_BYTES  bytes   that go in one cycle
// FAULT        0 for none; 1 to 9 those of the pipeline that is the way out; more below: README.md
// FAULT_AT     what the fault befalls
//
// clk, rst     everything at the rising edge; rst is synchronous, active high
// s_t*         AXI-Stream in, a packet a request
// m_t*         AXI-Stream out, a frame a request, with m_tkeep; m_tuser marks a frame's first chunk, and is 0
//              while m_tvalid is

module framer #(
    parameter int W = 32,
    parameter int SHORT_BYTES = 58,
    parameter int LONG_BYTES = 78,
    parameter int CHUNK_BYTES = 32,
    parameter int FAULT = 0,
    parameter int FAULT_AT = 0
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   s_tvalid,
    output logic                   s_tready,
    input  logic [W-1:0]           s_tdata,
    input  logic                   s_tlast,
    output logic                   m_tvalid,
    input  logic                   m_tready,
    output logic [W-1:0]           m_tdata,
    output logic [CHUNK_BYTES-1:0] m_tkeep,
    output logic                   m_tuser,
    output logic                   m_tlast
);

  // Faults: see README.md for the cycle and the port at which each shows.
  localparam int NO_IDLE_CYCLE = 10;
  localparam int CHUNK_MISSING = 11;

  localparam int SHORT_CHUNKS = (SHORT_BYTES + CHUNK_BYTES - 1) / CHUNK_BYTES;
  localparam int LONG_CHUNKS = (LONG_BYTES + CHUNK_BYTES - 1) / CHUNK_BYTES;
  localparam int MOST_CHUNKS = LONG_CHUNKS > SHORT_CHUNKS ? LONG_CHUNKS : SHORT_CHUNKS;
  localparam int COUNT_BITS = $clog2(MOST_CHUNKS + 1);

  // The bytes of the last chunk that belong to the frame, from the lowest on.
  function automatic logic [CHUNK_BYTES-1:0] keep(input int frame_bytes);
    for (int one = 0; one < CHUNK_BYTES; one++) begin
      keep[one] = one < frame_bytes - (frame_bytes - 1) / CHUNK_BYTES * CHUNK_BYTES;
    end
  endfunction

  localparam logic [1:0] FREE = 2'd0;
  localparam logic [1:0] IDLE = 2'd1;
  localparam logic [1:0] EXTENSION = 2'd2;
  localparam logic [1:0] CHUNKS = 2'd3;

  logic [1:0] state;
  logic [W-1:0] header;
  logic is_long, is_first, accept, emit, is_last, way_out_ready;
  logic [COUNT_BITS-1:0] chunks_left;
  logic [31:0] frames;
  assign accept = s_tvalid && s_tready;
  assign s_tready = state == FREE || state == EXTENSION;
  assign emit = state == CHUNKS && way_out_ready;
  assign is_last = chunks_left == 1;

  always_ff @(posedge clk) begin
    if (rst) begin
      state <= FREE;
      is_long <= 1'b0;
      is_first <= 1'b1;
      chunks_left <= '0;
      frames <= '0;
    end else begin
      case (state)
        FREE:
        if (accept) begin
          state <= s_tlast ? CHUNKS : IDLE;
          is_long <= !s_tlast;
          chunks_left <= COUNT_BITS'(SHORT_CHUNKS);
          if (FAULT == CHUNK_MISSING && frames == FAULT_AT)
            chunks_left <= COUNT_BITS'(SHORT_CHUNKS - 1);
        end
        IDLE: state <= chunks_left == '0 ? FREE : EXTENSION;
        EXTENSION:
        if (accept && s_tlast) begin
          state <= CHUNKS;
          chunks_left <= COUNT_BITS'(LONG_CHUNKS);
          if (FAULT == CHUNK_MISSING && frames == FAULT_AT)
            chunks_left <= COUNT_BITS'(LONG_CHUNKS - 1);
        end
        default:
        if (emit) begin
          chunks_left <= chunks_left - 1'b1;
          is_first <= is_last;
          if (is_last) begin
            frames <= frames + 1'b1;
            state <= FAULT == NO_IDLE_CYCLE && frames == FAULT_AT ? FREE : IDLE;
          end
        end
      endcase
    end
    if (accept && state == FREE) header <= s_tdata;
  end

  logic [CHUNK_BYTES-1:0] bytes;
  always_comb begin
    bytes = '1;
    if (is_last) bytes = is_long ? keep(LONG_BYTES) : keep(SHORT_BYTES);
  end

  // verilator lint_off PINCONNECTEMPTY
  // Nothing is chosen here.
  pipeline #(
      .W(W + CHUNK_BYTES + 2),
      .LATENCY(1),
      .DEPTH(1),
      .FAULT(FAULT),
      .FAULT_AT(FAULT_AT)
  ) way_out (
      .clk,
      .rst,
      .s_tvalid(emit),
      .s_tready(way_out_ready),
      .s_tdata({is_last, is_first, bytes, header}),
      .m_tvalid,
      .m_tready,
      .m_tdata({m_tlast, m_tuser, m_tkeep, m_tdata}),
      .blocked()
  );
  // verilator lint_on PINCONNECTEMPTY

endmodule
