"""A table that says all that a table can say of resources and of how stages use them."""

from tests.table.broken import TITLE

EVERYTHING = (
    TITLE.replace("broken", "everything")
    + """\
messages:
  read: {request: 64 B, response: payload}
  write: {request: payload, response: 8 B}
clocks: {nic: 322 MHz}
defaults: {queue: 8, depth: 4}
resources:
  slots: {kind: pool, capacity: 32, per: initiator}
  tags: {kind: pool, capacity: unlimited}
  fibre: {kind: link, bandwidth: 50 GB/s, mtu: 4096 B, header: 26 B}
  pcie:
    kind: pcie
    generation: 3
    lanes: 8
    payload: 256 B
    read_request: 512 B
    completion_boundary: 64 B
    header: 26 B
    tags: 64
    nonposted_credits: 84
    posted_credits: unlimited
    credit_return: 500 ns
    source:
      generation: &source {text: a test, kind: measured}
      lanes: *source
      payload: &guess {text: a guess, kind: assumed}
      read_request: *guess
      completion_boundary: *guess
      header: *guess
      tags: *guess
      nonposted_credits: *guess
      credit_return: *guess
  window: {kind: channels, sharing: groups, groups: 4, window: 16}
path:
  - stage: verb_post
    latency: 50 ns
    queue: 2
    overflow: drop
    uses: [{resource: slots, until: completion}, {resource: window, when: [write], for: 100 ns}]
    source: *source
  - stage: descriptor_build
    latency: 30 ns
    batch: 16
    overflow: error
    source: *source
  - stage: doorbell
    latency: 150 ns
    cut_through: 64 B
    uses:
      - {resource: pcie, when: [read], as: read, to: device, bytes: 64 B}
      - {resource: pcie, when: [write], as: write, to: device}
    source: *source
  - stage: nic_pipeline
    clock: nic
    latency: 9 cycles
    interval: 1 cycle
    batch: unlimited
    uses: [{resource: fibre, bytes: payload}, {resource: tags}]
    source: *source
  - {stage: completion, latency: 250 ns, source: *source}
"""
)
