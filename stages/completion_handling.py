"""Software that takes completions in, every so often."""

from __future__ import annotations

from emu.stage import Stage


class CompletionHandling(Stage):
    """The program looks into its completion queue at set times, and handles what it finds there.

    A clock with a long period says when it looks; `queue` how many completions can wait for it,
    `overflow` what happens to one more, and `batch` how many it handles in one go. Software that
    polls all the time is `verb_poll`.
    """

    source = "interconnect chapter, section on request slots and completion queues"
