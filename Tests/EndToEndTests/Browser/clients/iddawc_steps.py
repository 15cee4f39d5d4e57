"""iddawc, a client library in C (Debian's libiddawc1.1): as strict with tokens as their specifications, and with more of them than others."""

import base64
import ctypes
import hashlib
import json
import tempfile

from joserfc.jwk import ECKey

from context import allow, browser, callback, expect, fresh_user, register, server, step

OK, ERROR_PARAM = 0, 2

# What iddawc.h calls I_OPT_…, I_RESPONSE_TYPE_… and so on.
OPTIONS = {
    "response_type": 1, "scope": 2, "nonce": 5, "redirect_uri": 6, "redirect_to": 7, "client_id": 8, "client_secret": 9,
    "openid_config_endpoint": 14, "error": 19, "error_description": 20, "refresh_token": 23, "access_token": 24,
    "id_token": 25, "auth_method": 28, "token_method": 29, "token_type": 30, "userinfo": 36, "nonce_length": 37,
    "state_length": 38, "client_kid": 44, "client_sign_alg": 45, "jti_length": 49, "token_exp": 50, "token_target": 51, "user_code": 59,
    "verification_uri": 60, "use_dpop": 70, "dpop_kid": 71, "pkce_verifier": 80, "pkce_verifier_length": 81,
    "pkce_method": 82, "ciba_mode": 106, "ciba_login_hint": 108, "ciba_login_hint_format": 109,
    "ciba_binding_message": 111, "post_logout_redirect_uri": 125,
}
CODE, REFRESH, DEVICE, CIBA = 0x1, 0x100000, 0x1000000, 0x10000000
BY_GET = 0x1
BASIC, POST, BY_KEY = 0x1, 0x10, 0x10000
S256 = 2
AS_CLIENT = 2
POLL, ID_TOKEN = 1, 2


class Library:
    def __init__(self):
        self.iddawc, self.jansson = ctypes.CDLL("libiddawc.so.1.1"), ctypes.CDLL("libjansson.so.4")
        self.iddawc.i_get_str_parameter.restype = ctypes.c_char_p
        self.iddawc.i_build_end_session_url.restype = ctypes.c_void_p
        self.jansson.json_loads.restype = ctypes.c_void_p
        self.jansson.json_loads.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
        self.jansson.json_dumps.restype = ctypes.c_void_p
        self.jansson.json_dumps.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self.iddawc.i_global_init()

    def json(self, value):
        return ctypes.c_void_p(self.jansson.json_loads(json.dumps(value).encode(), 0, None))

    def value(self, held):
        return json.loads(ctypes.string_at(self.jansson.json_dumps(held, 0))) if held.value else None


class Held:
    """A place where a function leaves a JSON value."""

    def __init__(self):
        self._place = ctypes.c_void_p()

    @property
    def address(self):
        return ctypes.byref(self._place)

    @property
    def value(self):
        return Session.library.value(self._place)


class Session:
    """A `struct _i_session`, whose members the library's own functions set and tell."""

    # Loaded by the first.
    library = None

    def __init__(self, client_id, keys=None, **options):
        Session.library = Session.library or Library()
        self.memory = ctypes.create_string_buffer(16_384)
        self.call("i_init_session")
        self.set(client_id=client_id, redirect_uri=callback.uri, auth_method=BY_GET, response_type=CODE,
                 openid_config_endpoint=f"{server.base}/.well-known/openid-configuration")
        if keys:
            expect(self.call("i_set_client_jwks", self.library.json({"keys": keys})) == OK, "keys")
        self.set(**options)
        expect(self.call("i_get_openid_config") == OK, "discovery")

    def call(self, name, *arguments):
        return getattr(self.library.iddawc, name)(self.memory, *arguments)

    def set(self, **options):
        for name, value in options.items():
            text = isinstance(value, str)
            done = self.call(
                "i_set_str_parameter" if text else "i_set_int_parameter", OPTIONS[name], value.encode() if text else value)
            expect(done == OK, name, value)

    def get(self, name):
        value = self.call("i_get_str_parameter", OPTIONS[name])
        return value.decode() if value is not None else None

    def text(self, name, *arguments):
        """What a function makes as a text."""
        made = self.call(name, *arguments)
        expect(made, name)
        return ctypes.string_at(made).decode()

    @property
    def told(self):
        return f"{self.get('error')}: {self.get('error_description')}"

    def begin(self, **parameters):
        """The address of an authorization request, with a state, a nonce and a verifier of the library's own."""
        self.set(response_type=CODE, pkce_method=S256)
        self.set(state_length=16, nonce_length=16, pkce_verifier_length=43)
        for name, value in parameters.items():
            expect(self.call("i_set_additional_parameter", name.encode(), value.encode()) == OK, name)
        expect(self.call("i_build_auth_url_get") == OK, "no address", self.told)
        return self.get("redirect_to")

    def answered(self, address):
        """Takes the answer that a browser brought: checks `state` and `iss`."""
        self.set(redirect_to=address)
        return self.call("i_parse_redirect_to")

    def ask(self, name, *arguments):
        """Sends a request; what proves a key in it has a name of its own."""
        self.set(jti_length=32)
        return self.call(name, *arguments)

    def token(self, **options):
        self.set(**options)
        return self.ask("i_run_token_request")


def key(name):
    """A key pair as a JWK, and its public half."""
    made = ECKey.generate_key("P-256", {"kid": name, "use": "sig", "alg": "ES256"})
    return made.as_dict(private=True), made.as_dict(private=False)


def register_with_key(name, public, *arguments):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"keys": [public]}, file)
        file.flush()
        return register(name, "--auth-method", "private_key_jwt", "--jwks", file.name, *arguments)


@step("iddawc signs a user in, verifies both tokens, refreshes, introspects, revokes and leaves")
def signs_in():
    made = register(
        "iddawc", "--kind", "web", "--secret", "--auth-method", "client_secret_basic", "--redirect-uri", callback.uri,
        "--scopes", "openid email offline_access", "--post-logout-redirect-uri", callback.uri + "/bye",
        "--backchannel-logout-uri", f"http://127.0.0.1:{callback.port}/ended")
    app = Session("iddawc", client_secret=made["secret"], token_method=BASIC, scope="openid email offline_access",
                  post_logout_redirect_uri=callback.uri + "/bye")
    email, account = fresh_user()
    person = browser.person(server.base)
    address = app.begin(max_age="600", acr_values="aal1")
    allow(person, address, email)
    answer = callback.next()
    expect(app.answered(answer.replace("state=", "state=x")) != OK, "another state was taken")
    expect(app.answered(answer.replace("iss=http", "iss=https")) != OK, "another issuer was taken")
    expect(app.answered(answer) == OK, answer, app.told)
    expect(app.token() == OK, app.told)
    expect(app.call("i_verify_id_token") == OK, "the ID token")
    expect(app.call("i_verify_jwt_access_token", server.base.encode()) == OK, "the access token")
    expect(app.call("i_verify_jwt_access_token", b"https://other.example") != OK, "an access token for another API")
    expect(app.ask("i_get_userinfo", 0) == OK, app.told)
    expect(json.loads(app.get("userinfo"))["sub"] == account["localId"], app.get("userinfo"))
    first, hint = app.get("refresh_token"), app.get("id_token")
    # What a refresh brings has no nonce (OpenID Connect Core 1.0, section 12.2), which the library looks for until it is told.
    expect(app.token(response_type=REFRESH, nonce="") == OK and app.get("refresh_token") != first, app.told)
    app.set(token_target=app.get("access_token"))
    for as_jwt in (0, 1):
        seen = Held()
        expect(app.ask("i_get_token_introspection", seen.address, AS_CLIENT, as_jwt) == OK, as_jwt, app.told)
        expect(seen.value["active"] is True and seen.value["client_id"] == "iddawc", seen.value)
    app.set(token_target=app.get("refresh_token"))
    expect(app.ask("i_revoke_token", AS_CLIENT) == OK, app.told)
    expect(app.token(response_type=REFRESH) == ERROR_PARAM and app.get("error") == "invalid_grant", app.told)
    # Without a grant that goes on when the browser leaves, the application is told of its end.
    app = Session("iddawc", client_secret=made["secret"], token_method=BASIC, scope="openid email",
                  post_logout_redirect_uri=callback.uri + "/bye")
    allow(person, app.begin(), email, consents=False)
    expect(app.answered(callback.next()) == OK and app.token() == OK, app.told)
    person.tab.goto(app.text("i_build_end_session_url"))
    expect(callback.next().startswith(callback.uri + "/bye"), person.tab.url)
    path, form, _ = callback.next_form()
    expect(path == "/ended" and app.call("i_verify_end_session_backchannel_token", form["logout_token"].encode()) == OK, form)
    # Nobody is signed in any more: the library is told so, and which application may not.
    person.tab.goto(app.begin(prompt="none"))
    expect(app.answered(callback.next()) != OK and app.get("error") == "login_required", app.told)
    person.close()


@step("iddawc shows a key for a secret, binds its tokens to another, and pushes its requests")
def by_keys():
    own, public = key("of-the-client")
    proof, _ = key("of-the-proofs")
    register_with_key(
        "iddawc-keys", public, "--kind", "web", "--redirect-uri", callback.uri, "--scopes", "openid email offline_access",
        "--first-party", "--assertion-audience", "token-endpoint", "--require-dpop")
    options = {
        "keys": [own, proof], "token_method": BY_KEY, "scope": "openid email offline_access", "client_sign_alg": "ES256",
        "client_kid": "of-the-client", "use_dpop": 1, "dpop_kid": "of-the-proofs", "token_exp": 60}
    app = Session("iddawc-keys", **options)
    email, account = fresh_user()
    person = browser.person(server.base)
    allow(person, app.begin(), email, consents=False)
    expect(app.answered(callback.next()) == OK, app.told)
    expect(app.token() == OK and app.get("token_type") == "DPoP", app.told, app.get("token_type"))
    expect(app.call("i_verify_id_token") == OK and app.call("i_verify_jwt_access_token", None) == OK, "tokens")
    expect(app.ask("i_get_userinfo", 0) == OK, app.told)
    expect(json.loads(app.get("userinfo"))["sub"] == account["localId"], app.get("userinfo"))
    # It does not push its challenge by itself (1.1.8).
    verifier = "v" * 43
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    app = Session("iddawc-keys", **options)
    app.begin(code_challenge=challenge, code_challenge_method="S256")
    app.set(pkce_verifier=verifier)
    expect(app.ask("i_run_par_request") == OK, app.told)
    allow(person, app.get("redirect_to"), email, consents=False)
    expect(app.answered(callback.next()) == OK and app.token() == OK, app.told)
    person.close()


@step("iddawc waits for a person at another device, and for one who is asked at a phone")
def waits():
    made = register(
        "iddawc-waits", "--kind", "web", "--secret", "--auth-method", "client_secret_post", "--redirect-uri", callback.uri,
        "--scopes", "openid email", "--grant-types", "urn:ietf:params:oauth:grant-type:device_code", "--grant-types",
        "urn:openid:params:grant-type:ciba", "--first-party")
    options = {"client_secret": made["secret"], "token_method": POST, "scope": "openid email"}
    app = Session("iddawc-waits", response_type=DEVICE, **options)
    expect(app.ask("i_run_device_auth_request") == OK, app.told)
    email, account = fresh_user()
    person = browser.person(server.base)
    person.tab.goto(app.get("verification_uri"))
    person.sign_in(email)
    person.type(user_code=app.get("user_code"))
    person.press("button[value=allow]")
    expect(app.token() == OK and app.ask("i_get_userinfo", 0) == OK, app.told)
    expect(json.loads(app.get("userinfo"))["sub"] == account["localId"], app.get("userinfo"))
    person.close()

    # It writes a login_hint as JSON: the ID token tells who is meant.
    hint = app.get("id_token")
    app = Session("iddawc-waits", response_type=CIBA, ciba_mode=POLL, ciba_login_hint=hint, ciba_login_hint_format=ID_TOKEN,
                  ciba_binding_message="Order 7", **options)
    phone = server.phone(account["localId"])
    expect(app.ask("i_run_ciba_request") == OK, app.told)
    phone.allow()
    expect(app.token() == OK and app.ask("i_get_userinfo", 0) == OK, app.told)
    expect(json.loads(app.get("userinfo"))["sub"] == account["localId"], app.get("userinfo"))
