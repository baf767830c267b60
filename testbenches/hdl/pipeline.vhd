-- pipeline: a request takes LATENCY cycles, at most one enters in INTERVAL cycles, and at most DEPTH
-- are inside, those that are finished and can't leave included. They leave in the order in which
-- they came. Equals any clocked stage of the emulator with `latency`, `interval`, `depth` and `refill`,
-- and pipeline.sv cycle for cycle, faults included; what the generics and ports mean is said there.

library ieee;
use ieee.std_logic_1164.all;

entity pipeline is
  generic (
    W                : positive := 32;
    LATENCY          : positive := 4;
    INTERVAL         : positive := 1;
    DEPTH            : positive := 4;
    REFILL_NEXT_EDGE : natural  := 0;
    FAULT            : natural  := 0;
    FAULT_AT         : natural  := 0
  );
  port (
    clk      : in  std_logic;
    rst      : in  std_logic;
    s_tvalid : in  std_logic;
    s_tready : out std_logic;
    s_tdata  : in  std_logic_vector(W - 1 downto 0);
    m_tvalid : out std_logic;
    m_tready : in  std_logic;
    m_tdata  : out std_logic_vector(W - 1 downto 0);
    blocked  : out std_logic
  );
end entity;

architecture rtl of pipeline is

  constant LATE             : natural := 1;
  constant LOST             : natural := 2;
  constant DOUBLED          : natural := 3;
  constant SWAPPED          : natural := 4;
  constant READY_STUCK_HIGH : natural := 5;
  constant READY_STUCK_LOW  : natural := 6;
  constant UNKNOWN          : natural := 7;
  constant PLACE_LEAKED     : natural := 8;
  constant VALID_DROPPED    : natural := 9;

  -- Counters of a fault stop here; without a fault nothing is left of them.
  constant MOST : natural := FAULT_AT + 2;

  subtype beat is std_logic_vector(W - 1 downto 0);
  type beats is array (natural range <>) of beat;
  subtype place is natural range 0 to DEPTH - 1;
  subtype amount is natural range 0 to DEPTH;

  signal accept, leave, remove, frees, befalls : boolean;
  signal ready, valid                          : boolean;
  signal shown                                 : beat;

  -- Places taken, and cycles until the next request may come.
  signal held      : amount;
  signal wait_left : natural range 0 to INTERVAL - 1;

  -- The steps on the way, and the request that can be taken after the coming edge.
  signal taken     : std_logic_vector(1 to LATENCY - 1);
  signal steps     : beats(1 to LATENCY - 1);
  signal done      : boolean;
  signal done_beat : beat;

  -- The queue of those that are finished.
  signal queue       : beats(0 to DEPTH - 1);
  signal first, last : place;
  signal finished    : amount;

  signal came, gone           : natural range 0 to MOST;
  signal exchanged            : beat;
  signal was_first, was_shown : boolean;

  function after_place(one : place) return place is
  begin
    if one = DEPTH - 1 then
      return 0;
    end if;
    return one + 1;
  end function;

  function one_if(condition : boolean) return natural is
  begin
    if condition then
      return 1;
    end if;
    return 0;
  end function;

  function to_logic(condition : boolean) return std_logic is
  begin
    if condition then
      return '1';
    end if;
    return '0';
  end function;

begin

  s_tready <= to_logic(ready);
  m_tvalid <= to_logic(valid);
  m_tdata  <= shown;

  accept  <= s_tvalid = '1' and ready;
  leave   <= valid and m_tready = '1';
  befalls <= FAULT /= 0 and gone = FAULT_AT and finished /= 0;

  no_steps : if LATENCY = 1 generate
    done      <= accept;
    done_beat <= s_tdata;
  else generate
    done      <= taken(LATENCY - 1) = '1';
    done_beat <= steps(LATENCY - 1);
  end generate;

  remove  <= (leave and not (FAULT = DOUBLED and befalls)) or (FAULT = LOST and befalls);
  frees   <= remove and not (FAULT = PLACE_LEAKED and befalls);

  blocked <= to_logic(finished /= one_if(remove));

  input_side : process (all)
  begin
    ready <= wait_left = 0 and (held /= DEPTH or (REFILL_NEXT_EDGE = 0 and frees));
    if FAULT = READY_STUCK_HIGH and came >= FAULT_AT then
      ready <= true;
    elsif FAULT = READY_STUCK_LOW and came >= FAULT_AT then
      ready <= false;
    end if;
  end process;

  output_side : process (all)
    variable is_valid : boolean;
  begin
    is_valid := finished /= 0
      and not (FAULT = LATE and befalls and not was_first)
      and not (FAULT = LOST and befalls)
      and not (FAULT = SWAPPED and befalls and finished = 1)
      and not (FAULT = VALID_DROPPED and befalls and was_shown);
    valid <= is_valid;
    shown <= (others => '0');
    if is_valid then
      shown <= queue(first);
      if FAULT = SWAPPED and befalls then
        shown <= queue(after_place(first));
      elsif FAULT = SWAPPED and gone = FAULT_AT + 1 then
        shown <= exchanged;
      end if;
    end if;
    if FAULT = UNKNOWN and befalls then
      shown(0) <= 'X';
    end if;
  end process;

  registers : process (clk)
  begin
    if rising_edge(clk) then
      for step in 1 to LATENCY - 1 loop
        if step = 1 then
          taken(step) <= to_logic(accept) and not rst;
          steps(step) <= s_tdata;
        else
          taken(step) <= taken(step - 1) and not rst;
          steps(step) <= steps(step - 1);
        end if;
      end loop;
      if done then
        queue(last) <= done_beat;
      end if;
      if rst = '1' then
        held      <= 0;
        wait_left <= 0;
        first     <= 0;
        last      <= 0;
        finished  <= 0;
      else
        held     <= held + one_if(accept) - one_if(frees);
        finished <= finished + one_if(done) - one_if(remove);
        if accept then
          wait_left <= INTERVAL - 1;
        elsif wait_left /= 0 then
          wait_left <= wait_left - 1;
        end if;
        if remove then
          first <= after_place(first);
        end if;
        if done then
          last <= after_place(last);
        end if;
      end if;
    end if;
  end process;

  faults : process (clk)
  begin
    if rising_edge(clk) then
      if befalls then
        exchanged <= queue(first);
      end if;
      was_first <= befalls and rst = '0';
      was_shown <= valid and m_tready = '0' and rst = '0';
      if rst = '1' then
        came <= 0;
        gone <= 0;
      else
        if accept and came /= MOST then
          came <= came + 1;
        end if;
        if (leave or remove) and gone /= MOST then
          gone <= gone + 1;
        end if;
      end if;
    end if;
  end process;

end architecture;
