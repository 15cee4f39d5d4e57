"""Every place where a stranger's text comes to a page, in one walk: yields a name and an answer for each."""

import base64
import http.client
import json
import os
import secrets
import time

from cryptography.hazmat.primitives.asymmetric import ec

from browser import PASSWORD, PHONE, totp
from visitor import Visitor, encoded, header, query

CALLBACK = "http://127.0.0.1:9/callback"
CHALLENGE = {"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"}


class Places:
    """A server with what the walk needs: made once, named anew by each text."""

    # Whether the console is walked as well.
    console = False

    def __init__(self, server):
        self.server, self.base = server, server.base
        with open(os.path.join(server.data, "admin-token")) as file:
            self._admin = {"Authorization": f"Bearer {file.read().strip()}"}
        self._api = Visitor(self.base)
        for id, more in (
            ("named", {}),
            ("asking", {"isFirstParty": True, "attributes": [
                {"name": "city", "type": "string", "isRequired": True},
                {"name": "age", "type": "integer", "isRequired": True}]})):
            status, answer = self._administer("applications:add", {"id": id, "registration": {
                "displayName": "Named", "kind": "native", "redirectURIs": ["http://127.0.0.1/callback"],
                "scopes": ["openid", "email", "offline_access"],
                "grantTypes": ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"], **more}})
            assert status == 200, (status, answer)
        self._confirming, _ = self._signed_in(self._account())
        self._allow(self._confirming, self._confirming.get("/authorize", self._request("named")))
        self._desk = self._administrator()
        self._asked = None

    def _asked_for_data(self):
        """A visitor at the page that asks new users for their data, which takes any number of answers that are none.

        A sign-up ends after ten minutes, and its page says so when that is near; a walk on a slow machine takes longer."""
        if self._asked is None or time.monotonic() - self._asked_at > 120:
            email = f"{secrets.token_hex(4)}@example.com"
            self._asked, self._asked_at = Visitor(self.base), time.monotonic()
            page = self._asked.get("/authorize", self._request("asking", scope="openid", prompt="create"))
            page = self._asked.post(page, {"email": email})
            page = self._asked.post(page, {"code": self.server.code_mailed_to(email)})
            self._profile = self._asked.post(page, {"new_password": PASSWORD})
            self._profile.form("attribute_city")
        return self._asked, self._profile

    def _administrator(self):
        """A visitor who has opened the console as an owner."""
        email = f"{secrets.token_hex(4)}@example.com"
        secret = self.server.authenticator(self.server.account(email))
        self.server.run("admin", "grant", email, "owner")
        self.server.advance(31)
        visitor = Visitor(self.base)
        page = visitor.post(visitor.get("/console"), {"username": email})
        page = visitor.post(page, {"password": PASSWORD})
        page = visitor.post(page, {"code": totp(secret, self.server.now())})
        assert 'data-page="console"' in page.html, page.html
        return visitor

    def _account(self):
        email = f"{secrets.token_hex(4)}@example.com"
        return {"email": email, "id": self.server.account(email)["localId"]}

    def _administer(self, operation, body):
        return self._api.ask(f"/admin/v1/{operation}", body, self._admin)

    def _request(self, client, scope="openid email", **more):
        return {"response_type": "code", "client_id": client, "redirect_uri": CALLBACK, "scope": scope, **CHALLENGE, **more}

    def _signed_in(self, account, agent=None):
        """A visitor with the password given, and the page that follows."""
        visitor = Visitor(self.base, **({"agent": agent} if agent else {}))
        page = visitor.post(visitor.get("/sign-in"), {"username": account["email"]})
        return visitor, visitor.post(page, {"password": PASSWORD})

    def _allow(self, visitor, page):
        assert visitor.post(page, {"decision": "allow"}).status == 303, page.html

    # What programs name.

    def _authenticator(self, account, name):
        secret = base64.b32encode(secrets.token_bytes(20)).decode()
        return self._api.ask(
            f"/api/v2/users/auth0%7C{account['id']}/authentication-methods",
            {"type": "totp", "name": name, "totp_secret": secret}, self._admin)

    def _phone(self, account, name):
        key = ec.generate_private_key(ec.SECP256R1()).public_key().public_numbers()
        x, y = (base64.urlsafe_b64encode(n.to_bytes(32, "big")).rstrip(b"=").decode() for n in (key.x, key.y))
        status, made = self._api.ask(
            "/api/v2/guardian/enrollments/ticket", {"user_id": f"auth0|{account['id']}"}, self._admin)
        assert status in (200, 201), (status, made)
        return self._api.ask(
            "/appliance-mfa/api/enroll", {
                "identifier": PHONE, "name": name, "public_key": {"kty": "EC", "crv": "P-256", "x": x, "y": y},
                "push_credentials": {"service": "APNS", "token": "A0B1C2"}},
            {"Authorization": f"Ticket id=\"{made['ticket_id']}\""})

    def _device_code(self, agent):
        connection = http.client.HTTPConnection(self.base.removeprefix("http://"), timeout=300)
        body = query({"client_id": "named", "scope": "openid email"}).encode()
        connection.putrequest("POST", "/oauth/device/code")
        connection.putheader("User-Agent", agent)
        connection.putheader("Content-Type", "application/x-www-form-urlencoded")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer["user_code"]

    # The walk.

    def walk(self, text):
        """Names and answers. An answer without a page is one of an API: it may refuse a name, and must not fail."""
        yield from self._fields(text)
        yield from self._addresses(text)
        yield from self._names(text)
        if self.console:
            yield from self._console(text)

    def _fields(self, text):
        """Each field of each page, where nothing has to be right before."""
        for path, field in (("/sign-in", "username"), ("/sign-up", "email"), ("/forgot", "email")):
            visitor = Visitor(self.base)
            yield f"{path} typed", visitor.post(visitor.get(path), {field: text})
        # What is counted for a user is typed for a new one.
        account = self._account()
        visitor = Visitor(self.base)
        page = visitor.post(visitor.get("/sign-in"), {"username": account["email"]})
        yield "password typed", visitor.post(page, {"password": text})
        mailed = f"{secrets.token_hex(4)}@example.com"
        self.server.account_without_password(mailed)
        visitor = Visitor(self.base)
        page = visitor.post(visitor.get("/sign-in"), {"username": mailed})
        yield "mailed code typed", visitor.post(page, {"code": text})
        visitor, page = self._asked_for_data()
        yield "profile typed", visitor.post(page, {"attribute_city": text, "attribute_age": "young"})
        visitor, page = self._signed_in(account)
        yield "device's code typed", visitor.post(visitor.get("/activate"), {"user_code": text})
        yield "session that is none", visitor.send(
            "POST", "/account/sessions", query({"csrf": text, "session": text}).encode(),
            "application/x-www-form-urlencoded")
        yield "logout said", visitor.get("/sign-out", {"logout": text})

    def twice(self, text):
        """Requests that say something twice. Their page names the parameter, as the page for one with a zero byte does."""
        for place, fields, name in (
                ("client said", self._request(text, state=text), "client_id"),
                ("redirect said", {**self._request("named"), "redirect_uri": text}, "redirect_uri")):
            yield place, Visitor(self.base).get(f"/authorize?{query(fields)}&{query({name: text})}")

    def valid(self):
        """Where a text that is an e-mail address, another address, a value or part of a name leads on: some are."""
        visitor = Visitor(self.base)
        # For an address that nobody has, the server plays an account with a password or one without: the same each time for one address.
        for path, field, times in (("/sign-in", "username", 24), ("/sign-up", "email", 1), ("/forgot", "email", 1)):
            for _ in range(times):
                yield f"{path} typed", visitor.post(visitor.get(path), {field: f"{secrets.token_hex(4)}@example.com"})
        for value in ("https://example.com/", "null"):
            yield "console's settings/terms.url asked for value", self._desk.get("/console/settings/terms.url", {"value": value})
        for part in ("a", ".", "/", "no", "true", "null"):
            yield "console's settings asked for q", self._desk.get("/console/settings", {"q": part})
        # An empty list, and more lines than a page tells of.
        for lines in ("[]", "line\n" * 400):
            yield "console's users-import typed", self._desk.post(self._desk.get("/console/users-import"), {"lines": lines})

    def blank(self):
        """Where a text of spaces alone is none: an import of blank lines has no line that is refused."""
        yield "console's users-import typed", self._desk.post(self._desk.get("/console/users-import"), {"lines": " "})

    def _addresses(self, text):
        """What addresses say."""
        anyone = Visitor(self.base)
        yield "login_hint said", Visitor(self.base).get(
            "/authorize", self._request("dev-web", login_hint=text, ui_locales=text, state="s", display=text))
        yield "client said", anyone.get("/authorize", self._request(text, state=text))
        yield "redirect said", anyone.get("/authorize", {**self._request("named"), "redirect_uri": text})
        yield "path said", anyone.get(f"/{encoded(text)}")
        yield "attempt said", anyone.get("/sign-in/password", {"attempt": text, "flow": text, "lang": text})
        yield "mailed link said", anyone.get(
            "/auth/action", {"mode": "resetPassword", "oobCode": text, "continueUrl": text, "lang": text})
        yield "end of mailed link said", anyone.get("/auth/action/done", {"mode": "verifyEmail", "continueUrl": text})
        yield "invitation said", anyone.get("/guardian/enroll", {"ticket": text, "enrollment": text, "method": text})
        yield "signed out said", anyone.get("/signed-out", {"logout": text})
        yield "logout of application said", anyone.get(
            "/oidc/logout", {"client_id": "named", "post_logout_redirect_uri": text, "state": text, "id_token_hint": text})
        yield "decision said", anyone.get("/activate/done", {"decision": text})

    def _names(self, text):
        """What a program calls an application, an authenticator, a device, a browser."""
        status, answer = self._administer("applications:set", {"id": "named", "registration": {"displayName": text}})
        yield "application named", (status, answer)
        yield "application noted", self._administer("applications:set", {"id": "named", "registration": {"ownerNote": text}})
        # An account of each text's own: pages that tell of the past have one past for all.
        visitor, page = self._signed_in(self._account(), agent=header(text))
        yield "account named", page
        page = visitor.get("/authorize", self._request("named", prompt="consent"))
        yield "consent named", page
        self._allow(visitor, page)
        for part in ("sessions", "applications", "activity", "security", "profile", "data", "delete"):
            yield f"account's {part} named", visitor.get(f"/account/{part}")
        visitor.post(visitor.get("/sign-out"), {"decision": "this"})
        yield "sign-in named", Visitor(self.base).get("/authorize", self._request("named"))
        code = self._device_code(header(text))
        yield "device named", self._confirming.get("/activate", {"user_code": code})

        account = self._account()
        status, answer = self._authenticator(account, text)
        yield "authenticator named", (status, answer)
        if status < 300:
            yield "code named", self._signed_in(account)[1]
        status, answer = self._phone(account, text)
        yield "phone named", (status, answer)
        if status < 300:
            yield "choice named", self._signed_in(account)[1]
        account = self._account()
        if self._phone(account, text)[0] < 300:
            yield "push named", self._signed_in(account)[1]

    def _console(self, text):
        """Every page of the console that shows what people and administrators chose."""
        desk = self._desk
        for path, fields in (
                ("users", ["q", "filter", "after"]), ("log", ["user", "application", "source", "since", "after"]),
                ("settings", ["q"]), ("limits", ["after"]), ("groups", ["after"]), ("users-bulk", ["action"]),
                ("users-bulk/result", ["result", "mark"]), ("applications/named", ["uri"]), ("doctor", ["level"]),
                ("checks", ["status"]), ("users", ["done"]), ("settings/terms.url", ["value"])):
            for field in fields:
                yield f"console's {path} asked for {field}", desk.get(f"/console/{path}", {field: text})
        yield "console's path", desk.get(f"/console/{encoded(text)}")
        yield "console's user", desk.get(f"/console/users/{encoded(text)}")
        yield "console's group", desk.get(f"/console/groups/{encoded(text)}/remove")
        # Each is refused, and shows what was typed.
        for path, fields in (
                ("users-add", {"email": f"{text} no address", "display_name": text}),
                ("users-invite", {"email": f"{text} no address"}),
                ("groups-add", {"group": f"{text} !", "summary": text}), ("tokens/add", {"label": text}),
                ("administrators/grant", {"user": f"{text} nobody"}),
                ("apis/put", {"uri": f"{text} no uri", "name": text}), ("hooks/add", {"url": f"{text} no url"}),
                ("hooks/add", {"url": "https://hooks.example.com/", "label": f"{text}\nin two lines"}),
                ("applications-add?kind=web", {"id": f"{text} !", "name": text, "redirects": text}),
                ("users-import", {"lines": text})):
            # A page without these fields has another form, which signs out.
            yield f"console's {path} typed", desk.post(desk.get(f"/console/{path}"), fields)
        yield from self._named_in_console(text)

    def _named_in_console(self, text):
        desk, account = self._desk, self._account()
        id = account["id"]
        self._signed_in(account, agent=header(text))
        # What refuses the text takes plain words, so that the pages have the same parts.
        for member in (lambda text: {"displayName": text}, lambda text: {"attributes": {"note": text}}, lambda text: {"claims": {"note": text}}):
            status, answer = self._administer("users:set", {"user": id, **member(text)})
            yield "user named", (status, answer)
            if status >= 300:
                self._administer("users:set", {"user": id, **member("Plain")})
        if self._authenticator(account, text)[0] >= 300:
            self._authenticator(account, "Plain")
        for part in ("", "/factors", "/sessions", "/applications", "/checks", "/log", "/data", "/edit", "/disable", "/delete", "/reset-mfa"):
            yield f"console's user{part} named", desk.get(f"/console/users/{id}{part}")
        yield "console's list named", desk.get("/console/users", {"q": id})
        page = desk.get(f"/console/users/{id}/edit")
        yield "console's user typed", desk.post(page, {"display_name": f"{text}\n", "attributes": text, "claims": text})
        # Attributes and claims that can be read have the command for them on the page; some texts are such.
        read = '{"plain":"words"}'
        yield "console's user typed", desk.post(page, {"display_name": f"{text}\n", "attributes": read, "claims": read})
        # What would change is shown, or why it is refused; the name is the text already.
        for typed in (f"New {text}", f"New {text}\n"):
            yield "console's user reviewed", desk.post(page, {"display_name": typed})
        self._administer("groups:remove", {"group": "named"})
        status, answer = self._administer("groups:add", {"group": "named", "summary": text[:200]})
        yield "group named", (status, answer)
        if status >= 300:
            self._administer("groups:add", {"group": "named", "summary": "Plain"})
        self._administer("groups:add-member", {"group": "named", "user": id})
        for path in ("groups", "groups/named", "groups/named/remove", f"groups/named/members/{id}/remove"):
            yield f"console's {path.replace(id, 'user')} named", desk.get(f"/console/{path}")
        status, made = self._administer("tokens:add", {"label": text, "scopes": ["users:read"], "lifetime": 3600})
        yield "token named", (status, made)
        if status < 300:
            yield "console's tokens named", desk.get("/console/tokens")
            yield "console's overview named", desk.get("/console")
            yield "console's token named", desk.get(f"/console/tokens/{made['token']['id']}/revoke")
            self._administer("tokens:revoke", {"id": made["token"]["id"]})
        status, made = self._administer("registration-tokens:add", {"label": text, "lifetime": 3600, "count": 1})
        yield "registration token named", (status, made)
        if status < 300:
            yield "console's registration tokens named", desk.get("/console/registrations-tokens")
            yield "console's registration token named", desk.get(f"/console/registrations-tokens/{made['token']['id']}/remove")
            self._administer("registration-tokens:remove", {"id": made["token"]["id"]})
        status, made = self._administer("hooks:add", {"url": "https://hooks.example.com/in", "events": ["*"], "label": text})
        yield "hook named", (status, made)
        if status < 300:
            yield "console's hooks named", desk.get("/console/hooks")
            self._administer("hooks:remove", {"id": made["hook"]["id"]})
        named = {"uri": "https://named.example.com", "scopes": ["read"]}
        yield "scope of API named", self._administer("resources:put", {**named, "scopeTexts": {"read": {"": text}}})
        yield "API named", self._administer("resources:put", {**named, "displayName": text})
        yield "console's form of API named", desk.get("/console/apis/put", {"uri": named["uri"]})
        for path in ("apis", "applications", "applications/named", "applications/named/settings", "applications/named/logo"):
            yield f"console's {path} named", desk.get(f"/console/{path}")

    def answers_with_state(self, text):
        """The redirect that carries an application's `state` back."""
        return Visitor(self.base).get(
            "/authorize", self._request("named", prompt="none", state=text), follow=False)
