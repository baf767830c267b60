// pipeline.sv without Python: offered something and taken from in every cycle, for CYCLES cycles.

`timescale 1ps / 1ps

module pipeline_alone #(
    parameter int CYCLES = 100000
);
  logic clk = 1'b0;
  logic rst = 1'b1;
  logic valid, ready, out_valid;
  logic [31:0] data, out_data;
  always #1553 clk = ~clk;

  pipeline dut (
      .clk,
      .rst,
      .s_tvalid(valid),
      .s_tready(ready),
      .s_tdata(data),
      .m_tvalid(out_valid),
      .m_tready(1'b1),
      .m_tdata(out_data),
      .blocked()
  );

  int cycle = 0;
  int given = 0;
  always_ff @(posedge clk) begin
    cycle <= cycle + 1;
    rst   <= cycle < 4;
    valid <= cycle >= 4;
    if (rst) data <= '0;
    else if (valid && ready) data <= data + 1'b1;
    if (out_valid && !rst) given <= given + 1;
    if (cycle == CYCLES) begin
      $display("given %0d, last %0d", given, out_data);
      $finish;
    end
  end
endmodule
