"""A browser without a script, for peers that need a user who is signed in: cookies, redirects, and the forms of pages."""

import base64
import hashlib
import html.parser
import http.cookiejar
import json
import urllib.error
import urllib.parse
import urllib.request

VERIFIER = "peer-verifier-" * 4
CALLBACK = "http://127.0.0.1/callback"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Forms(html.parser.HTMLParser):
    """The forms of a page: where each leads, and what it holds."""

    def __init__(self, text):
        super().__init__()
        self.all = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.all.append((attributes.get("action"), {}))
        elif tag == "input" and self.all and attributes.get("name") and attributes.get("type") != "checkbox":
            self.all[-1][1][attributes["name"]] = attributes.get("value", "")


def exchange(method, url, body=None, headers=None, opener=urllib.request.build_opener(_NoRedirect)):
    """The status, the headers and the bytes of an answer, whatever it is."""
    request = urllib.request.Request(url, data=body, headers=headers or {}, method=method)
    try:
        answer = opener.open(request, timeout=300)
    except urllib.error.HTTPError as error:
        answer = error
    return answer.status, answer.headers, answer.read()


def redemption(code):
    """The form that redeems a code of `Person.code`."""
    return {
        "grant_type": "authorization_code", "client_id": "dev-native", "code": code, "redirect_uri": CALLBACK,
        "code_verifier": VERIFIER}


class Person:
    def __init__(self, base):
        self.base = base
        self.cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(_NoRedirect, urllib.request.HTTPCookieProcessor(self.cookies))

    def go(self, path, fields=None):
        """Follows redirects to a page, with its forms, or to an application, with its address."""
        address = urllib.parse.urljoin(self.base, path)
        while address.startswith(self.base):
            status, headers, body = exchange(
                "GET" if fields is None else "POST", address,
                urllib.parse.urlencode(fields).encode() if fields is not None else None,
                {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "document", "Origin": self.base}, self._opener)
            if status != 303:
                return address, Forms(body.decode()).all
            address, fields = urllib.parse.urljoin(address, headers["Location"]), None
        return address, []

    def answer(self, page, **fields):
        """Sends the first form that asks for the first of these fields."""
        action, hidden = next(form for form in page[1] if next(iter(fields)) in form[1])
        return self.go(action, {**hidden, **fields})

    def code(self, scope, email=None, password=None):
        """A code for the application of this machine, as `serve --dev` has it; signs in where no user is."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
        page = self.go("/authorize?" + urllib.parse.urlencode({
            "client_id": "dev-native", "response_type": "code", "scope": scope, "state": "peer",
            "redirect_uri": CALLBACK, "code_challenge": challenge, "code_challenge_method": "S256"}))
        if not page[0].startswith(CALLBACK):
            page = self.answer(self.answer(page, username=email), password=password)
        return urllib.parse.parse_qs(urllib.parse.urlsplit(page[0]).query)["code"][0]

    def tokens(self, email, password, scope):
        """Signs in, and redeems the code."""
        _, _, body = exchange(
            "POST", self.base + "/oauth/token", urllib.parse.urlencode(redemption(self.code(scope, email, password))).encode(),
            {"Content-Type": "application/x-www-form-urlencoded"})
        return json.loads(body)
