"""What touches memory in the compiled engine; that versions agree, `test_in_turn` sees."""

from __future__ import annotations

import pytest

from emu.fast.codes import TOUCHES_MEMORY
from emu.fast.refusal import RefusalError
from emu.fast.versions import make_touch
from emu.memory import Memory


def test_a_touch_needs_no_record() -> None:
    assert make_touch(Memory(), None)[0] == TOUCHES_MEMORY


def test_a_memory_that_is_watched_from_outside_is_refused() -> None:
    memory = Memory()
    memory.on_visible = lambda request, address, time_ps: None
    with pytest.raises(RefusalError, match="what becomes visible in memory is watched"):
        make_touch(memory, None)
