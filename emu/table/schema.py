"""What a timing table may say, once `extends:` is resolved: the contract of loader and path."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
)

from emu.errors import UnitError, listed
from emu.request import OPERATION_GROUPS, Operation
from emu.stage import Stage
from emu.table.fields import (
    BandwidthField,
    ByOperationField,
    BytesField,
    CountField,
    DurationField,
    EvidenceKind,
    FrequencyField,
    MessageBytesField,
    NameField,
    OperationField,
    PeriodField,
    PositiveBytesField,
    TextField,
    TimeField,
)
from emu.time import PS_PER_S, Clock


class Strict(BaseModel):
    """A frozen mapping that refuses keys it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class Source(Strict):
    """Where a number comes from, and of which kind it is."""

    text: TextField
    kind: EvidenceKind


#: The key under which a source that covers a whole entry is kept.
WHOLE = "*"


def _by_parameter(value: object) -> object:
    if isinstance(value, dict) and not value.keys() & {"text", "kind"}:
        return value
    return {WHOLE: value}


#: One source for the whole entry, or one for each parameter.
SourceField = Annotated[
    dict[str, Source],
    BeforeValidator(_by_parameter, json_schema_input_type=Source | dict[str, Source]),
]


class ClockSpec(Strict):
    """A clock domain: frequency or period, and the time of its edge 0."""

    frequency: FrequencyField | None = Field(None, description="cycles a second")
    period: PeriodField | None = Field(None, description="time of a cycle")
    phase: TimeField = Field(0, description="time of edge 0; less than a period")
    aligned: Annotated[bool, Field(strict=True)] = Field(
        True, description="false: no edges, a cycle is only a unit of time"
    )
    source: SourceField | None = None

    def clock(self, name: str) -> Clock:
        """The clock itself; the loader has checked that exactly one of the two is given."""
        period_ps = self.period
        if period_ps is None:
            assert self.frequency is not None  # checked by the loader
            period_ps = PS_PER_S / self.frequency
        return Clock(name, Fraction(period_ps), self.phase, self.aligned)


def _clock_from_text(value: object) -> object:
    return {"frequency": value} if isinstance(value, (str, int)) else value


class Message(Strict):
    """Bytes that travel to the target and back for one operation; `None` means its payload."""

    request: MessageBytesField
    response: MessageBytesField
    fused_acknowledgement: BytesField = Field(
        0,
        description="bytes by which a response of at least so many is shorter on its way back, "
        "because its acknowledgement rides on the channel's",
    )


class Resolution(Strict):
    """Rounds the time of each stage once, to reproduce simulators that add up rounded delays."""

    step: TimeField
    round: Literal["down", "up", "nearest"]
    source: SourceField | None = None


class Pool(Strict):
    """So many equal units that stages share: request slots, tags, credits."""

    kind: Literal["pool"]
    capacity: CountField
    per: Literal["initiator", "destination"] | None = Field(
        None, description="so many for each of them; without it, for all together"
    )
    source: SourceField | None = None


class Link(Strict):
    """A link that stages share: one direction, busy for all the bytes."""

    kind: Literal["link"]
    bandwidth: BandwidthField
    mtu: PositiveBytesField | None = Field(None, description="largest payload of one packet")
    header: BytesField = Field(0, description="bytes added to each packet")
    source: SourceField | None = None


def _among(*known: int, unit: str = "") -> AfterValidator:
    """Refuses a number that is none of these."""

    def checked(value: int) -> int:
        if value not in known:
            said = listed(f"{one}{unit}" for one in known)
            raise UnitError(f"{value}{unit} is none that PCIe has; expected {said}")
        return value

    return AfterValidator(checked)


_LANES = (1, 2, 4, 8, 12, 16, 32)
#: Widths of all generations together.
PcieLanesField = Annotated[
    int,
    Field(strict=True),
    _among(*_LANES),
    WithJsonSchema({"type": "integer", "enum": list(_LANES)}),
]
#: What a device's registers can say of payloads and reads.
PciePayloadField = Annotated[
    BytesField, _among(128, 256, 512, 1024, 2048, 4096, unit=" B"), Field(examples=["256 B"])
]
PcieBoundaryField = Annotated[BytesField, _among(64, 128, unit=" B")]


class Pcie(Strict):
    """A PCIe link: two directions, tags and credits.

    Posted writes take posted credits; reads take a tag and a non-posted credit until their
    completion has come back, in the direction of the data, which it shares with the writes.
    Neither the requests of reads nor completions pass posted writes that came before them.
    """

    kind: Literal["pcie"]
    generation: Annotated[int, Field(ge=1, le=6, strict=True, description="1 to 6")]
    lanes: PcieLanesField = Field(description="1, 2, 4, 8, 12, 16 or 32")
    payload: PciePayloadField = Field(
        description="largest payload of one write or completion: 128 B and its doubles to 4 KiB"
    )
    read_request: PciePayloadField = Field(
        description="largest read that one request asks for: 128 B and its doubles to 4 KiB"
    )
    completion_boundary: PcieBoundaryField = Field(
        description="addresses at whose multiples a completion may be cut: 64 B or 128 B"
    )
    header: BytesField = Field(description="bytes that go with each packet, framing included")
    tags: CountField = Field(description="reads that can be under way")
    nonposted_credits: CountField = Field(description="reads that the other side takes at a time")
    posted_credits: CountField = Field(description="writes that the other side takes at a time")
    credit_return: TimeField = Field(description="after which a posted credit is back")
    source: SourceField | None = None


class Channels(Strict):
    """Transport channels, each with a send window."""

    kind: Literal["channels"]
    sharing: Literal["private", "shared", "groups"] = Field(
        description="private: one for each initiator and destination; shared: one for each "
        "destination; groups: so many for each destination"
    )
    groups: Annotated[int, Field(ge=1, strict=True)] | None = Field(
        None, description="how many groups of initiators; only with sharing: groups"
    )
    window: CountField = Field(description="requests that one channel can have outstanding")
    source: SourceField | None = None


#: The kinds of resource, by the word that a table uses.
RESOURCES: dict[str, type[Pool | Link | Pcie | Channels]] = {
    "pool": Pool,
    "link": Link,
    "pcie": Pcie,
    "channels": Channels,
}
#: The kinds of which a request holds a unit, and those that carry its bytes.
POOLS = ("pool", "channels")
CARRIERS = ("link", "pcie")
Resource = Annotated[Pool | Link | Pcie | Channels, Field(discriminator="kind")]


class Defaults(Strict):
    """What holds for every stage that does not say otherwise."""

    queue: CountField | None = Field(None, description="capacity of the channel in front")
    channel: Literal["bypass", "registered"] | None = None
    depth: CountField | None = Field(None, description="how many requests can be inside")
    refill: Literal["at_once", "next_edge"] | None = None


class Beat(Strict):
    """What each beat of payload after the first adds: to the latency and to the interval.

    `cost` is for both. Where the first beat goes on before the last has come, they differ.
    """

    bytes: BytesField
    cost: DurationField | None = Field(None, description="for both latency and interval")
    latency: DurationField | None = Field(None, description="in place of 'cost': for the latency")
    interval: DurationField | None = Field(None, description="in place of 'cost': the interval")


class Use(Strict):
    """What a stage needs of a resource, and for how long.

    Of a pool or of channels a unit: from acceptance until the request leaves stage `until` and
    `plus` a while, or `for` a time. Of a link or of PCIe the time to carry `bytes`: PCIe as a write
    or as a read whose data goes `to` that end.
    """

    resource: TextField
    when: list[OperationField] | None = Field(None, description="the operations that use it")
    until: TextField | None = Field(None, description="a stage's name; without it, this stage")
    plus: DurationField | None = Field(None, description="how much longer than 'until'")
    for_: Annotated[
        TimeField | None, Field(alias="for", description="a time, in place of 'until'")
    ] = None
    as_: Annotated[
        Literal["read", "write"] | None, Field(alias="as", description="of PCIe: read or write")
    ] = None
    to: Literal["host", "device"] | None = Field(None, description="of PCIe: where the data goes")
    relaxed_ordering: Annotated[bool, Field(strict=True)] = Field(
        False, description="of a PCIe read: its completion may pass posted writes"
    )
    bytes: MessageBytesField = Field(
        None, description="what a link carries: so many, or the 'payload'"
    )

    def applies(self, operation: Operation) -> bool:
        """Whether such operations use it."""
        words = self.when
        return words is None or any(operation in OPERATION_GROUPS[word] for word in words)


class StageTiming(Strict):
    """The keys that every stage entry may have."""

    stage: Annotated[TextField, Field(description="a registered stage; see emu stages")]
    name: NameField | None = Field(None, description="where the same stage stands twice")
    at: Literal["initiator", "target"] | None = Field(None, description="the end it stands at")
    when: list[OperationField] | None = Field(None, description="the operations that pass here")
    clock: TextField | None = Field(None, description="clock domain; none: timed in ns")
    latency: ByOperationField | None = Field(None, description="acceptance to emission")
    interval: ByOperationField | None = Field(None, description="least time between acceptances")
    beat: Beat | None = Field(None, description="what each beat of payload after the first adds")
    bandwidth: BandwidthField | None = Field(None, description="serialisation on a link")
    cut_through: BytesField | None = Field(None, description="first bytes that add no latency")
    mtu: BytesField | None = Field(None, description="largest payload of one packet")
    header: BytesField | None = Field(None, description="bytes added to each packet")
    depth: CountField | None = Field(None, description="how many requests can be inside")
    refill: Literal["at_once", "next_edge"] | None = Field(
        None, description="when a place that became free can be taken"
    )
    queue: CountField | None = Field(None, description="capacity of the channel in front")
    channel: Literal["bypass", "registered"] | None = Field(
        None, description="whether the channel in front adds nothing, or a cycle"
    )
    overflow: Literal["hold", "drop", "error"] | None = Field(
        None, description="what a full queue does with what does not fit; hold, if not given"
    )
    batch: CountField | None = Field(
        None, description="how many of those that wait are accepted together, as one"
    )
    uses: list[Use] | None = Field(None, description="shared resources that it holds")
    arbitration: list[TextField] | None = Field(
        None, description="stages that send here, first come first; without it, the longest waiting"
    )
    source: Annotated[
        SourceField, Field(description="where the numbers come from: one for all, or one for each")
    ]


@dataclass(frozen=True)
class Entry:
    """One stage of a resolved table; where it stands in a file is in `where`."""

    name: str
    stage: type[Stage]
    timing: StageTiming
    parameters: Any
    queue: int | None
    channel: Literal["bypass", "registered"]
    depth: int | None
    refill: Literal["at_once", "next_edge"]
    batch: int | None
    where: str

    @property
    def is_plain_delay(self) -> bool:
        """Takes any number of requests at once, and keeps no order."""
        timing = self.timing
        return (
            timing.clock is None
            and timing.interval is None
            and timing.bandwidth is None
            and self.depth is None
            and self.batch == 1
            and not timing.uses
        )

    def passes(self, operation: Operation) -> bool:
        """Whether the table sends such operations through this stage."""
        words = self.timing.when
        return words is None or any(operation in OPERATION_GROUPS[word] for word in words)


ClockField = Annotated[
    ClockSpec,
    BeforeValidator(_clock_from_text, json_schema_input_type=ClockSpec | FrequencyField),
]


class TableHead(Strict):
    """A resolved table without its stages."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    name: NameField
    title: TextField
    description: TextField | None = None
    source: Source | None = None
    clocks: dict[NameField, ClockField] = {}
    messages: dict[OperationField, Message]
    other_operations: TextField | None = Field(
        None, description="the table to turn to for operations that this one has not"
    )
    resources: dict[NameField, Resource] = {}
    resolution: Resolution | None = None
    defaults: Defaults = Defaults()


@dataclass(frozen=True)
class Table:
    """A resolved, checked timing table. `digest` is a hash of all that it says."""

    head: TableHead
    clocks: dict[str, Clock]
    entries: tuple[Entry, ...]
    digest: str
    file: str

    @property
    def name(self) -> str:
        """The name that the table gives itself."""
        return self.head.name

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations that the table has messages for, in the order of `Operation`."""
        known = {op for word in self.head.messages for op in OPERATION_GROUPS[word]}
        return tuple(operation for operation in Operation if operation in known)

    def message(self, operation: Operation) -> Message:
        """The bytes of one operation; `UnitError` if the table has none such."""
        messages = self.head.messages
        for word, members in OPERATION_GROUPS.items():
            if operation in members and word in messages:
                return messages[word]
        raise UnitError(f"{self.name} has no messages for {operation}")
