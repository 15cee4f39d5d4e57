import CountersignCore
import Hummingbird
import ServerHTTP
import WebPages

/// `/sign-in/code`: a second factor. One form takes the code of an authenticator, or has a device or a mailbox asked; another one takes the
/// recovery code.
struct CodePage: Sendable {
    func show(_ scene: inout PageScene) async throws -> Response { try await page(scene) }

    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        if let code = scene.field("recovery_code") { return try await recover(code, handle, scene) }
        guard
            case .secondFactors(let methods) = try await scene.realm.journeys.methods(handle, expecting: .secondFactor)
        else {
            return try await scene.goOn(with: handle)
        }
        if methods.areLost { return try await page(scene) }
        let chosen = try await choices(methods, scene)
        guard let choice = chosen.first(where: { $0.value == scene.field("factor") }) ?? chosen.first else {
            return try await page(scene, problem: scene.words("codeWrong"))
        }
        guard choice.takesCode else {
            var next = NextStep(scene)
            if let asked = try await next.ask(choice.method, handle) { return asked }
            return try await page(scene, problem: scene.words("pushLimited"), field: nil)
        }
        return try await answer(choice, handle, scene)
    }

    private func answer(_ choice: Choice, _ handle: FlowHandle, _ scene: PageScene) async throws -> Response {
        let code = (scene.fields["code"] ?? "").filter { !$0.isWhitespace }
        // The attempt may wait for a mailed code, which another one cannot answer.
        if case .open(let summary) = try await scene.realm.authenticator.status(of: handle, expecting: .secondFactor),
            summary.journey?.awaitsMailedCode == true
        {
            _ = try await scene.realm.journeys.ask(
                handle, expecting: .secondFactor, factor: choice.method.factor.id, by: scene.client)
        }
        let verdict = try await scene.realm.authenticator.answer(
            .code(Secret(code), factor: choice.method.factor.id), to: .flow(handle, .secondFactor), by: scene.client)
        return try await scene.follow(verdict, of: handle, wrong: "codeWrong") {
            try await page(scene, problem: $0)
        }
    }

    private func recover(_ code: String, _ handle: FlowHandle, _ scene: PageScene) async throws -> Response {
        let verdict = try await scene.realm.authenticator.answer(
            .recoveryCode(Secret(code)), to: .flow(handle, .secondFactor), by: scene.client)
        return try await scene.follow(verdict, of: handle, wrong: "recoveryWrong") {
            try await page(scene, problem: $0, field: "recovery_code")
        }
    }

    // MARK: The page

    /// One way to give the second factor.
    private struct Choice {
        let method: Journeys.Method
        /// Whether the user types a code, which nothing has to send first.
        let takesCode: Bool
        let label: PageText

        var value: String { takesCode ? method.factor.id.rawValue : "ask:\(method.factor.id.rawValue)" }
    }

    /// The ways that the user has; a device is asked, and may give codes too.
    private func choices(_ methods: [Journeys.Method], _ scene: PageScene) async throws -> [Choice] {
        let words = scene.words
        let settings = try await scene.realm.settings().secondFactors
        var choices: [Choice] = []
        var withCodes: Set<FactorID> = []
        if settings.offersTOTP, let owner = methods.first(where: { $0.factor.kind == .push })?.factor.userID {
            withCodes = try await Set(scene.realm.devices.devices(of: owner).filter(\.hasCodes).map(\.id))
        }
        for method in methods {
            let name = method.factor.name
            switch method.factor.kind {
            case .push:
                let shown = name.isEmpty ? words.plain("unknown") : name
                choices.append(
                    Choice(method: method, takesCode: false, label: words("factorPush", ["name": .chosen(shown)])))
                if withCodes.contains(method.factor.id) {
                    choices.append(
                        Choice(
                            method: method, takesCode: true, label: words("factorDeviceCode", ["name": .chosen(shown)]))
                    )
                }
            case .passkey:
                // The browser shows which the user has.
                if choices.contains(where: { $0.method.factor.kind == .passkey }) { continue }
                choices.append(Choice(method: method, takesCode: false, label: words("factorPasskey")))
            case .email:
                let address = method.address.map { MailedCodePage.veiled($0.canonical) } ?? ""
                choices.append(
                    Choice(
                        method: method, takesCode: false, label: words("factorMailbox", ["address": .chosen(address)])))
            default:
                choices.append(
                    Choice(
                        method: method, takesCode: true,
                        label: name.isEmpty ? words("factorTOTP") : PageText(chosen: name)))
            }
        }
        // What is typed comes first: the field for it stands below.
        return choices.filter(\.takesCode) + choices.filter { !$0.takesCode }
    }

    /// What is to be opened: the only authenticator by its name.
    private func text(_ choices: [Choice], _ words: Words) -> PageText {
        guard choices.count == 1, let name = choices.first?.method.factor.name, !name.isEmpty else {
            return words("codeText")
        }
        return words("codeTextNamed", ["name": .chosen(name)])
    }

    /// What was reported lost.
    private func name(of methods: [Journeys.Method], _ words: Words) -> String {
        let names = methods.map(\.factor).map { factor in
            if !factor.name.isEmpty { return factor.name }
            return factor.kind == .passkey ? words.plain("factorPasskey") : words.plain("factorTOTP")
        }
        return names.joined(separator: ", ")
    }

    private func page(
        _ scene: PageScene, problem: PageText? = nil, field: String? = "code"
    ) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        guard
            case .secondFactors(let methods) = try await scene.realm.journeys.methods(handle, expecting: .secondFactor)
        else {
            return try await scene.goOn(with: handle)
        }
        let words = scene.words
        let isLost = methods.areLost
        let choices = isLost ? [] : try await choices(methods, scene)
        let hasCodes = choices.contains(where: \.takesCode)
        let asksOthers = choices.contains { !$0.takesCode }
        let given = scene.field("factor")
        var form = PageForm(
            action: "/sign-in/code", hidden: scene.hidden("code"), buttons: [.init(words.plain("goOn"))])
        if choices.count > 1 {
            let checked = choices.firstIndex { $0.value == given } ?? 0
            form.choices = .init(
                legend: words.plain("factorLegend"), name: "factor",
                options: choices.enumerated().map { index, choice in
                    .init(
                        id: "factor-\(index)", value: choice.value, label: choice.label, isChecked: index == checked)
                })
        } else if let only = choices.first {
            form.hidden.append(.init(name: "factor", value: only.value))
        }
        if hasCodes {
            var code = PageField.oneTimeCode(
                name: "code", label: words.plain("codeLabel"), isRequired: !asksOthers,
                isInvalid: problem != nil && field == "code")
            code.isFirst = problem == nil
            form.fields = [code]
        }
        var page = Page(
            "code", words("codeTitle"), hasCodes ? text(choices, words) : nil, problem: problem,
            isLost ? [] : [.form(form)])
        if isLost { page.text = words("codeLost", ["name": .chosen(name(of: methods, words))]) }
        page.problemField = problem == nil ? nil : field
        page.blocks.append(
            .more(
                .init(
                    words.plain("useRecoveryCode"), words("recoveryText"),
                    form: PageForm(
                        action: "/sign-in/code", hidden: scene.hidden("code"),
                        fields: [
                            PageField(
                                name: "recovery_code", label: words.plain("recoveryLabel"), autocomplete: "off",
                                maximumLength: 64, isFirst: false, isInvalid: problem != nil && field == "recovery_code"
                            )
                        ], buttons: [.init(words.plain("goOn"), isSecondary: true)]),
                    isOpen: isLost || field == "recovery_code")))
        page.blocks.append(.links([.init(words("startAgain"), to: scene.beginning)]))
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }
}

extension [Journeys.Method] {
    /// Whether their user has reported all of them lost. None answers then; one that does is the only one to be asked for.
    var areLost: Bool { !isEmpty && allSatisfy { $0.factor.frozenAt != nil } }
}
