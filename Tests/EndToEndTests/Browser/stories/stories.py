"""The stories: what people do on the pages, each from its first page to its last. Each shows every page and every refusal on its way."""

import secrets
import urllib.parse

from browser import PASSWORD, Callback, Passkeys, totp

STORIES = []


def story(function):
    STORIES.append(function)
    return function


def within(seconds):
    """Marks a story for which the server gives no more time than that from one page to another. Where it fails on a machine that took
    longer, it is told again."""
    def mark(function):
        function.within = seconds
        return function

    return mark


class Stage:
    """One telling: the server, a person at a browser, and the album that judges each page."""

    def __init__(self, server, person, album, callback):
        self.server, self.person, self.album, self.callback = server, person, album, callback

    def look(self, name, kind, alert=False):
        self.album.look(self.person, name, kind, alert)

    def email(self):
        return f"{secrets.token_hex(4)}@example.com"

    def request(self, client="dev-web", scope="openid profile email offline_access", **more):
        """An application's request for a sign-in."""
        return "/authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": client, "redirect_uri": self.callback.uri, "scope": scope,
            "state": "s", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
            "code_challenge_method": "S256", **more})

    def mail_code(self, email):
        return self.server.code_mailed_to(email)


@story
def password(stage):
    """A user signs in with a password, looks at the account, and signs out."""
    person, email = stage.person, stage.email()
    stage.server.account(email)
    person.open("/")
    stage.look("home", "home")
    person.press("main a.button")
    stage.look("sign-in", "sign-in")
    person.type(username="no address")
    stage.look("sign-in-refused", "sign-in", alert=True)
    person.type(username=email)
    stage.look("password", "password")
    person.type(password="not that one")
    stage.look("password-refused", "password", alert=True)
    person.type(password=PASSWORD)
    stage.look("account", "account")
    person.open("/sign-out")
    stage.look("sign-out", "sign-out")
    person.press("main button")
    stage.look("signed-out", "signed-out")


@story
def authenticator(stage):
    """A code of an authenticator; another time the last recovery code, for which there are new ones."""
    person, email = stage.person, stage.email()
    made = stage.server.account(email)
    secret = stage.server.authenticator(made)
    recovery = stage.server.recovery_code(made["localId"])
    stage.server.advance(31)
    person.open("/sign-in")
    person.sign_in(email)
    stage.look("code", "code")
    person.type(code="000000")
    stage.look("code-refused", "code", alert=True)
    person.type(code=totp(secret, stage.server.now()))
    assert person.kind == "account", (person.kind, person.text)
    person.open("/sign-out")
    person.press("main button")
    person.open("/sign-in")
    person.sign_in(email)
    person.tab.click("summary")
    person.type(recovery_code="wrong wrong wrong")
    stage.look("recovery-refused", "code", alert=True)
    person.type(recovery_code=recovery)
    stage.look("recovery-new", "recovery")


@story
def mailed(stage):
    """A user without a password is mailed a code."""
    person, email = stage.person, stage.email()
    stage.server.account_without_password(email)
    person.open("/sign-in")
    person.type(username=email)
    stage.look("mail", "mail")
    person.type(code="00000000")
    stage.look("mail-refused", "mail", alert=True)
    person.type(code=stage.mail_code(email))
    assert person.kind == "account", (person.kind, person.text)


@story
def sign_up(stage):
    """A new account: address, code, password."""
    person, email = stage.person, stage.email()
    person.open("/sign-up")
    stage.look("sign-up", "sign-up")
    person.type(email=f"{'a' * 65}@example.com")
    stage.look("sign-up-refused", "sign-up", alert=True)
    person.type(email=email)
    stage.look("verify", "verify")
    person.type(code=stage.mail_code(email))
    stage.look("new-password", "new-password")
    # Long enough for the browser's own check, and refused by the server's.
    person.type(new_password="password1234")
    stage.look("new-password-refused", "new-password", alert=True)
    person.type(new_password=PASSWORD)
    assert person.kind == "account", (person.kind, person.text)


@story
def sign_up_passkey(stage):
    """A new account: address, code, and a passkey instead of a password, which signs in from then on."""
    person, email = stage.person, stage.email()
    passkeys = Passkeys(person, backup_eligible=True)
    person.open(at_localhost(stage, "/sign-up"))
    person.type(email=email)
    person.type(code=stage.mail_code(email))
    person.tab.locator("form[data-passkey=create]").wait_for()
    stage.look("new-password-or-passkey", "new-password")
    person.press("button[value=passkey]")
    stage.look("sign-up-passkey", "enrol")
    person.press(person.tab.locator("form[data-passkey=create] button[type=submit]").first)
    assert person.kind in ("recovery", "account"), (person.kind, person.text)
    assert len(passkeys.credentials) == 1, passkeys.credentials
    person.open(at_localhost(stage, "/account/security"))
    assert person.kind == "account-security", (person.kind, person.text)
    person.open(at_localhost(stage, "/sign-out"))
    person.press("main button")
    person.open(at_localhost(stage, "/sign-in/passkey"))
    use_passkey(person)
    assert person.kind == "account", (person.kind, person.text)


@story
def profile(stage):
    """An application asks a new user for an attribute."""
    person, email = stage.person, stage.email()
    stage.server.application(
        "with-profile", "--kind", "native", "--redirect-uri", "http://127.0.0.1/callback", "--scopes", "openid",
        "--first-party", "--attribute", "city:string:required", "--attribute", "age:integer:required")
    person.open(stage.request("with-profile", "openid", prompt="create"))
    person.type(email=email)
    person.type(code=stage.mail_code(email))
    person.type(new_password=PASSWORD)
    stage.look("profile", "profile")
    person.type(attribute_city="Berlin", attribute_age="young")
    stage.look("profile-refused", "profile", alert=True)
    person.type(attribute_city="Berlin", attribute_age="41")
    assert "code=" in stage.callback.next(), person.text


@story
def forgotten(stage):
    """A forgotten password is replaced by a mailed code."""
    person, email = stage.person, stage.email()
    stage.server.account(email)
    person.open("/forgot")
    stage.look("forgot", "forgot")
    person.type(email=email)
    stage.look("forgot-verify", "verify")
    person.type(code=stage.mail_code(email))
    stage.look("reset", "reset")
    person.type(new_password="another four long words")
    assert person.kind == "account", (person.kind, person.text)


@story
def consent(stage):
    """An application is allowed, and this is taken back on the account's page."""
    person, email = stage.person, stage.email()
    stage.server.account(email)
    person.open(stage.request())
    stage.look("sign-in-for-application", "sign-in")
    person.sign_in(email)
    stage.look("consent", "consent")
    person.press("button[value=allow]")
    assert "code=" in stage.callback.next()
    person.open("/account")
    stage.look("account-with-application", "account")
    person.open("/account/applications")
    stage.look("account-applications", "account-applications")
    person.press("form[action='/account/applications'] button")
    stage.look("account-revoked", "account-applications")
    person.open(stage.request(prompt="select_account"))
    stage.look("choose-account", "sign-in")


@story
def device(stage):
    """A device without a browser is allowed, another one is denied."""
    person, email = stage.person, stage.email()
    stage.server.account(email)

    def asked():
        status, begun = stage.server.ask("/oauth/device/code", form={"client_id": "dev-native", "scope": "openid email"})
        assert status == 200, begun
        return begun["user_code"]

    person.open("/activate")
    person.sign_in(email)
    stage.look("activate", "activate")
    person.type(user_code="WRONG-CODE")
    stage.look("activate-refused", "activate", alert=True)
    person.type(user_code=asked())
    stage.look("device-confirm", "device-confirm")
    person.press("button[value=allow]")
    stage.look("device-allowed", "device-confirm")
    person.open(f"/activate?user_code={asked()}")
    person.press("button[value=deny]")
    stage.look("device-denied", "device-confirm")


@story
def enrolment(stage):
    """An application demands a second factor: the user sets up an authenticator on the way."""
    person, email = stage.person, stage.email()
    stage.server.account(email)
    stage.server.application(
        "strict", "--kind", "native", "--redirect-uri", "http://127.0.0.1/callback", "--scopes", "openid",
        "--first-party", "--require-mfa")
    person.open(stage.request("strict", "openid"))
    person.sign_in(email)
    stage.look("enrol", "enrol")
    secret = person.tab.inner_text(".secret [aria-hidden]").replace(" ", "")
    person.type(code="000000")
    stage.look("enrol-refused", "enrol", alert=True)
    person.type(code=totp(secret, stage.server.now()))
    stage.look("enrol-recovery-code", "recovery")
    person.press("main a.button")
    assert "code=" in stage.callback.next()


@story
def enrolment_put_off(stage):
    """An application demands a second factor, and the rules let the user put that off: nothing is asked for the rest of the day."""
    person, email = stage.person, stage.email()
    # The day is one of UTC, and is not to turn amid the story.
    left = -stage.server.now() % 86_400
    if left < 1800:
        stage.server.advance(int(left) + 1)
    stage.server.account(email)
    stage.server.application(
        "strict", "--kind", "native", "--redirect-uri", "http://127.0.0.1/callback", "--scopes", "openid",
        "--first-party", "--require-mfa")
    try:
        stage.server.run("config", "set", "secondFactors.skippableTimes", "2")
        stage.server.run("config", "set", "secondFactors.skippableUntil", "2199-12-03")
        person.open(stage.request("strict", "openid"))
        person.sign_in(email)
        stage.look("enrol-later", "enrol")
        person.press("button[value=later]")
        assert "code=" in stage.callback.next()
        person.open(stage.request("strict", "openid"))
        assert "code=" in stage.callback.next()
    finally:
        stage.server.run("config", "set", "secondFactors.skippableTimes", "none")
        stage.server.run("config", "set", "secondFactors.skippableUntil", "none")


@story
def push(stage):
    """A phone is asked, and allows it: the page goes on by itself."""
    person, email = stage.person, stage.email()
    made = stage.server.account(email)
    phone = stage.server.phone(made["localId"])
    person.open("/sign-in")
    person.sign_in(email)
    stage.look("push", "push")
    number = person.tab.inner_text(".secret [aria-hidden]").replace(" ", "")
    phone.allow(number)
    person.tab.wait_for_url("**/account")
    assert person.kind == "account", (person.kind, person.text)
    person.open("/sign-out")
    person.press("main button")
    person.open("/sign-in")
    person.sign_in(email)
    person.press("main ul.links a")
    stage.look("code-of-device", "code")


@story
def mailed_link(stage):
    """The links in mails: an address is confirmed, a password set."""
    person, email = stage.person, stage.email()
    made = stage.server.account(email)
    person.open(stage.server.link("PASSWORD_RESET", made) + f"&lang={person.language}")
    stage.look("link-new-password", "reset")
    person.type(new_password="password1234")
    stage.look("link-new-password-refused", "reset", alert=True)
    person.type(new_password="another four long words")
    stage.look("link-password-set", "reset")
    person.open(stage.server.link("VERIFY_EMAIL", made) + f"&lang={person.language}")
    stage.look("link-verify", "verify")
    person.press("main form button")
    stage.look("link-verified", "verify")
    person.open(f"/auth/action?mode=resetPassword&oobCode=none&lang={person.language}")
    stage.look("link-dead", "error")


@story
def ticket(stage):
    """An invitation to enrol a phone or an authenticator."""
    person, email = stage.person, stage.email()
    made = stage.server.account(email)
    person.open(stage.server.ticket(made["localId"]) + f"&lang={person.language}")
    stage.look("ticket", "enrol")
    person.press("main form >> nth=0 >> button")
    stage.look("ticket-phone", "enrol")
    person.tab.go_back()
    person.press("main form >> nth=1 >> button")
    stage.look("ticket-codes", "enrol")
    secret = person.tab.inner_text("code.secret").replace(" ", "")
    person.type(code="000000")
    stage.look("ticket-codes-refused", "enrol", alert=True)
    person.type(code=totp(secret, stage.server.now()))
    stage.look("ticket-done", "enrol")


@story
def wrong(stage):
    """What went wrong: each says what, and what to do."""
    person, email = stage.person, stage.email()
    made = stage.server.account(email)
    person.open("/sign-in/password?attempt=none")
    stage.look("start-again", "start-again")
    person.open("/no-such-page")
    stage.look("not-found", "not-found")
    person.open(stage.request("no-such-application"))
    stage.look("error", "error")
    person.open("/sign-in")
    person.type(username=email)
    stage.server.advance(3600)
    person.type(password=PASSWORD)
    stage.look("expired", "expired")
    stage.server.disable(made["localId"])
    person.open("/sign-in")
    person.sign_in(email)
    stage.look("disabled", "disabled")
    other = stage.email()
    stage.server.account(other)
    person.open("/sign-in")
    person.type(username=other)
    for _ in range(20):
        person.type(password="not that one")
        if person.kind != "password":
            break
    stage.look("blocked", person.kind, alert=person.alert is not None)
    guessed = stage.email()
    made = stage.server.account(guessed)
    secret = stage.server.authenticator(made)
    stage.server.lock_authenticator(made)
    stage.server.advance(31)
    person.open("/sign-in")
    person.sign_in(guessed)
    person.type(code=totp(secret, stage.server.now()))
    stage.look("locked", "locked")


def at_localhost(stage, path):
    """Passkeys under --dev are of this machine's name, not of its address."""
    return stage.server.base.replace("127.0.0.1", "localhost").rstrip("/") + path


def add_passkey(person):
    """On the account page, by the button: what the browser would have made by itself is given up."""
    form = person.tab.locator("form[data-passkey=create]")
    form.locator("[name=passkey_name]").fill("Laptop")
    person.press(form.locator("button"))
    assert person.kind == "account-security", (person.tab.url, person.text)


def use_passkey(person):
    """Presses the button of the page."""
    person.press(person.tab.locator("form[data-passkey=get] button"))


@story
def passkey(stage):
    """A passkey is added, signs in without a name, is the second factor, and is removed, which its manager hears of."""
    person, email = stage.person, stage.email()
    stage.server.account(email)
    passkeys = Passkeys(person, backup_eligible=True)
    passkeys.answers(False)
    person.open(at_localhost(stage, "/sign-in"))
    stage.look("sign-in-passkey", "sign-in")
    person.sign_in(email)
    stage.look("account-no-passkey", "account")
    passkeys.answers(True)
    # A browser that can make one by itself may have done so before the button is pressed.
    if "/account/security" not in person.tab.url:
        add_passkey(person)
    assert len(passkeys.credentials) == 1, passkeys.credentials
    stage.look("account-passkey", "account-security")

    def sign_out():
        person.open(at_localhost(stage, "/sign-out"))
        person.press("main button")

    sign_out()
    passkeys.answers(False)
    person.open(at_localhost(stage, "/sign-in/passkey"))
    stage.look("passkey", "passkey")
    passkeys.answers(True)
    use_passkey(person)
    assert person.kind == "account", (person.kind, person.text)

    # An authenticator that does not recognise its user signs nobody in by itself.
    sign_out()
    passkeys.verifies(False)
    person.open(at_localhost(stage, "/sign-in/passkey"))
    person.tab.locator("form[data-passkey=get] button").click()
    person.tab.locator("form[data-passkey=get] [role=alert]").wait_for()
    assert person.kind == "passkey", (person.kind, person.text)
    passkeys.verifies(True)

    # Removed on the server, it is still in the browser, until the browser is told.
    use_passkey(person)
    assert person.kind == "account", (person.kind, person.text)
    person.open(at_localhost(stage, "/account/security"))
    person.press("main ul.items a")
    stage.look("account-factor", "account-factor")
    person.press("main button[value=remove]")
    stage.look("account-passkey-removed", "account-security")
    sign_out()
    person.open(at_localhost(stage, "/sign-in/passkey"))
    use_passkey(person)
    stage.look("passkey-unknown", "passkey", alert=True)


@story
def passkey_on_the_way(stage):
    """An application demands a second factor: the user makes a passkey on the way, and signs in with it from then on."""
    person, email = stage.person, stage.email()
    stage.server.account(email)
    stage.server.application(
        "strict", "--kind", "native", "--redirect-uri", "http://127.0.0.1/callback", "--scopes", "openid",
        "--first-party", "--require-mfa")
    passkeys = Passkeys(person, backup_eligible=True)
    passkeys.verifies(False)
    request = at_localhost(stage, stage.request("strict", "openid"))
    person.open(request)
    person.sign_in(email)
    stage.look("enrol-passkey", "enrol")
    make = person.tab.locator("form[data-passkey=create] button[type=submit]").first
    make.click()
    # A device that does not recognise its user makes none.
    person.tab.locator("form[data-passkey=create] [role=alert]").wait_for()
    assert not passkeys.credentials and person.kind == "enrol", (passkeys.credentials, person.kind)
    passkeys.verifies(True)
    person.press(make)
    assert "code=" in stage.callback.next(), person.text
    assert len(passkeys.credentials) == 1, passkeys.credentials
    person.open(at_localhost(stage, "/sign-out"))
    person.press("main button")
    person.open(at_localhost(stage, "/sign-in/passkey"))
    use_passkey(person)
    assert person.kind == "account", (person.kind, person.text)
    person.open(request)
    assert "code=" in stage.callback.next(), person.text


@story
def passkey_authenticators(stage):
    """A key that keeps no passkey, or does not recognise its user, makes none; of two that do, one keeps it and signs in."""
    person, email = stage.person, stage.email()
    stage.server.account(email)
    person.open(at_localhost(stage, "/sign-in"))
    person.sign_in(email)
    assert person.kind == "account", (person.kind, person.text)
    first = Passkeys(person, transport="usb", resident=False)
    second = Passkeys(person, transport="usb", verifies=False, beside=first)
    person.open(at_localhost(stage, "/account/passkey"))
    person.tab.locator("form[data-passkey=create] button[type=submit]").first.click()
    person.tab.locator("form[data-passkey=create] [role=alert]").wait_for()
    assert not first.credentials and not second.credentials
    second.remove()

    keys = [Passkeys(person, backup_eligible=True, beside=first), Passkeys(person, transport="usb", beside=first)]
    first.remove()
    person.open(at_localhost(stage, "/account/passkey"))
    add_passkey(person)
    assert sum(len(key.credentials) for key in keys) == 1, [key.credentials for key in keys]
    person.open(at_localhost(stage, "/sign-out"))
    person.press("main button")
    person.open(at_localhost(stage, "/sign-in/passkey"))
    use_passkey(person)
    assert person.kind == "account", (person.kind, person.text)


# A sign-in lets the user change the account for five minutes.
@story
@within(300)
def account(stage):
    """A user looks at the account's pages, proves once more who they are, and ends a session elsewhere."""
    person, email = stage.person, stage.email()
    made = stage.server.account(email)
    secret = stage.server.authenticator(made)
    stage.server.phone(made["localId"])
    person.open("/account/security")
    # The factor that was set up first: a device that comes first would be asked at once.
    kind = person.sign_in(email)
    assert kind == "code", (kind, person.text)
    person.tab.get_by_label("phone", exact=True).check()
    stage.server.advance(31)
    person.type(code=totp(secret, stage.server.now()))
    stage.look("security", "account-security")
    for name in ("sessions", "activity", "applications", "profile", "password", "data", "delete"):
        person.open(f"/account/{name}")
        stage.look(f"account-{name}", f"account-{name}")
    person.press("main a[href='/account/data']")
    assert person.kind == "account-data", (person.kind, person.text)
    person.open("/account/activity")
    person.press("main a[href*='not-me']")
    stage.look("account-not-me", "account-not-me")
    stage.server.advance(301)
    person.open("/account/password")
    stage.look("confirm", "confirm")
    person.type(password="not that one")
    stage.look("confirm-refused", "confirm", alert=True)


@story
@within(300)
def changing(stage):
    """A user changes name and address, sets up an authenticator and recovery codes, and has the account removed."""
    person, email = stage.person, stage.email()
    stage.server.account(email)
    person.open("/account/profile")
    person.sign_in(email)
    person.type(display_name="Ada Lovelace")
    stage.look("profile-saved", "account-profile")
    person.open("/account/address")
    stage.look("address", "account-address")
    person.type(email=f"new.{email}")
    stage.look("address-code", "account-address-code")
    person.type(code="00000000")
    stage.look("address-code-refused", "account-address-code", alert=True)
    person.type(code=stage.mail_code(f"new.{email}"))
    stage.look("address-changed", "account-profile")
    person.open("/account/authenticator")
    stage.look("authenticator-begin", "account-authenticator")
    person.press("main form button")
    stage.look("authenticator", "account-authenticator")
    secret = person.tab.inner_text("main .secret [aria-hidden]").replace(" ", "")
    person.type(code="000000")
    stage.look("authenticator-refused", "account-authenticator", alert=True)
    person.type(name="Phone", code=totp(secret, stage.server.now()))
    stage.look("authenticator-added", "account-security")
    person.open("/account/recovery-codes")
    stage.look("recovery-codes-begin", "account-recovery")
    person.press("main form button")
    stage.look("recovery-codes", "account-recovery")
    assert person.tab.locator("main ol.codes li").count() == 10, person.text
    person.press("main a.button:not(.secondary)")
    stage.look("recovery-codes-kept", "account-security")
    person.press("main ul.items a")
    stage.look("account-factor-app", "account-factor")
    person.press("main button[value=lost]")
    stage.look("factor-lost", "account-security")
    person.open("/account/device")
    stage.look("device-begin", "account-device")
    person.open("/account/delete")
    stage.look("delete", "account-delete")
    person.type(typed="someone else")
    stage.look("delete-refused", "account-delete", alert=True)
    person.type(typed=f"new.{email}")
    stage.look("deleted", "account-deleted")


@story
def staying(stage):
    """A user stays signed in: the browser then offers the account by a button, and forgets it where that is asked."""
    person, email = stage.person, stage.email()
    stage.server.account(email)
    person.open("/sign-in")
    person.tab.check("[name=stay]")
    person.sign_in(email)
    assert person.kind == "account", (person.kind, person.text)
    person.open("/sign-out")
    person.press("main button")
    person.open("/sign-in")
    stage.look("sign-in-known", "sign-in")
    person.press(f"button[value='{email}']")
    person.tab.fill("[name=password]", PASSWORD)
    person.tab.click("button[data-reveal]")
    assert person.tab.get_attribute("[name=password]", "type") == "text"
    stage.look("password-shown", "password")
    person.tab.click("button[data-reveal]")
    assert person.tab.get_attribute("[name=password]", "type") == "password"
    person.open("/sign-in")
    person.press("button[value=forget]")
    assert person.kind == "sign-in", (person.kind, person.text)
    assert person.tab.locator(f"button[value='{email}']").count() == 0, person.text


@story
def proving(stage):
    """An application demands a second factor of a user whose address is not proved: a mailed code comes first."""
    person, email = stage.person, stage.email()
    stage.server.account(email, verified=False)
    stage.server.application(
        "strict", "--kind", "native", "--redirect-uri", "http://127.0.0.1/callback", "--scopes", "openid",
        "--first-party", "--require-mfa")
    person.open(stage.request("strict", "openid"))
    person.sign_in(email)
    stage.look("verify-first", "verify")
    person.type(code="00000000")
    stage.look("verify-first-refused", "verify", alert=True)
    person.type(code=stage.mail_code(email))
    assert person.kind == "enrol", (person.kind, person.text)


@story
def way_back(stage):
    """A page of another browser leads back to the application; the consent page links to what the application says of itself."""
    person, email = stage.person, stage.email()
    made = stage.server.account(email)
    stage.server.application(
        "shop", "--kind", "web", "--auth-method", "none", "--redirect-uri", stage.callback.uri, "--scopes", "openid,email",
        "--initiate-login-uri", "https://shop.example.com/begin", "--policy-uri", "https://shop.example.com/privacy",
        "--tos-uri", "https://shop.example.com/terms", "--accent", "#8a1c4a")
    person.open(stage.request("shop", "openid email"))
    begun = person.tab.url
    person.sign_in(email)
    stage.look("consent-with-links", "consent")
    person.context.clear_cookies()
    person.open(begun)
    stage.look("start-again-with-way-back", "start-again")
    stage.server.disable(made["localId"])
    person.open(stage.request("shop", "openid email"))
    person.sign_in(email)
    stage.look("disabled-with-way-back", "disabled")
    person.open("/oidc/logout?client_id=shop")
    stage.look("signed-out-with-way-back", "signed-out")


@story
def invited(stage):
    """An administrator invites a person, who makes an account by the link; after that the link is used."""
    person, email = stage.person, stage.email()
    said = stage.server.run("user", "invite", email, "--print-link", "--public-url", person.base)
    link = said.strip().splitlines()[-1].removeprefix(person.base)
    person.open(link)
    stage.look("invitation", "sign-up")
    person.press("main form button")
    assert person.kind == "verify", (person.kind, person.text)
    person.type(code=stage.mail_code(email))
    person.type(new_password=PASSWORD)
    assert person.kind == "account", (person.kind, person.text)
    person.open(link)
    stage.look("invitation-used", "sign-up")


@story
def terms(stage):
    """The operator has terms of use: each user agrees once to each version."""
    person, email = stage.person, stage.email()
    stage.server.account(email)
    try:
        stage.server.run("config", "set", "terms.url", "https://example.com/terms")
        stage.server.run("config", "set", "terms.version", "2026-11")
        person.open(stage.request("dev-native", "openid"))
        person.sign_in(email)
        stage.look("terms", "terms")
        person.press("main button[value=allow]")
        assert "code=" in person.tab.url, person.tab.url
    finally:
        stage.server.run("config", "set", "terms.version", "none")


# A browser waits for the other device for two minutes.
@story
@within(120)
def other_device(stage):
    """A phone on which the user is signed in signs a browser in that is beside it; another one is denied."""
    person, email = stage.person, stage.email()
    stage.server.account(email)
    person.open("/sign-in/other-device")
    stage.look("other-device", "other-device")
    person.press("main form button")
    stage.look("other-device-waiting", "other-device")
    code, number = person.tab.locator("p.secret span[aria-hidden]").all_inner_texts()
    phone = person.beside(width=390)
    try:
        phone.open("/sign-in/other-device/confirm")
        phone.sign_in(email)
        stage.album.look(phone, "other-device-type", "activate")
        phone.type(user_code="BCDF-GHJK")
        stage.album.look(phone, "other-device-type-refused", "activate", alert=True)
        phone.type(user_code=code)
        stage.album.look(phone, "other-device-confirm", "device-confirm")
        phone.type(number="000000" if number != "000000" else "000001")
        stage.album.look(phone, "other-device-confirm-refused", "device-confirm", alert=True)
        phone.type(number=number)
        stage.album.look(phone, "other-device-allowed", "device-confirm")
        # The script that waits leads on.
        person.tab.wait_for_url("**/account*")
        assert person.kind == "account", (person.kind, person.text)
        person.open("/sign-out")
        person.press("main button")
        person.open("/sign-in/other-device")
        person.press("main form button")
        code, _ = person.tab.locator("p.secret span[aria-hidden]").all_inner_texts()
        # The clock has not moved for the phone; for a browser that begins later its session is too old.
        stage.server.advance(1)
        person.press("main a")
        person.open("/sign-in/other-device")
        person.press("main form button")
        code, _ = person.tab.locator("p.secret span[aria-hidden]").all_inner_texts()
        phone.open(f"/sign-in/other-device/confirm?user_code={code}")
        stage.album.look(phone, "other-device-prove", "device-confirm")
        phone.press("main button[value=deny]")
        stage.album.look(phone, "other-device-refused", "device-confirm")
        person.tab.wait_for_selector("[role=alert]")
        stage.look("other-device-denied", "other-device", alert=True)
    finally:
        phone.close()


@story
def expiring(stage):
    """Two minutes before an attempt ends its page says so."""
    person, email = stage.person, stage.email()
    stage.server.account(email)
    person.tab.clock.install()
    person.open("/sign-in")
    person.type(username=email)
    line = person.tab.locator("[data-expires]")
    seconds = int(line.get_attribute("data-expires"))
    assert line.inner_text() == "", line.inner_text()
    person.tab.clock.fast_forward((seconds - 119) * 1000)
    person.tab.wait_for_function("document.querySelector('[data-expires]').textContent !== ''")
    person.tab.clock.resume()
    stage.look("expiring", "password")


@story
def overloaded(stage):
    """Another program holds the database: what was sent is not done, and the page says to try again."""
    person, email = stage.person, stage.email()
    stage.server.account(email)
    person.open("/sign-in")
    with stage.server.busy():
        with person.tab.expect_response(lambda response: response.request.method == "POST") as answered:
            person.type(username=email)
    assert answered.value.status == 503, answered.value.status
    assert int(answered.value.headers["retry-after"]) > 0, answered.value.headers
    stage.look("overloaded", "error")
    person.open("/sign-in")
    person.type(username=email)
    assert person.kind == "password", (person.kind, person.text)


@story
def inbox(stage):
    """The developer's inbox."""
    person = stage.person
    person.open("/dev/inbox")
    assert person.tab.locator("main").count() == 1, person.text
    stage.look("inbox", "inbox")


# It is for developers, in English alone.
inbox.language = "en"
