"""Google's firebase-admin, unmodified, against a Countersign under --dev.

Usage: firebase_admin_test.py HOST:PORT

Prints a line for each step and ends with status 1 at the first that does not hold.
"""

import base64
import datetime
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.parse
import urllib.request

HOST = sys.argv[1]
BEGAN = time.time()
# Tokens are made for the project that the server is configured for.
PROJECT = "countersign"
os.environ["FIREBASE_AUTH_EMULATOR_HOST"] = HOST

import firebase_admin  # noqa: E402
import google.auth.credentials  # noqa: E402
from firebase_admin import auth, credentials, exceptions, tenant_mgt  # noqa: E402

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from peer_steps import expect, expect_exactly_raises as expect_raises, run_steps, step  # noqa: E402

PASSWORD = "correct horse battery"
BASE = f"http://{HOST}"
CLIENT = f"{BASE}/identitytoolkit.googleapis.com/v1"


def post(url, body, method="POST", bearer=None):
    """What an app's SDK does; firebase-admin has no sign-in."""
    headers = {"Content-Type": "application/json"}
    if bearer:
        headers["Authorization"] = f"Bearer {bearer}"
    request = urllib.request.Request(
        url, json.dumps(body).encode() if body is not None else None, headers, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def sign_in(email, password=PASSWORD):
    status, answer = post(
        f"{CLIENT}/accounts:signInWithPassword?key=any", {"email": email, "password": password, "returnSecureToken": True})
    expect(status == 200, status, answer)
    return answer


def error_of(status, answer):
    return status, answer["error"]["message"]


@step("create a user, with everything that it can have")
def create():
    user = auth.create_user(
        uid="ada", email="Ada@Example.com", email_verified=True, phone_number="+1 555 555-0100", password=PASSWORD,
        display_name="Ada Lovelace", photo_url="https://example.com/ada.png", disabled=False)
    expect(user.uid == "ada" and user.email == "ada@example.com" and user.email_verified, user._data)
    expect(user.phone_number == "+15555550100" and user.display_name == "Ada Lovelace", user._data)
    expect(user.photo_url == "https://example.com/ada.png" and not user.disabled, user._data)
    expect({provider.provider_id for provider in user.provider_data} == {"password", "phone"}, user._data)
    expect(BEGAN - 1 <= user.user_metadata.creation_timestamp / 1000 <= time.time() + 1, user._data)
    expect(user.user_metadata.last_sign_in_timestamp is None, user._data)


@step("create a user without anything, who gets an id of 28 characters")
def create_bare():
    user = auth.create_user()
    expect(len(user.uid) == 28 and user.email is None and list(user.provider_data) == [], user._data)
    auth.delete_user(user.uid)


@step("make a user by the client's method with an administrator's bearer, and sign no user in")
def create_by_sign_up():
    status, answer = post(
        f"{CLIENT}/accounts:signUp", {
            "localId": "eve", "email": "eve@example.com", "password": PASSWORD, "phoneNumber": "+1 555 555-0109",
            "emailVerified": True, "disabled": True, "returnSecureToken": True}, bearer="owner")
    expect(status == 200 and "idToken" not in answer and "refreshToken" not in answer, answer)
    user = auth.get_user("eve")
    expect(user.email == "eve@example.com" and user.email_verified and user.disabled, user._data)
    expect(user.phone_number == "+15555550109" and user.user_metadata.last_sign_in_timestamp is None, user._data)
    auth.delete_user("eve")
    refused = post(f"{CLIENT}/accounts:signUp?key=any", {"localId": "eve"})
    expect(error_of(*refused) == (400, "UNEXPECTED_PARAMETER : User ID"), refused)


@step("refuse a taken id, address and phone number, and a weak password")
def create_taken():
    expect_raises(auth.UidAlreadyExistsError, auth.create_user, uid="ada")
    expect_raises(auth.EmailAlreadyExistsError, auth.create_user, email="ADA@example.com")
    expect_raises(auth.PhoneNumberAlreadyExistsError, auth.create_user, phone_number="+15555550100")
    error = expect_raises(exceptions.InvalidArgumentError, auth.create_user, email="b@example.com", password="1234567")
    expect("WEAK_PASSWORD" in str(error), error)


@step("get a user by id, address and phone number")
def get():
    for user in (
        auth.get_user("ada"), auth.get_user_by_email("ada@example.com"), auth.get_user_by_phone_number("+15555550100"),
    ):
        expect(user.uid == "ada", user._data)
    expect_raises(auth.UserNotFoundError, auth.get_user, "nobody")
    expect_raises(auth.UserNotFoundError, auth.get_user_by_email, "nobody@example.com")
    expect_raises(auth.UserNotFoundError, auth.get_user_by_phone_number, "+15555550199")


@step("get several users by any identifier, each once")
def get_several():
    found = auth.get_users([
        auth.UidIdentifier("ada"), auth.EmailIdentifier("ada@example.com"), auth.PhoneIdentifier("+15555550100"),
        auth.ProviderIdentifier("phone", "+15555550100"), auth.UidIdentifier("nobody"),
    ])
    expect([user.uid for user in found.users] == ["ada"], found.users)
    expect([identifier.uid for identifier in found.not_found] == ["nobody"], found.not_found)


@step("update a user")
def update():
    user = auth.update_user(
        "ada", email="ada@example.org", email_verified=True, phone_number="+15555550101", display_name="Countess",
        photo_url="https://example.org/a.png")
    expect(user.email == "ada@example.org" and user.email_verified and user.phone_number == "+15555550101", user._data)
    expect(user.display_name == "Countess" and user.photo_url == "https://example.org/a.png", user._data)
    user = auth.update_user(
        "ada", display_name=auth.DELETE_ATTRIBUTE, photo_url=auth.DELETE_ATTRIBUTE, phone_number=auth.DELETE_ATTRIBUTE)
    expect(user.display_name is None and user.photo_url is None and user.phone_number is None, user._data)
    user = auth.update_user("ada", providers_to_delete=["password"])
    expect(list(user.provider_data) == [], user._data)
    user = auth.update_user("ada", password=PASSWORD)
    expect(sign_in("ada@example.org")["localId"] == "ada")
    expect_raises(auth.UserNotFoundError, auth.update_user, "nobody", display_name="Nobody")
    auth.create_user(uid="bob", email="bob@example.com", phone_number="+15555550102")
    expect_raises(auth.EmailAlreadyExistsError, auth.update_user, "ada", email="bob@example.com")
    expect_raises(auth.PhoneNumberAlreadyExistsError, auth.update_user, "ada", phone_number="+15555550102")


@step("put custom claims on a user, find them in the ID token, and take them away")
def claims():
    auth.set_custom_user_claims("ada", {"admin": True, "level": 7, "groups": ["a", "b"]})
    expect(auth.get_user("ada").custom_claims == {"admin": True, "level": 7, "groups": ["a", "b"]})
    token = auth.verify_id_token(sign_in("ada@example.org")["idToken"])
    expect(token["admin"] is True and token["level"] == 7 and token["groups"] == ["a", "b"], token)
    auth.set_custom_user_claims("ada", None)
    expect(auth.get_user("ada").custom_claims is None)
    expect("admin" not in auth.verify_id_token(sign_in("ada@example.org")["idToken"]))


@step("verify an ID token")
def verify():
    token = auth.verify_id_token(sign_in("ada@example.org")["idToken"], check_revoked=True)
    expect(token["uid"] == "ada" and token["email"] == "ada@example.org" and token["email_verified"], token)
    expect(token["iss"] == f"https://securetoken.google.com/{PROJECT}" and token["aud"] == PROJECT, token)
    expect(token["firebase"]["sign_in_provider"] == "password", token)
    expect_raises(auth.InvalidIdTokenError, auth.verify_id_token, "not a token")


@step("make a custom token, sign in with it, and verify what comes of it")
def custom_token():
    custom = auth.create_custom_token("carol", {"premium": True}).decode()
    status, answer = post(
        f"{CLIENT}/accounts:signInWithCustomToken?key=any", {"token": custom, "returnSecureToken": True})
    expect(status == 200 and answer["isNewUser"] is True, answer)
    token = auth.verify_id_token(answer["idToken"])
    expect(token["uid"] == "carol" and token["premium"] is True, token)
    expect(token["firebase"]["sign_in_provider"] == "custom", token)
    auth.delete_user("carol")
    forbidden = '{"uid": "carol", "claims": {"firebase": 1}}'
    for text, message in [
        ('{"look": "nobody"}', "MISSING_IDENTIFIER"), (forbidden, "FORBIDDEN_CLAIM : firebase"),
    ]:
        refused = post(f"{CLIENT}/accounts:signInWithCustomToken?key=any", {"token": text})
        expect(error_of(*refused) == (400, message), refused)
    status, answer = post(f"{CLIENT}/accounts:signInWithCustomToken?key=any", {"token": '{"uid": "dan"}'})
    expect(status == 200 and auth.verify_id_token(answer["idToken"])["uid"] == "dan", answer)
    auth.delete_user("dan")


@step("make a session cookie, and verify it")
def session_cookie():
    id_token = sign_in("ada@example.org")["idToken"]
    cookie = auth.create_session_cookie(id_token, datetime.timedelta(days=5))
    claims = auth.verify_session_cookie(cookie, check_revoked=True)
    expect(claims["uid"] == "ada" and claims["iss"] == f"https://session.firebase.google.com/{PROJECT}", claims)
    expect(claims["exp"] - claims["iat"] == 5 * 86_400, claims)
    expect(claims["auth_time"] == auth.verify_id_token(id_token)["auth_time"], claims)
    header = json.loads(base64.urlsafe_b64decode(cookie.split(".")[0] + "=="))
    expect("typ" not in header, header)
    expect_raises(auth.InvalidIdTokenError, auth.verify_id_token, cookie)
    expect_raises(auth.InvalidSessionCookieError, auth.verify_session_cookie, id_token)
    expect_raises(auth.InvalidIdTokenError, auth.create_session_cookie, cookie, datetime.timedelta(days=5))
    expect(
        error_of(*post(f"{CLIENT}/accounts:lookup?key=any", {"idToken": cookie})) == (400, "INVALID_ID_TOKEN"),
        "a session cookie is no ID token")


@step("revoke a user's tokens: ID tokens, session cookies and refresh tokens go")
def revoke():
    signed_in = sign_in("ada@example.org")
    cookie = auth.create_session_cookie(signed_in["idToken"], datetime.timedelta(days=1))
    time.sleep(1.1)  # validSince has whole seconds.
    auth.revoke_refresh_tokens("ada")
    expect_raises(auth.RevokedIdTokenError, auth.verify_id_token, signed_in["idToken"], check_revoked=True)
    expect_raises(auth.RevokedSessionCookieError, auth.verify_session_cookie, cookie, check_revoked=True)
    status, answer = post(
        f"{BASE}/securetoken.googleapis.com/v1/token?key=any",
        {"grantType": "refresh_token", "refreshToken": signed_in["refreshToken"]})
    expect(error_of(status, answer) == (400, "TOKEN_EXPIRED"), answer)
    auth.verify_id_token(sign_in("ada@example.org")["idToken"], check_revoked=True)
    expect(BEGAN - 1 <= auth.get_user("ada").tokens_valid_after_timestamp / 1000 <= time.time() + 1)


@step("disable a user, who is let in no more, and enable the user again")
def disable():
    id_token = sign_in("ada@example.org")["idToken"]
    expect(auth.update_user("ada", disabled=True).disabled)
    expect_raises(auth.UserDisabledError, auth.verify_id_token, id_token, check_revoked=True)
    answer = post(f"{CLIENT}/accounts:signInWithPassword?key=any", {"email": "ada@example.org", "password": PASSWORD})
    expect(error_of(*answer) == (400, "USER_DISABLED"), answer)
    expect(not auth.update_user("ada", disabled=False).disabled)
    sign_in("ada@example.org")


def code_in(link, mode):
    query = urllib.parse.parse_qs(urllib.parse.urlparse(link).query)
    expect(link.startswith(BASE) and query["mode"] == [mode], link)
    return query["oobCode"][0]


@step("make links for a new password, an address and a sign-in, and follow them")
def links():
    settings = auth.ActionCodeSettings("http://localhost/after?x=1", handle_code_in_app=True)
    link = auth.generate_email_verification_link("bob@example.com", settings)
    expect("continueUrl=http%3A%2F%2Flocalhost%2Fafter%3Fx%3D1" in link, link)
    expect(not auth.get_user("bob").email_verified)
    status, answer = post(f"{CLIENT}/accounts:update?key=any", {"oobCode": code_in(link, "verifyEmail")})
    expect(status == 200 and auth.get_user("bob").email_verified, answer)

    code = code_in(auth.generate_password_reset_link("bob@example.com"), "resetPassword")
    status, answer = post(
        f"{CLIENT}/accounts:resetPassword?key=any", {"oobCode": code, "newPassword": "another good password"})
    expect(status == 200 and answer["email"] == "bob@example.com", answer)
    expect(sign_in("bob@example.com", "another good password")["localId"] == "bob")

    code = code_in(auth.generate_sign_in_with_email_link("bob@example.com", settings), "signIn")
    status, answer = post(
        f"{CLIENT}/accounts:signInWithEmailLink?key=any", {"email": "bob@example.com", "oobCode": code})
    expect(status == 200 and answer["localId"] == "bob", answer)
    expect_raises(auth.EmailNotFoundError, auth.generate_password_reset_link, "nobody@example.com")


def imported(index, **options):
    return auth.ImportUserRecord(f"import-{index}", email=f"import-{index}@example.com", **options)


@step("import users with their password hashes, and sign in with their passwords")
def import_users():
    key, salt = b"signer key", b"salty"
    schemes = {
        "hmac-sha512": (auth.UserImportHash.hmac_sha512(key), hmac.new(key, PASSWORD.encode() + salt, "sha512").digest()),
        "hmac-sha256": (auth.UserImportHash.hmac_sha256(key), hmac.new(key, PASSWORD.encode() + salt, "sha256").digest()),
        "sha256": (auth.UserImportHash.sha256(1), hashlib.sha256(salt + PASSWORD.encode()).digest()),
        "pbkdf2-sha256": (
            auth.UserImportHash.pbkdf2_sha256(1000), hashlib.pbkdf2_hmac("sha256", PASSWORD.encode(), salt, 1000)),
        "standard-scrypt": (
            auth.UserImportHash.standard_scrypt(1024, 1, 8, 64),
            hashlib.scrypt(PASSWORD.encode(), salt=salt, n=1024, r=8, p=1, dklen=64)),
    }
    for name, (scheme, digest) in schemes.items():
        result = auth.import_users(
            [
                imported(
                    name, email_verified=True, display_name=name, password_hash=digest, password_salt=salt,
                    custom_claims={"imported": True},
                    user_metadata=auth.UserMetadata(creation_timestamp=1_600_000_000_000))
            ],
            hash_alg=scheme)
        expect(result.success_count == 1 and result.failure_count == 0, name, [e.reason for e in result.errors])
        user = auth.get_user(f"import-{name}")
        expect(user.user_metadata.creation_timestamp == 1_600_000_000_000 and user.display_name == name, user._data)
        for _ in range(2):  # The first sign-in replaces the hash by one of ours.
            token = auth.verify_id_token(sign_in(f"import-{name}@example.com")["idToken"])
            expect(token["imported"] is True and token["email_verified"], token)
        wrong = post(
            f"{CLIENT}/accounts:signInWithPassword?key=any",
            {"email": f"import-{name}@example.com", "password": "wrong horse battery"})
        expect(wrong[0] == 400, wrong)


@step("import what can be, and tell of the rest by its place")
def import_some():
    result = auth.import_users([
        auth.ImportUserRecord("import-good", email="good@example.com"),
        auth.ImportUserRecord("import-taken", email="bob@example.com"),
        auth.ImportUserRecord("ada"),
        auth.ImportUserRecord("import-better", phone_number="+15555550177", provider_data=[
            auth.UserProvider("+15555550177", "phone")]),
        auth.ImportUserRecord("import-federated", provider_data=[auth.UserProvider("1", "google.com")]),
    ])
    expect(result.success_count == 2 and [error.index for error in result.errors] == [1, 2, 4], [
        (error.index, error.reason) for error in result.errors])
    expect("email exists" in result.errors[0].reason, result.errors[0].reason)
    expect(auth.get_user_by_phone_number("+15555550177").uid == "import-better")


@step("list all users, page by page, without password hashes")
def list_users():
    result = auth.import_users([auth.ImportUserRecord(f"page-{number:04}") for number in range(1000)])
    expect(result.failure_count == 0, result.errors)
    page = auth.list_users(max_results=7)
    expect(len(page.users) == 7 and page.has_next_page, page.users)
    ids = [user.uid for user in auth.list_users().iterate_all()]
    expect(ids == sorted(ids) and len(ids) == len(set(ids)) and len(ids) > 1000, len(ids))
    second = auth.list_users(page_token=page.next_page_token, max_results=7)
    expect([user.uid for user in second.users] == ids[7:14], second.users)
    behind = auth.list_users(page_token=ids[3], max_results=2)
    expect([user.uid for user in behind.users] == ids[4:6] and behind.has_next_page, "an id is a page token")
    last = auth.list_users(page_token=ids[-4], max_results=3)
    expect([user.uid for user in last.users] == ids[-3:] and not last.has_next_page, "a full last page is the last")
    hashes = {user.password_hash for user in auth.list_users().iterate_all()}
    expect(hashes <= {None, base64.b64encode(b"REDACTED").decode()}, hashes)


@step("delete users, many at once; only disabled ones where it is not forced")
def delete():
    result = auth.delete_users([f"page-{number:04}" for number in range(1000)])
    expect(result.success_count == 1000 and result.failure_count == 0, result.failure_count)
    auth.update_user("bob", disabled=True)
    expect(len(list(auth.list_users().iterate_all())) > 2)
    auth.delete_user("import-good")
    expect_raises(auth.UserNotFoundError, auth.delete_user, "import-good")
    expect_raises(auth.UserNotFoundError, auth.get_user, "import-good")


class NoCredential(credentials.Base):
    def get_credential(self):
        return google.auth.credentials.AnonymousCredentials()


@step("work in a tenant, which shares the users")
def tenant():
    # Its tenants want credentials even of those who use the emulator.
    app = firebase_admin.initialize_app(NoCredential(), {"projectId": PROJECT}, name="with tenants")
    client = tenant_mgt.auth_for_tenant("some-tenant", app)
    user = client.get_user("ada")
    expect(user.email == "ada@example.org" and user.tenant_id == "some-tenant", user._data)
    created = client.create_user(uid="dora", email="dora@example.com")
    expect(created.uid == "dora" and auth.get_user("dora").email == "dora@example.com", created._data)
    expect("oobCode=" in client.generate_sign_in_with_email_link(
        "dora@example.com", auth.ActionCodeSettings("http://localhost")))
    client.delete_user("dora")


class OwnerCredential(credentials.Base):
    class Owner(google.auth.credentials.Credentials):
        def __init__(self):
            super().__init__()
            self.token = "owner"

        def refresh(self, request):
            self.token = "owner"

    def get_credential(self):
        return self.Owner()


@step("find no tenants and no identity providers, and make none")
def none_of_these():
    # The management of tenants knows no emulator.
    tenant_mgt._TenantManagementService.TENANT_MGT_URL = f"{BASE}/identitytoolkit.googleapis.com/v2"
    app = firebase_admin.initialize_app(OwnerCredential(), {"projectId": PROJECT}, name="manages tenants")
    expect(list(tenant_mgt.list_tenants(app=app).iterate_all()) == [])
    expect_raises(tenant_mgt.TenantNotFoundError, tenant_mgt.get_tenant, "some-tenant", app=app)
    error = expect_raises(exceptions.InvalidArgumentError, tenant_mgt.create_tenant, "some-tenant", app=app)
    expect("OPERATION_NOT_ALLOWED" in str(error), error)
    expect_raises(tenant_mgt.TenantNotFoundError, tenant_mgt.delete_tenant, "some-tenant", app=app)
    expect(list(auth.list_oidc_provider_configs().iterate_all()) == [])
    expect(list(auth.list_saml_provider_configs().iterate_all()) == [])
    expect_raises(auth.ConfigurationNotFoundError, auth.get_oidc_provider_config, "oidc.some")
    expect_raises(auth.ConfigurationNotFoundError, auth.delete_saml_provider_config, "saml.some")
    error = expect_raises(
        exceptions.InvalidArgumentError, auth.create_oidc_provider_config, "oidc.some", "client",
        "https://example.com", enabled=True)
    expect("OPERATION_NOT_ALLOWED" in str(error), error)


@step("remove everybody by the emulator's own endpoint")
def remove_all():
    status, _ = post(f"{BASE}/emulator/v1/projects/{PROJECT}/accounts", None, method="DELETE")
    expect(status == 200 and list(auth.list_users().iterate_all()) == [], status)


def main():
    firebase_admin.initialize_app(options={"projectId": PROJECT})
    run_steps()


main()
