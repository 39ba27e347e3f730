"""Long work: watched, stopped, and its problems passed on."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import threading
import time

import pytest

from stakes.cli.show import progress as attending
from stakes.cli.show.progress import attended
from stakes.messages.steps import steps


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def hasty(monkeypatch):
    """Words come at once."""
    monkeypatch.setattr(attending, "PATIENCE", 0.0)
    monkeypatch.setattr(attending, "BETWEEN", 0.0)
    monkeypatch.setattr(attending, "ELSEWHERE", 0.0)


def test_the_result_comes_back():
    assert attended(lambda: 7, "counting") == 7


def test_problems_are_passed_on():
    def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        attended(fail, "counting")


def _released(after):
    """Work that ends when it was asked `after` times how far it is."""
    done = threading.Event()
    asked = []

    def progress():
        asked.append(1)
        if len(asked) >= after:
            done.set()
        return 25.0 * len(asked)

    return (lambda: done.wait(10)), progress


def test_a_terminal_sees_a_line_that_is_cleared(hasty, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    work, progress = _released(2)
    assert attended(work, "counting x", progress=progress)
    text = stream.getvalue()
    assert "counting x:  25 % [#####...............]" in text
    assert text.endswith("\r")
    assert "\n" not in text


def test_a_file_sees_lines(hasty, capsys):
    work, progress = _released(1)
    attended(work, "counting x", progress=progress)
    assert capsys.readouterr().err.startswith("counting x:  25 % [#####")


def test_quiet_says_nothing(hasty, capsys):
    attended(lambda: time.sleep(0.15), "counting x", quiet=True)
    assert capsys.readouterr().err == ""


def test_unknown_progress_tells_the_time(hasty, capsys):
    attended(lambda: time.sleep(0.15), "counting x", progress=lambda: -1.0)
    assert "counting x: 0 s" in capsys.readouterr().err


def test_steps_of_the_work_are_parts_of_it(hasty, capsys):
    third, asked = threading.Event(), threading.Event()

    def work():
        for k in steps("counting", range(4)):
            if k == 2:
                third.set()
                asked.wait(10)

    def progress():
        third.wait(10)
        asked.set()
        return 50.0

    attended(work, "counting x", progress=progress)
    said = capsys.readouterr().err.splitlines()[0]
    assert said.startswith("counting x:  62 % ")  # two of four steps, and half of the third


def test_an_interruption_stops_the_work(monkeypatch):
    stopped = threading.Event()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(attending, "_watch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        attended(lambda: stopped.wait(10), "counting", stop=stopped.set)
    assert stopped.is_set()


PROGRAM = """
import signal, sys, threading
from pathlib import Path
from stakes._files import write_whole
from stakes.cli import problems
from stakes.cli.show.progress import attended
from stakes.messages.steps import steps

signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite in the background ignores it
stopped = threading.Event()

def work():
    print("working", flush=True)
    stopped.wait(20)

def run(args):
    attended(work, "counting", stop=stopped.set)
    write_whole(Path(args), b"whole")
    return 0

code = problems.guarded(lambda: run(sys.argv[1]))
print("stopped" if stopped.is_set() else "went on", flush=True)
sys.exit(code)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "terminate"]
)
def test_signals_leave_nothing_behind(tmp_path, sent, code):
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "out.json")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert running.stdout.readline() == "working\n"
    running.send_signal(sent)
    said, _ = running.communicate(timeout=30)
    assert running.returncode == code
    assert said == "stopped\n"
    assert list(tmp_path.iterdir()) == []


def test_work_that_does_not_hear_at_once_is_asked_again():
    heard, calls = threading.Event(), []

    def stop():
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("busy")
        if len(calls) == 3:
            heard.set()

    def interrupted():
        raise KeyboardInterrupt

    before = attending.PATIENCE, attending.ELSEWHERE
    attending.PATIENCE = attending.ELSEWHERE = 0.0
    try:
        with pytest.raises(KeyboardInterrupt):
            attended(lambda: heard.wait(10), "counting", progress=interrupted, stop=stop)
    finally:
        attending.PATIENCE, attending.ELSEWHERE = before
    assert heard.is_set()
    assert len(calls) == 3
