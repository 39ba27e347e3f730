"""How far a command is: on a terminal, after two seconds, with an estimate."""

from __future__ import annotations

import io
from contextlib import redirect_stderr

import pytest

from stakes.cli.entry import main
from stakes.cli.show import progress
from stakes.cli.show.progress import Telling
from stakes.messages.steps import listening, steps


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    """Seconds that pass when they are told to."""

    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress, "_now", clock)
    return clock


@pytest.fixture
def terminal():
    return Terminal()


def _read(terminal):
    return [line.rstrip() for line in terminal.getvalue().split("\r") if line.strip()]


def test_nothing_before_two_seconds_then_an_estimate(clock, terminal):
    with redirect_stderr(terminal), Telling() as telling, listening(telling.step):
        for k, _ in enumerate(steps("judging slices", range(10))):
            telling._show()
            if k < 2:
                assert _read(terminal) == []
            clock.now += 1
    read = _read(terminal)
    assert read[0] == "judging slices 20%: 2 s, about 8 s left"
    assert read[-1] == "judging slices 90%: 9 s, about 1 s left"


def test_steps_within_steps_are_parts_of_them(clock, terminal):
    with redirect_stderr(terminal), Telling() as telling, listening(telling.step):
        for _ in steps("judging slices", range(4)):
            for _ in steps("judging models", range(2)):
                clock.now += 5
                telling._show()
    assert _read(terminal)[-1] == "judging slices 88%: 40 s, about 6 s left"


def test_only_the_last_one_that_is_open_speaks(clock, terminal):
    with redirect_stderr(terminal), Telling() as outer, Telling() as inner:
        outer.say("evaluating")
        inner.say("fitting")
        clock.now += 3
        outer._show()
        inner._show()
    assert _read(terminal) == ["fitting: 3 s"]


def test_no_terminal_no_line(clock, capsys):
    with Telling() as telling:
        telling.say("evaluating")
        clock.now += 9
        telling._show()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("audit", "--all", "--draws", "200"), "auditing metrics"),
        (("audit", "mcc"), "ranking random pairs"),
        (("eval", "c.csv", "--label", "y", "--positive", "yes", "--scores", "p,q", "--cost",
          "fn=5", "fp=1", "--by", "g"), "judging slices"),
        (("monitor", "c.csv", "--label", "y", "--positive", "yes", "--scores", "p", "--cost",
          "fn=5", "fp=1", "--time", "g"), "comparing periods"),
    ],
)  # fmt: skip
def test_commands_tell_how_far_they_are(
    monkeypatch, tmp_path, terminal, capsys, clock, words, said
):
    rows = [f"{'yes' if k % 3 else 'no'},{(k % 7) / 8},{(k % 5) / 6},g{k % 4}" for k in range(200)]
    (tmp_path / "c.csv").write_text("y,p,q,g\n" + "\n".join(rows) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    step, pause = Telling.step, Telling.pause

    def slow_step(self, what, share):
        step(self, what, share)
        clock.now += 3
        self._show()

    def slow_pause(self):
        clock.now += 3
        self._show()
        pause(self)

    monkeypatch.setattr(Telling, "step", slow_step)
    monkeypatch.setattr(Telling, "pause", slow_pause)
    with redirect_stderr(terminal):
        assert main(list(words)) == 0
    assert any(line.startswith(said) for line in _read(terminal))
    assert terminal.getvalue().endswith("\r")  # the line is empty again
    assert said not in capsys.readouterr().out
