from emu.stage import registry


def test_only_memory_turns_a_request_into_its_response() -> None:
    ours = {name for name in registry() if registry().origin(name).startswith("rdma-path-emu")}
    assert {name for name in ours if registry()[name].turns} == {"memory"}
