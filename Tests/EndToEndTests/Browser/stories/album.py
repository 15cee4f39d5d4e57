"""Looks at every page of a story: axe, the Nu HTML checker, the language, sideways scrolling, the content security policy; and takes pictures."""

import os
import re

from axe_playwright_python.sync_playwright import Axe

from nu import Checker

AXE = Axe().axe_script
# Only what is wrong is told: what is right is long, and each page would have to hand it over.
JUDGE = """() => axe.run(document, {
  runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
  resultTypes: ["violations"],
}).then(({ violations, passes }) => ({
  judged: passes.length,
  violations: violations.map(({ id, help, nodes }) => `axe ${id}: ${help}: ${nodes.map(({ target }) => target).join("; ")}`),
}))"""
LANGUAGES = {"en": "en-GB", "de": "de-DE", "ja": "ja-JP"}


class Album:
    """What was seen, under what name; every name is one page or state."""

    def __init__(self, folder=None):
        self.folder = folder
        self.seen = {}
        self.faults = []
        self.html = Checker()

    def look(self, person, name, kind, alert=False):
        """Judges the page that a person sees now.

        kind: the page's name. alert: whether it says that something was refused.
        """
        tab, look = person.tab, f"{name} ({person.look})"
        shown = person.kind
        if shown != kind:
            self.faults.append(f"{look}: shows {shown}, not {kind}: {tab.url}\n{person.text}")
            return
        self.seen.setdefault(name, set()).add(person.look)
        self.html.keep(look, person.document)
        if (person.alert is not None) != alert:
            self.faults.append(f"{look}: {'no ' if alert else ''}alert: {person.alert}")
        if alert and not re.match(r"(Error|Fehler|エラー)", tab.title()):
            self.faults.append(f"{look}: the title of a refused form is {tab.title()!r}")
        html = tab.locator("html")
        if html.get_attribute("lang") != person.language:
            self.faults.append(f"{look}: is in {html.get_attribute('lang')}")
        if tab.locator("h1").count() != 1:
            self.faults.append(f"{look}: has {tab.locator('h1').count()} headings of the first level")
        widths = [1280, 390] if self.folder else [person.width]
        for width in widths:
            if self.folder:
                tab.set_viewport_size({"width": width, "height": 800})
                os.makedirs(self.folder, exist_ok=True)
                tab.screenshot(path=os.path.join(self.folder, f"{name}-{person.look}-{width}.png"), full_page=True)
            self.scrolls(person, look, width)
        self.scrolls(person, look, 320)
        tab.set_viewport_size({"width": person.width, "height": 800})
        if person.scripts:
            tab.evaluate(AXE)
            found = tab.evaluate(JUDGE)
            assert found["judged"] > 10, f"{look}: axe looked at nothing: {found}"
            self.faults += [f"{look}: {violation}" for violation in found["violations"]]

    def scrolls(self, person, look, width):
        """WCAG 1.4.10: no page scrolls sideways, down to 320 pixels."""
        if not person.scripts:
            return
        person.tab.set_viewport_size({"width": width, "height": 800})
        wide = person.tab.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            self.faults.append(f"{look}: is {wide} pixels wide at {width}")
