"""The stories of those who administer: every page of the console, and what each of its forms does."""

import base64
import secrets

from browser import totp
from stories import story


# One pixel.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="


class Desk:
    """An administrator at the console, and a user to look after."""

    def __init__(self, stage, role="owner"):
        self.stage, self.server, self.person = stage, stage.server, stage.person
        self.address = f"{role}.{stage.email()}"
        made = self.server.account(self.address, name="Grace Hopper")
        self._secret = self.server.authenticator(made)
        self.server.run("admin", "grant", self.address, role)
        self.id = made["localId"]
        self.sign_in()

    def sign_in(self):
        """From the console through the sign-in that it leads to."""
        self.server.advance(31)
        self.person.open("/console")
        kind = self.person.sign_in(self.address)
        assert kind == "code", (kind, self.person.text)
        self.person.type(code=totp(self._secret, self.server.now()))
        assert self.person.kind == "console", (self.person.kind, self.person.text)

    def user(self, name="Ada Lovelace"):
        address = self.stage.email()
        made = self.server.account(address, name=name)
        return address, made["localId"], made

    def look(self, path, name, kind):
        self.person.open(path)
        self.stage.look(name, kind)

    def confirm(self, path, name=None, /, **fields):
        """Answers the question of a page."""
        self.person.open(path)
        if name:
            self.stage.look(name, "console-ask")
        if fields:
            for field, value in fields.items():
                element = self.person.tab.locator(f"[name='{field}']").first
                if element.evaluate("e => e.localName") == "select":
                    element.select_option(value)
                elif element.get_attribute("type") in ("checkbox", "radio"):
                    self.person.tab.check(f"[name='{field}'][value='{value}']")
                else:
                    element.fill(value)
        self.person.press("main form[method=post] button[type=submit]")
        # What changes is shown before it is done.
        if self.person.kind == "console-review":
            if name:
                self.stage.look(f"{name}-review", "console-review")
            self.person.press("main form[method=post] button[type=submit]")
        return self.person.kind


@story
def console_finds(stage):
    """A user is found by the beginning of the name, looked at from every side, and locked and unlocked."""
    desk, person = Desk(stage), stage.person
    address, id, made = desk.user("Zoë Ångström")
    desk.server.authenticator(made)
    desk.look("/console", "console-overview", "console")
    desk.look("/console/users", "console-users", "console-users")
    person.tab.fill("[name=q]", "zoë")
    person.press("form[role=search] button")
    assert person.tab.locator("tbody tr").count() >= 1, person.text
    stage.look("console-users-found", "console-users")
    person.press(f"tbody a[href='/console/users/{id}']")
    stage.look("console-user", "console-user")
    for tab in ("factors", "sessions", "applications", "checks", "log", "data"):
        desk.look(f"/console/users/{id}/{tab}", f"console-user-{tab}", f"console-user-{tab}")
    desk.confirm(f"/console/users/{id}/disable", "console-disable")
    stage.look("console-user-disabled", "console-user")
    other = person.beside()
    try:
        other.open("/sign-in")
        assert other.sign_in(address) == "disabled", other.text
    finally:
        other.close()
    person.press("main .standing a")
    person.press("main form[method=post] button")
    assert person.tab.locator(".standing.good").count() == 1, person.text
    desk.look("/console/users?q=nobody-at-all", "console-users-none", "console-users")
    desk.look("/console/nothing", "console-not-found", "not-found")


@story
def console_unlocks(stage):
    """Wrong passwords lock a user out: the console says until when, and one press unlocks."""
    desk, person = Desk(stage), stage.person
    address, id, _ = desk.user()
    # The wait doubles with each further one: in the end it is longer than anything takes here.
    for wait in [0] * 12 + [31, 61, 121, 241]:
        desk.server.advance(wait)
        desk.server.ask(
            "/v1/accounts:signInWithPassword?key=dev-app",
            {"email": address, "password": "not that one", "returnSecureToken": True})
    person.open(f"/console/users/{id}")
    assert person.tab.locator(".standing.alarming").count() == 1, person.text
    stage.look("console-user-locked", "console-user")
    desk.look("/console/limits", "console-limits", "console-limits")
    person.open(f"/console/users/{id}")
    person.press("main form[action='/console/limits/lift'] button")
    stage.look("console-user-unlocked", "console-user")
    assert person.tab.locator(".standing.good").count() == 1, person.text
    other = person.beside()
    try:
        other.open("/sign-in")
        assert other.sign_in(address) == "account", other.text
    finally:
        other.close()


@story
def console_helps(stage):
    """A user lost everything: password, recovery code with a hold, invitation, factors; at last the account goes."""
    desk, person = Desk(stage, "operator"), stage.person
    address, id, made = desk.user()
    secret = desk.server.authenticator(made)
    desk.confirm(f"/console/users/{id}/reset-password", "console-reset-password", method="generate")
    stage.look("console-password-shown", "console-user")
    desk.confirm(f"/console/users/{id}/mail-recovery-code", "console-recovery", hold="1")
    stage.look("console-recovery-mailed", "console-user")
    code = desk.server.code_mailed_to(address)
    assert len(code.replace(" ", "")) == 24, code
    desk.confirm(f"/console/users/{id}/invite-to-enrol", "console-invite")
    desk.look(f"/console/users/{id}/mail-confirmation", "console-confirm-address", "console-ask")
    person.open(f"/console/users/{id}/factors")
    person.press("main a[href$='/reset-mfa']")
    stage.look("console-reset-factors", "console-ask")
    person.press("main form[method=post] button")
    address = f"augusta.{address}"
    desk.confirm(f"/console/users/{id}/edit", "console-edit", display_name="Augusta King", attributes='{"city": "London"}',
                 email=address, verified="1")
    stage.look("console-edited", "console-user")
    assert "Augusta King" in person.text and "London" in person.text, person.text
    desk.confirm(f"/console/users/{id}/edit", attributes="no object")
    stage.look("console-edit-refused", "console-ask", alert=True)
    person.open(f"/console/users/{id}/delete")
    person.type(name="someone else")
    stage.look("console-delete-refused", "console-ask", alert=True)
    person.type(name=address)
    stage.look("console-user-leaving", "console-user")
    desk.confirm(f"/console/users/{id}/enable")
    assert person.tab.locator(".standing.good").count() == 1, person.text
    assert secret


@story
def console_ticks(stage):
    """Users are ticked in the list, and something is done to all of them."""
    desk, person = Desk(stage), stage.person
    made = [desk.user(f"Number {number}") for number in range(2)]
    person.open("/console/users")
    for _, id, _ in made:
        person.tab.check(f"[name='user.{id}']")
    person.tab.select_option("[name=action]", "disable")
    person.press("#ticked button")
    stage.look("console-bulk", "console-ask")
    person.press("main form[method=post] button")
    stage.look("console-bulk-result", "console-result")
    person.open(f"/console/users/{made[1][1]}")
    assert person.tab.locator(".standing.alarming").count() == 1, person.text
    desk.look("/console/users-bulk", "console-bulk-none", "console-ask")
    group = f"ticked-{secrets.token_hex(3)}"
    desk.confirm("/console/groups-add", group=group)
    desk.confirm(f"/console/users-bulk?action=add-to-group&user.{made[1][1]}=1", "console-bulk-group", group=group)
    assert person.kind == "console-result", (person.kind, person.text)
    desk.look("/console/users-add", "console-user-add", "console-ask")
    desk.look("/console/users-invite", "console-user-invite", "console-ask")


@story
def console_rights(stage):
    """A right is granted, and taken: the console that is open ends at its next page."""
    desk, person = Desk(stage), stage.person
    helper = person.beside()
    try:
        other = Desk.__new__(Desk)
        address = f"helper.{stage.email()}"
        made = desk.server.account(address, name="Helping Hand")
        other.stage, other.server, other.person = stage, desk.server, helper
        other.address, other._secret = address, desk.server.authenticator(made)
        desk.confirm("/console/administrators/grant", "console-grant", role="support", user=address)
        stage.look("console-administrators", "console-administrators")
        other.sign_in()
        stage.album.look(helper, "console-of-support", "console")
        helper.open("/console/settings")
        stage.album.look(helper, "console-forbidden", "forbidden")
        desk.confirm(f"/console/administrators/{made['localId']}/revoke", "console-revoke")
        helper.open("/console/users")
        stage.album.look(helper, "console-closed", "forbidden")
    finally:
        helper.close()


@story
def console_groups(stage):
    """A group is made and filled; a token of a machine is made and shown once."""
    desk, person = Desk(stage), stage.person
    address, id, _ = desk.user()
    name = f"team-{secrets.token_hex(3)}"
    desk.confirm("/console/groups-add", "console-group-add", group=name, summary="People who build things")
    stage.look("console-group-empty", "console-group")
    desk.confirm(f"/console/groups/{name}/add-member", "console-group-add-member", user=address)
    stage.look("console-group", "console-group")
    desk.look("/console/groups", "console-groups", "console-groups")
    desk.confirm(f"/console/groups/{name}/settings", "console-group-settings", summary="People who build and run things")
    assert "build and run" in person.text, person.text
    desk.confirm(f"/console/groups/{name}/members/{id}/remove", "console-group-remove-member")
    desk.confirm(f"/console/users/{id}/add-to-group", "console-user-join", group=name)
    stage.look("console-user-groups", "console-user")
    person.press(f"main td a[href$='/members/{id}/remove?from=user']")
    person.press("main form[method=post] button")
    assert person.kind == "console-user", (person.kind, person.text)
    person.open("/console/tokens/add")
    stage.look("console-token-add", "console-ask")
    person.tab.check("[name='scope.users:read']")
    person.type(label="CI")
    stage.look("console-token-shown", "console-tokens")
    desk.look("/console/tokens", "console-tokens", "console-tokens")
    person.press("main td a[href$='/revoke']")
    stage.look("console-token-revoke", "console-ask")


@story
def console_finds_groups(stage):
    """A group is found by the beginning of its name, in whatever case, and by its summary."""
    desk, person = Desk(stage), stage.person
    name = f"Sales-{secrets.token_hex(3)}"
    desk.confirm("/console/groups-add", group=name, summary=f"Those who sell {name}")
    for text in (name.lower(), f"those who sell {name}"):
        person.open("/console/groups")
        person.tab.fill("[name=q]", text)
        person.press("form[role=search] button")
        assert person.tab.locator("tbody tr").count() == 1, person.text
    stage.look("console-groups-found", "console-groups")
    desk.look("/console/groups?q=none-at-all", "console-groups-none", "console-groups")


@story
def console_lifts(stage):
    """A second factor is required of a group and of a role: whoever leaves one of them is asked about with what that lifts."""
    desk, person = Desk(stage), stage.person
    address, id, _ = desk.user()
    group = f"finance-{secrets.token_hex(3)}"
    desk.confirm("/console/groups-add", group=group, summary="People who pay")
    desk.confirm(f"/console/groups/{group}/add-member", user=address)
    removal = f"/console/groups/{group}/members/{id}/remove"
    try:
        desk.server.run("config", "set", "secondFactors.requiredGroups", group)
        desk.look(f"/console/groups/{group}", "console-group-requires", "console-group")
        desk.look(f"/console/groups/{group}/add-member", "console-group-requires-member", "console-ask")
        person.open("/console/users")
        person.tab.check(f"[name='user.{id}']")
        person.tab.select_option("[name=action]", "remove-from-group")
        person.press("#ticked button")
        person.tab.select_option("[name=group]", group)
        stage.look("console-bulk-lifts", "console-ask")
        person.press("main form[method=post] button[type=submit]")
        assert person.tab.locator("tbody tr").count() == 1, person.text
        stage.look("console-bulk-lifts-refused", "console-result")
        person.open(removal)
        # What was said is no longer so by the time that it is answered.
        desk.server.run("config", "set", "secondFactors.requiredGroups", "none")
        person.press("main form[method=post] button[type=submit]")
        stage.look("console-group-lifts-no-more", "console-ask", alert=True)
        desk.server.run("config", "set", "secondFactors.requiredGroups", group)
        person.open(removal)
        assert person.tab.locator("input[name=lifts][value='1']").count() == 1, person.text
        desk.confirm(removal, "console-group-lifts")
        assert person.kind == "console-group", (person.kind, person.text)
    finally:
        desk.server.run("config", "set", "secondFactors.requiredGroups", "none")
    desk.confirm("/console/administrators/grant", role="support", user=address)
    revoking = f"/console/administrators/{id}/revoke"
    person.open(revoking)
    said = person.text
    try:
        desk.server.run("config", "set", "secondFactors.requiredRoles", "support")
        person.open(revoking)
        assert len(person.text) > len(said), person.text
        desk.confirm(revoking, "console-revoke-lifts")
        assert person.kind == "console-administrators", (person.kind, person.text)
    finally:
        desk.server.run("config", "set", "secondFactors.requiredRoles", "none")


@story
def console_readdresses(stage):
    """A mailbox is lost: an administrator gives the user another address, and mails a link by which the user confirms it."""
    desk, person = Desk(stage, "operator"), stage.person
    address, id, _ = desk.user()
    other, _, _ = desk.user("Charles Babbage")
    user, present = f"/console/users/{id}", f"new.{address}"
    desk.confirm(f"{user}/edit", email=other)
    stage.look("console-address-taken", "console-ask", alert=True)
    desk.confirm(f"{user}/edit", "console-address", email=present)
    assert present in person.text, person.text
    stage.look("console-address-changed", "console-user")
    person.press("main a[href$='/mail-confirmation']")
    stage.look("console-address-confirm", "console-ask")
    person.press("main form[method=post] button[type=submit]")
    stage.look("console-address-mailed", "console-user")
    reader = person.beside(width=390)
    try:
        reader.open(desk.server.link_mailed_to(present) + f"&lang={person.language}")
        stage.album.look(reader, "console-address-link", "verify")
        reader.press("main form button")
        stage.album.look(reader, "console-address-confirmed", "verify")
    finally:
        reader.close()
    person.open(user)
    assert person.tab.locator("main a[href$='/mail-confirmation']").count() == 0, person.text


def another(person, *values):
    """A value that the setting on the page does not have: earlier looks have changed it."""
    present = person.tab.locator("dl.facts dd").first.inner_text()
    return next(value for value in values if value not in present)


@story
def console_registrations(stage):
    """A token is made for a partner, whose application registers itself; an administrator looks at it, and vouches for it."""
    desk, person = Desk(stage), stage.person
    desk.look("/console/registrations", "console-registrations-none", "console-registrations")
    person.open("/console/registrations-tokens/add")
    stage.look("console-registration-token-add", "console-ask")
    person.type(label="Partner", count="3")
    stage.look("console-registration-token-shown", "console-registration-tokens")
    token = person.tab.locator("p.secret span").first.inner_text().strip()
    desk.server.run("config", "set", "oauth.registration", "token")
    status, made = desk.server.ask(
        "/oidc/register", {"client_name": "Partner", "redirect_uris": ["https://partner.example/callback"]},
        headers={"Authorization": f"Bearer {token}"})
    assert status == 201, made
    id = made["client_id"]
    desk.look("/console/registrations", "console-registrations", "console-registrations")
    desk.look(f"/console/applications/{id}", "console-application-registered", "console-application")
    desk.confirm(f"/console/registrations/{id}/approve", "console-registration-approve")
    stage.look("console-application-approved", "console-application")
    desk.look(f"/console/registrations/{id}/withdraw", "console-registration-withdraw", "console-ask")
    person.open("/console/registrations-tokens")
    person.press("main td a[href$='/remove']")
    stage.look("console-registration-token-remove", "console-ask")


@story
def console_server(stage):
    """The log, settings and keys, and what else there is of the server."""
    desk, person = Desk(stage), stage.person
    desk.look("/console/log", "console-log", "console-log")
    person.tab.select_option("[name=kind]", "sign-in")
    person.press("form[role=search] button")
    stage.look("console-log-filtered", "console-log")
    person.press("tbody th a")
    stage.look("console-event", "console-event")
    person.open("/console/log?user=nobody@example.com")
    stage.look("console-log-nobody", "console-log", alert=True)
    desk.look("/console/settings", "console-settings", "console-settings")
    setting = "/console/settings/audit.retentionDays"
    desk.look(setting, "console-setting", "console-setting")
    person.type(value=another(person, "399", "398"))
    stage.look("console-setting-preview", "console-setting")
    person.press("main form[method=post] button")
    stage.look("console-setting-changed", "console-settings")
    person.open(setting)
    person.type(value="many")
    stage.look("console-setting-refused", "console-setting", alert=True)
    for page in (
            "rules", "keys", "delivery", "hooks", "figures", "doctor", "applications", "apis", "checks-catalogue", "checks"):
        desk.look(f"/console/{page}", f"console-{page}", f"console-{page}")
    person.open("/console/applications")
    person.tab.fill("[name=q]", "dev-w")
    person.press("form[role=search] button")
    assert person.tab.locator("tbody tr").count() == 1, person.text
    stage.look("console-applications-found", "console-applications")
    desk.look("/console/applications?q=none-at-all", "console-applications-none", "console-applications")
    desk.look("/console/checks/open", "console-checks-open", "console-checks-open")
    desk.look("/console/keys/rotate", "console-rotate", "console-ask")
    desk.look("/console/hooks/add", "console-hook-add", "console-ask")
    desk.look("/console/applications/dev-web", "console-application", "console-application")
    desk.look(
        "/console/applications/dev-web/sessions", "console-application-sessions", "console-application-sessions")


@story
def console_connects(stage):
    """A hook whose service is away is looked after; mails are read in each language; an extension is added and removed."""
    desk, person = Desk(stage), stage.person
    desk.confirm("/console/hooks/add", url="http://127.0.0.1:9/events", label="Billing")
    stage.look("console-hook-secret", "console-hook")
    desk.look("/console/hooks", "console-hooks-listed", "console-hooks")
    person.press("main tbody th a")
    stage.look("console-hook", "console-hook")
    hook = "/" + person.tab.url.split("?")[0].split("/", 3)[3]
    for action in ("settings", "test", "replay", "secret", "disable"):
        desk.look(f"{hook}/{action}", f"console-hook-{action}", "console-ask")
    desk.confirm(f"{hook}/test")
    stage.look("console-hook-not-delivered", "console-ask", alert=True)
    desk.confirm(f"{hook}/disable")
    desk.look(hook, "console-hook-disabled", "console-hook")
    desk.confirm(f"{hook}/remove", "console-hook-remove")
    desk.look("/console/delivery/templates", "console-mails", "console-mails")
    person.press("main tbody th a")
    stage.look("console-mail", "console-mail")
    for page in ("test-mail", "test-push"):
        desk.look(f"/console/delivery/{page}", f"console-{page}", "console-ask")
    desk.look("/console/extensions", "console-extensions", "console-extensions")
    desk.look("/console/extensions/add", "console-extension-add", "console-ask")


def application(desk, id):
    """Each change of one application, from its beginning to its end."""
    path = f"/console/applications/{id}"
    shown = "console-application"
    return [
        ("/console/applications-add?kind=web", shown,
         {"id": id, "name": "Shop", "redirects": "https://shop.example.com/callback"}),
        (f"{path}/settings", shown,
         {"note": "of the shop team", "contacts": "shop@example.com", "accent": "#155eaf", "policy-uri": "https://shop.example.com/privacy",
          "default-acr": "aal2", "attributes": "city:string:required", "issuer-style": "auth0"}),
        (f"{path}/version", shown,
         {"number": "1.0", "elements": "pay = PinCode", "settings": "PinCode pinCode = 1234"}),
        (f"{path}/version-remove?number=1.0", shown, {}),
        (f"{path}/secret", shown, {"overlap": "1"}),
        (f"{path}/disable", shown, {}), (f"{path}/enable", shown, {}),
        (f"{path}/remove", "console-applications", {}),
    ]


@story
def console_changes(stage):
    """Applications of every kind, APIs, documents and what is left of users are added, changed and removed: each form, by a table."""
    desk, person = Desk(stage), stage.person
    name = secrets.token_hex(4)
    for kind in ("browser", "native", "service", "device"):
        desk.look(f"/console/applications-add?kind={kind}", f"console-application-add-{kind}", "console-ask")
    api = f"https://{name}.example.com"
    steps = application(desk, name) + [
        ("/console/apis/put", "console-apis", {"uri": api, "name": "Things", "scopes": "read:things"}),
        (f"/console/apis/remove?uri={api}", "console-apis", {}),
        ("/console/registrations-documents/block", "console-documents", {"pattern": f"{name}.example"}),
        (f"/console/registrations-documents/unblock?pattern={name}.example", "console-documents", {}),
        ("/console/delivery/retry?channel=email", "console-delivery", {}),
    ]
    for path, kind, fields in steps:
        picture = path.split("?")[0].removeprefix("/console/").replace(f"{name}/", "").replace("/", "-")
        desk.confirm(path, f"console-{picture}-ask", **fields)
        stage.look(f"console-{picture}-done", kind)
    desk.look("/console/registrations-documents", "console-documents", "console-documents")
    # A picture comes as a file, and is kept over the page that shows what changes.
    person.open("/console/applications/dev-native/logo")
    stage.look("console-logo", "console-ask")
    person.tab.set_input_files("[name=file]", {"name": "logo.png", "mimeType": "image/png", "buffer": base64.b64decode(PNG)})
    person.press("main form[method=post] button[type=submit]")
    stage.look("console-logo-review", "console-review")
    person.press("main form[method=post] button[type=submit]")
    stage.look("console-logo-set", "console-application")
    desk.confirm("/console/applications/dev-native/logo", remove="1")
    # What there is nothing of is not asked about.
    for path in (
            f"/console/registrations-documents/forget?document={api}/client",
            "/console/checks/status?client=none", "/console/checks/unblock?client=none&check=PinCode",
            "/console/checks/remove?client=none"):
        picture = "console-" + path.split("?")[0].removeprefix("/console/").replace("/", "-")
        desk.look(path, f"{picture}-none", "not-found")

    desk.confirm("/console/extensions/add", event="token-issuance-start", url="http://127.0.0.1:9/claims", name="Claims")
    stage.look("console-extension", "console-extension")
    extension = "/" + person.tab.url.split("?")[0].split("/", 3)[3]
    desk.confirm(f"{extension}/check", "console-extension-check")
    stage.look("console-extension-check-failed", "console-ask", alert=True)
    desk.confirm(f"{extension}/remove", "console-extension-remove")
    person.open("/console/keys")
    person.press("main a[href$='/retire']")
    stage.look("console-key-retire", "console-ask")

    address, id, made = desk.user()
    desk.server.authenticator(made)
    user = f"/console/users/{id}"
    for tab, link in (("sessions", "/end"), ("factors", "/remove")):
        person.open(f"{user}/{tab}")
        person.press(f"main td a[href$='{link}']")
        stage.look(f"console-user-one-of-{tab}", "console-ask")
        person.press("main form[method=post] button[type=submit]")
        stage.look(f"console-user-less-{tab}", f"console-user-{tab}")
    desk.confirm(f"{user}/end-sessions", "console-user-end-sessions")
    desk.look(f"{user}/applications/dev-web/revoke", "console-user-revoke-none", "not-found")
    person.open(stage.request())
    person.press("button[value=allow]")
    assert "code=" in stage.callback.next()
    own = f"/console/users/{desk.id}/applications/dev-web/revoke"
    desk.look(own, "console-user-revoke-application", "console-ask")
    assert address


@story
def console_moves(stage):
    """A user is invited, and others come from a file; a rule says before it changes whom it concerns."""
    desk, person = Desk(stage), stage.person
    desk.confirm("/console/users-invite", email=stage.email())
    stage.look("console-user-invited", "console-users")
    desk.look("/console/users-import", "console-import", "console-ask")
    line = '{"localId": "%s", "email": "file.%s"}' % (secrets.token_hex(6), stage.email())
    person.tab.set_input_files(
        "[name=file]", {"name": "users.jsonl", "mimeType": "application/jsonl", "buffer": f"{line}\nno line".encode()})
    person.press("main form[method=post] button[type=submit]")
    stage.look("console-import-review", "console-review")
    person.press("main form[method=post] button[type=submit]")
    stage.look("console-import-result", "console-result")
    desk.look("/console/users-export", "console-export", "console-ask")
    person.open("/console/rules")
    person.press("main a[href='/console/settings/passwords.minimumLength']")
    person.tab.fill("[name=value]", another(person, "10", "9"))
    person.press("main form[role=search] button")
    stage.look("console-rule-preview", "console-setting")
    person.press("main form[method=post] button")
    stage.look("console-rule-changed", "console-rules")
