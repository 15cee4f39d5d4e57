"""Requests that are nearly right, over every route that the server says it has.

What they are made of: the routes of /dev/routes.json, the schemas of /openapi.json, and what well-behaved users sent before (`lives`), whose
tokens, codes and sessions are good still. Each is changed in one to four places, now and then in its framing too. A mutated request may be
answered with anything but a fault of the server: no 5xx except 503 with Retry-After (and 501 or 505 to what HTTP has no word for), no end of a
connection whose framing is right, no error in the log, and no growth of memory or descriptors."""

import asyncio
import json
import multiprocessing
import os
import queue
import random
import re
import signal
import subprocess
import time
import urllib.parse

import kills
import lives
from servers import Server, folder
from wire import FORM, Gone, HTTP1, HTTP2, Wire, request_bytes

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "get", "CONNECT", "X" * 60]
# Texts that programs have tripped over.
TEXTS = [
    "", " ", "\0", "\r\n", "\n", "\t", "\x7f", "\x1b[2J", "0", "-1", "1e400", "NaN", "null", "true", "undefined", "[]", "{}", "%", "%00", "%2e%2e%2f",
    "../../etc/passwd", "..\\..", "'", "\"", "' OR 1=1 --", "$(id)", "{{7*7}}", "${7*7}", "<script>alert(1)</script>", "é", "e\u0301", "ﬀ", "İ", "ß",
    "\u202e", "\u200b", "\ufeff", "\ud83d\ude00", "日本語", "a@b", "@", "a@b@c", "ada@example.com", "ada@xn--bcher-kva.example", "javascript:alert(1)",
    "http://127.0.0.1:1/", "https://evil.example/", "//evil.example", "data:text/html,x", "urn:x", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", "=", "====",
    "A" * 300, "A" * 5000, "a" * 64, "0" * 8, "000000", "99999999999999999999", "2026-02-30", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z",
    "00000000-0000-0000-0000-000000000000", "owner", "none", "*", "/", "?", "#", "&", "a=b&c=d", ";", ",", "\\u0000",
]
VALUES = [None, True, False, 0, -1, 1, 2 ** 31, 2 ** 53 + 1, 2 ** 63, -2 ** 63 - 1, 10 ** 40, 1.5, -0.0, 1e308, [], {}, [[]], [None], {"": None},
          [0] * 300, {"a": {"b": {"c": {}}}}]
# Members that dialects without a description know.
NAMES = [
    "email", "password", "idToken", "refreshToken", "localId", "oobCode", "newPassword", "requestType", "returnSecureToken", "displayName", "photoUrl",
    "mfaPendingCredential", "mfaEnrollmentId", "totpVerificationInfo", "sessionInfo", "verificationCode", "phoneNumber", "continueUrl", "token",
    "customAttributes", "validSince", "users", "hashAlgorithm", "grant_type", "client_id", "client_secret", "client_assertion",
    "client_assertion_type", "username", "scope", "audience", "resource", "code", "code_verifier", "redirect_uri", "response_type", "response_mode",
    "state", "nonce", "prompt", "max_age", "claims", "request", "request_uri", "login_hint", "id_token_hint", "ui_locales", "acr_values", "mfa_token",
    "oob_code", "otp", "recovery_code", "challenge_type", "binding_code", "continuation_token", "oob", "attributes", "capabilities", "user_code",
    "device_code", "auth_req_id", "binding_message", "authorization_details", "auth_session", "authn_response", "enrollment_tx_id", "user_id",
    "identifier", "public_key", "push_credentials", "challenge_response", "state_transport", "ticket_id", "id", "name", "q", "page", "per_page",
    "include_totals", "sort", "fields", "from", "take", "limit", "cursor", "wait", "ticket", "token_type_hint", "client", "user", "text", "lines",
    "registration", "key", "value", "action", "method", "locale", "redirect", "cs_form", "number", "choice", "confirm", "kind", "step", "return_to",
]
HEADERS = [
    "Accept", "Accept-Language", "Accept-Encoding", "Authorization", "Cookie", "Content-Type", "Content-Encoding", "Origin", "Referer", "Sec-Fetch-Site",
    "Sec-Fetch-Mode", "Sec-Fetch-Dest", "X-Forwarded-For", "Forwarded", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Request-Id", "traceparent",
    "tracestate", "DPoP", "If-None-Match", "If-Modified-Since", "Range", "Expect", "User-Agent", "X-HTTP-Method-Override", "Upgrade",
    "Access-Control-Request-Method", "Access-Control-Request-Headers", "Last-Event-ID", "X-Client-Version", "Via", "TE", "Host", "Content-Language",
]
HEADER_TEXTS = [
    "*/*", "text/html", "application/json", "de", "ja;q=0.5, *", "q" * 900, "gzip", "br, gzip;q=0", "Bearer", "Bearer x", "Bearer  x y", "Basic", "Basic Og==",
    "Basic !!", "DPoP x", "Ticket id=\"x\"", "Ticket", "cs_session=x", "cs_session=; cs_session=y", "a=b; " * 200, "application/json; charset=utf-16",
    "multipart/form-data; boundary=x", "application/x-www-form-urlencoded; charset=latin-1", "text/plain", "null", "https://evil.example", "cross-site",
    "same-origin", "iframe", "1.2.3.4", "for=\"[::1]:1\";proto=https", "00-" + "0" * 32 + "-" + "0" * 16 + "-00", "bytes=0-1", "\"x\", W/\"y\", *", "websocket",
    "DELETE", "Thu, 01 Jan 1970 00:00:00 GMT", "trailers", "", " ", "\xff", "日本",
]
# No part of a field (RFC 9110, section 5.5).
CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
TYPES = ["application/json", FORM, "text/plain", "multipart/form-data; boundary=x", "application/jwt", "", "application/json;", "*/*", "image/png"]


def instance(schema, random, depth=0):
    """A value that a JSON schema describes, more or less."""
    if not isinstance(schema, dict) or depth > 6:
        return "x"
    if "enum" in schema:
        return random.choice(schema["enum"])
    if "const" in schema:
        return schema["const"]
    for word in ("oneOf", "anyOf", "allOf"):
        if schema.get(word):
            return instance(random.choice(schema[word]), random, depth + 1)
    kind = schema.get("type")
    kind = random.choice(kind) if isinstance(kind, list) else kind
    if kind == "object" or "properties" in schema:
        required = set(schema.get("required", ()))
        return {name: instance(part, random, depth + 1) for name, part in schema.get("properties", {}).items()
                if name in required or random.random() < 0.6}
    if kind == "array":
        return [instance(schema.get("items", {}), random, depth + 1) for _ in range(random.randrange(3))]
    return {"integer": 3, "number": 1.5, "boolean": True, "null": None}.get(kind, "text")


class Seed:
    """A request, in parts that can be changed."""

    def __init__(self, method, path, query=(), headers=(), body=None, kind=None):
        self.method, self.path, self.query, self.headers = method, path, list(query), list(headers)
        # JSON, a list of pairs of a form, bytes, or None.
        self.body, self.kind = body, kind


def is_form(body):
    return isinstance(body, list) and all(isinstance(pair, tuple) for pair in body)


class Mutator:
    """Makes requests of seeds, all by one source of chance."""

    def __init__(self, seeds, bearers, random):
        self.seeds, self.bearers, self.random = seeds, bearers, random
        self.strings = TEXTS + [text for text in bearers]

    def text(self):
        chance = self.random.random()
        if chance < 0.75:
            return self.random.choice(self.strings)
        if chance < 0.9:
            return "".join(chr(self.random.choice([self.random.randrange(32, 127), self.random.randrange(0x250), 0x1F600])) for _ in range(
                self.random.randrange(1, 24)))
        return self.changed(self.random.choice(self.strings))

    def changed(self, text):
        """The same with some characters otherwise."""
        if not text:
            return "x"
        place, rest = self.random.randrange(len(text)), self.random.randrange(5)
        if rest == 0:
            return text[:place] + text[place + 1:]
        if rest == 1:
            return text[:place] + self.random.choice("aZ0-_=.%\0é") + text[place + 1:]
        if rest == 2:
            return text[:place]
        if rest == 3:
            return text[:place] + text[place:] * 2
        return text[::-1] if len(text) < 200 else text.upper()

    def value(self, old=None):
        chance = self.random.random()
        if isinstance(old, str) and chance < 0.3:
            return self.changed(old)
        if chance < 0.65:
            return self.text()
        if chance < 0.72:
            return {self.random.choice(NAMES): self.text()}
        if chance < 0.76:
            return [self.text() for _ in range(self.random.randrange(4))]
        if chance < 0.77:
            deep = {}
            for _ in range(self.random.choice([5, 31, 33, 200])):
                deep = {"a": deep} if self.random.random() < 0.5 else [deep]
            return deep
        return self.random.choice(VALUES)

    def of_json(self, body):
        if isinstance(body, dict):
            body = dict(body)
            names = list(body)
            chance = self.random.random()
            if names and chance < 0.6:
                name = self.random.choice(names)
                if isinstance(body[name], (dict, list)) and body[name] and self.random.random() < 0.7:
                    body[name] = self.of_json(body[name])
                else:
                    body[name] = self.value(body[name])
            elif names and chance < 0.75:
                del body[self.random.choice(names)]
            else:
                body[self.random.choice(NAMES) if self.random.random() < 0.9 else self.text()] = self.value()
            return body
        if isinstance(body, list) and body:
            place = self.random.randrange(len(body))
            return body[:place] + [self.of_json(body[place])] + body[place + 1:]
        return self.value(body)

    def pairs(self, pairs):
        pairs, chance = list(pairs), self.random.random()
        place = self.random.randrange(len(pairs)) if pairs else 0
        if pairs and chance < 0.5:
            pairs[place] = (pairs[place][0], self.changed(pairs[place][1]) if self.random.random() < 0.3 else self.text())
        elif pairs and chance < 0.62:
            pairs.append((pairs[place][0], self.text()))
        elif pairs and chance < 0.74:
            del pairs[place]
        else:
            pairs.append((self.random.choice(NAMES) if self.random.random() < 0.9 else self.text(), self.text()))
        return pairs

    def request(self):
        """(method, target, headers, body)"""
        seed = self.random.choice(self.seeds)
        method, path, query, headers, body, kind = (
            seed.method, seed.path, seed.query, list(seed.headers), seed.body, seed.kind)
        raw = None
        # Parts that vary.
        path = re.sub(r"\{[^}]*\}|\*+|:\w+(?=/|$)", lambda _: urllib.parse.quote(self.text(), safe="", errors="surrogatepass"), path) if "{" in path or "*" in path else path
        for _ in range(self.random.choice([1, 1, 1, 2, 2, 3, 4])):
            chance = self.random.random()
            if chance < 0.4 and body is not None and not isinstance(body, bytes):
                body = self.pairs(body) if is_form(body) and kind == FORM else self.of_json(body)
            elif chance < 0.52:
                query = self.pairs(query)
            elif chance < 0.6:
                headers.append((self.random.choice(HEADERS), self.random.choice(HEADER_TEXTS)))
            elif chance < 0.68 and self.bearers:
                headers = [pair for pair in headers if pair[0] != "Authorization"]
                token = self.random.choice(self.bearers)
                headers.append(("Authorization", self.random.choice(["Bearer ", "Bearer ", "DPoP ", "Basic ", "Ticket id=", ""]) + (
                    token if self.random.random() < 0.7 else self.changed(token))))
            elif chance < 0.74:
                path = self.path(path)
            elif chance < 0.8:
                method = self.random.choice(METHODS)
            elif chance < 0.86:
                kind = self.random.choice(TYPES)
            elif headers and chance < 0.9:
                place = self.random.randrange(len(headers))
                headers[place] = (headers[place][0], self.changed(headers[place][1]))
            elif chance < 0.95:
                raw = self.random.choice([
                    b"", b"{", b"}", b"[" * 100, b"[" * 30000, b"\xff\xfe", b"\0", b'{"a":1,"a":2}', b'{"a":' * 50 + b"1" + b"}" * 50, b"a=b&a=c&=&&=", b"%",
                    b"a=%", b"a=%zz", b"=" * 5000, b'"\\ud800"', b'{"email":"\\ud800"}', b"{\"a\":1e999}", b"\xef\xbb\xbf{}", b"{} {}", b"x" * 65537,
                    b'{"a":"' + b"x" * 65000 + b'"}', b"&".join(b"a%d=b" % number for number in range(2000)), self.random.randbytes(60)])
            else:
                body = self.random.choice([{}, [], None, "x", 1, [("a", "b")]])
        if raw is None:
            raw = self.encoded(body, kind)
        if isinstance(raw, bytes) and raw and self.random.random() < 0.03:
            place = self.random.randrange(len(raw))
            raw = raw[:place] + self.random.randbytes(self.random.randrange(3)) + raw[place + 1:]
        if kind:
            headers.append(("Content-Type", kind))
        target = path + ("?" + urllib.parse.urlencode(query, errors="surrogatepass") if query else "")
        return method, target, headers, raw

    @staticmethod
    def encoded(body, kind):
        if body is None:
            return b""
        if isinstance(body, bytes):
            return body
        if kind == FORM and is_form(body):
            return urllib.parse.urlencode(body, errors="surrogatepass").encode()
        return json.dumps(body).encode("utf-8", "surrogatepass")

    def path(self, path):
        place = self.random.randrange(len(path) + 1)
        return self.random.choice([
            lambda: path + "/", lambda: "/" + path, lambda: path.replace("/", "//", 1), lambda: path + "/..", lambda: path + "%2f", lambda: path.upper(),
            lambda: path[:place] + urllib.parse.quote(self.text(), safe="/", errors="surrogatepass") + path[place:], lambda: path + ":x", lambda: path + "%00", lambda: path + ";a=b",
            lambda: path.replace("v1", "v2"), lambda: path[:place] or "/", lambda: "/contoso" + path, lambda: "/" + "a/" * 400,
            lambda: path + "/" + urllib.parse.quote(self.text(), safe="", errors="surrogatepass"), lambda: "".join(f"%{byte:02x}" if byte != 47 else "/" for byte in path.encode()),
        ])()


def framed1(mutator, host, request):
    """The bytes of a request in HTTP/1.1, and whether its framing is right."""
    method, target, headers, body = request
    random = mutator.random
    is_right = all(all(32 <= ord(letter) < 127 for letter in text) for text in (method, target)) and " " not in target and method.isalpha()
    headers = [(name, value.encode("utf-8", "replace").decode("latin-1")) for name, value in headers if name != "Host"]
    # What can be no field would be another request's words.
    headers = [(name, re.sub(r"[\r\n\0]", "", value)) for name, value in headers]
    framing = [("Host", host)]
    if body or method in ("POST", "PUT", "PATCH"):
        framing.append(("Content-Length", str(len(body))))
    if any(name in ("Expect", "Upgrade", "TE") or CONTROLS.search(value) for name, value in headers) or method == "CONNECT":
        is_right = False
    chance = random.random()
    if chance < 0.02:
        is_right = False
        choice = random.randrange(9)
        if choice == 0:
            framing[-1] = ("Content-Length", random.choice(["-1", "x", "0x10", "1, 2", "+3", "99999999999999999999", "", " 5 5"]))
        elif choice == 1:
            framing.append(("Transfer-Encoding", random.choice(["chunked", "gzip, chunked", "chunked, chunked", "x", "identity", " chunked"])))
        elif choice == 2:
            framing.append(("Content-Length", str(len(body) + 1)))
        elif choice == 3:
            framing = framing[1:]
        elif choice == 4:
            framing.append(("Host", "evil.example"))
        elif choice == 5:
            headers.append(("X" * random.choice([1, 70000]), "y"))
        elif choice == 6:
            headers += [(f"X-{number}", "y") for number in range(random.choice([20, 200, 5000]))]
        elif choice == 7:
            raw = request_bytes(method, target, framing + headers, body)
            place = random.randrange(len(raw))
            return method, raw[:place] + random.randbytes(random.randrange(1, 9)) + raw[place:], False
        else:
            raw = request_bytes(method, target, framing + headers, body)
            return method, raw.replace(b"\r\n", random.choice([b"\n", b"\r", b"\r\n "]), random.randrange(1, 4)), False
    elif chance < 0.04 and body:
        framing[-1] = ("Transfer-Encoding", "chunked")
        cut = random.randrange(len(body))
        body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:cut], body[cut:]) if part) + b"0\r\n\r\n"
    raw = "\r\n".join([f"{method} {target} HTTP/1.1"] + [f"{name}: {value}" for name, value in framing + headers])
    return method, raw.encode("latin-1", "replace") + b"\r\n\r\n" + body, is_right


def framed2(mutator, host, request):
    """The fields, the body and extra frames of a request in HTTP/2, and whether its framing is right."""
    method, target, headers, body = request
    random = mutator.random
    is_right = all(all(32 <= ord(letter) < 127 for letter in text) for text in (method, target)) and " " not in target and method.isalpha()
    fields = [(":method", method), (":scheme", "https"), (":authority", host), (":path", target)]
    plain = [(name.lower(), re.sub(r"[\r\n\0]", "", value).strip()) for name, value in headers
             if name not in ("Host", "Upgrade", "TE", "Expect")]
    if method == "CONNECT" or any(CONTROLS.search(value) for _, value in plain):
        is_right = False
    raw = None
    if random.random() < 0.02:
        is_right = False
        choice = random.randrange(8)
        if choice == 0:
            del fields[random.randrange(4)]
        elif choice == 1:
            fields.append(random.choice(fields))
        elif choice == 2:
            plain.append((":late", "x"))
        elif choice == 3:
            plain.append(random.choice([("Upper", "x"), ("connection", "close"), ("te", "gzip"), ("x\ny", "z"), ("", "x"), ("x", "a\r\nb: c"), ("transfer-encoding", "chunked")]))
        elif choice == 4:
            plain += [(f"x-{number}", "y" * 100) for number in range(random.choice([50, 400, 4000]))]
        elif choice == 5:
            plain.append(("content-length", random.choice(["-1", "0", "x", str(len(body) + 1)])))
        else:
            kind, stream = random.randrange(12), random.choice([0, 1, 2, 3, 101, 2 ** 31 - 1])
            raw = HTTP2.frame(kind, random.randrange(256), stream, random.randbytes(random.choice([0, 1, 4, 5, 6, 8, 20])))
    elif body and random.random() < 0.5:
        plain.append(("content-length", str(len(body))))
    return fields + plain, body, raw, is_right


# MARK: Judging

def verdict(answer):
    """What is wrong with an answer; None where nothing is."""
    if answer.status >= 500 and not answer.is_away and answer.status not in (501, 505):
        return f"{answer.status}"
    if not 200 <= answer.status < 600:
        return f"status {answer.status}"
    if "json" in (answer.header("content-type") or "") and answer.body:
        try:
            json.loads(answer.body)
        except ValueError:
            return "its JSON cannot be read"
    if (answer.header("content-type") or "").startswith("text/html") and "content-security-policy" not in dict(answer.headers):
        return "a page without a policy"
    return None


class Shared:
    """A connection of HTTP/2 that several tasks use, and one of them opens."""

    def __init__(self, http):
        self.http, self.lock = http, asyncio.Lock()


async def shower(wire, port, seeds, bearers, chance, count, is_over, is_paused, told):
    """So many mutated requests over one kind of wire. Calls back with sentences, and with what is done."""
    mutator = Mutator(seeds, bearers, chance)
    statuses, left, slow = {}, count, 0
    done = {"requests": 0, "connections ended rightly": 0}
    host = f"127.0.0.1:{port}"

    async def one1():
        nonlocal left
        connection = HTTP1(port, wire == "TLS, HTTP/1.1")
        while left > 0 and not is_over():
            if is_paused():
                await asyncio.sleep(1)
                continue
            left -= 1
            request = mutator.request()
            method, raw, is_right = framed1(mutator, host, request)
            await judged(connection.send(raw, method), request, is_right)
            if not is_right:
                connection.close()
        connection.close()

    async def one2(connection):
        nonlocal left
        while left > 0 and not is_over():
            if is_paused():
                await asyncio.sleep(1)
                continue
            left -= 1
            request = mutator.request()
            fields, body, raw, is_right = framed2(mutator, host, request)
            if not is_right:
                # Of its own: the server may end it, with all that is under way.
                alone = HTTP2(port)
                await judged(alone.send(fields, body, raw), request, False)
                alone.close()
                continue
            async with connection.lock:
                if not connection.http.is_kept:
                    connection.http = HTTP2(port)
                    try:
                        await connection.http.open()
                    except OSError as error:
                        told("fault", f"no connection: {error}")
                        await asyncio.sleep(0.2)
                        continue
            await judged(connection.http.send(fields, body), request, True)

    async def judged(sending, request, is_right):
        nonlocal slow

        def shown():
            return f"{request[0]} {request[1][:300]} {request[2]!r:.600} {request[3][:300]!r}"

        try:
            answer = await sending
            statuses[answer.status] = statuses.get(answer.status, 0) + 1
            slow = max(slow, answer.after)
            if wrong := verdict(answer):
                told("fault", f"{wrong}: {shown()} -> {answer}")
        except Gone as error:
            if is_right:
                told("gone", f"{error}: {shown()}")
            else:
                done["connections ended rightly"] += 1
        done["requests"] += 1
        if done["requests"] % 500 == 0:
            told("done", 500)

    if wire == "TLS, HTTP/2":
        shared = [Shared(HTTP2(port)) for _ in range(4)]
        await asyncio.gather(*[one2(shared[number % 4]) for number in range(32)])
        for connection in shared:
            connection.http.close()
    else:
        await asyncio.gather(*[one1() for _ in range(16)])
    told("end", done | {"statuses": dict(sorted(statuses.items())), "slowest s": round(slow, 2), "seconds of a processor": round(time.process_time(), 1)})


def worker(wire, port, seeds, bearers, seed, count, stop, pause, told):
    # An interrupt is for the program that started this one, which says when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        asyncio.run(shower(
            wire, port, seeds, bearers, random.Random(f"{seed} {wire}"), count, stop.is_set, pause.is_set,
            lambda *what: told.put((wire, *what))))
    except Exception as error:  # noqa: BLE001 – the other side waits for an end.
        import traceback
        told.put((wire, "fault", f"the chapter itself: {traceback.format_exc()[-1500:]}"))
        told.put((wire, "end", {"error": str(error)}))


async def seeds_of(trial, server, tls=False):
    """Routes, descriptions and what users sent; and good tokens."""
    sent, bearers = [], [server.administrator, "owner"]

    def record(method, target, headers, data):
        path, _, query = target.partition("?")
        fields = dict(headers)
        kind = fields.get("Content-Type")
        body = json.loads(data) if kind == "application/json" and data else urllib.parse.parse_qsl(
            data.decode(), keep_blank_values=True) if kind == FORM else None
        sent.append(Seed(method, path, urllib.parse.parse_qsl(query, keep_blank_values=True), [
            pair for pair in headers if pair[0] not in ("Content-Type", "Content-Length")], body, kind))

    wire = Wire(server.port, tls=tls, record=record)
    browser = await kills.visitor(wire)
    everyone = lives.lives(server, browser, 24, random.Random(trial.seed))
    for each in everyone:
        await each.run(wire)
        for name in ("id_token", "refresh", "access", "code", "secret"):
            if hasattr(each, name):
                bearers.append(getattr(each, name))
        if hasattr(each, "device"):
            bearers.append(each.device["token"])
            await wire.ask("GET", each.poll(), bearer=each.device["token"])
    for application in ("dev-app", "dev-native"):
        for path, fields in [
            ("/contoso/oauth2/v2.0/initiate", {"username": everyone[0].email, "challenge_type": "oob password redirect"}),
            ("/contoso/signup/v1.0/start", {"username": lives.address(), "challenge_type": "oob password redirect", "password": lives.PASSWORD}),
            ("/contoso/resetpassword/v1.0/start", {"username": everyone[0].email, "challenge_type": "oob redirect"}),
            ("/oauth/device/code", {"scope": "openid"}), ("/oauth/par", {"response_type": "code", "redirect_uri": lives.CALLBACK}),
        ]:
            answer = await wire.form(path, fields | {"client_id": application})
            if token := answer.json.get("continuation_token"):
                bearers.append(token)
                for more in ("oauth2/v2.0/challenge", "oauth2/v2.0/token", "signup/v1.0/challenge", "signup/v1.0/continue",
                             "resetpassword/v1.0/challenge", "resetpassword/v1.0/continue", "resetpassword/v1.0/submit"):
                    await wire.form(f"/contoso/{more}", {
                        "client_id": application, "continuation_token": token, "challenge_type": "oob redirect", "grant_type": "oob", "oob": "00000000",
                        "password": lives.PASSWORD, "new_password": lives.OTHER})
    operator = {"Cookie": "; ".join(f"{name}={value}" for name, value in browser.cookies.items())}
    document = (await wire.ask("GET", "/openapi.json")).json
    routes = json.load(open(trial.routes)) if trial.routes else (await wire.ask("GET", "/dev/routes.json")).json
    chance, made, known = random.Random(trial.seed), [], set()
    admin = ("Authorization", f"Bearer {server.administrator}")
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            known.add((method.upper(), path))
            content = operation.get("requestBody", {}).get("content", {})
            for kind, described in content.items() or [(None, {})]:
                for _ in range(3):
                    body = instance(described.get("schema", {}), chance) if kind else None
                    if kind == FORM and isinstance(body, dict):
                        body = [(name, value if isinstance(value, str) else json.dumps(value)) for name, value in body.items()]
                    bearer = admin if path.startswith("/admin/") else ("Authorization", f"Bearer {chance.choice(bearers)}")
                    made.append(Seed(method.upper(), path, [], [bearer], body, kind))
    listed = 0
    for route in routes.get("routes", []):
        # The clock is moved by another chapter.
        if route["method"] == "HEAD" or route["path"] == "/dev/clock":
            continue
        listed += 1
        has_body = route["method"] in ("POST", "PUT", "PATCH", "DELETE")
        session = ("Cookie", operator["Cookie"])
        for kind, body in [("application/json", {}), (FORM, [])] if has_body else [(None, None)]:
            made.append(Seed(route["method"], route["path"], [], [session, ("Sec-Fetch-Site", "same-origin")], body, kind))
            made.append(Seed(route["method"], route["path"], [], [admin], body, kind))
    wire.close()
    # Each route as often as each request of users, though these are fewer.
    sent = [seed for seed in sent if seed.path != "/dev/clock"]
    return made + [chance.choice(sent) for _ in range(len(made))], bearers, {"described": len(known), "routes": listed, "recorded": len(sent)}


async def mutations(trial):
    count = trial.size("requests", 20_000, 1_000_000)
    place = folder("mutations")
    files = ["-keyout", os.path.join(place, "key.pem"), "-out", os.path.join(place, "certificate.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj", "/CN=localhost",
                    *files], check=True, capture_output=True)
    plain = Server(trial.program, os.path.join(place, "plain"))
    secure = Server(trial.program, os.path.join(place, "secure"), "--tls-certificate", files[3], "--tls-key", files[1])
    seeds, bearers, found = await seeds_of(trial, plain)
    # The other server has users of its own, by TLS.
    others, their_bearers, _ = await seeds_of(trial, secure, tls=True)
    trial.say(f"seeds: {found}")
    if not found["routes"]:
        trial.say("this program has no /dev/routes.json, and --routes names no list: only what /openapi.json describes is tried")
    before = {server: (server.descriptors(), server.memory()) for server in (plain, secure)}
    shares = [("plain, HTTP/1.1", plain, seeds, bearers), ("TLS, HTTP/1.1", secure, others, their_bearers), ("TLS, HTTP/2", secure, others, their_bearers)]
    # Not by fork: an event loop runs here.
    context = multiprocessing.get_context("spawn")
    told, stop, pause, processes = context.Queue(), context.Event(), context.Event(), []

    async def follow():
        while True:
            pause.set() if trial.is_paused() else pause.clear()
            await asyncio.sleep(1)

    following = asyncio.create_task(follow())
    for wire, server, own, tokens in shares:
        process = context.Process(
            target=worker, args=(wire, server.port, own, tokens, trial.seed, count // 3, stop, pause, told), daemon=True)
        process.start()
        processes.append(process)
    done, ended, highest, reported, gone = 0, 0, {plain: 0, secure: 0}, 0, 0
    marks = {plain: [], secure: []}
    try:
        while ended < len(shares):
            try:
                wire, kind, what = await asyncio.to_thread(told.get, True, 5)
            except queue.Empty:
                kind = None
            if trial.is_over:
                stop.set()
            for server in (plain, secure):
                if not server.is_alive:
                    trial.fault(f"a server ended: {server.said()[-3000:]}")
                    return
            if kind == "done":
                done += what
                for server in (plain, secure):
                    highest[server] = max(highest[server], server.memory())
                    if done % (count // 10 // 500 * 500 or 500) == 0:
                        marks[server].append(server.memory())
                trial.progress(f"{done} of {count}, memory {plain.memory()} and {secure.memory()} MiB, {len(trial.faults)} faults")
            elif kind == "end":
                ended += 1
                trial.figure(**{wire: what})
            elif kind in ("fault", "gone"):
                gone += kind == "gone"
                reported += 1
                if reported <= 60:
                    trial.fault(f"{wire}: {what}")
    finally:
        following.cancel()
        for process in processes:
            process.kill()
    # Which of them the machine was busy with, beside the seconds of each kind of wire.
    used = {}
    for name, server in (("plain", plain), ("TLS", secure)):
        after = await server.settled(before[server][0] + 8)
        if after > before[server][0] + 8:
            trial.fault(f"{name}: {after} descriptors, {before[server][0]} before")
        seconds = server.processor()
        trial.judge_log(server)
        health = await Wire(plain.port).ask("GET", "/health/ready") if name == "plain" else None
        if health and health.status != 200:
            trial.fault(f"not ready afterwards: {health}")
        trial.figure(**{name: {
            "descriptors": [before[server][0], after], "memory MiB, before, each tenth, highest, after": [
                before[server][1], marks[server], highest[server], server.memory()]}})
        if server.terminate() != 0:
            trial.fault(f"{name}: the server does not end as it should")
        checked = subprocess.run([trial.program, "db", "check", "--dev", "--data", server.data], capture_output=True, text=True)
        if checked.returncode:
            trial.fault(f"{name}: db check: {checked.stdout}{checked.stderr}")
        used[f"{name} server"] = round(seconds, 1)
    trial.figure(faults=reported, seeds=found, **{"seconds of processors": used})
