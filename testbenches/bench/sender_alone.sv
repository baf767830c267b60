// sender.sv without Python: a request in one of ten cycles, by turns of 16 initiators, for CYCLES cycles.

`timescale 1ps / 1ps

module sender_alone #(
    parameter int CYCLES = 100000
);
  logic clk = 1'b0;
  logic rst = 1'b1;
  logic valid, ready, out_valid;
  logic [15:0] number;
  logic [31:0] out_data;
  always #1553 clk = ~clk;

  sender dut (
      .clk,
      .rst,
      .s_tvalid(valid),
      .s_tready(ready),
      .s_tdata({12'b0, number[3:0], number}),
      .s_tlast(1'b1),
      .m_tvalid(),
      .m_tready(1'b1),
      .m_tdata(out_data),
      .m_tkeep(),
      .m_tlast(),
      .m_tuser(out_valid),
      .f_tvalid(1'b0),
      .f_tready(),
      .f_tdata(8'b0),
      .a_tvalid(1'b0),
      .a_tready(),
      .a_tdata(8'b0)
  );

  int cycle = 0;
  int given = 0;
  always_ff @(posedge clk) begin
    cycle <= cycle + 1;
    rst   <= cycle < 4;
    if (rst) number <= '0;
    else if (valid && ready) number <= number + 1'b1;
    if (cycle < 5) valid <= 1'b0;
    else if (cycle % 10 == 0) valid <= 1'b1;
    else if (ready) valid <= 1'b0;
    if (out_valid && !rst) given <= given + 1;
    if (cycle == CYCLES) begin
      $display("given %0d, last %0d", given, out_data);
      $finish;
    end
  end
endmodule
