"""Work in threads is given up when nobody waits for it any more: after Ctrl-C, or an error elsewhere."""

import _thread
import random
import signal
import threading
import time

import pytest

from rankgauge import evaluate
from rankgauge.engines.threads import ahead, in_threads
from rankgauge.schema.stopping import checkpoint

LONG = 60_000  # milliseconds; work that is not stopped goes on for this long


def work_on():
    for _ in range(LONG):
        checkpoint()
        time.sleep(0.001)


@pytest.mark.parametrize("work_of_others", [work_on, lambda: in_threads(lambda _: work_on(), range(2), 2)])
def test_an_error_stops_the_other_threads_and_work_inside_of_theirs(work_of_others):
    ended = []

    def work(piece):
        if piece == 0:
            raise KeyError(piece)
        work_of_others()
        ended.append(piece)

    with pytest.raises(KeyError):
        in_threads(work, range(3), 3)
    assert not ended


def test_the_first_error_is_raised_whichever_comes_first():
    def work(piece):
        if piece == 0:
            time.sleep(0.05)
        raise KeyError(piece)

    with pytest.raises(KeyError, match="0"):
        in_threads(work, range(3), 3)


def test_an_item_made_ahead_is_not_made_once_nobody_wants_it():
    ended = []

    def items():
        yield 1
        work_on()
        ended.append(2)
        yield 2

    made = ahead(items(), 2)
    assert next(made) == 1
    made.close()
    assert not ended


def test_a_signal_that_wakes_nobody_is_noticed_all_the_same():
    ended = []

    def work(piece):
        if piece == 0:
            time.sleep(0.1)  # the main thread waits by then
            _thread.interrupt_main()  # which does not wake it up, as if the signal had come a moment before
        work_on()
        ended.append(piece)

    with pytest.raises(KeyboardInterrupt):
        in_threads(work, range(3), 3)
    assert not ended


@pytest.fixture(params=[True, False], ids=["", "waits are restarted"])
def interrupts(request):
    """Whether a signal interrupts a wait; by the handlers of some libraries, it does not."""
    signal.siginterrupt(signal.SIGINT, request.param)
    yield
    signal.siginterrupt(signal.SIGINT, True)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="there is no way to send the signal here")
@pytest.mark.parametrize("shape", ["in parts", "interleaved", "several files"])
def test_ctrl_c_ends_reading_whatever_the_threads(shape, write, monkeypatch, interrupts):
    lines = [f"{topic} Q0 d{doc} 1 {-doc} t\n" for topic in range(200) for doc in range(100)]
    if shape == "interleaved":
        random.Random(1).shuffle(lines)
    text = "".join(lines)
    paths = [write(f"{n}.run", text) for n in range(4 if shape == "several files" else 1)]
    step = len(text) // 1000
    monkeypatch.setattr("rankgauge.engines.local.trec_files.STEP", step)
    monkeypatch.setattr("rankgauge.engines.local.trec_files.MIN_PART", 1 << 10)
    after = []

    def progress(done, total):
        if len(after) == 10:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        after.append(done)
        time.sleep(0.05)  # the main thread has all the time it needs to answer, also on a busy machine

    with pytest.raises(KeyboardInterrupt):
        evaluate({"1": {"d1": 1}}, paths, "RR", threads=4, progress=progress)
    assert len(after) < 500


def test_stopped_work_that_begins_more_work_ends():
    failing = threading.Event()

    def work(piece):
        if piece == 0:
            failing.set()
            raise KeyError(piece)
        failing.wait()
        time.sleep(0.2)  # the flag is set meanwhile
        return in_threads(lambda each: each, range(2), 2)

    with pytest.raises(KeyError):
        in_threads(work, range(2), 2)
