"""The Model Context Protocol's own client, given nothing but the address of a server that asks for tokens (Examples/mcp-service).

It finds this server, makes itself known to it (once by registering, once by a document of its own), has its user sign in, calls a
tool, and comes back for more where a tool asks for more.
"""

import asyncio
import contextlib
import http.server
import json
import os
import queue
import ssl
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from context import PATIENCE, browser, callback, expect, fresh_user, quiet_port, server, step, stop, totp

# Beside the server's data: what it trusts for documents of clients, and the key for that.
CERTIFICATE, KEY = f"{server.data}.certificate.pem", f"{server.data}.key.pem"


class Tools:
    """Examples/mcp-service in a process of its own."""

    def __enter__(self):
        # Another program may take the port before this one does.
        for _ in range(5):
            if self._serves(quiet_port()):
                return self
        raise AssertionError("mcp-service ended")

    def _serves(self, port):
        self.url = f"http://127.0.0.1:{port}/mcp"
        self._process = subprocess.Popen(
            [os.path.join(os.path.dirname(server.executable), "mcp-service")],
            env={**os.environ, "PORT": str(port), "COUNTERSIGN_URL": server.base, "RESOURCE": self.url},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while self._process.poll() is None:
            try:
                urllib.request.urlopen(self.url, timeout=PATIENCE)
            except urllib.error.HTTPError:
                return True
            except OSError:
                threading.Event().wait(0.05)
        return False

    def __exit__(self, *_):
        stop(self._process)


class Document:
    """A site with certificate on which a client publishes what it is."""

    def __enter__(self):
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                site.requests += 1
                body = json.dumps(site.content).encode()
                self.send_response(200 if self.path == "/client.json" else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.requests = 0
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE, KEY)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"https://localhost:{self._server.server_port}/client.json"
        self.content = {
            "client_id": self.url, "client_name": "Notes by document", "redirect_uris": [callback.uri],
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "token_endpoint_auth_method": "none"}
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


class Storage:
    """What the client keeps: nothing at first."""

    tokens = information = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.information

    async def set_client_info(self, information):
        self.information = information


class Connection:
    """The client on a thread of its own, so that this one is free for its user's browser."""

    def __init__(self, url, person, email, document=None):
        self.storage, self.authorizations = Storage(), []
        self._person, self._email = person, email
        self._orders, self._events = queue.Queue(), queue.Queue()
        self._answers = queue.Queue()
        self._challenge = None
        metadata = OAuthClientMetadata(
            client_name="Notes by registration", redirect_uris=[callback.uri], token_endpoint_auth_method="none")
        self._provider = OAuthClientProvider(
            url, metadata, self.storage, redirect_handler=self._redirect, callback_handler=self._answered,
            client_metadata_url=document)
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run(url)), daemon=True)
        self._thread.start()
        self._wait()

    async def _run(self, url):
        try:
            async with httpx2.AsyncClient(
                    auth=self._provider, timeout=PATIENCE, event_hooks={"response": [self._heard]}) as http_client:
                async with Client(streamable_http_client(url, http_client=http_client)) as client:
                    self._events.put(("done", client.server_info and client.server_info.name))
                    while (order := await asyncio.to_thread(self._orders.get)) is not None:
                        try:
                            result = await client.call_tool(*order)
                            self._events.put(("done", [block.text for block in result.content]))
                        except Exception as error:  # noqa: BLE001 – for the other thread.
                            self._events.put(("failed", error))
        except BaseException as error:  # noqa: BLE001
            self._events.put(("failed", error))

    async def _heard(self, response):
        """What an application does with RFC 9470: it asks for what a server says is missing."""
        challenge = response.headers.get("www-authenticate", "")
        if "insufficient_user_authentication" in challenge:
            self._challenge = challenge.split('acr_values="')[1].split('"')[0]

    async def _redirect(self, address):
        if self._challenge:
            address += f"&acr_values={self._challenge}"
            self._challenge = None
        self._events.put(("open", address))

    async def _answered(self):
        values = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(await asyncio.to_thread(self._answers.get)).query))
        expect("code" in values, values)
        return AuthorizationCodeResult(code=values["code"], state=values["state"], iss=values["iss"])

    def _wait(self):
        """What came of an order; meanwhile its user does what is asked in the browser."""
        while True:
            kind, value = self._events.get(timeout=PATIENCE)
            if kind == "failed":
                raise AssertionError("the client failed") from value
            if kind == "done":
                return value
            self.authorizations.append(dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(value).query)))
            self._answers.put(self.sign_in(value))

    def sign_in(self, address):
        person = self._person
        person.tab.goto(address)
        if person.kind == "sign-in":
            person.sign_in(self._email)
        if person.kind == "code":
            # The code of the present half minute enrolled it.
            person.type(code=totp(self.secret, server.now() + 30))
        expect(person.kind == "consent", person.kind, person.text)
        self.asked = person.text
        person.press("button[value=allow]")
        return person.tab.url

    def call(self, tool, **arguments):
        self._orders.put((tool, arguments))
        return self._wait()

    def close(self):
        self._orders.put(None)
        self._thread.join(PATIENCE)
        expect(not self._thread.is_alive(), "the client does not end")


@contextlib.contextmanager
def tools():
    """The server of tools, as an API of this one that applications may ask for which no administrator registered."""
    with Tools() as service:
        server.run("resource", "add", service.url, "--scopes", "notes:read notes:write")
        server.run("config", "set", "oauth.registrationResources", service.url)
        try:
            yield service
        finally:
            server.run("resource", "remove", service.url)


def use(service, document=None):
    """Signs in, and calls each tool."""
    email, made = fresh_user()
    person = browser.person(server.base)
    connection = Connection(service.url, person, email, document)
    # One sign-in, for what the first message asked for.
    expect(len(connection.authorizations) == 1, connection.authorizations)
    first = connection.authorizations[0]
    expect(first["resource"] == service.url and first["scope"].split()[0] == "notes:read", first)
    expect(connection.call("read_notes") == [""])
    expect(len(connection.authorizations) == 1, "a call asked for a sign-in")
    # A tool that wants more scope: the client asks for it beside what it has.
    expect(connection.call("write_note", text="Buy milk") == ["Written."])
    expect(len(connection.authorizations) == 2, connection.authorizations)
    expect({"notes:read", "notes:write"} <= set(connection.authorizations[1]["scope"].split()), connection.authorizations)
    expect(connection.call("read_notes") == ["Buy milk"])
    # A tool that wants a second factor, which is asked for beside the session that there is.
    connection.secret = server.authenticator(made)
    expect(connection.call("delete_notes") == ["Deleted."])
    expect(connection.authorizations[2]["acr_values"] == "aal2", connection.authorizations)
    expect(connection.call("read_notes") == [""])
    return connection, person, first


@step("An MCP client registers, signs its user in, calls tools, and comes back for more scope and a second factor")
def registered():
    server.run("config", "set", "oauth.registration", "open", "--yes")
    with tools() as service:
        # The client registers the scopes that the first answer named (RFC 7591, section 2); for another its user is asked.
        connection, person, first = use(service)
        expect(not first["client_id"].startswith("https://"), first)
        shown = json.loads(server.run("app", "show", first["client_id"], "--json"))["application"]
        expect("notes:write" not in shown["scopes"], shown)
        connection.close()
        person.close()
    server.run("config", "set", "oauth.registration", "off")


@step("An MCP client that publishes a document is known by its address, and its host is shown")
def by_document():
    server.run("config", "set", "oauth.clientDocuments", "any", "--yes")
    with Document() as document, tools() as service:
        connection, person, first = use(service, document.url)
        expect(first["client_id"] == document.url, first)
        expect("Notes by document" in connection.asked, connection.asked)
        expect(urllib.parse.urlsplit(document.url).netloc in connection.asked, connection.asked)
        expect(document.requests == 1, document.requests)
        # What the operator blocks ends at once.
        server.run("app", "document", "block", document.url)
        listed = json.loads(server.run("app", "document", "list", "--json"))
        expect([d["isAdmitted"] for d in listed["documents"] if d["id"] == document.url] == [False], listed)
        status, _ = server.ask(f"/authorize?{urllib.parse.urlencode(first)}")
        expect(status == 400, status)
        connection.close()
        person.close()
    server.run("config", "set", "oauth.clientDocuments", "off")
