-- scheduler: a queue for each initiator, served in turn; a request with a fence waits, and those
-- behind it in its queue, while a read of its initiator has no answer. Equals stage `scheduler` of
-- the emulator without `until`, where each request is one flit, and scheduler.sv cycle for cycle, faults
-- included; what the generics and ports mean is said there. Needs pipeline.vhd.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity scheduler is
  generic (
    W           : positive := 32;
    QUEUES      : positive := 16;
    DEPTH       : positive := 31;
    INITIATORS  : positive := 256;
    OUTSTANDING : positive := 255;
    PICK        : natural  := 0;
    LATENCY     : positive := 1;
    INTERVAL    : positive := 1;
    FAULT       : natural  := 0;
    FAULT_AT    : natural  := 0
  );
  port (
    clk      : in  std_logic;
    rst      : in  std_logic;
    s_tvalid : in  std_logic;
    s_tready : out std_logic;
    s_tdata  : in  std_logic_vector(W - 1 downto 0);
    s_tlast  : in  std_logic;
    m_tvalid : out std_logic;
    m_tready : in  std_logic;
    m_tdata  : out std_logic_vector(W - 1 downto 0);
    m_tlast  : out std_logic;
    a_tvalid : in  std_logic;
    a_tready : out std_logic;
    a_tdata  : in  std_logic_vector(7 downto 0)
  );
end entity;

architecture rtl of scheduler is

  constant ROUND_ROBIN : natural := 1;

  constant FENCE_IGNORED  : natural := 10;
  constant CURSOR_SKIPS   : natural := 11;
  constant BELOW_ZERO     : natural := 12;
  constant ANSWER_LOST    : natural := 13;
  constant PLACE_TOO_MANY : natural := 14;

  -- Counters of a fault stop here; without a fault nothing is left of them.
  constant MOST : natural := FAULT_AT + 2;

  -- A flit with tlast on top.
  subtype flit is std_logic_vector(W downto 0);
  subtype queue_number is natural range 0 to QUEUES - 1;
  subtype place is natural range 0 to DEPTH - 1;
  subtype initiator is natural range 0 to INITIATORS - 1;
  type flits is array (natural range <>) of flit;
  type places is array (queue_number) of place;
  type fillings is array (queue_number) of natural range 0 to DEPTH + 1;
  type counts is array (initiator) of natural range 0 to OUTSTANDING;
  subtype flags is std_logic_vector(0 to QUEUES - 1);

  -- The queues, one after the other, and reads without an answer, for each initiator.
  signal store       : flits(0 to QUEUES * DEPTH - 1);
  signal first, last : places;
  signal filled      : fillings;
  signal reads       : counts;

  -- Whose turn it is. In a scan `turn` is the cursor; else it is the queue after the one served last.
  signal turn, from, chosen, comes_to : queue_number;
  signal is_sending, found            : boolean;

  signal coming, leaving       : flit;
  signal is_full, has, may_go  : flags;
  signal heads                 : flits(0 to QUEUES - 1);
  signal answered, sender      : initiator;
  signal accept, emit          : boolean;
  signal answer, read_goes     : boolean;
  signal skips                 : boolean;
  signal way_out_ready, emits  : std_logic;
  signal is_blocked            : std_logic;
  signal gone                  : flit;

  signal packets, answers : natural range 0 to MOST;

  function most_flits return natural is
  begin
    if FAULT = PLACE_TOO_MANY then
      return DEPTH + 1;
    end if;
    return DEPTH;
  end function;

  function after_queue(one : queue_number) return queue_number is
  begin
    if one = QUEUES - 1 then
      return 0;
    end if;
    return one + 1;
  end function;

  function after_place(one : place) return place is
  begin
    if one = DEPTH - 1 then
      return 0;
    end if;
    return one + 1;
  end function;

  function initiator_of(one : flit) return natural is
  begin
    return to_integer(unsigned(one(23 downto 16)));
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

  a_tready <= '1';
  s_tready <= not is_full(comes_to);
  m_tdata  <= gone(W - 1 downto 0);
  m_tlast  <= gone(W);

  coming   <= s_tlast & s_tdata;
  comes_to <= initiator_of(coming) mod QUEUES;
  accept   <= s_tvalid = '1' and is_full(comes_to) = '0';
  answered <= to_integer(unsigned(a_tdata)) mod INITIATORS;
  answer   <= a_tvalid = '1'
    and (reads(answered) /= 0 or FAULT = BELOW_ZERO)
    and not (FAULT = ANSWER_LOST and answers = FAULT_AT);

  -- What the first in each queue is, and whether it may go.
  queues_seen : process (all)
    variable head         : flit;
    variable owner        : initiator;
    variable left         : natural range 0 to OUTSTANDING;
    variable is_there     : boolean;
    variable fence, reads_more : boolean;
  begin
    for q in 0 to QUEUES - 1 loop
      is_there := filled(q) /= 0 or (accept and comes_to = q);
      head := coming;
      if filled(q) /= 0 then
        head := store(q * DEPTH + first(q));
      end if;
      owner := initiator_of(head) mod INITIATORS;
      left := reads(owner);
      if answer and answered = owner and left /= 0 then
        left := left - 1;
      end if;
      fence := head(28) = '1' and FAULT /= FENCE_IGNORED;
      reads_more := head(29) = '1';
      is_full(q) <= to_logic(filled(q) = most_flits);
      has(q) <= to_logic(is_there);
      may_go(q) <= to_logic(
        is_there and not (fence and left /= 0) and not (reads_more and left = OUTSTANDING));
      heads(q) <= head;
    end loop;
  end process;

  choice : process (all)
    variable one : queue_number;
    variable is_found : boolean;
  begin
    one := turn;
    is_found := may_go(turn) = '1';
    if is_sending then
      one := from;
      is_found := has(from) = '1';
    elsif PICK = ROUND_ROBIN then
      -- From the last to the first, so that the first stands: those before the turn come last.
      for q in QUEUES - 1 downto 0 loop
        if may_go(q) = '1' and q < turn then
          one := q;
          is_found := true;
        end if;
      end loop;
      for q in QUEUES - 1 downto 0 loop
        if may_go(q) = '1' and q >= turn then
          one := q;
          is_found := true;
        end if;
      end loop;
    end if;
    chosen <= one;
    found <= is_found;
  end process;

  leaving   <= heads(chosen);
  sender    <= initiator_of(leaving) mod INITIATORS;
  emit      <= found and way_out_ready = '1' and is_blocked = '0';
  emits     <= to_logic(emit);
  read_goes <= emit and not is_sending and leaving(29) = '1';
  skips     <= FAULT = CURSOR_SKIPS and emit and not is_sending and packets = FAULT_AT;

  registers : process (clk)
    variable next_turn : queue_number;
  begin
    if rising_edge(clk) then
      if accept then
        store(comes_to * DEPTH + last(comes_to)) <= coming;
      end if;
      if rst = '1' then
        first      <= (others => 0);
        last       <= (others => 0);
        filled     <= (others => 0);
        reads      <= (others => 0);
        turn       <= 0;
        from       <= 0;
        is_sending <= false;
        packets    <= 0;
        answers    <= 0;
      else
        for q in 0 to QUEUES - 1 loop
          filled(q) <= filled(q) + one_if(accept and comes_to = q) - one_if(emit and chosen = q);
        end loop;
        if accept then
          last(comes_to) <= after_place(last(comes_to));
        end if;
        if emit then
          first(chosen) <= after_place(first(chosen));
          is_sending <= leaving(W) = '0';
          from <= chosen;
        end if;

        next_turn := turn;
        if PICK = ROUND_ROBIN then
          if emit and not is_sending then
            next_turn := after_queue(chosen);
          end if;
        elsif not is_sending then
          next_turn := after_queue(turn);
        end if;
        if skips then
          next_turn := after_queue(next_turn);
        end if;
        turn <= next_turn;

        -- An answer and a read of one initiator in one cycle leave its number as it is.
        if answer and not (read_goes and sender = answered) then
          if reads(answered) = 0 then
            reads(answered) <= OUTSTANDING;
          else
            reads(answered) <= reads(answered) - 1;
          end if;
        end if;
        if read_goes and not (answer and sender = answered) then
          reads(sender) <= reads(sender) + 1;
        end if;

        if emit and not is_sending and packets /= MOST then
          packets <= packets + 1;
        end if;
        if a_tvalid = '1' and answers /= MOST then
          answers <= answers + 1;
        end if;
      end if;
    end if;
  end process;

  way_out : entity work.pipeline
    generic map (
      W        => W + 1,
      LATENCY  => LATENCY,
      INTERVAL => INTERVAL,
      DEPTH    => LATENCY,
      FAULT    => FAULT,
      FAULT_AT => FAULT_AT
    )
    port map (
      clk      => clk,
      rst      => rst,
      s_tvalid => emits,
      s_tready => way_out_ready,
      s_tdata  => leaving,
      m_tvalid => m_tvalid,
      m_tready => m_tready,
      m_tdata  => gone,
      blocked  => is_blocked
    );

end architecture;
