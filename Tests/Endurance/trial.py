"""What a chapter of the endurance run is given, and what it says of itself."""

import asyncio
import json
import os
import random
import time


class Trial:
    """One run: the program, how much of everything, and what was found.

    Attributes:
        program: Path of `countersign`.
        older: Path of an earlier one, or None.
        seed: A number from which all chance comes, so that a failure can be repeated.
    """

    def __init__(self, program, *, full=False, sizes=None, seed=1, older=None, routes=None, minutes=None, quiet=False, pause=None):
        self.program, self.older, self.routes, self.seed = program, older, routes, seed
        self.full, self.sizes, self.quiet = full, sizes or {}, quiet
        self.minutes = minutes
        # A file of which others say that the machine is theirs, and seconds in which it was.
        self.pause, self.paused, self._counted = pause, 0, 0
        self.chapter, self.faults, self.figures, self.skipped, self.failed = "", [], {}, {}, set()
        self._spoke, self.is_interrupted = 0, False
        # Where the report goes, and what it says of the run itself.
        self.report, self.run = None, {}

    def begin(self, chapter):
        self.chapter, self.began, self.paused = chapter, time.monotonic(), 0
        self.figures[chapter] = {}
        # Of its own, so that a chapter goes as it does alone.
        self.random = random.Random(f"{self.seed} {chapter}")

    def size(self, name, short, full):
        """How much of something: what the command line says, or what the form of the run does."""
        return self.sizes.get(name, full if self.full else short)

    @property
    def is_over(self):
        """Whether the chapter has had its time; it then says what it reached."""
        return self.is_interrupted or self.minutes is not None and time.monotonic() - self.began - self.paused > 60 * self.minutes

    def is_paused(self):
        """Whether the machine is another's now; to be asked each second then, by any number of tasks, which counts the time."""
        if self.pause is None or not os.path.exists(self.pause):
            return False
        now = time.monotonic()
        self.paused += now - self._counted if now - self._counted < 3 else 0
        self._counted = now
        return True

    async def turn(self):
        """Waits while the machine is another's, where nothing is under way. Whether the chapter goes on."""
        while self.is_paused() and not self.is_over:
            await asyncio.sleep(1)
        return not self.is_over

    def interrupt(self):
        if self.is_interrupted:
            raise KeyboardInterrupt
        self.is_interrupted = True
        self.say("is interrupted: it ends at what it has reached")

    def say(self, sentence):
        print(f"{time.strftime('%H:%M:%S')}  {self.chapter}: {sentence}", flush=True)

    def progress(self, sentence):
        """The same, at most every ten seconds; the report has it too, so that a run that is killed leaves how far it came."""
        if time.monotonic() - self._spoke > 10:
            self._spoke = time.monotonic()
            self.figure(**{"so far": sentence, "seconds": round(time.monotonic() - self.began - self.paused, 1)})
            self.write()
            if not self.quiet:
                self.say(sentence)

    def write(self):
        """The report as it is now, whole at any time."""
        if self.report in (None, "-"):
            return
        with open(f"{self.report}.partial", "w") as file:
            file.write(self.text() + "\n")
        os.replace(f"{self.report}.partial", self.report)

    def text(self):
        return json.dumps(self.run | {"figures": self.figures, "faults": self.faults}, indent=2, ensure_ascii=False)

    def figure(self, **figures):
        self.figures[self.chapter] |= figures

    def fault(self, sentence):
        self.faults.append(f"{self.chapter}: {sentence}")
        if len(self.faults) < 200:
            self.say(f"FAULT  {sentence[:600]}")

    def judge_log(self, server, beside=None):
        """Errors that the program's log has are faults of this chapter, beside those that it made on purpose."""
        for line in [line for line in server.faults() if beside is None or beside not in line][:5]:
            self.fault(f"in the log: {line}")

    def skip(self, sentence):
        self.skipped[self.chapter] = sentence
        self.say(f"left out: {sentence}")
