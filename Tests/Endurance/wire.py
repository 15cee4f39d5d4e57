"""HTTP over sockets that can be told to do wrong: HTTP/1.1 and HTTP/2 (RFC 9112, RFC 9113), in plain text and in TLS.

Nothing is repeated and nothing is followed: what was sent once was sent once, and a redirect is an answer."""

import asyncio
import json
import ssl
import struct
import time
import urllib.parse

# Comes with firebase-admin, which is among the tests' requirements.
import hpack

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
FORM = "application/x-www-form-urlencoded"
# Seconds. The longest poll takes 55.
PATIENCE = 100
# Seconds for which a connection of HTTP/1.1 may lie untouched. Servers end those on which nothing comes (a handshake after ten, docs/configuration.md): on a
# machine that is too busy this program may not come to it for longer.
UNTOUCHED = 5


class Gone(Exception):
    """The connection ended before the answer was whole."""


class Answer:
    def __init__(self, status, headers, body, after):
        self.status, self.headers, self.body, self.after = status, headers, body, after

    def header(self, name):
        return next((value for key, value in self.headers if key == name), None)

    def values(self, name):
        return [value for key, value in self.headers if key == name]

    @property
    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return {}

    @property
    def is_away(self):
        """Whether it tells the client to come again later."""
        return self.status == 503 and self.header("retry-after") is not None

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


def trusting(protocol=None):
    """A context that takes any certificate: the server's is made for the test."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if protocol:
        context.set_alpn_protocols([protocol])
    return context


class HTTP1:
    """One connection, which carries one request at a time."""

    def __init__(self, port, tls=False, source=None):
        self.port, self.tls, self.source = port, tls, source
        self.reader = self.writer = None
        self.is_kept = False
        self.touched = 0

    async def open(self):
        more = {"local_addr": (self.source, 0)} if self.source else {}
        if self.tls:
            more |= {"ssl": trusting("http/1.1"), "server_hostname": "localhost"}
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20, **more)
        self.is_kept = True

    def close(self):
        self.is_kept = False
        if self.writer:
            self.writer.transport.abort()

    async def send(self, request, method="GET"):
        """The answer to bytes that are a request."""
        try:
            for _ in range(5):
                if time.monotonic() - self.touched > UNTOUCHED:
                    self.close()
                if not self.is_kept:
                    self.touched = time.monotonic()
                    await self.open()
                if time.monotonic() - self.touched <= UNTOUCHED:
                    break
            began = time.monotonic()
            self.writer.write(request)
            # Without a task of its own, as `wait_for` makes one.
            async with asyncio.timeout(PATIENCE):
                answer = await self._answer(method, began)
            self.touched = time.monotonic()
            return answer
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError, ValueError) as error:
            self.close()
            raise Gone(f"{type(error).__name__}: {error}") from error
        except asyncio.CancelledError:
            self.close()
            raise

    async def _answer(self, method, began):
        status = 100
        while 100 <= status < 200:
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            status = int(head[0].split(" ", 2)[1])
        headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in head[1:] if line)]
        fields = dict(headers)
        body = b""
        if method != "HEAD" and status not in (204, 304):
            if "chunked" in fields.get("transfer-encoding", ""):
                parts = []
                while size := int(await self.reader.readline(), 16):
                    parts.append((await self.reader.readexactly(size + 2))[:-2])
                await self.reader.readline()
                body = b"".join(parts)
            elif "content-length" in fields:
                body = await self.reader.readexactly(int(fields["content-length"]))
            else:
                body = await self.reader.read()
                self.is_kept = False
        if fields.get("connection", "").lower() == "close":
            self.close()
        return Answer(status, headers, body, time.monotonic() - began)


def request_bytes(method, target, headers, body):
    lines = [f"{method} {target} HTTP/1.1"] + [f"{name}: {value}" for name, value in headers]
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body


class HTTP2:
    """One connection in TLS, with as many requests at a time as the caller likes."""

    # What the server takes of header fields (SETTINGS_MAX_HEADER_LIST_SIZE), once it has said so.
    longest = None

    def __init__(self, port, is_single=False):
        self.port = port
        self.is_kept = False
        self.is_single = is_single

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection(
            "127.0.0.1", self.port, ssl=trusting("h2"), server_hostname="localhost", limit=1 << 20)
        self.decoder = hpack.Decoder()
        self.next, self.streams = 1, {}
        self.window, self.first_window, self.widened = 65535, 65535, asyncio.Event()
        # Windows for all that comes, so that only bodies that are sent wait.
        settings = struct.pack(">HIHI", 4, 1 << 30, 2, 0)
        self.writer.write(PREFACE + self.frame(4, 0, 0, settings) + self.frame(8, 0, 0, struct.pack(">I", 1 << 30)))
        self.is_kept = True
        self.reading = asyncio.create_task(self._read())

    @staticmethod
    def frame(kind, flags, stream, payload=b""):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    def close(self):
        self.is_kept = False
        if getattr(self, "writer", None):
            self.writer.transport.abort()
        if getattr(self, "reading", None):
            self.reading.cancel()

    @staticmethod
    def fields(headers):
        """Literals that enter no table (RFC 7541, section 6.2.2), without Huffman's code."""
        block = bytearray()
        for pair in headers:
            block.append(0)
            for text in pair:
                data = text.encode("utf-8", "surrogateescape")
                if len(data) < 127:
                    block.append(len(data))
                else:
                    block.append(127)
                    rest = len(data) - 127
                    while rest > 127:
                        block.append(rest % 128 + 128)
                        rest //= 128
                    block.append(rest)
                block += data
        return bytes(block)

    async def send(self, headers, body=b"", raw=None):
        """The answer to a list of header fields and a body. Bytes that are given raw go out right after the fields."""
        if not self.is_kept:
            try:
                await self.open()
            except OSError as error:
                raise Gone(str(error)) from error
        size = sum(len(name.encode("utf-8", "surrogateescape")) + len(value.encode("utf-8", "surrogateescape")) + 32 for name, value in headers)
        if HTTP2.longest and size > HTTP2.longest and not self.is_single:
            return await self._send_too_much(headers, body, raw)
        stream, self.next = self.next, self.next + 2
        waiting = asyncio.get_running_loop().create_future()
        state = self.streams[stream] = {"answer": waiting, "headers": [], "body": [], "window": self.first_window, "block": b"",
                                        "began": time.monotonic()}
        block = self.fields(headers)
        parts = [block[start:start + 16384] for start in range(0, len(block), 16384)] or [b""]
        self.writer.write(self.frame(1, (4 if len(parts) == 1 else 0) | (0 if body else 1), stream, parts[0]))
        for number, part in enumerate(parts[1:], 2):
            self.writer.write(self.frame(9, 4 if number == len(parts) else 0, stream, part))
        if raw:
            self.writer.write(raw)
        start = 0
        try:
            async with asyncio.timeout(PATIENCE):
                while body and start < len(body) and not waiting.done():
                    room = min(self.window, state["window"], 16384, len(body) - start)
                    if room <= 0:
                        self.widened.clear()
                        wider = asyncio.ensure_future(self.widened.wait())
                        await asyncio.wait({waiting, wider}, return_when=asyncio.FIRST_COMPLETED)
                        wider.cancel()
                        continue
                    part, start = body[start:start + room], start + room
                    self.window -= room
                    state["window"] -= room
                    self.writer.write(self.frame(0, 1 if start == len(body) else 0, stream, part))
                return await waiting
        except asyncio.TimeoutError as error:
            raise Gone("no answer in time") from error
        except (OSError, ConnectionError) as error:
            raise Gone(str(error)) from error
        finally:
            self.streams.pop(stream, None)
            if body and start < len(body) and self.is_kept:
                # Answered before its end: the stream is open still, and counts among the hundred (RFC 9113, section 8.1).
                self.writer.write(self.frame(3, 0, stream, struct.pack(">I", 8)))

    async def _send_too_much(self, headers, body, raw):
        """Fields beyond what the server says it takes end a connection, so they have one of their own (RFC 9113, section 10.5.1)."""
        alone = HTTP2(self.port, is_single=True)
        try:
            return await alone.send(headers, body, raw)
        except Gone as gone:
            # For the list of fields (COMPRESSION_ERROR), or for its bytes (PROTOCOL_ERROR).
            if not str(gone).startswith(("GOAWAY 9", "GOAWAY 1 ")):
                raise
            return Answer(431, [], b"", 0)
        finally:
            alone.close()

    async def _read(self):
        reason = "the connection ended"
        try:
            while True:
                head = await self.reader.readexactly(9)
                length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
                stream = int.from_bytes(head[5:], "big") & 0x7FFFFFFF
                payload = await self.reader.readexactly(length) if length else b""
                state = self.streams.get(stream)
                if kind == 4 and not flags & 1:
                    for place in range(0, len(payload), 6):
                        name, value = struct.unpack(">HI", payload[place:place + 6])
                        if name == 4:
                            for each in self.streams.values():
                                each["window"] += value - self.first_window
                            self.first_window = value
                        elif name == 6:
                            HTTP2.longest = value
                    self.writer.write(self.frame(4, 1, 0))
                    self.widened.set()
                elif kind == 6 and not flags & 1:
                    self.writer.write(self.frame(6, 1, 0, payload))
                elif kind == 7:
                    # What is under way is answered still; the next request needs another connection.
                    self.is_kept = False
                    reason = f"GOAWAY {int.from_bytes(payload[4:8], 'big')}"
                    last = int.from_bytes(payload[:4], "big") & 0x7FFFFFFF
                    for number, each in list(self.streams.items()):
                        if number > last and not each["answer"].done():
                            each["answer"].set_exception(Gone(reason))
                elif kind == 8:
                    more = int.from_bytes(payload, "big")
                    if stream == 0:
                        self.window += more
                    elif state:
                        state["window"] += more
                    self.widened.set()
                elif kind in (1, 9):
                    if kind == 1 and flags & 8:
                        payload = payload[1:len(payload) - payload[0]]
                    block = (state["block"] if state else b"") + payload
                    if flags & 4:
                        # Decoded also where the request was given up: the table is the connection's.
                        fields = self.decoder.decode(block)
                        if state:
                            state["headers"] += fields
                            state["block"] = b""
                    elif state:
                        state["block"] = block
                    if state and flags & 1:
                        self._end(state)
                    elif state:
                        state["ends"] = bool(flags & 1)
                elif kind == 0 and state:
                    state["body"].append(payload)
                    if payload:
                        self.writer.write(self.frame(8, 0, 0, struct.pack(">I", len(payload))))
                    if flags & 1:
                        self._end(state)
                elif kind == 3 and state and not state["answer"].done():
                    state["answer"].set_exception(Gone(f"RST_STREAM {int.from_bytes(payload, 'big')}"))
        except (OSError, asyncio.IncompleteReadError, hpack.HPACKError) as error:
            reason = f"{reason} ({type(error).__name__})"
        finally:
            self.is_kept = False
            for state in self.streams.values():
                if not state["answer"].done():
                    state["answer"].set_exception(Gone(reason))

    @staticmethod
    def _end(state):
        status = next((int(value) for name, value in state["headers"] if name == ":status" and int(value) >= 200), 0)
        if not state["answer"].done():
            state["answer"].set_result(Answer(
                status, state["headers"], b"".join(state["body"]), time.monotonic() - state["began"]))


class Wire:
    """Requests of a well-behaved client to one server, over connections that are kept."""

    def __init__(self, port, tls=False, host=None, record=None):
        self.port, self.tls, self.host = port, tls, host or f"127.0.0.1:{port}"
        self.free, self.record = [], record
        self.answered = 0
        self.slowest = 0

    async def ask(self, method, target, body=None, form=None, bearer=None, headers=()):
        """The answer, once. A body is sent as JSON.

        Raises: Gone."""
        fields = [("Host", self.host)] + list(headers)
        data = b""
        if body is not None:
            data = json.dumps(body).encode()
            fields.append(("Content-Type", "application/json"))
        elif form is not None:
            data = urllib.parse.urlencode(form).encode()
            fields.append(("Content-Type", FORM))
        if bearer:
            fields.append(("Authorization", bearer if " " in bearer else f"Bearer {bearer}"))
        if data or method in ("POST", "PUT", "PATCH"):
            fields.append(("Content-Length", str(len(data))))
        if self.record is not None:
            self.record(method, target, fields[1:], data)
        connection = self.free.pop() if self.free else HTTP1(self.port, self.tls)
        answer = await connection.send(request_bytes(method, target, fields, data), method)
        self.answered += 1
        self.slowest = max(self.slowest, answer.after)
        if connection.is_kept:
            self.free.append(connection)
        return answer

    async def post(self, path, body, bearer=None):
        return await self.ask("POST", path, body=body, bearer=bearer)

    async def form(self, path, fields, headers=()):
        return await self.ask("POST", path, form=fields, headers=headers)

    def close(self):
        for connection in self.free:
            connection.close()
        self.free = []


class Patient:
    """The same of a client that comes again where a server tells it to, for as long as a machine may be too busy. For what may be asked twice."""

    def __init__(self, wire, seconds=60):
        self.wire, self.seconds = wire, seconds

    @property
    def host(self):
        return self.wire.host

    async def ask(self, *arguments, **options):
        end = time.monotonic() + self.seconds
        while (answer := await self.wire.ask(*arguments, **options)).is_away and time.monotonic() < end:
            await asyncio.sleep(1)
        return answer

    post, form = Wire.post, Wire.form


class Several:
    """The same of several servers, by turns. One that does not answer is asked no more while another does."""

    def __init__(self, wires):
        self.wires, self.turn = list(wires), 0

    @property
    def host(self):
        return self.wires[0].host

    async def ask(self, *arguments, **options):
        self.turn += 1
        return await self.wires[self.turn % len(self.wires)].ask(*arguments, **options)

    post, form = Wire.post, Wire.form
