"""The ports of a DUT by what characterising does with them: in, out, memory, and those at rest."""

from __future__ import annotations

from dataclasses import dataclass

from emu.cosim.binding import Bound, MemoryPort
from emu.cosim.errors import CosimError
from emu.errors import listed


@dataclass(frozen=True)
class Roles:
    """Ports: where requests go in and out, what answers, and those that are left alone.

    The DUT asks a `memory`; `answers` is the pair of its output and what answers that.
    """

    input: str
    output: str
    memory: MemoryPort | None
    answers: MemoryPort | None
    at_rest: tuple[str, ...]


def roles_of(bound: Bound) -> Roles:
    """The roles of a binding's ports; `CosimError` where they are not clear."""
    # What answers the output itself is no memory of the DUT.
    memories = {
        name: pair
        for name, pair in bound.binding.memory.items()
        if pair.request != _output_alone(bound)
    }
    if len(memories) > 1:
        raise CosimError(
            f"{bound.file}: memories {listed(memories)}; expected one at most, as only one is "
            "measured"
        )
    memory = next(iter(memories.values()), None)
    taken = () if memory is None else (memory.request, memory.answer)
    input_, output = bound.end("sink", taken), bound.end("source", taken)
    # With two of them it is not clear which answer is to whom.
    far_ends = [pair for pair in bound.binding.memory.values() if pair.request == output]
    answers = far_ends[0] if len(far_ends) == 1 else None
    used = (*taken, input_, output, *([answers.answer] if answers else []))
    at_rest = tuple(name for name in bound.binding.ports if name not in used)
    return Roles(input_, output, memory, answers, at_rest)


def _output_alone(bound: Bound) -> str | None:
    """The source that the DUT's requests leave through although a memory names it, if any."""
    names = [name for name, port in bound.binding.ports.items() if port.side == "source"]
    return names[0] if len(names) == 1 else "out" if "out" in names else None
