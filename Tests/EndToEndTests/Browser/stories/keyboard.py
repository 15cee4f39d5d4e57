"""What a person does with the keyboard alone: Tab, Enter, typing."""

from browser import PASSWORD
from console import Desk

KEYBOARD_STORIES = []


def keyboard_story(function):
    KEYBOARD_STORIES.append(function)
    return function


def type_here(person, text):
    """Types where the focus is, and presses Enter."""
    person.tab.keyboard.type(text)
    with person.tab.expect_navigation(wait_until="load"):
        person.tab.keyboard.press("Enter")


def press(person, selector):
    """Goes on with Tab until the focus is there, sees that it shows, and presses Enter."""
    for _ in range(30):
        person.tab.keyboard.press("Tab")
        if person.tab.evaluate("selector => document.activeElement.matches(selector)", selector):
            outline = person.tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", f"{selector} has the focus and does not show it"
            with person.tab.expect_navigation(wait_until="load"):
                person.tab.keyboard.press("Enter")
            return
    raise AssertionError(f"Tab does not come to {selector}: {person.tab.url}")


@keyboard_story
def signs_in_and_allows_by_keyboard(stage):
    """An application's request up to its answer: the first field has the focus; after a refusal the focus is on the summary."""
    person, email = stage.person, stage.email()
    stage.server.account(email)
    person.open(stage.request())
    type_here(person, "no address")
    assert person.tab.evaluate("document.activeElement.id") == "problem", "the summary of a refused form has no focus"
    # Its link leads into the field.
    person.tab.keyboard.press("Tab")
    person.tab.keyboard.press("Enter")
    assert person.tab.evaluate("document.activeElement.name") == "username", "the summary's link leads elsewhere"
    person.tab.keyboard.press("Control+A")
    type_here(person, email)
    assert person.kind == "password", (person.kind, person.text)
    type_here(person, PASSWORD)
    assert person.kind == "consent", (person.kind, person.text)
    press(person, "button[value=allow]")
    assert "code=" in stage.callback.next()
    person.open("/sign-out")
    press(person, "main button")
    assert person.kind == "signed-out", (person.kind, person.text)


def past_menu(person):
    """The first Tab of a page comes to the link that leads past the menu."""
    person.tab.keyboard.press("Tab")
    assert person.tab.evaluate("document.activeElement.className") == "skip", "the first Tab leads elsewhere"
    person.tab.keyboard.press("Enter")
    assert person.tab.evaluate("document.activeElement.id") == "content", "the link past the menu leads elsewhere"


@keyboard_story
def disables_a_user_by_keyboard(stage):
    """The console from its search to a user who is disabled there: links past the menu, tabs and buttons."""
    desk, person = Desk(stage), stage.person
    address, id, _ = desk.user()
    person.open("/console/users")
    past_menu(person)
    person.tab.keyboard.press("Tab")
    type_here(person, address)
    past_menu(person)
    press(person, f"a[href='/console/users/{id}']")
    past_menu(person)
    press(person, "a[href$='/disable']")
    past_menu(person)
    press(person, "main form[method=post] button")
    assert person.tab.locator(".standing.alarming").count() == 1, person.text
