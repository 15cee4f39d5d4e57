"""requests_oauth2client where it waits for a person. These steps move the server's clock, so they come last: other libraries
compare tokens with the clock of this machine.
"""

from requests_oauth2client import AccessDenied, AuthorizationPending, ClientSecretBasic, InvalidGrant, PublicApp

from context import browser, discovered, expect, expect_raises, fresh_user, register, server, step
from oauth2client_steps import SECRET, client, secret_file


@step("requests_oauth2client lets a device in by a code that is typed into a browser")
def device():
    # It does not read this endpoint from discovery (1.8.0), nor that of CIBA.
    app = client(
        PublicApp("dev-native"), device_authorization_endpoint=discovered()["device_authorization_endpoint"])
    email, made = fresh_user()
    begun = app.authorize_device(scope="openid email")
    expect_raises(AuthorizationPending, app.device_code, begun.device_code)
    person = browser.person(server.base)
    person.tab.goto(begun.verification_uri)
    person.sign_in(email)
    expect(person.kind == "activate", person.kind, person.text)
    expect(person.type(user_code=begun.user_code.lower()) == "device-confirm", person.kind, person.text)
    expect(begun.user_code in person.text, person.text)
    person.press("button[value=allow]")
    server.advance(10)
    token = app.device_code(begun.device_code)
    expect(app.userinfo(token)["sub"] == made["localId"])
    refused = app.authorize_device(scope="openid email")
    person.tab.goto(refused.verification_uri_complete)
    expect(person.kind == "device-confirm", person.kind, person.text)
    person.press("button[value=deny]")
    server.advance(10)
    expect_raises(AccessDenied, app.device_code, refused.device_code)
    person.close()


@step("requests_oauth2client begins a sign-in by itself, which a phone allows (CIBA)")
def backchannel():
    register(
        "caller", "--kind", "web", "--secret-file", secret_file(), "--auth-method", "client_secret_basic",
        "--redirect-uri", "http://127.0.0.1/callback", "--scopes", "openid email", "--grant-types",
        "urn:openid:params:grant-type:ciba")
    app = client(
        ClientSecretBasic("caller", SECRET), "RS256",
        backchannel_authentication_endpoint=discovered()["backchannel_authentication_endpoint"])
    email, made = fresh_user()
    phone = server.phone(made["localId"])
    begun = app.backchannel_authentication_request(scope="openid email", login_hint=email, binding_message="Order 7")
    expect_raises(AuthorizationPending, app.ciba, begun.auth_req_id)
    phone.allow()
    server.advance(10)
    token = app.ciba(begun.auth_req_id)
    expect(app.userinfo(token)["sub"] == made["localId"])
    expect_raises(InvalidGrant, app.ciba, begun.auth_req_id)
