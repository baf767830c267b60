"""Worker processes that end with their parent, even if it is killed, and leave Ctrl-C to it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def process_pool(workers: int) -> Iterator[Executor]:
    """So many processes; leaving by an exception ends them at once, whatever they are doing.

    Each watches a pipe whose other end only the parent has: it closes with the parent.
    """
    # Forked workers would hold the parent's lock, and the parent's end of the pipe.
    context = multiprocessing.get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    pool = _Pool(workers, mp_context=context, initializer=_watch, initargs=(reader,))
    try:
        yield pool
    except BaseException:
        writer.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        writer.close()
        reader.close()


class _Pool(ProcessPoolExecutor):
    """Its workers never see Ctrl-C: a terminal sends it to all, and only the parent is asked."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        # Workers are started here, and inherit what is blocked.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _watch(reader: Connection) -> None:
    def wait() -> None:
        reader.poll(None)  # nothing is ever sent: it returns when the pipe is closed
        os._exit(1)

    threading.Thread(target=wait, name="parent watch", daemon=True).start()
