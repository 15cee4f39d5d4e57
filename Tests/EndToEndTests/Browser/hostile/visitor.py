"""A browser without scripts for requests that a real one would not send: raw header values, bytes that are no text. Keeps cookies."""

import codecs
import http.client
import json
import time
import unicodedata
import urllib.parse
from html.parser import HTMLParser


def _as_bytes(error):
    """What UTF-8 has no bytes for: U+DC80 to U+DCFF are a byte each, another half of a surrogate pair is three, which are no UTF-8."""
    told = b"".join(
        bytes([ord(c) - 0xDC00]) if "\udc80" <= c <= "\udcff" else c.encode("utf-8", "surrogatepass")
        for c in error.object[error.start:error.end])
    return told, error.end


codecs.register_error("hostile", _as_bytes)


def encoded(text):
    """Text in an address or a form."""
    return urllib.parse.quote(text, safe="", errors="hostile")


def query(fields):
    return "&".join(f"{encoded(name)}={encoded(value)}" for name, value in fields.items())


def header(text):
    """Text as the value of a header: without what no client can send there, and with no more marks on a letter than the server takes (decision 581)."""
    bare = "".join(c for c in text if c >= " " and c != "\x7f").strip()
    marks = "".join("m" if unicodedata.combining(c) else "-" for c in bare)
    kept = (c for n, c in enumerate(bare) if n < 128 or "-" in marks[n - 128:n + 1])
    return "".join(kept).encode("utf-8", "hostile")[:2000] or b"-"


class Forms(HTMLParser):
    """The forms of a page: where each is sent, and what it says where nothing is typed."""

    def __init__(self, html):
        super().__init__()
        self.all = []
        self._open = None
        self._lines = None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self._open = (attributes.get("action"), {}, set())
            self.all.append(self._open)
        elif self._open and tag in ("input", "button") and "name" in attributes:
            self._open[2].add(attributes["name"])
            if tag == "input" and (
                    attributes.get("type") not in ("radio", "checkbox") or "checked" in attributes):
                self._open[1][attributes["name"]] = attributes.get("value", "")
        elif self._open and tag == "textarea" and "name" in attributes:
            self._open[2].add(attributes["name"])
            self._open[1][attributes["name"]] = ""
            self._lines = attributes["name"]

    def handle_data(self, data):
        if self._open and self._lines:
            self._open[1][self._lines] += data

    def handle_endtag(self, tag):
        if tag == "textarea" and self._open and self._lines:
            # The line break that begins the text of this element is no part of it.
            self._open[1][self._lines] = self._open[1][self._lines].removeprefix("\n")
            self._lines = None
        if tag == "form":
            self._open = None


class Reply:
    def __init__(self, path, status, headers, body):
        self.path, self.status, self.headers, self.body = path, status, headers, body

    @property
    def html(self):
        return self.body.decode("utf-8", "replace")

    def header(self, name):
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    def form(self, *names):
        """The first form that has all of the fields."""
        for action, values, present in Forms(self.html).all:
            if set(names) <= present:
                return action, values
        raise AssertionError(f"no form with {names} at {self.path}: {self.status} {self.html}")


class Visitor:
    def __init__(self, base, agent=b"Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0"):
        self.base, self.agent, self.cookies = base, agent, {}
        self._connection = http.client.HTTPConnection(urllib.parse.urlsplit(base).netloc, timeout=300)
        self._used = time.monotonic()

    def _idle_no_longer(self):
        """The connection; a fresh one where this was not used for a while, since the server ends such."""
        if time.monotonic() - self._used > 10:
            self._connection.close()
        return self._connection

    def send(self, method, path, body=None, kind=None, follow=True):
        """An answer, after redirects of this server."""
        for _ in range(8):
            connection = self._idle_no_longer()
            connection.putrequest(method, path, skip_accept_encoding=True)
            connection.putheader("Accept", "text/html")
            connection.putheader("Accept-Language", "en")
            connection.putheader("User-Agent", self.agent)
            connection.putheader("Sec-Fetch-Site", "same-origin")
            connection.putheader("Sec-Fetch-Dest", "document")
            if self.cookies:
                connection.putheader("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
            if body is not None:
                connection.putheader("Content-Type", kind)
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            reply = Reply(path, response.status, response.getheaders(), response.read())
            self._used = time.monotonic()
            for name, line in reply.headers:
                if name.lower() == "set-cookie":
                    key, _, value = line.split(";")[0].partition("=")
                    if "Max-Age=0" in line:
                        self.cookies.pop(key, None)
                    else:
                        self.cookies[key] = value
            location = reply.header("location")
            if not follow or reply.status != 303 or not location or not location.startswith("/"):
                return reply
            method, path, body = "GET", location, None
        raise AssertionError(f"too many redirects: {path}")

    def get(self, path, fields=None, follow=True):
        return self.send("GET", path + (f"?{query(fields)}" if fields else ""), follow=follow)

    def post(self, page, fields, *names, follow=True):
        """Sends the form of a page that has these fields, and the named ones."""
        action, values = page.form(*fields, *names)
        return self.send(
            "POST", action, query({**values, **fields}).encode(), "application/x-www-form-urlencoded", follow=follow)

    def ask(self, path, body, headers):
        """JSON to an API: a status, and what it says."""
        connection = self._idle_no_longer()
        data = json.dumps(body).encode()
        connection.request("POST", path, data, {"Content-Type": "application/json", **headers})
        response = connection.getresponse()
        text = response.read()
        self._used = time.monotonic()
        try:
            return response.status, json.loads(text)
        except ValueError:
            return response.status, text

    def close(self):
        self._connection.close()
