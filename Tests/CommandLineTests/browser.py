"""A browser without scripts: keeps cookies, follows redirects, fills in the forms of pages.

browser.py ADDRESS [NAME=VALUE]...: opens the address, sends each form that has one of the fields, and prints the last page's status and
text. Each value is typed once.
"""

import html
import http.cookiejar
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

opener = urllib.request.build_opener(
    urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
)


def load(address, fields=None):
    request = urllib.request.Request(address, headers={"Accept": "text/html"})
    if fields is not None:
        request.data = urllib.parse.urlencode(fields).encode()
        request.add_header("Sec-Fetch-Site", "same-origin")
    try:
        answer = opener.open(request, timeout=300)
    except urllib.error.HTTPError as error:
        answer = error
    return answer.geturl(), answer.status, answer.read().decode()


def forms(page):
    for action, inside in re.findall(r'<form method="post" action="([^"]*)">(.*?)</form>', page, re.S):
        names, values = set(), {}
        for tag, text in re.findall(r"<(input|button)([^>]*)>", inside):
            attributes = dict(re.findall(r'([a-z-]+)="([^"]*)"', text))
            name = attributes.get("name")
            if name is None:
                continue
            names.add(name)
            if tag == "input" and (attributes.get("type") not in ("radio", "checkbox") or re.search(r"\bchecked\b", text)):
                values[name] = html.unescape(attributes.get("value", ""))
        yield html.unescape(action), names, values


address, typed = sys.argv[1], dict(word.split("=", 1) for word in sys.argv[2:])
address, status, page = load(address)
while True:
    found = next(((a, n, v) for a, n, v in forms(page) if n & typed.keys()), None)
    if found is None:
        break
    action, names, values = found
    for name in names & typed.keys():
        values[name] = typed.pop(name)
    address, status, page = load(urllib.parse.urljoin(address, action), values)
print(status)
print(page)
