// rotate: in the place of libsv's, whose include guard is set here. That one sets a variable where it is
// declared in a loop; IEEE 1800 makes it static and sets it once, so on Icarus 11 and Verilator 5 it
// rotates nothing, and the arbiter never takes anything.

`define LIBSV_BIT_OPS_ROTATE

module rotate #(
    parameter int DATA_WIDTH = 8
) (
    input  logic [        DATA_WIDTH-1:0] i_data,
    input  logic [$clog2(DATA_WIDTH)-1:0] i_amt,
    output logic [        DATA_WIDTH-1:0] o_data
);

  logic [2*DATA_WIDTH-1:0] twice;
  assign twice  = {i_data, i_data} << i_amt;
  assign o_data = twice[2*DATA_WIDTH-1:DATA_WIDTH];

endmodule
