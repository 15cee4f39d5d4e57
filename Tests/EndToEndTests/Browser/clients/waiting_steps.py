"""requests_oauth2client where it waits for a person. These steps move the server's clock, so they come last: other libraries
compare tokens with the clock of this machine.
"""

from requests_oauth2client import AccessDenied, AuthorizationPending, PublicApp

from context import browser, discovered, expect, expect_raises, fresh_user, server, step
from oauth2client_steps import client


@step("requests_oauth2client lets a device in by a code that is typed into a browser")
def device():
    # It does not read this endpoint from discovery (1.8.0).
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
