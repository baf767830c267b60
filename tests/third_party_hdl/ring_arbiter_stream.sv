// ring_arbiter_stream: libsv's ring arbiter behind one AXI-Stream port; `s_tport` says at which of its
// inputs a beat is offered. So only one of them offers at a time.

module ring_arbiter_stream #(
    parameter int PORTS = 4,
    parameter int W = 32
) (
    input  logic                     clk,
    input  logic                     rst_n,
    input  logic                     s_tvalid,
    output logic                     s_tready,
    input  logic [            W-1:0] s_tdata,
    input  logic [$clog2(PORTS)-1:0] s_tport,
    output logic                     m_tvalid,
    input  logic                     m_tready,
    output logic [            W-1:0] m_tdata
);

  logic [PORTS-1:0] valid, ready;
  assign valid = PORTS'(s_tvalid) << s_tport;
  assign s_tready = ready[s_tport];

  ring_arbiter #(
      .PORTS(PORTS),
      .DATA_WIDTH(W)
  ) arbiter (
      .i_clock(clk),
      .i_aresetn(rst_n),
      .i_clear(1'b0),
      .i_data({PORTS{s_tdata}}),
      .i_input_valid(valid),
      .i_output_ready(m_tready),
      .o_data(m_tdata),
      .o_output_valid(m_tvalid),
      .o_input_ready(ready),
      .o_accept(),
      .o_transmit()
  );

endmodule
