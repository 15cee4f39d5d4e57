"""Holds connections of every unpleasant kind open, from many addresses of loopback, and asks for /health/live meanwhile.

connections.py PORT --count 400 --hold 20 [--tls] [--again]
    prints {"tried", "closed", "probes", "answered", "atTheEnd"} as JSON.
connections.py PORT --kept FILE [--tls]
    holds connections that wait for nothing, makes FILE when they are there, prints {"closedAfter"} when the server closed all.
"""
import argparse, asyncio, json, ssl, time

REQUEST = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"


def context(protocol=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if protocol:
        context.set_alpn_protocols([protocol])
    return context


async def connect(port, source, tls=None):
    more = {"ssl": tls, "server_hostname": "localhost", "ssl_handshake_timeout": 600} if tls else {}
    return await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0), **more)


async def drip(writer, text, pause=1.0):
    for byte in text:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(pause)


async def silent(writer): pass
async def half_head(writer): writer.write(REQUEST[:12])
async def dripping_head(writer): await drip(writer, REQUEST[:10] + b"x" * 10_000)
async def idle(writer): writer.write(REQUEST)


async def dripping_body(writer):
    writer.write(b"POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n")
    await drip(writer, b"x" * 60_000)


async def half_open(writer):
    writer.write(REQUEST[:12])
    writer.write_eof()


async def half_handshake(writer): writer.write(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
async def dripping_handshake(writer): await drip(writer, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 600)
async def idle_http2(writer): writer.write(PREFACE)

PLAIN = [(None, kind) for kind in (silent, half_head, dripping_head, idle, dripping_body, half_open)]
# Most never finish their handshake: those that do cost this program more than the server.
SECURE = [(None, silent), (None, half_handshake), (None, dripping_handshake), (None, silent)] + [
    ("http/1.1", kind) for kind in (silent, dripping_head, dripping_body)] + [("h2", idle_http2)]


async def attacker(port, number, tls, again, end, counts):
    kinds = SECURE if tls else PLAIN
    protocol, kind = kinds[number % len(kinds)]
    source = f"127.0.{1 + number // 200}.{1 + number % 200}"
    # Once in any case, however late the turn comes.
    while True:
        writer = None
        counts["tried"] += 1
        try:
            reader, writer = await connect(port, source, context(protocol) if protocol else None)
            doing = asyncio.create_task(kind(writer))
            try:
                while await reader.read(65536):
                    pass
                counts["closed"] += 1
            finally:
                doing.cancel()
        except (OSError, ssl.SSLError, asyncio.IncompleteReadError):
            counts["closed"] += 1
        finally:
            if writer:
                writer.transport.abort()
        if not again or time.monotonic() >= end:
            return
        await asyncio.sleep(0.05)


async def probe(port, tls, patience):
    async def ask():
        reader, writer = await connect(port, "127.0.0.2", context("http/1.1") if tls else None)
        writer.write(REQUEST.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        line = await reader.readline()
        writer.transport.abort()
        return line.startswith(b"HTTP/1.1 200")
    try:
        return await asyncio.wait_for(ask(), patience)
    except (OSError, ssl.SSLError, asyncio.TimeoutError):
        return False


async def soak(arguments):
    counts = {"tried": 0, "closed": 0, "probes": 0, "answered": 0}
    end = time.monotonic() + arguments.hold
    attackers = [
        asyncio.create_task(attacker(arguments.port, number, arguments.tls, arguments.again, end, counts))
        for number in range(arguments.count)]
    await asyncio.sleep(2)
    while time.monotonic() < end:
        counts["probes"] += 1
        if await probe(arguments.port, arguments.tls, max(1, end - time.monotonic())):
            counts["answered"] += 1
        await asyncio.sleep(0.5)
    for task in attackers:
        task.cancel()
    await asyncio.gather(*attackers, return_exceptions=True)
    # The server may not have seen yet that they are gone.
    end = time.monotonic() + 300
    counts["atTheEnd"] = False
    while not counts["atTheEnd"] and time.monotonic() < end:
        counts["atTheEnd"] = await probe(arguments.port, arguments.tls, max(1, end - time.monotonic()))
        await asyncio.sleep(0.05)
    print(json.dumps(counts))


async def kept(arguments):
    kinds = [("h2", PREFACE), ("http/1.1", REQUEST), ("http/1.1", b"")] if arguments.tls else [
        (None, REQUEST), (None, b""), (None, REQUEST[:12])]
    held = []
    for protocol, text in kinds:
        reader, writer = await connect(arguments.port, "127.0.0.1", context(protocol) if protocol else None)
        writer.write(text)
        await writer.drain()
        held.append((reader, writer))
    await asyncio.sleep(0.5)
    open(arguments.kept, "w").close()
    begin = time.monotonic()

    async def ended(reader):
        try:
            while await reader.read(65536):
                pass
        except (OSError, ssl.SSLError):
            pass
    await asyncio.gather(*(ended(reader) for reader, _ in held))
    print(json.dumps({"closedAfter": time.monotonic() - begin}))


parser = argparse.ArgumentParser()
parser.add_argument("port", type=int)
parser.add_argument("--count", type=int, default=400)
parser.add_argument("--hold", type=float, default=20)
parser.add_argument("--tls", action="store_true")
parser.add_argument("--again", action="store_true")
parser.add_argument("--kept")
arguments = parser.parse_args()
asyncio.run(kept(arguments) if arguments.kept else soak(arguments))
