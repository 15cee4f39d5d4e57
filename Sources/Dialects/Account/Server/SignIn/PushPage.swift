import CountersignCore
import HTTPTypes
import Hummingbird
import ServerHTTP
import WebPages

/// `/sign-in/push`: a device is asked, with a number to type there. The page waits by a script, or loads itself again.
struct PushPage: Sendable {
    static let expectation = FlowExpectation.secondFactor

    func show(_ scene: inout PageScene) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        let status = try await scene.realm.authenticator.status(of: handle, expecting: Self.expectation)
        guard case .open(let summary) = status else {
            return try await scene.goOn(with: handle)
        }
        switch summary.approval {
        case .decided(_, let decision) where decision.isAllowed: return try await claim(handle, scene)
        case .decided:
            return page(scene, problem: scene.words("pushRefused"), isOver: true)
        case .pending(_, let number, _):
            return page(scene, device: try await device(handle, summary.journey?.askedFactor, scene), number: number)
        case .expired: return page(scene, problem: scene.words("pushOver"), canAskAgain: true)
        case nil: return scene.redirect(to: scene.path("/sign-in/code"))
        }
    }

    /// The name of the device that is asked.
    private func device(_ handle: FlowHandle, _ asked: FactorID?, _ scene: PageScene) async throws -> String? {
        guard
            case .secondFactors(let methods) = try await scene.realm.journeys.methods(handle, expecting: .secondFactor)
        else { return nil }
        let devices = methods.filter { $0.factor.kind == .push }
        let name = (devices.first { $0.factor.id == asked } ?? (devices.count == 1 ? devices.first : nil))?.factor.name
        return name?.isEmpty == true ? nil : name
    }

    /// Asks again.
    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let handle = scene.attempt,
            case .secondFactors(let methods) = try await scene.realm.journeys.methods(handle, expecting: .secondFactor),
            let device = methods.first(where: { $0.factor.kind == .push })
        else { return scene.over() }
        var next = NextStep(scene)
        return try await next.ask(device, handle) ?? page(scene, problem: scene.words("pushLimited"))
    }

    /// `/sign-in/push/wait`: `{"next": "/…"}` as soon as there is something to see, `{}` after a while.
    func wait(_ scene: inout PageScene) async throws -> Response {
        guard let handle = scene.attempt else { return try .json(["next": scene.beginning]) }
        return try await scene.context.departure.answer(next: scene.path("/sign-in/push")) { [realm = scene.realm] in
            try await realm.approvals.isOver(for: handle, expecting: Self.expectation, within: .seconds(20))
        }
    }

    private func claim(_ handle: FlowHandle, _ scene: PageScene) async throws -> Response {
        let verdict = try await scene.realm.authenticator.answer(
            .approval, to: .flow(handle, Self.expectation), by: scene.client)
        return try await scene.follow(verdict, of: handle, wrong: "pushOver") {
            page(scene, problem: $0, canAskAgain: true)
        }
    }

    private func page(
        _ scene: PageScene, device: String? = nil, number: String? = nil, problem: PageText? = nil,
        canAskAgain: Bool = false,
        isOver: Bool = false
    ) -> Response {
        let words = scene.words
        let isWaiting = problem == nil
        let text = device.map { words("pushTextNamed", ["name": .chosen($0)]) } ?? words("pushText")
        var page = Page("push", words("pushTitle"), isWaiting ? text : nil, problem: problem)
        if let number {
            page.blocks.append(.code(.init(caption: words.plain("pushNumber"), text: number)))
        }
        if isWaiting {
            page.blocks.append(.status(.init(words.plain("pushWaiting"), path: scene.path("/sign-in/push/wait"))))
            page.script = .wait
            page.refreshSeconds = 4
            page.refreshesWithoutScript = true
        }
        if canAskAgain {
            page.blocks.append(
                .form(
                    PageForm(
                        action: "/sign-in/push", hidden: scene.hidden("push"),
                        buttons: [.init(words.plain("pushAgain"))])))
        }
        page.blocks.append(
            .links(
                (isOver ? [] : [.init(words("otherWay"), to: scene.path("/sign-in/code"))])
                    + [.init(words("startAgain"), to: scene.beginning)]))
        return scene.show(page, status: isOver ? .forbidden : .ok)
    }
}
