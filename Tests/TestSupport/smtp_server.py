"""A mail server for tests: aiosmtpd, which says on standard output where it listens and then, for each mail, a line of
JSON with what Python's email module makes of it.

The recipient decides what becomes of a mail: "r550@…" is refused so at RCPT, "d554@…" after the text, "b451@…" the first
time only.
"""
import argparse
import asyncio
import email
import email.policy
import json
import os
import ssl
import sys
import threading

from aiosmtpd.smtp import SMTP, AuthResult

arguments = argparse.ArgumentParser()
arguments.add_argument("--port", type=int, default=0)
arguments.add_argument("--certificate")
arguments.add_argument("--key")
arguments.add_argument("--tls", choices=["none", "starttls", "implicit"], default="none")
arguments.add_argument("--user")
arguments.add_argument("--password")
options = arguments.parse_args()


def say(value):
    print(json.dumps(value), flush=True)


def part(message, kind):
    found = message.get_body((kind,))
    return found.get_content().replace("\r\n", "\n") if found else None


class Handler:
    def __init__(self):
        self.seen = set()

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        local = address.split("@")[0]
        if local.startswith("r") and local[1:].isdigit():
            return f"{local[1:]} not this one"
        if local.startswith("b") and local[1:].isdigit() and address not in self.seen:
            self.seen.add(address)
            return f"{local[1:]} come back later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        local = envelope.rcpt_tos[0].split("@")[0]
        if local.startswith("d") and local[1:].isdigit():
            return f"{local[1:]} not like this"
        message = email.message_from_bytes(envelope.original_content, policy=email.policy.default)
        say({
            "from": envelope.mail_from, "to": envelope.rcpt_tos, "isEncrypted": server.transport.get_extra_info("ssl_object") is not None,
            "isAuthenticated": bool(session.authenticated), "subject": message["subject"],
            "headers": [[name, str(value)] for name, value in message.items()],
            "type": message.get_content_type(), "defects": [repr(defect) for defect in message.defects],
            "text": part(message, "plain"), "html": part(message, "html"),
            "longestLine": max(len(line) for line in envelope.original_content.split(b"\r\n")),
            "bareLineFeeds": envelope.original_content.replace(b"\r\n", b"").count(b"\n"),
            "isASCII": all(byte < 128 for byte in envelope.original_content),
        })
        return "250 taken"


def authenticate(server, session, envelope, mechanism, data):
    known = data.login.decode() == options.user and data.password.decode() == options.password
    # What is not handled here is refused with 535.
    return AuthResult(success=known, handled=known)


async def main():
    handler = Handler()
    context = None
    if options.certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(options.certificate, options.key)
    starttls = options.tls == "starttls"

    def make():
        return SMTP(
            handler, hostname="mail.test", tls_context=context if starttls else None, require_starttls=starttls,
            auth_required=options.user is not None, auth_require_tls=starttls,
            authenticator=authenticate if options.user else None)

    implicit = context if options.tls == "implicit" else None
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", options.port, ssl=implicit)
    say({"port": server.sockets[0].getsockname()[1]})
    await server.serve_forever()


def end_with_the_test():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_the_test, daemon=True).start()
asyncio.run(main())
