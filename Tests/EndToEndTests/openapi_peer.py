"""PyPI openapi-spec-validator over the served `/openapi.json`, and every path of it called: what comes back is what it says.

Arguments: where a server of `serve --dev` is, and its administrator's token."""

import base64
import json
import re
import sys
import urllib.parse
import uuid

from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate
from pages import Person, exchange
from peer_steps import expect, run_steps, step

SERVER, ADMIN = sys.argv[1:3]
PASSWORD = "a long and quiet afternoon"
EMAIL = f"peer-{uuid.uuid4().hex[:8]}@example.org"
SCOPE = "openid offline_access account create:me:authentication_methods read:me:authentication_methods " \
    "delete:me:authentication_methods"

DOCUMENT = json.loads(exchange("GET", SERVER + "/openapi.json")[2])
CALLED = set()
DONE = set()


def whole(schema):
    """A schema with what its references stand for."""
    if isinstance(schema, list):
        return [whole(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return whole(DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    return {name: whole(value) for name, value in schema.items()}


def schema_of(content):
    schema = (content.get("application/json") or {}).get("schema")
    return None if schema is None else whole(schema)


def call(method, path, body=None, bearer=None, names=None, query="", basic=None):
    """Calls an operation, and holds its answer against its description."""
    operation = DOCUMENT["paths"][path][method]
    headers = {}
    if bearer:
        headers["Authorization"] = f"Bearer {bearer}"
    if basic:
        headers["Authorization"] = "Basic " + base64.b64encode(basic.encode()).decode()
    data = None
    if body is not None:
        kind = next(iter(operation["requestBody"]["content"]))
        headers["Content-Type"] = kind
        data = (json.dumps(body) if kind == "application/json" else urllib.parse.urlencode(body)).encode()
    real = re.sub(r"\{(\w+)\}", lambda found: urllib.parse.quote((names or {}).get(found[1], "none"), safe=""), path)
    status, answered, content = exchange(method.upper(), SERVER + real + query, data, headers)
    what = f"{method} {path}: {status} {content[:300]!r}"
    expect(status < 500, what)
    CALLED.add((method, path))
    response = operation["responses"].get(str(status), operation["responses"]["default"])
    if str(status) in operation["responses"]:
        DONE.add((method, path))
    else:
        expect(status >= 400, what, "is neither described nor a refusal")
    sent = schema_of(operation.get("requestBody", {}).get("content", {}))
    if sent is not None and body is not None and str(status) in operation["responses"]:
        faults = list(OAS31Validator(sent).iter_errors(body))
        expect(not faults, what, "was taken, and is not described", [fault.message for fault in faults[:3]])
    schema = schema_of(response.get("content", {}))
    if schema is None:
        return status, content
    expect("json" in (answered.get("Content-Type") or ""), what, answered.get("Content-Type"))
    value = json.loads(content)
    faults = list(OAS31Validator(schema).iter_errors(value))
    expect(not faults, what, [fault.message for fault in faults[:3]])
    return status, value


def administer(operation, **body):
    return call("post", f"/admin/v1/{operation}", body, ADMIN)


def done(outcome, *context):
    status, value = outcome
    expect(200 <= status < 300, status, value, *context)
    return value


@step("openapi-spec-validator finds no fault in the description")
def valid():
    validate(DOCUMENT)
    expect(DOCUMENT["openapi"] == "3.1.0" and len(DOCUMENT["paths"]) > 90, len(DOCUMENT["paths"]))


@step("Operations of administrators answer as they are described")
def administration():
    user = done(administer("users:add", email=EMAIL, password=PASSWORD, emailVerified=True))["user"]["id"]
    other = done(administer("users:add", email="other-" + EMAIL, generatesPassword=True))["user"]["id"]
    for listing in ["users", "applications", "administrators", "groups", "clients", "hooks", "tokens", "resources",
                    "keys", "extensions", "limits", "audit", "checks"]:
        done(administer(f"{listing}:list"))
    done(administer("users:search", text="peer-"))
    done(administer("users:names", ids=[user, other, "gone"]))
    done(administer("users:show", user=user))
    done(administer("clients:list-checks", user=user))
    done(administer("clients:list-open-checks", state="blocked"))
    done(administer("users:sessions", user=user))
    done(administer("users:data", user=user))
    done(administer("users:set-locale", user=user, locale="ja"))
    done(administer("users:set-locale", user=user))
    done(administer("users:set", user=user, displayName="Peer", attributes={"desk": 4}, claims={"plan": "pro"}))
    done(administer("users:bulk", action="end-sessions", users=[user, "none"]))
    done(administer("users:reset-password", user=other, method="link"))
    done(administer("users:disable", user=other))
    done(administer("users:enable", user=other))
    done(administer("users:end-sessions", user=other))
    done(administer("users:reset-mfa", user=other))
    done(administer("users:invite-to-enrol", user=user))
    done(administer("users:mail-confirmation", user=other))
    done(administer("users:invite", email="invited-" + EMAIL))
    done(administer("users:export", limit=2))
    done(administer("users:import", lines=[json.dumps({"email": "imported-" + EMAIL})], dryRun=True))
    administer("users:end-session", user=other, session="none")
    done(administer("users:applications", user=other))
    administer("users:revoke-application", user=other, application="none")
    administer("users:remove-factor", user=other, factor="none")
    done(administer("administrators:grant", user=user, role="owner"))
    done(administer("administrators:grant", user=other, role="support"))
    done(administer("administrators:revoke", user=other))
    done(administer("administrators:list"))
    administer("administrators:invite")
    group = "peers-" + uuid.uuid4().hex[:6]
    done(administer("groups:add", group=group, summary="Peers"))
    done(administer("groups:add-member", group=group, user=user))
    done(administer("groups:show", group=group))
    done(administer("groups:set", group=group, summary="Of this test"))
    done(administer("groups:list", user=user))
    done(administer("groups:remove-member", group=group, user=user))
    done(administer("groups:remove", group=group))
    application = done(administer("applications:add", registration={"displayName": "Peer"}))["application"]["id"]
    done(administer("applications:show", id=application))
    done(administer("applications:set", id=application, registration={
        "displayName": "Peer 2", "ownerNote": "Of the peer", "contacts": ["peer@example.com"]}))
    done(administer("applications:test-redirect", id=application, uri="https://app.example/"))
    done(administer("applications:set-logo", id=application))
    done(administer("applications:sessions", id=application, limit=2))
    done(administer("applications:ending-secrets", days=7))
    done(administer("applications:remove", id=application))
    initial = done(administer("registration-tokens:add", lifetime=3600, count=1, label="Peer"))
    done(administer("registration-tokens:list"))
    done(administer("settings:set", key="oauth.registration", value="token"))
    own = done(call("post", "/oidc/register", {"redirect_uris": ["https://app.example/callback"]}, initial["secret"]))
    done(administer("registrations:list", limit=1))
    done(administer("registrations:approve", id=own["client_id"]))
    path, names = "/oidc/register/{id}", {"id": own["client_id"]}
    done(call("get", path, None, own["registration_access_token"], names))
    changed = done(call("put", path, {"redirect_uris": ["https://app.example/callback"], "client_id": own["client_id"]},
                        own["registration_access_token"], names))
    done(call("delete", path, None, changed["registration_access_token"], names))
    done(administer("registration-tokens:remove", id=initial["token"]["id"]))
    done(administer("documents:list", limit=2))
    done(administer("documents:block", pattern="peer.example"))
    done(administer("documents:block", pattern="peer.example", lift=True))
    administer("documents:forget", id="https://peer.example/client.json")
    uri = "https://peer.example/" + uuid.uuid4().hex[:6]
    done(administer("resources:put", uri=uri, scopes=["read", "write"], scopeACRs={"write": "aal2"}))
    done(administer("resources:remove", uri=uri))
    hook = done(administer("hooks:add", url="https://hooks.example.org/events", events=["users"]))["hook"]["id"]
    done(administer("hooks:show", id=hook))
    made = done(administer("audit:search", kinds=["user.created"], limit=1))["events"]
    # Its service cannot be reached, which is an answer as well.
    done(administer("hooks:replay", id=hook, event=made[0]["id"]))
    done(administer("hooks:set", id=hook, label="Peer", isEnabled=False))
    done(administer("hooks:rotate-secret", id=hook))
    administer("hooks:test", id=hook)
    administer("hooks:replay", id=hook, event="none")
    done(administer("hooks:remove", id=hook))
    token = done(administer("tokens:add", scopes=["users:read"], lifetime=3600))
    done(call("post", "/admin/v1/users:list", {"limit": 1}, token["secret"]))
    expect(call("post", "/admin/v1/users:delete", {"user": other}, token["secret"])[0] == 403)
    done(administer("tokens:revoke", id=token["token"]["id"]))
    events = done(administer("audit:search", limit=3))["events"]
    done(administer("audit:show", id=events[0]["id"]))
    done(administer("audit:seals"))
    done(administer("audit:verify"))
    done(administer("settings:show"))
    done(administer("settings:start"))
    done(administer("settings:preview", key="passwords.minimumLength", value=10))
    done(administer("settings:set", key="passwords.minimumLength", value=10))
    done(administer("keys:rotate"))
    done(administer("delivery:show"))
    administer("delivery:retry", channel="mail")
    templates = done(administer("delivery:templates"))["templates"]
    done(administer("delivery:preview", template=templates[0]["name"], locale="de"))
    done(administer("delivery:test-mail", address=EMAIL))
    done(administer("doctor"))
    done(administer("figures:show"))
    administer("limits:lift", kind="none", subject="none")
    for operation, body in [("clients:show", {"client": "none"}), ("clients:remove", {"client": "none"}),
                            ("clients:unblock", {"client": "none", "check": "none"}),
                            ("clients:set-status", {"client": "none", "status": "active"}),
                            ("extensions:show", {"id": "none"}), ("extensions:check", {"id": "none"}),
                            ("extensions:remove", {"id": "none"}),
                            ("extensions:add", {"event": "none", "targetURL": "none"})]:
        expect(administer(operation, **body)[0] in (400, 404), operation)
    done(administer("users:delete", user=other))
    for path in DOCUMENT["paths"]:
        if path.startswith("/admin/v1/"):
            expect(call("post", path, {})[0] == 401, path, "without a token")
            expect(call("post", path, {"surplus": 1}, ADMIN)[0] == 400, path, "with a member that it does not know")


@step("The account's endpoints answer as they are described")
def account():
    tokens = Person(SERVER).tokens(EMAIL, PASSWORD, SCOPE)
    bearer = tokens["access_token"]

    def renewed(tokens):
        return done(call("post", "/oauth/token", {"grant_type": "refresh_token", "client_id": "dev-native",
                                                  "refresh_token": tokens["refresh_token"]}))

    def own(method, path, body=None, names=None, query=""):
        return call(method, "/account/v1" + path, body, bearer, names, query)

    done(own("get", "/profile"))
    done(own("patch", "/profile", {"displayName": "Ada", "locale": "de"}))
    for refused in [{"displayName": 1}, {"attributes": []}, {"attributes": {"nope": None}}, {"attributes": {"nope": 1}}]:
        status, value = own("patch", "/profile", refused)
        expect(status == 400 and "JSONValue" not in value["error"]["message"], refused, value)
    for query in ["?after=zzz", "?limit=201", "?limit=0", "?limit=x", "?kinds=factors"]:
        expect(own("get", "/activity", query=query)[0] == 400, query)
    factors = done(own("get", "/factors"))["factors"]
    expect([factor["kind"] for factor in factors] == ["password"], factors)
    done(own("post", "/factors", {"kind": "totp"}))
    done(own("post", "/factors", {"kind": "passkey"}))
    done(own("post", "/factors", {"kind": "push"}))
    expect(own("post", "/factors/verify", {"kind": "totp", "attempt": "none", "code": "000000"})[0] == 404)
    own("patch", "/factors/{id}", {"name": "Mine"})
    own("delete", "/factors/{id}")
    own("post", "/recovery-codes", {})
    begun = done(own("post", "/address", {"address": "new-" + EMAIL}))
    expect(own("post", "/address/verify", {"attempt": begun["attempt"], "code": "00000000"})[0] == 400)
    mails = json.loads(exchange("GET", SERVER + "/dev/inbox.json")[2])["messages"]
    text = [mail["text"] for mail in mails if mail["to"] == "new-" + EMAIL][-1]
    code = re.search(r"\b\d{8}\b", text)[0]
    done(own("post", "/address/verify", {"attempt": begun["attempt"], "code": code}))
    # The token names the time before the change; the session goes on.
    tokens = renewed(tokens)
    bearer = tokens["access_token"]
    done(own("get", "/sessions"))
    done(own("delete", "/sessions"))
    own("delete", "/sessions/{id}")
    done(own("get", "/applications"))
    own("delete", "/applications/{client}")
    events = done(own("get", "/activity", query="?limit=5"))["events"]
    expect(events, "the sign-in is not in the log")
    expect(own("post", "/activity/{id}/disown", {}, {"id": "none"})[0] == 404)
    done(own("get", "/data"))
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items() if path.startswith("/account/v1") else ():
            body = {} if "requestBody" in operation else None
            expect(call(method, path, body)[0] == 401, method, path, "without a token")
    done(own("post", "/password", {"password": "difference engine number two"}))
    expect(own("get", "/profile")[0] == 401, "the former password's token")
    # The session goes on.
    tokens = renewed(tokens)
    bearer = tokens["access_token"]
    done(own("delete", "/password"))
    bearer = renewed(tokens)["access_token"]
    done(own("post", "/activity/{id}/disown", {}, {"id": events[0]["id"]}))
    expect(own("post", "/deletion", {"address": "other@example.org"})[0] == 400)
    own("post", "/deletion", {"address": "new-" + EMAIL})


@step("OAuth's endpoints answer as they are described")
def oauth():
    email = "oauth-" + EMAIL
    done(administer("users:add", email=email, password=PASSWORD, emailVerified=True))
    tokens = Person(SERVER).tokens(email, PASSWORD, SCOPE)
    bearer = tokens["access_token"]
    site = "dev-web:dev-web-secret"
    for path in DOCUMENT["paths"]:
        if path.startswith("/.well-known/"):
            done(call("get", path))
    for method in ("get", "post"):
        done(call(method, "/userinfo", None, bearer))
        expect(call(method, "/userinfo")[0] == 401)
    done(call("post", "/oauth/token", {"grant_type": "refresh_token", "client_id": "dev-native",
                                       "refresh_token": tokens["refresh_token"]}))
    expect(call("post", "/oauth/token", {"grant_type": "none", "client_id": "dev-native"})[0] == 400)
    done(call("post", "/oauth/token", {"grant_type": "client_credentials", "scope": "api",
                                       "resource": "http://127.0.0.1/api"}, basic=site))
    done(call("post", "/oauth/introspect", {"token": bearer}, basic=site))
    done(call("post", "/oauth/introspect", {"token": "none"}, basic=site))
    done(call("post", "/oauth/device/code", {"client_id": "dev-native", "scope": "openid"}))
    challenge = {"code_challenge_method": "S256", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}
    done(call("post", "/oauth/par", {"client_id": "dev-web", "response_type": "code", "scope": "openid",
                                     "redirect_uri": "http://127.0.0.1/callback", **challenge}, basic=site))
    call("post", "/bc-authorize", {"client_id": "dev-native", "scope": "openid", "login_hint": "none"})
    call("post", "/passkey/challenge", {"client_id": "dev-native"})
    call("post", "/passkey/register", {"client_id": "dev-native"})
    done(call("get", "/me/v1/authentication-methods", None, bearer))
    call("post", "/me/v1/authentication-methods", {"type": "passkey"}, bearer)
    call("post", "/me/v1/authentication-methods/{id}/verify", {}, bearer)
    call("get", "/me/v1/authentication-methods/{id}", None, bearer)
    call("delete", "/me/v1/authentication-methods/{id}", None, bearer)
    request = {"client_id": "dev-native", "response_type": "code", "scope": "openid", "state": "s",
               "redirect_uri": "http://127.0.0.1/callback", **challenge}
    call("get", "/authorize", query="?" + urllib.parse.urlencode(request))
    call("post", "/authorize", request)
    call("get", "/oidc/logout")
    call("post", "/oidc/logout", {})
    call("get", "/v2/logout")
    done(call("post", "/oauth/revoke", {"token": tokens["refresh_token"], "client_id": "dev-native"}))
    user = json.loads(base64.urlsafe_b64decode(tokens["access_token"].split(".")[1] + "=="))["sub"]
    session = done(administer("users:sessions", user=user))["sessions"][0]["id"]
    done(administer("users:end-session", user=user, session=session))


@step("Each path was called, and most were done")
def complete():
    everything = {(method, path) for path, methods in DOCUMENT["paths"].items() for method in methods}
    expect(CALLED == everything, "not called:", sorted(everything - CALLED))
    print(f"        {len(DONE)} of {len(everything)} done; refused alone: {sorted(everything - DONE)}")
    expect(len(DONE) >= len(everything) - 30, len(DONE), len(everything))


run_steps()
