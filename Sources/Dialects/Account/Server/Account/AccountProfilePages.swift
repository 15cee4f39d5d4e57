import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/account/profile`: what the account is called, and what applications are told of it.
struct AccountProfilePage: Sendable {
    static let purpose = "account-profile"
    /// What the names of its fields begin with.
    static let typed: Set<String> = ["display_name", "locale", "picture", "remove_picture", "attribute_"]

    func show(_ account: inout AccountScene) async throws -> Response { try await page(account) }

    private func page(
        _ account: AccountScene, problem: PageText? = nil, field wrong: String? = nil
    ) async throws -> Response {
        let words = account.words
        let profile: OwnProfile
        switch try await account.realm.ownAccount.profile(of: account.own) {
        case .success(let found): profile = found
        case .failure(let refusal): return account.unavailable(refusal, .profile)
        }
        var page = account.page(
            "account-profile", in: .profile, words("accountProfile"), words("profileText"), problem: problem)
        page.problemField = wrong
        var fields = [
            PageField(
                name: "display_name", label: words.plain("profileName"),
                value: account.fields["display_name"] ?? profile.user.profile.displayName, autocomplete: "name",
                maximumLength: ProfileChange.longestName, isRequired: false, isFirst: false,
                isInvalid: wrong == "display_name")
        ]
        let picture = profile.user.profile.photoURL
        if profile.takesPictures {
            var field = PageField(
                name: "picture", label: words.plain("profilePicture"), type: "url",
                value: account.fields["picture"] ?? picture, autocomplete: "photo",
                maximumLength: UserProfile.longestPictureAddress, isRequired: false, isFirst: false,
                isInvalid: wrong == "picture")
            field.hint = words.plain("profilePictureHint")
            fields.append(field)
        } else if wrong == "picture" {
            page.problemField = nil
        }
        for attribute in profile.attributes where attribute.isEditable {
            let name = Self.field(of: attribute.name)
            fields.append(
                PageField(
                    name: name, label: PageText.harmless(attribute.name),
                    value: account.fields[name] ?? attribute.value.map(Self.text),
                    maximumLength: ProfileChange.longestAttribute, isRequired: false, isFirst: false,
                    isInvalid: wrong == name))
        }
        let fixed = profile.attributes.filter { !$0.isEditable && $0.value != nil }
        var form = PageForm(
            action: AccountSection.profile.path, hidden: account.hidden(Self.purpose), fields: fields,
            choices: languages(account.fields["locale"] ?? profile.user.profile.locale, words),
            buttons: [.init(words.plain("save"))])
        // One that an application or an administrator gave goes when its user wants it, whatever the setting.
        if !profile.takesPictures, let picture {
            form.checkbox = PageForm.Checkbox(
                name: "remove_picture", label: words.plain("profilePictureRemove"),
                hint: PageText(chosen: picture).plain,
                isChecked: account.fields["remove_picture"] != nil)
        }
        page.blocks += [
            .heading(words.plain("profileAddress")),
            .facts([
                .init(
                    words.plain("profileAddressLabel"),
                    profile.user.email.map { PageText(address: $0.canonical) } ?? words("profileNoAddress"),
                    mark: profile.user.email.map { _ in
                        profile.user.profile.emailVerified
                            ? .init(words("profileVerified"), .good) : .init(words("profileUnverified"), .alarming)
                    },
                    link: .init(
                        words(
                            profile.user.hasUnprovenAddress ? "profileConfirmAddress" : "profileChangeAddress"),
                        to: AddressPages.path))
            ]),
            .heading(words.plain("profileAbout")),
            .form(form),
        ]
        if !fixed.isEmpty {
            page.blocks.append(.heading(words.plain("profileFixed")))
            page.blocks.append(
                .facts(
                    fixed.map {
                        .init(PageText.harmless($0.name), PageText(chosen: $0.value.map(Self.text) ?? ""))
                    }))
        }
        return account.show(page)
    }

    /// The language of pages and mails.
    private func languages(_ chosen: String?, _ words: Words) -> PageForm.Choices {
        let present = chosen.flatMap(PageLanguage.init(tag:))
        return PageForm.Choices(
            legend: words.plain("profileLanguage"), name: "locale",
            options: [
                .init(
                    id: Self.anyLanguage, value: "", label: words("profileAnyLanguage"), isChecked: present == nil)
            ]
                + PageLanguage.allCases.map {
                    .init(
                        id: "locale-\($0.rawValue)", value: $0.rawValue, label: PageText($0.ownName),
                        isChecked: present == $0)
                })
    }

    private static func field(of attribute: String) -> String { "attribute_\(attribute)" }

    /// The id of the field for a member that a change was refused for.
    private static func field(ofMember member: String) -> String {
        switch member {
        case "displayName": "display_name"
        case "locale": anyLanguage
        case "picture": "picture"
        default: field(of: String(member.drop { $0 != "." }.dropFirst()))
        }
    }

    /// The id of the first choice of languages.
    private static let anyLanguage = "locale-any"

    static func text(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .bool(let value): value ? "true" : "false"
        default: value.plainText
        }
    }

    func submit(_ account: inout AccountScene) async throws -> Response {
        let own = account.realm.ownAccount
        guard case .success(let profile) = try await own.profile(of: account.own) else {
            return account.redirect(to: AccountSection.profile.path)
        }
        var change = ProfileChange()
        if let typed = account.fields["display_name"] {
            let name = PageField.edited(typed, from: profile.user.profile.displayName)
            change.displayName = .some(name.isEmpty ? nil : name)
        }
        if let locale = account.fields["locale"],
            locale != profile.user.profile.locale.flatMap(PageLanguage.init(tag:))?.rawValue ?? ""
        {
            change.locale = .some(locale.isEmpty ? nil : locale)
        }
        let picture = profile.user.profile.photoURL ?? ""
        if let typed = account.fields["picture"], case let text = PageField.edited(typed, from: picture),
            text != picture
        {
            change.picture = .some(text.isEmpty ? nil : text)
        } else if account.fields["remove_picture"] != nil {
            change.picture = .some(nil)
        }
        for attribute in profile.attributes where attribute.isEditable {
            let present = attribute.value.map(Self.text) ?? ""
            guard let typed = account.fields[Self.field(of: attribute.name)],
                case let text = PageField.edited(typed, from: present), text != present
            else { continue }
            change.attributes[attribute.name] =
                text.isEmpty ? .some(.null) : Self.value(text, like: attribute.value)
        }
        let outcome = try await own.change(change, of: account.own, by: account.client)
        switch outcome {
        case .success: return try account.redirect(to: AccountSection.profile.path, saying: "profileSaved")
        case .failure(let refusal):
            var wrong: String?
            if case .invalid(let member) = refusal { wrong = Self.field(ofMember: member) }
            let account = account
            let ofLine = Self.problem(with: wrong, account.words)
            return try await account.refused(refusal, backTo: AccountSection.profile.path) {
                try await page(account, problem: ofLine ?? $0, field: wrong)
            }
        }
    }

    /// How long a line may be that was refused; nil where something else was.
    private static func problem(with field: String?, _ words: Words) -> PageText? {
        guard let field, field != anyLanguage else { return nil }
        if field == "picture" {
            return words("profilePictureProblem", ["count": .number(UserProfile.longestPictureAddress)])
        }
        let longest = field == "display_name" ? ProfileChange.longestName : ProfileChange.longestAttribute
        return words("profileLineProblem", ["count": .number(longest)])
    }

    /// What was typed, as the kind of value that was there.
    private static func value(_ text: String, like present: JSONValue?) -> JSONValue {
        switch present {
        case .bool?: ["true": JSONValue.bool(true), "false": .bool(false)][text.lowercased()] ?? .string(text)
        case .number?, .integer?: Int64(text).map { .integer($0) } ?? .string(text)
        default: .string(text)
        }
    }
}

/// `/account/address` and `/account/address/verify`: another address, or the present one where nothing has shown that it is the user's. It
/// gets a code; a former one can take the change back for a day.
struct AddressPages: Sendable {
    static let path = "/account/address"
    static let codePath = "/account/address/verify"
    static let purpose = "address"

    func show(_ account: inout AccountScene) async throws -> Response { page(account) }

    private func page(_ account: AccountScene, problem: PageText? = nil) -> Response {
        let words = account.words
        var present: [PageBlock] = []
        if account.user.hasUnprovenAddress, let address = account.user.email?.canonical {
            present = [
                .heading(words.plain("addressConfirm")),
                .form(
                    PageForm(
                        action: Self.path, hidden: account.hidden(Self.purpose, [("email", address)]),
                        buttons: [.init(words.plain("addressSend"))])),
                .heading(words.plain("addressOther")),
            ]
        }
        var page = account.page(
            "account-address", in: .profile, words("addressTitle"),
            words(
                present.isEmpty ? "addressText" : "addressUnconfirmedText", ["address": .chosen(account.address)]),
            problem: problem,
            present + [
                .form(
                    PageForm(
                        action: Self.path, hidden: account.hidden(Self.purpose),
                        fields: [
                            PageField(
                                name: "email", label: words.plain("addressLabel"), type: "email",
                                value: account.field("email"), autocomplete: "email",
                                maximumLength: 254, isFirst: present.isEmpty, isInvalid: problem != nil)
                        ], buttons: [.init(words.plain("addressSend"), isSecondary: !present.isEmpty)])),
                .links([.init(words("accountBackToProfile"), to: AccountSection.profile.path)]),
            ])
        page.problemField = problem == nil ? nil : "email"
        return account.show(page)
    }

    func submit(_ account: inout AccountScene) async throws -> Response {
        guard let email = account.field("email").flatMap(EmailAddress.init) else {
            return page(account, problem: account.words("usernameProblem"))
        }
        if email == account.user.email, account.user.profile.emailVerified {
            return page(account, problem: account.words("addressSame"))
        }
        switch try await account.realm.ownAccount.beginAddressChange(
            to: email, of: account.own, by: account.client)
        {
        case .success(let handle):
            try account.keep(.init(kind: .address, values: [handle.token.reveal(), email.canonical]))
            return account.redirect(to: Self.codePath)
        case .failure(let refusal):
            let account = account
            return try await account.refused(refusal, backTo: Self.path) { page(account, problem: $0) }
        }
    }

    // MARK: The code

    func showCode(_ account: inout AccountScene) async throws -> Response { codePage(account) }

    private func codePage(_ account: AccountScene, problem: PageText? = nil) -> Response {
        let words = account.words
        guard let note = account.note(.address), note.count == 2 else { return account.redirect(to: Self.path) }
        let isPresent = note[1] == account.user.email?.canonical
        var page = account.page(
            "account-address-code", in: .profile, words("addressCodeTitle"),
            words(isPresent ? "addressConfirmText" : "addressCodeText", ["address": .chosen(note[1])]),
            problem: problem,
            [
                .form(
                    PageForm(
                        action: Self.codePath, hidden: account.hidden(Self.purpose),
                        fields: [
                            .oneTimeCode(
                                name: "code", label: words.plain("mailCodeLabel"), isInvalid: problem != nil)
                        ], buttons: [.init(words.plain(isPresent ? "addressConfirmButton" : "addressChange"))])),
                .links([.init(words("otherAddress"), to: Self.path)]),
            ])
        page.problemField = problem == nil ? nil : "code"
        return account.show(page)
    }

    func submitCode(_ account: inout AccountScene) async throws -> Response {
        guard let note = account.note(.address), let handle = note.first else {
            return account.redirect(to: Self.path)
        }
        let code = (account.field("code") ?? "").filter { !$0.isWhitespace }
        switch try await account.realm.ownAccount.completeAddressChange(
            FlowHandle(handle), code: Secret(code), of: account.own, by: account.client)
        {
        case .success(let user):
            return try account.redirect(
                to: AccountSection.profile.path,
                saying: user.email == account.user.email ? "addressConfirmedDone" : "addressChangedDone")
        case .failure(let refusal):
            let account = account
            return try await account.refused(refusal, backTo: Self.codePath) { codePage(account, problem: $0) }
        }
    }
}

extension User {
    /// Whether nothing has shown yet that the address is the user's.
    fileprivate var hasUnprovenAddress: Bool { email != nil && !profile.emailVerified }
}

extension JSONValue {
    /// As JSON, for people.
    fileprivate var plainText: String { (try? jsonText()).map { String(decoding: $0, as: UTF8.self) } ?? "" }
}
