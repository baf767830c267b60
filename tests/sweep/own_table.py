"""A table with a queue for two: more that wait there at a time are an error."""

TABLE = """\
schema: 1
name: mine
title: Two stages
clocks: {nic: 500 MHz}
defaults: {depth: unlimited}
messages:
  read: {request: 64 B, response: payload}
path:
  - stage: doorbell
    at: initiator
    latency: 200 ns
    source: &made_up {text: made up, kind: assumed}
  - stage: nic_pipeline
    at: initiator
    clock: nic
    latency: 5 cycles
    interval: 5 cycles
    queue: 2
    overflow: error
    source: *made_up
"""
