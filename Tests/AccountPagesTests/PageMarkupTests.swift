import Testing

/// That the reader of pages sees what is wrong. The pages themselves are read by it wherever a test opens one (``TestBrowser``).
@Suite("The HTML of pages")
struct PageMarkupTests {
    private func page(_ content: String, head: String = "") -> String {
        "<!doctype html>\n<html lang=\"en\"><head><title>T</title>\(head)</head><body><main><h1>H</h1>\n"
            + "\(content)</main></body></html>"
    }

    @Test func `A page without a fault has none`() {
        let good = page(
            """
            <p>1 &lt; 2 &amp; <bdi>x</bdi> <time datetime="2026-11-23">now</time></p>
            <form method="post" action="/sign-in"><label for="a">A</label><p class="hint" id="a-hint">H</p>
            <input id="a" name="a" type="text" aria-describedby="a-hint" autofocus><button type="submit">B</button></form>
            <fieldset id="f"><legend><h2>G</h2></legend></fieldset><ul><li><a href="#a">L</a></li></ul><dl><div><dt>D</dt><dd>E</dd></div></dl>
            <svg viewBox="0 0 1 1"><title>S</title><path d="M0 0"/></svg>
            <table><caption>C</caption><thead><tr><th scope="col">X</th></tr></thead><tbody><tr><td>Y</td></tr></tbody></table>
            <textarea id="b" aria-label="b"><b> is text</textarea>
            """, head: "<meta charset=\"utf-8\"><noscript><meta http-equiv=\"refresh\" content=\"4\"></noscript>")
        #expect(PageMarkup.faults(in: good) == [])
    }

    @Test(arguments: [
        ("<p><p>x</p></p>", "<p> in <p>"), ("<p>x", "</main> where p is open"), ("x</div>", "</div> where main"),
        ("<span><div></div></span>", "<div> in <span>"),
        ("<a href=\"/\"><button type=\"submit\">x</button></a>", "in <a>"),
        ("<form action=\"/\"><form action=\"/\"></form></form>", "<form> in <form>"),
        ("<ul><p>x</p></ul>", "<p> in <ul>"),
        ("<p>a & b</p>", "no character reference"), ("<p title=\"&x\">x</p>", "no character reference"),
        ("<p>1 < 2</p>", "begins no tag"), ("<p class=x>x</p>", "not quoted"), ("<p class='x'>x</p>", "not quoted"),
        ("<p class=\"a\" class=\"b\">x</p>", "twice"), ("<p id=\"a\">x</p><p id=\"a\">x</p>", "there twice"),
        ("<p title=\"<b>\">x</p>", "a < in title"), ("<p onclick=\"x()\">x</p>", "onclick"),
        ("<p style=\"color:red\">x</p>", "style"), ("<script>x()</script>", "has content"),
        ("<script></script>", "no src"),
        ("<a href=\"javascript:x()\">x</a>", "leads to javascript"),
        ("<a href=\"//evil.example\">x</a>", "leads to //evil"),
        ("<a href=\"#none\">x</a>", "names none"), ("<input id=\"a\" type=\"text\" name=\"a\">", "no label"),
        ("<label for=\"none\">x</label>", "names none"), ("<img src=\"/x\">", "no alt"),
        ("<button>x</button>", "no type"),
        ("<fieldset><legend><p>x</p></legend></fieldset>", "<p> in <legend>"),
        ("<h1>two</h1>", "2 h1"), ("<br/>", "closes itself"), ("<li>x</li>", "<li> in <main>"),
        ("<tr><td>x</td></tr>", "<tr> in <main>"),
    ])
    func `What is wrong is seen`(content: String, fault: String) {
        let faults = PageMarkup.faults(in: page(content))
        #expect(faults.contains { $0.contains(fault) }, "\(faults)")
    }

    @Test func `A tag that was read on another page is judged by its own page, and its faults are told each time`() {
        for _ in 0..<2 {
            let alone = PageMarkup.faults(in: page("<ul><li class=\"one\">x</li></ul><p lang=\"en\" style=\"x\">x</p>"))
            #expect(alone == ["style on <p>"])
            #expect(PageMarkup.faults(in: page("<li class=\"one\">x</li>")) == ["<li> in <main>"])
            let twice = "<p id=\"one\">x</p><label for=\"two\">x</label>"
            #expect(
                PageMarkup.faults(in: page(twice + twice)) == [
                    "the id one is there twice", "for of <label> names two, which is not there",
                    "for of <label> names two, which is not there",
                ])
        }
    }

    @Test func `The pieces of a page are found by their bytes, with attributes as browsers read them`() {
        let text =
            "<a>x</a><a href=\"/a?b=&quot;c&quot;&amp;d\" hidden><b>Ä</b></a>"
            + "<a rel=\"next\" data-x=\"\">z</a><a href=\"/"
        let html = PageBytes(Array(text.utf8))
        #expect(html.all("<a ", until: "</a>").map(\.text).last == "rel=\"next\" data-x=\"\">z")
        let link = html.first("<a ", until: "</a>")
        let tag = link?.first("", until: ">")
        #expect(tag?.attributes == ["href": "/a?b=\"c\"&d", "hidden": ""])
        #expect(link?.behind(tag).text == "><b>Ä</b>" && link?.begins("href=\"/a") == true)
        #expect(html.all("<a ", until: ">").last?.attributes == ["rel": "next", "data-x": ""])
        #expect(html.first("<a ", until: "</p>") == nil)
    }

    @Test func `A page needs its doctype, a language, and an end`() {
        #expect(PageMarkup.faults(in: "<html></html>").contains { $0.contains("doctype") })
        #expect(PageMarkup.faults(in: "<!doctype html>\n<html><head>").contains { $0.contains("no language") })
        #expect(
            PageMarkup.faults(in: "<!doctype html>\n<html lang=\"en\"><head>").contains {
                $0.contains("open at the end")
            })
    }
}
