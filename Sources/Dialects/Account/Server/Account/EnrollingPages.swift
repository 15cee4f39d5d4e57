import CountersignCore
import Foundation
import Hummingbird
import OneTimePassword
import QRCode
import ServerHTTP
import WebPages

/// `/account/authenticator` sets up an authenticator app: the form begins it, the page shows the secret, and its first code completes it.
struct AuthenticatorPage: Sendable {
    static let path = "/account/authenticator"
    static let purpose = "authenticator"

    func show(_ account: inout AccountScene) async throws -> Response { try page(account) }

    private func page(_ account: AccountScene, problem: PageText? = nil) throws -> Response {
        let words = account.words
        let back = PageBlock.links([.init(words("accountBackToSecurity"), to: AccountSection.security.path)])
        guard let note = account.note(.authenticator), note.count == 2 else {
            let page = account.page(
                "account-authenticator", in: .security, words("authenticatorTitle"), words("authenticatorAbout"),
                problem: problem,
                [
                    .form(
                        PageForm(
                            action: Self.path, hidden: account.hidden(Self.purpose),
                            buttons: [.init(words.plain("authenticatorBegin"))])), back,
                ])
            return account.show(page)
        }
        let uri = try OTPAuthURI(
            kind: .totp(period: 30), issuer: account.scene.visit.site.name, accountName: account.address,
            secret: Base32.decode(note[1])
        ).uriString
        var page = account.page(
            "account-authenticator", in: .security, words("authenticatorTitle"), words("authenticatorText"),
            problem: problem,
            [
                .code(
                    .init(
                        picture: try SVGQRCode.render(uri, label: words.plain("enrolPicture")),
                        caption: words.plain("enrolSecret"), text: note[1].inGroups,
                        link: .init(words("enrolOpen"), to: uri))),
                .form(
                    PageForm(
                        action: Self.path, hidden: account.hidden(Self.purpose),
                        fields: [
                            PageField(
                                name: "name", label: words.plain("factorName"),
                                value: account.field("name") ?? words.plain("kindTOTP"),
                                autocomplete: "off", maximumLength: 64, isRequired: false, isFirst: false),
                            .oneTimeCode(name: "code", label: words.plain("codeLabel"), isInvalid: problem != nil),
                        ], buttons: [.init(words.plain("authenticatorFinish"))])),
                back,
            ])
        page.problemField = problem == nil ? nil : "code"
        return account.show(page)
    }

    func submit(_ account: inout AccountScene) async throws -> Response {
        guard let code = account.fields["code"] else { return try await begin(&account) }
        guard let note = account.note(.authenticator), let handle = note.first else {
            return try page(account, problem: account.words("accountTooLate"))
        }
        let name = (account.field("name") ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        let outcome = try await account.realm.ownAccount.completeEnrolling(
            .totp, .code(Secret(code.filter { !$0.isWhitespace })), handle: FlowHandle(handle), name: name,
            of: account.own, by: account.client)
        switch outcome {
        case .success(let enrolled):
            guard try await account.raise(by: enrolled.signedIn) else { return account.scene.over() }
            return try account.redirect(to: AccountSection.security.path, saying: "authenticatorAdded")
        case .failure(let refusal):
            let account = account
            return try await account.refused(refusal, backTo: Self.path) { try page(account, problem: $0) }
        }
    }

    private func begin(_ account: inout AccountScene) async throws -> Response {
        switch try await account.realm.ownAccount.beginEnrolling(.totp, of: account.own, by: account.client) {
        case .success(.codes(let offer)):
            try account.keep(
                .init(
                    kind: .authenticator,
                    values: [offer.handle.token.reveal(), Base32.encode(offer.secret.reveal())]))
            return account.redirect(to: Self.path)
        case .success: return try page(account, problem: account.words("busyProblem"))
        case .failure(let refusal):
            let account = account
            return try await account.refused(refusal, backTo: Self.path) { try page(account, problem: $0) }
        }
    }
}

/// `/account/device` adds a device that is asked at sign-ins: the form makes its ticket, and the page shows it until a device has taken it.
struct DevicePage: Sendable {
    static let path = "/account/device"
    static let purpose = "device"

    func show(_ account: inout AccountScene) async throws -> Response { try await page(account) }

    private func page(_ account: AccountScene, problem: PageText? = nil) async throws -> Response {
        let words = account.words
        let back = PageBlock.links([.init(words("accountBackToSecurity"), to: AccountSection.security.path)])
        let begin = PageBlock.form(
            PageForm(
                action: Self.path, hidden: account.hidden(Self.purpose),
                buttons: [.init(words.plain("deviceBegin"))]))
        var page = account.page(
            "account-device", in: .security, words("deviceAddTitle"), words("deviceAbout"), problem: problem,
            [begin, back])
        guard problem == nil, let handle = account.note(.device)?.first else { return account.show(page) }
        switch try await account.realm.enrolments.status(ofTicket: FlowHandle(handle)) {
        case .open(let ticket) where ticket.user.id == account.user.id:
            guard let uri = account.scene.pages.options.deviceLink?(ticket) else { return account.show(page) }
            page.text = words("deviceScan")
            page.blocks = [
                .code(
                    .init(
                        picture: try SVGQRCode.render(uri, label: words.plain("enrolPicture")),
                        caption: words.plain("deviceOnPhone"), text: "", link: .init(words("enrolOpen"), to: uri))),
                .status(.init(words.plain("deviceWaiting"), path: "\(Self.path)/wait")), back,
            ]
            page.script = .wait
            page.refreshSeconds = 4
            page.refreshesWithoutScript = true
        case .used: return try account.redirect(to: AccountSection.security.path, saying: "deviceAdded")
        case .open, .expired, .unknown: break
        }
        return account.show(page)
    }

    /// `/account/device/wait`: `{"next": "/…"}` as soon as a device has taken the ticket, `{}` after a while.
    func wait(_ scene: inout PageScene) async throws -> Response {
        guard let account = AccountScene(scene), let handle = account.note(.device)?.first else {
            return try .json(["next": Self.path])
        }
        return try await scene.context.departure.answer(next: Self.path) { [realm = account.realm] in
            try await realm.enrolments.isOver(ticket: FlowHandle(handle), within: .seconds(20))
        }
    }

    func submit(_ account: inout AccountScene) async throws -> Response {
        switch try await account.realm.ownAccount.beginEnrolling(.push, of: account.own, by: account.client) {
        case .success(.device(let ticket)):
            try account.keep(.init(kind: .device, values: [ticket.handle.token.reveal()]))
            return account.redirect(to: Self.path)
        case .success: return try await page(account, problem: account.words("busyProblem"))
        case .failure(let refusal):
            let account = account
            return try await account.refused(refusal, backTo: Self.path) { try await page(account, problem: $0) }
        }
    }
}

/// `/account/recovery-codes`: codes on paper, which are shown once. `/account/recovery-codes.txt` is the same to keep as a file.
struct RecoveryCodesPage: Sendable {
    static let path = "/account/recovery-codes"
    static let purpose = "recovery-codes"
    static let file = "/account/recovery-codes.txt"

    func show(_ account: inout AccountScene) async throws -> Response {
        if account.note(.recoveryCodes) != nil {
            try account.scene.visit.say(
                PageOutcome(notice: "recoveryCodesKept", on: AccountSection.security.path, at: account.now),
                account.realm.random)
        }
        return try await page(account)
    }

    private func page(_ account: AccountScene, problem: PageText? = nil) async throws -> Response {
        let words = account.words
        guard problem == nil, let codes = account.note(.recoveryCodes) else {
            var page = account.page(
                "account-recovery", in: .security, words("recoveryCodesTitle"), words("recoveryCodesAbout"),
                problem: problem)
            let factors = try? await account.realm.ownAccount.factors(of: account.own).get()
            // Without a second factor there is nothing that they stand in for, and a button that makes them would only refuse.
            if factors?.contains(where: \.isSecondFactor) == false {
                page.blocks.append(.text(words("recoveryCodesNeedSecond")))
            } else {
                page.blocks.append(
                    .form(
                        PageForm(
                            action: Self.path, hidden: account.hidden(Self.purpose),
                            buttons: [.init(words.plain("recoveryCodesMake"))])))
            }
            page.blocks.append(.links([.init(words("accountBackToSecurity"), to: AccountSection.security.path)]))
            return account.show(page)
        }
        return account.show(
            account.page(
                "account-recovery", in: .security, words("recoveryCodesTitle"),
                words("recoveryCodesText", ["address": .text(PageText(address: account.address))]),
                [
                    .codes(codes.map(\.inGroups)), .text(words("recoveryCodesPrint")),
                    .links([
                        .init(
                            words("recoveryCodesFile"), to: Self.file, isButton: true, isSecondary: true,
                            download: "recovery-codes.txt"),
                        .init(
                            words("newRecoveryKept"), to: AccountSection.security.path, isButton: true),
                    ]),
                ]))
    }

    func submit(_ account: inout AccountScene) async throws -> Response {
        switch try await account.realm.ownAccount.makeRecoveryCodes(of: account.own, by: account.client) {
        case .success(let codes):
            try account.keep(.init(kind: .recoveryCodes, values: codes.map { $0.reveal() }))
            return account.redirect(to: Self.path)
        case .failure(let refusal):
            let account = account
            return try await account.refused(refusal, backTo: Self.path) { try await page(account, problem: $0) }
        }
    }

    func file(_ account: inout AccountScene) async throws -> Response {
        guard let codes = account.note(.recoveryCodes) else { return account.redirect(to: Self.path) }
        let heading = account.words.plain(
            "recoveryCodesText", ["address": .text(PageText(address: account.address))])
        let text = ([account.scene.visit.site.name, heading, ""] + codes.map(\.inGroups) + [""])
            .joined(separator: "\r\n")
        return .file(text, type: "text/plain; charset=utf-8", name: "recovery-codes.txt")
    }
}

extension Response {
    /// A file that the browser keeps instead of showing it.
    static func file(_ text: String, type: String, name: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: type, .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"\(name)\"",
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
