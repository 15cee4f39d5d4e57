import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Logging
import ServiceLifecycle
import Testing

/// Pages whose script asks whether another device has done what they wait for.
@Suite("Pages that wait", .timeLimit(.minutes(20)))
struct PageWaitTests {
    /// Asks once the server has begun to stop.
    private struct Asking: Service {
        let browser: TestBrowser
        let path: String
        let began: AsyncStream<Void>.Continuation
        let answered: AsyncStream<Reply>.Continuation

        func run() async throws {
            began.finish()
            try await gracefulShutdown()
            answered.yield(try await browser.send(.get, path, headers: [.accept: "application/json"]))
            answered.finish()
        }
    }

    /// What the page's script is answered by a server that stops.
    private static func answer(
        of browser: TestBrowser, on page: TestPage, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Reply {
        let written = try #require(
            page.html.firstMatch(of: /data-wait="([^"]*)"/), "\(page.html)", sourceLocation: sourceLocation)
        let (beginning, began) = AsyncStream<Void>.makeStream()
        let (answers, answered) = AsyncStream<Reply>.makeStream()
        let asking = Asking(
            browser: browser, path: TestPage.plain(written.1), began: began, answered: answered)
        let group = ServiceGroup(services: [asking], logger: Logger(label: "test"))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await _ in beginning {}
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        let replies = await answers.reduce(into: [Reply]()) { $0.append($1) }
        return try #require(replies.first, sourceLocation: sourceLocation)
    }

    @Test
    func `The page of a device's answer is sent away by a server that stops, and the sign-in goes on`() async throws {
        try await TestServer.with(.development) { server in
            let user = try await server.account(SignInPageTests.address)
            let phone = try await server.enrolled(of: "auth0|\(user.id)")
            let browser = TestBrowser(server)
            let page = try await SignInPageTests.password(browser)
            #expect(page.kind == "push", "\(page.html)")
            let reply = try await Self.answer(of: browser, on: page)
            #expect(reply.status == 204 && reply.bytes.isEmpty, "\(reply.text)")
            #expect(try await browser.open(page.path).kind == "push")
            let shown = try #require(page.html.firstMatch(of: /<p class="secret"><span aria-hidden="true">([0-9 ]+)</))
            let push = try #require(try await phone.pushes(on: server).last)
            let number = shown.1.filter { $0 != " " }
            #expect(try await phone.phone.allow(push, number: number, on: server).status < 300)
            #expect(try await browser.open(page.path).kind == "account")
        }
    }

    @Test
    func `The page of another device's answer is sent away by a server that stops, and its code counts on`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let shown = try await OtherDeviceTests.waiting(server)
            let reply = try await Self.answer(of: shown.browser, on: shown.page)
            #expect(reply.status == 204 && reply.bytes.isEmpty, "\(reply.text)")
            let again = try await shown.browser.open(shown.page.path)
            #expect(again.kind == "other-device" && again.html.contains(shown.code), "\(again.html)")
        }
    }

    @Test
    func `The page of a new device is sent away by a server that stops, and its ticket counts on`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            #expect(try await SignInPageTests.password(browser).kind == "account")
            let begun = try await browser.open("/account/device")
            let form = try #require(begun.forms.first { $0.action == "/account/device" })
            let page = try #require(try await browser.sendForm(form, [:]).page)
            let reply = try await Self.answer(of: browser, on: page)
            #expect(reply.status == 204 && reply.bytes.isEmpty, "\(reply.text)")
            #expect(try await browser.open("/account/device").html.contains("data-wait="))
        }
    }

    @Test
    func `The page of an invitation is sent away by a server that stops, and its ticket counts on`() async throws {
        try await TestServer.with(.development) { server in
            let user = try await server.account(SignInPageTests.address)
            let ticket = try await server.ticket(for: "auth0|\(user.id)")
            let browser = TestBrowser(server)
            let landing = try await browser.open("/guardian/enroll?ticket=\(ticket)")
            let page = try await browser.submit(landing, ["method": "push"])
            let reply = try await Self.answer(of: browser, on: page)
            #expect(reply.status == 204 && reply.bytes.isEmpty, "\(reply.text)")
            #expect(try await browser.open(page.path).html.contains("data-wait="))
        }
    }
}
