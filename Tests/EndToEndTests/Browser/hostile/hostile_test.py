"""Texts of strangers on every page that shows them, judged by Chromium's own parser.

Usage: hostile_test.py BASE EXECUTABLE DATA [all] [only=NAME ...]

A page with a hostile text has the elements and attributes of the same page with a plain one, runs nothing, shows nothing that turns the
direction of text, and is as wide as its window. `only=` takes single texts of those. Ends with status 1 and a list of what is wrong.
"""

import html
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse

sys.dont_write_bytecode = True
_HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [_HERE, os.path.dirname(_HERE)]

from browser import Browser, Server, stop  # noqa: E402
from corpus import BULKY, BULKY_KINDS, OF_CONSOLE, STRIDE, faults as faults_of_corpus, texts  # noqa: E402
from glass import Glass  # noqa: E402
from places import CALLBACK, Places  # noqa: E402
from visitor import Visitor  # noqa: E402

# A word that could be part of an address, and words that could not: some places tell them apart.
PLAIN = ["Plain words", "Plain"]
# What leads to the neighbours of a page of a list, which has none before there are many rows.
ONWARD = {
    line for path in ("users", "log", "groups", "limits") for line in
    ("ul ", " li ", f"  a href=/console/{path} rel=next", f"  a href=/console/{path} rel=prev")}
# What the console says of the log's seals, as soon as there are some.
ONWARD |= {"p class=item", "p ", " time datetime"}
everything = "all" in sys.argv[4:]
only = {argument.removeprefix("only=") for argument in sys.argv[4:] if argument.startswith("only=")}
chosen = [hostile for hostile in texts(everything) if not only or hostile.name in only]
if only - {hostile.name for hostile in chosen} or not set(sys.argv[4:]) <= {"all", *(f"only={name}" for name in only)}:
    sys.exit(f"There is no such text or option: {sys.argv[4:]}")
server = Server(*sys.argv[1:4])
faults = list(faults_of_corpus())


def difference(skeleton, plain):
    extra = [line.strip() for line in skeleton if line not in plain]
    missing = [line.strip() for line in plain if line not in skeleton]
    return f"more {extra}, less {missing}" if extra or missing else "elements in another order"


def bare(reply):
    """A page without what differs each time: handles of attempts, tokens of forms, and its own path."""
    body = re.sub(rb"[A-Za-z0-9_-]{40,}", b"", reply.body)
    return body.replace(html.escape(reply.path.split("?")[0]).encode(), b"")


class Judge:
    """Compares each page with the same page for a plain text."""

    def __init__(self, glass):
        self.glass, self.plain, self.bare, self.rows, self.pages = glass, {}, set(), set(), 0
        self.shown = 0
        # What pages have for a text of spaces alone, where that is nothing: what they may have for another such text.
        self.blank = {}
        # The number of each place, by which texts take turns in being shown there.
        self.numbers = {}
        # What an administrator's request names, and whether one of the texts was taken: no page shows what never is.
        self.taken = {}

    def learn(self, place, reply):
        self.numbers.setdefault(place, len(self.numbers))
        if isinstance(reply, tuple):
            self.taken.setdefault(place, False)
            if reply[0] >= 300:
                faults.append(f"{place}: a plain text was refused: {reply}")
        else:
            read, known = self.glass.read(reply), self.plain.setdefault(place, [])
            self.rows |= read.rows | ONWARD
            if (reply.status, read.skeleton) not in known:
                # A script may add to what was sent.
                shown = self.glass.show(reply)
                self.rows |= shown.rows
                known += [(reply.status, shown.skeleton), (reply.status, read.skeleton)]
            self.bare.add((place, bare(reply)))

    def learn_blank(self, place, reply):
        shown = self.glass.show(reply)
        self.blank.setdefault(place, []).append((reply.status, shown.skeleton))
        self.rows |= shown.rows

    def is_shown(self, hostile, place):
        """Whether a page is shown in a window, and not read by the parser alone. In the long form every kind is shown in every place."""
        if hostile.name in BULKY or everything and (hostile.kind in BULKY_KINDS or only):
            return True
        return everything and (hostile.number + self.numbers.get(place, 0)) % STRIDE == 0

    def judge(self, hostile, place, reply):
        name, is_blank = f"{place}: {hostile.name}", not hostile.text.strip()
        known = self.plain.get(place, []) + (self.blank.get(place, []) if is_blank else [])
        if isinstance(reply, tuple):
            self.taken[place] = self.taken.get(place, False) or reply[0] < 300
            if reply[0] >= 500:
                faults.append(f"{name}: {reply}")
            return
        if reply.status >= 500:
            faults.append(f"{name}: {reply.status} {reply.html}")
            return
        if reply.status == 303:
            # The application is told that what it sent cannot be.
            if not reply.header("location").startswith(f"{CALLBACK}?error="):
                faults.append(f"{name}: leads to {reply.header('location')}")
            return
        # Many places say the same whatever they are told.
        if (place, bare(reply)) in self.bare:
            return
        is_shown = self.is_shown(hostile, place)
        shown = self.glass.show(reply) if is_shown else self.glass.read(reply)
        # What has other elements is shown in any case: what they do is part of what is wrong.
        if not is_shown and (shown.skeleton not in [skeleton for _, skeleton in known] or shown.rows - self.rows):
            is_shown, shown = True, self.glass.show(reply)
        self.pages += 1
        self.shown += is_shown
        if shown.rows - self.rows:
            faults.append(f"{name}: has rows of {sorted(shown.rows - self.rows)}")
        if shown.complaints:
            faults.append(f"{name}: {shown.complaints}")
        if shown.harmful:
            faults.append(f"{name}: shows {shown.harmful}")
        if shown.wide:
            faults.append(f"{name}: is wider than its window: {shown.wide}")
        plain = [skeleton for status, skeleton in known if status == reply.status]
        if plain:
            if shown.skeleton not in plain:
                faults.append(f"{name}: {difference(shown.skeleton, plain[0])}")
        elif shown.kind not in ("error", "start-again", "not-found", "expired", "locked"):
            faults.append(f"{name}: {reply.status} {shown.kind} at {reply.path[:200]}")


def judge_state(places, name, text):
    """An application gets its state as it was, or hears that it cannot be; and no header is of a stranger's making."""
    plain, reply = places.answers_with_state(PLAIN[0]), places.answers_with_state(text)
    if reply.status == 400:
        return
    if [key for key, _ in reply.headers] != [key for key, _ in plain.headers]:
        faults.append(f"state: {name}: has other headers: {reply.headers}")
    location = reply.header("location")
    back = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query, keep_blank_values=True))
    told = back.get("state") == text or len(text.encode()) > 2048 and back.get("error") == "invalid_request"
    if reply.status != 303 or not told or not location.startswith(f"{CALLBACK}?"):
        faults.append(f"state: {name}: came back as {location}")


def judge_service(glass, name):
    """What the operator calls the service stands in every page's head."""
    with tempfile.TemporaryDirectory(prefix="countersign-named-") as data:
        process = subprocess.Popen(
            [server.executable, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", data], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env={**os.environ, "COUNTERSIGN_SERVICE_NAME": name})
        try:
            base = process.stdout.readline().split()[2]
            for path in ("/", "/sign-in", "/sign-up", "/no-such-page", "/auth/action", "/guardian/enroll"):
                named = glass.show(Visitor(base).get(path))
                plain = glass.show(Visitor(server.base).get(path))
                # The two servers have a port each, which the page names where it leads from numbers to `localhost`.
                port, own = (urllib.parse.urlsplit(url).port for url in (base, server.base))
                skeleton = [line.replace(f":{port}/", f":{own}/") for line in named.skeleton]
                if skeleton != plain.skeleton:
                    faults.append(f"service: {path}: {difference(skeleton, plain.skeleton)}")
                if named.complaints or named.harmful or named.wide:
                    faults.append(f"service: {path}: {named.complaints} {named.harmful} {named.wide}")
        finally:
            stop(process)


with Browser() as browser:
    glass = Glass(browser, server.base, [390, 320] if everything else [390])
    places, judge = Places(server), Judge(glass)
    places.console = True
    for text in PLAIN:
        for place, reply in [*places.walk(text), *places.twice(text)]:
            judge.learn(place, reply)
    if everything:
        for place, reply in places.valid():
            judge.learn(place, reply)
    for place, reply in places.blank():
        judge.learn_blank(place, reply)
    for hostile in chosen:
        before = len(faults)
        places.console = everything or hostile.name in OF_CONSOLE
        try:
            for place, reply in places.walk(hostile.text):
                judge.judge(hostile, place, reply)
            judge_state(places, hostile.name, hostile.text)
        except AssertionError as error:
            faults.append(f"{hostile.name}: went no further: {str(error)[:2000]}")
        print(f"{'ok    ' if len(faults) == before else 'FAILED'}  {hostile.kind}: {hostile.name}", *faults[before:], sep="\n    ", flush=True)
    judge_service(glass, "<b>{{#page}}</title>\u202e\"on='x' &amp; " + "W" * 25)
    # Everything that was sent and said meanwhile is in the developer's inbox.
    inbox = glass.show(Visitor(server.base).get("/dev/inbox"))
    strange = [
        line for line in inbox.skeleton
        if line.split()[0] in ("script", "img", "svg", "iframe", "style", "b", "form", "base", "object") or " on" in line]
    if strange or inbox.complaints or inbox.harmful or inbox.wide:
        faults.append(f"inbox: {strange} {inbox.complaints} {inbox.harmful} {inbox.wide}")
    glass.close()

if not only:
    faults += [f"{place}: none of the texts was taken, so no page showed one" for place, taken in judge.taken.items() if not taken]
print(f"{len(chosen)} texts in {len(judge.plain)} places; {judge.pages} pages were judged, {judge.shown} of them shown.")
if faults:
    print("\n".join(faults))
    sys.exit(1)
