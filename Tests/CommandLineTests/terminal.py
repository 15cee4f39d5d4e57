#!/usr/bin/env python3
"""Runs a program at a terminal of its own and types what it asks for.

    terminal.py [PROMPT KEYS]... -- PROGRAM ARGUMENT...

Waits for each prompt and types the keys after it (\\x03 is Ctrl-C, \\n Return). Prints JSON: how the program ended, all that
stood on the terminal, and whether the terminal shows again what is typed.
"""
import json
import os
import pty
import select
import signal
import sys
import termios
import time

split = sys.argv.index("--")
typed = [text.encode().decode("unicode_escape").encode() for text in sys.argv[1:split]]
program = sys.argv[split + 1:]

child, terminal = pty.fork()
if child == 0:
    # A shell that starts tests in the background ignores it, and what it starts with it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execvp(program[0], program)

seen, end = b"", time.monotonic() + 30
position = 0
status = None
while time.monotonic() < end:
    if typed and typed[0] in seen[position:]:
        position = seen.index(typed[0], position) + len(typed[0])
        # A prompt is written before the program reads.
        time.sleep(0.1)
        os.write(terminal, typed[1])
        typed = typed[2:]
    ready, _, _ = select.select([terminal], [], [], 0.05)
    if ready:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            data = b""
        seen += data
        if data:
            continue
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        break
else:
    os.kill(child, 9)
    os.waitpid(child, 0)
    status = None

print(json.dumps({
    "status": None if status is None else os.waitstatus_to_exitcode(status),
    "seen": seen.decode(errors="replace"),
    "echo": bool(termios.tcgetattr(terminal)[3] & termios.ECHO),
}))
