"""Tells the stories of the pages in Chromium, against a Countersign under --dev.

Usage: stories_test.py BASE EXECUTABLE DATA [FOLDER | PART/PARTS]

Without a folder each story is told once, the language in turn, and again where it shows something else: without JavaScript, by the
keyboard alone; of several parts, one. With a folder each is told in every language, light and dark, and pictures of every page at two
widths stay there. Ends with status 1 and a list of what is wrong.
"""

import itertools
import math
import os
import re
import sys
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from album import LANGUAGES, Album  # noqa: E402
from browser import Browser, Callback, Server  # noqa: E402
from keyboard import KEYBOARD_STORIES  # noqa: E402
from stories import STORIES, Stage  # noqa: E402
import console  # noqa: E402, F401 - its stories are among them.

# Stories whose pages work alike without JavaScript: waiting for a phone loads the page again instead.
WITHOUT_SCRIPTS = ["password", "consent", "push", "console_unlocks"]

server, last = Server(*sys.argv[1:4]), (sys.argv[4:] or ["1/1"])[0]
part = re.fullmatch(r"(\d+)/(\d+)", last)
folder = None if part else last
only = set(filter(None, os.environ.get("STORIES", "").split(",")))
wanted = set(filter(None, os.environ.get("LOOKS", "").split(",")))
album, callback = Album(folder), Callback()


def tell(browser, story, **options):
    for further in (True, True, True, False):
        before = len(album.faults)
        took = tell_once(browser, story, options)
        if len(album.faults) == before or took <= getattr(story, "within", math.inf) or not further:
            return
        # The machine took longer than the server waits.
        del album.faults[before:]


def tell_once(browser, story, options):
    """The seconds that it took."""
    began = time.monotonic()
    person = browser.person(server.base, **options)
    name = f"{story.__name__} ({person.look}, {person.width})"
    before = len(album.faults)
    try:
        story(Stage(server, person, album, callback))
        person.close()
    except Exception as error:  # noqa: BLE001 - the other stories are told all the same.
        where = traceback.extract_tb(error.__traceback__)[1:2]
        album.faults.append(f"{name}: {type(error).__name__}: {error} at {where}\n{person.text}")
        person.context.close()
    took = time.monotonic() - began
    print(f"{'ok    ' if len(album.faults) == before else 'FAILED'}  {name} {took:.1f} s", flush=True)
    return took


with Browser() as browser:
    if folder:
        looks = [
            {"language": language, "dark": dark} for language in LANGUAGES for dark in (False, True)
            if not wanted or f"{language}-{'dark' if dark else 'light'}" in wanted]
        tellings = [
            (story, look) for look in looks for story in STORIES
            if getattr(story, "language", look["language"]) == look["language"]]
    else:
        turns = zip(itertools.cycle(LANGUAGES), itertools.cycle([1280, 390]), itertools.cycle([False, True, True, False]))
        tellings = [
            (story, {"language": getattr(story, "language", language), "width": width, "dark": dark})
            for story, (language, width, dark) in zip(STORIES, turns)]
        tellings += [(story, {"scripts": False}) for story in STORIES if story.__name__ in WITHOUT_SCRIPTS]
        tellings += [(story, {}) for story in KEYBOARD_STORIES]
        number, count = int(part[1]), int(part[2])
        tellings = tellings[number - 1::count]
    for story, look in tellings:
        if not only or story.__name__ in only:
            tell(browser, story, **look)

album.faults += album.html.faults()
print(f"{len(album.seen)} pages and states were seen, {len(album.html.pages)} documents read by the Nu HTML checker.")
if album.faults:
    print("\n".join(album.faults))
    sys.exit(1)
