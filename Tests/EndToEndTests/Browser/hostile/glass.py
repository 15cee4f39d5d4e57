"""Chromium as a judge of answers: shows an HTML document that another client got, with its headers, and says what became of it."""

import re
import urllib.parse

_LOOK = """(html) => {
  const shown = html === null ? document : new DOMParser().parseFromString(html, "text/html");
  const bare = (value) => value.split(/[?#]/)[0].replace(/[A-Za-z0-9_-]{40,}/g, "…")
    .replace(/^(\\/console\\/(?:users|log|tokens|hooks|registrations-tokens)\\/)[^\\/]+/, "$1…")
    .replace(/(\\/(?:factors|sessions|members)\\/)[^\\/]+/, "$1…").replace(/^user\\..+$/, "user.…");
  const said = new Set(["href", "src", "action", "formaction", "content", "http-equiv", "type", "name", "rel", "class", "role", "method"]);
  const lines = [], rows = [], texts = [];
  // A form's own member is hidden by a field of that name.
  const member = (name) => {
    const read = Object.getOwnPropertyDescriptor(Element.prototype, name).get;
    return (element) => read.call(element);
  };
  const attributesOf = member("attributes"), nameOf = member("localName"), childrenOf = member("children");
  // How many rows a list has, and whether it goes on, is of what was made before: rows and links to other pages are kept apart. So are the
  // parts of a plot, which has a bar for each hour that something was counted in: an hour may turn while the pages are judged.
  const walk = (element, depth, lines) => {
    const attributes = [...attributesOf(element)].map((a) => said.has(a.name) ? `${a.name}=${bare(a.value)}` : a.name).sort();
    // Where a long address may break.
    if (nameOf(element) === "wbr" && attributes.length === 0) return;
    // How something stands, such as the seals of the log, changes by itself: what is said of it is kept apart as well.
    const isStanding = attributes.some((said) => said.startsWith("class=standing"));
    lines.push(`${" ".repeat(depth)}${nameOf(element)} ${isStanding ? "class=standing …" : attributes.join(" ")}`);
    if (nameOf(element) === "path") return;
    const isList = isStanding || nameOf(element) === "tbody" || attributes.includes("class=pager") || attributes.includes("class=plot");
    for (const child of childrenOf(element)) walk(child, isList ? 0 : depth + 1, isList ? rows : lines);
  };
  walk(shown.documentElement, 0, lines);
  texts.push(shown.documentElement.innerText);
  for (const field of shown.querySelectorAll("input:not([type=hidden]), textarea")) texts.push(field.value);
  return { lines, rows: [...new Set(rows)], texts, kind: shown.querySelector("main")?.dataset.page ?? null };
}"""
_WIDTH = "document.documentElement.scrollWidth"
# Characters that turn the direction of a text or command a terminal: no page shows them as they are.
_HARMFUL = re.compile("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# Characters that take no room and show nothing (Default_Ignorable_Code_Point of Unicode): by one, two names look alike. Joiners and selectors of
# variants stay behind what they may join or vary, and tags in flags.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a]|(?:^|[\r\n])[\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f]"
    "|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0000-\U000e0fff]")


class Shown:
    """A document as Chromium has it."""

    def __init__(self, reply, found, widths, complaints):
        # Elements with their attributes, one a line: texts are left out, what differs with each attempt, and links of a page to itself.
        own = re.sub("[A-Za-z0-9_-]{40,}", "…", reply.path.split("?")[0])
        # A text in a path may have slashes of its own, which are escaped there.
        own = urllib.parse.unquote(re.sub("^(/console/(?:users|log|tokens|hooks|registrations-tokens)/)[^/]+", r"\1…", own))
        self.skeleton = [
            re.sub(r"href=(\S+)", lambda link: "href=…" if urllib.parse.unquote(link[1]) == own else link[0], line)
            for line in found["lines"]]
        # What the rows of tables consist of.
        self.rows = set(found["rows"])
        self.kind, self.complaints = found["kind"], complaints
        self.wide = {width: wide for width, wide in widths.items() if wide > width}
        self.harmful = sorted({
            f"U+{ord(sign[-1]):04X}" for text in found["texts"] for rule in (_HARMFUL, _UNSEEN) for sign in rule.findall(text)})


class Glass:
    def __init__(self, browser, base, widths):
        self._person = browser.person(base, width=widths[0])
        self._widths = widths
        self._answer = None
        # Its own page has no policy that forbids a script to parse.
        self._parser = self._person.context.new_page()
        self._person.tab.route("**/shown-by-the-test", self._fulfil)

    def _fulfil(self, route):
        keep = {"content-type", "content-security-policy", "referrer-policy", "x-content-type-options"}
        headers = {name: value for name, value in self._answer.headers if name.lower() in keep}
        # What a page loads again by itself would be lost here.
        body = re.sub(rb'<meta http-equiv="refresh"[^>]*>', b"", self._answer.body)
        route.fulfill(status=200, headers=headers, body=body)

    def show(self, reply):
        """The document, as it looks at every width."""
        self._answer = reply
        person = self._person
        person.complaints.clear()
        person.tab.goto("/shown-by-the-test", wait_until="load")
        found = person.tab.evaluate(_LOOK, None)
        widths = {self._widths[0]: person.tab.evaluate(_WIDTH)}
        for width in self._widths[1:]:
            person.tab.set_viewport_size({"width": width, "height": 800})
            widths[width] = person.tab.evaluate(_WIDTH)
        # The window stays as it is, and the next page is shown at this width first: to change it takes longer than to show one.
        self._widths = self._widths[::-1]
        return Shown(reply, found, widths, list(person.complaints))

    def read(self, reply):
        """The document as Chromium's parser has it, without showing it."""
        return Shown(reply, self._parser.evaluate(_LOOK, reply.html), {}, [])

    def close(self):
        self._person.complaints.clear()
        self._person.close()
