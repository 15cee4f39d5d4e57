import AdminServer
import CountersignCore
import JSON
import WebPages

/// The form that changes an application's registration: everything that `countersign app set` can say, but a secret of the operator's own
/// (docs/decisions/0547).
enum ApplicationForm {
    /// A field of the form.
    private struct Entry: Sendable {
        enum Look: Sendable {
            case line(type: String = "text", longest: Int = 256)
            case lines
            /// One of these; the first is there where the application has none of them.
            case choice([String])

            static let address = Look.line(type: "url", longest: 2048)
        }

        let name: String
        /// The key of its label.
        let label: String
        var look = Look.line()
        /// The key of its hint.
        var hint: String?
        /// What the hint lists.
        var values: [String] = []
        /// What the application has.
        let present: @Sendable (ApplicationSummary) -> String
        let set: @Sendable (inout RegistrationChange, String) throws -> Void
    }

    /// A box of the form.
    private struct Box: Sendable {
        let name: String
        let label: String
        let present: @Sendable (ApplicationSummary) -> Bool
        let set: @Sendable (inout RegistrationChange, Bool) -> Void
    }

    /// What was typed cannot be read.
    private struct Unread: Error {
        /// The key of what the page says.
        let key: String
    }

    private static let ofThese = "consoleOfThese"

    /// In the order of the page.
    private static let entries: [Entry] = [about, looks, signIn, native, proof, tokens, logout].flatMap { $0 }

    private static let about: [Entry] = [
        Entry(
            name: "name", label: "consoleName", present: { $0.displayName ?? "" }, set: { $0.displayName = $1 }),
        Entry(
            name: "note", label: "consoleOwnerNote", look: .line(longest: ApplicationRegistration.longestOwnerNote),
            hint: "consoleOwnerNoteHint", present: { $0.ownerNote ?? "" }, set: { $0.ownerNote = $1 }),
        Entry(
            name: "contacts", label: "consoleContactsField", look: .lines, present: { lines($0.contacts ?? []) },
            set: { $0.contacts = trimmedLines($1) }),
    ]

    private static let looks: [Entry] = [
        Entry(
            name: "client-uri", label: "consoleHomePage", look: .address,
            present: { $0.oauth.clientURI ?? "" }, set: { $0.clientURI = $1 }),
        Entry(
            name: "policy-uri", label: "consolePrivacyPolicy", look: .address,
            present: { $0.oauth.policyURI ?? "" }, set: { $0.policyURI = $1 }),
        Entry(
            name: "tos-uri", label: "consoleTermsOfUse", look: .address,
            present: { $0.oauth.termsURI ?? "" }, set: { $0.termsURI = $1 }),
        Entry(
            name: "initiate-login-uri", label: "consoleBeginsSignIn", look: .address,
            present: { $0.oauth.initiateLoginURI ?? "" }, set: { $0.initiateLoginURI = $1 }),
        Entry(
            name: "accent", label: "consoleAccent", hint: "consoleAccentHint", present: { $0.oauth.accent ?? "" },
            set: { $0.accent = $1 }),
    ]

    private static let signIn: [Entry] = [
        Entry(
            name: "redirects", label: "consoleRedirects", look: .lines, present: { lines($0.redirectURIs) },
            set: { $0.redirectURIs = ApplicationPages.lines($1) }),
        Entry(
            name: "default-acr", label: "consoleDefaultACR", hint: ofThese, values: ContextClass.requestable,
            present: { ($0.oauth.defaultACR ?? []).joined(separator: " ") }, set: { $0.defaultACR = $1.typedWords }),
        Entry(
            name: "default-max-age", label: "consoleDefaultMaxAge", hint: "consoleDefaultMaxAgeHint",
            present: { $0.oauth.defaultMaxAge.map { "\($0)" } ?? "" },
            set: { change, text in
                guard let seconds = text.isEmpty ? -1 : Int(text) else { throw Unread(key: "consoleNoSeconds") }
                change.defaultMaxAge = seconds
            }),
    ]

    private static let native: [Entry] = [
        Entry(
            name: "challenge-types", label: "consoleChallengeTypes", hint: ofThese,
            values: ["oob", "password", "redirect"], present: { $0.challengeTypes.joined(separator: " ") },
            set: { $0.challengeTypes = $1.typedWords }),
        Entry(
            name: "attributes", label: "consoleSignUpAttributes", look: .lines, hint: "consoleSignUpAttributesHint",
            present: { lines($0.attributes.map(\.written)) },
            set: { change, text in
                change.attributes = try trimmedLines(text).map { line in
                    guard let attribute = ApplicationSummary.Attribute(written: line) else {
                        throw Unread(key: "consoleNoAttribute")
                    }
                    return attribute
                }
            }),
    ]

    private static let proof: [Entry] = [
        Entry(
            name: "kind", label: "consoleKind", look: .choice(OAuthRegistration.Kind.allCases.map(\.rawValue)),
            present: { $0.oauth.kind ?? "" }, set: { $0.kind = $1 }),
        Entry(
            name: "auth-method", label: "consoleAuthMethod",
            look: .choice(ClientAuthenticationMethod.allCases.map(\.rawValue)),
            present: { $0.oauth.authMethod ?? "" }, set: { $0.authMethod = $1 }),
        Entry(
            name: "grant-types", label: "consoleGrants", look: .line(longest: 1024), hint: ofThese,
            values: OAuthRegistration.knownGrantTypes, present: { $0.oauth.grantTypes.joined(separator: " ") },
            set: { $0.grantTypes = $1.typedWords }),
        Entry(
            name: "jwks-uri", label: "consoleKeySetAddress", look: .address,
            present: { $0.oauth.jwksURI ?? "" }, set: { $0.jwksURI = $1 }),
        Entry(
            name: "jwks", label: "consoleKeySet", look: .lines, hint: "consoleKeySetHint", present: { _ in "" },
            set: { change, text in
                guard let keys = try? JSONParser.parse(Array(text.utf8)) else { throw Unread(key: "consoleNoKeySet") }
                change.jwks = keys
            }),
        Entry(
            name: "assertion-audience", label: "consoleAssertionsFor",
            look: .choice([RegistrationChange.issuerAudience, RegistrationChange.tokenEndpointAudience]),
            present: { $0.oauth.assertionAudience }, set: { $0.assertionAudience = $1 }),
    ]

    private static let tokens: [Entry] = [
        Entry(
            name: "scopes", label: "consoleScopes", look: .line(longest: 4096),
            present: { $0.scopes.joined(separator: " ") }, set: { $0.scopes = $1.typedWords }),
        Entry(
            name: "resources", label: "consoleAPIs", look: .lines, present: { lines($0.oauth.resources) },
            set: { $0.resources = ApplicationPages.lines($1) }),
        Entry(
            name: "audiences", label: "consoleAudiences", look: .lines,
            // Where none were ever set, tokens are issued for any.
            present: { lines($0.audiences ?? [ApplicationRegistration.anyAudience]) },
            set: { $0.audiences = ApplicationPages.lines($1) }),
        Entry(
            name: "issuer-style", label: "consoleIssuerStyle", look: .choice(RegistrationChange.issuerStyles),
            hint: "consoleIssuerStyleHint", present: { $0.oauth.issuerStyle }, set: { $0.issuerStyle = $1 }),
        Entry(
            name: "id-token-alg", label: "consoleIDTokens",
            look: .choice(["", SigningAlgorithm.es256.rawValue, SigningAlgorithm.rs256.rawValue]),
            hint: "consoleIDTokenAlgorithmHint", present: { $0.oauth.idTokenAlgorithm ?? "" },
            set: { $0.idTokenAlgorithm = $1 }),
    ]

    private static let logout: [Entry] = [
        Entry(
            name: "logout-redirects", label: "consoleLogoutRedirects", look: .lines,
            present: { lines($0.oauth.postLogoutRedirectURIs) },
            set: { $0.postLogoutRedirectURIs = ApplicationPages.lines($1) }),
        Entry(
            name: "backchannel-logout", label: "consoleBackchannelLogout", look: .address,
            hint: "consoleBackchannelLogoutHint", present: { $0.oauth.backchannelLogoutURI ?? "" },
            set: { $0.backchannelLogoutURI = $1 }),
    ]

    private static let boxes: [Box] = [
        Box(
            name: "first-party", label: "consoleFirstParty", present: { $0.oauth.isFirstParty },
            set: { $0.isFirstParty = $1 }),
        Box(
            name: "require-mfa", label: "consoleRequiresMFA", present: { $0.requiresSecondFactor },
            set: { $0.requiresSecondFactor = $1 }),
        Box(
            name: "require-par", label: "consoleRequiresPAR", present: { $0.oauth.requiresPAR },
            set: { $0.requiresPAR = $1 }),
        Box(
            name: "require-dpop", label: "consoleRequiresDPoP", present: { $0.oauth.requiresDPoP },
            set: { $0.requiresDPoP = $1 }),
        Box(
            name: "reveal-addresses", label: "consoleRevealsAddresses", present: { $0.revealsAddresses },
            set: { $0.revealsAddresses = $1 }),
        Box(
            name: "redirects-on", label: "consoleRedirectsOn", present: { $0.oauth.redirectsOn == true },
            set: { $0.redirectsOn = $1 }),
        Box(
            name: "remove-secret", label: "consoleRemoveSecret", present: { _ in false },
            set: { if $1 { $0.hasSecret = false } }),
    ]

    /// A group of the page.
    private struct Group: Sendable {
        let legend: String
        let anchor: String
        /// The fields and boxes in it.
        let names: [String]

        init(_ legend: String, _ anchor: String, _ entries: [Entry], boxes: String...) {
            (self.legend, self.anchor) = (legend, anchor)
            names = entries.map(\.name) + boxes
        }
    }

    private static let groups: [Group] = [
        Group("consoleFormAbout", "part-about", about),
        Group("consoleFormLooks", "part-looks", looks),
        Group(
            "consoleFormSignIn", "part-sign-in", signIn, boxes: "redirects-on", "first-party", "require-mfa",
            "require-par", "reveal-addresses"),
        Group("consoleFormNative", "part-native", native),
        Group("consolePartProof", "part-proof", proof, boxes: "remove-secret"),
        Group("consoleFormTokens", "part-tokens", tokens, boxes: "require-dpop"),
        Group("consoleFormLogout", "part-logout", logout),
    ]

    private static func shown(_ application: ApplicationSummary, _ scene: ConsoleScene) -> ShownFields {
        let words = scene.words
        let fields = entries.map { entry -> ShownFields.Field in
            let (label, present) = (words.plain(entry.label), entry.present(application))
            if case .lines = entry.look { return .lines(entry.name, label, present) }
            return .text(entry.name, label, present)
        }
        return ShownFields(
            scene, fields + boxes.map { .box($0.name, words.plain($0.label), $0.present(application)) })
    }

    static func question(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        let id = scene.parameter("id")
        let shown = shown(try await scene.perform(ShowApplication(id: id)).application, scene)
        // The page of a form that was sent is shown again where it was refused.
        var problem: String?
        if scene.isForm { problem = await faulty(shown, scene) }
        var question = ConsoleQuestion(
            title: words("consoleApplicationChangeTitle", ["id": .chosen(id)]), changes: shown.changes,
            button: words.plain("consoleSave"), back: ApplicationPages.path(of: id))
        question.fields = entries.map { field($0, shown.value($0.name), isInvalid: $0.name == problem, words) }
        question.checkboxes = PageForm.Checkboxes(
            legend: words.plain("consoleRules"),
            boxes: boxes.map { .init(name: $0.name, label: words.plain($0.label), isChecked: shown.isTicked($0.name)) })
        question.parts = groups.map { PageForm.Part(words.plain($0.legend), anchor: $0.anchor, names: $0.names) }
        question.problemField = problem
        question.hidden = [shown.hidden]
        return question
    }

    private static func field(_ entry: Entry, _ value: String, isInvalid: Bool, _ words: Words) -> PageField {
        let label = words.plain(entry.label)
        var field: PageField
        switch entry.look {
        case .line(let type, let longest):
            field = PageField(
                name: entry.name, label: label, type: type, value: value, autocomplete: "off", maximumLength: longest,
                isRequired: false, isFirst: entry.name == "name", isInvalid: isInvalid)
        case .lines:
            field = .lines(
                name: entry.name, label: label, value: value, maximumLength: 8192, isRequired: false,
                isInvalid: isInvalid)
        case .choice(let values):
            let values = values.contains(value) ? values : [value] + values
            field = .choice(
                name: entry.name, label: label,
                options: values.map { option -> PageField.Option in
                    let isKind = entry.name == "kind" && ApplicationPages.kinds.contains(option)
                    let name = isKind ? words.plain(WordFamily.key("kind", option)) : PageText.harmless(option)
                    return PageField.Option(option, name.isEmpty ? "–" : name, isChosen: option == value)
                }, isInvalid: isInvalid)
        }
        field.hint = entry.hint.map {
            words.plain($0, ["values": .words(entry.values.joined(separator: " "))])
        }
        return field
    }

    /// The field for which a form was refused, where it is one alone: what both changed, or what is refused of each by itself. Nothing is changed.
    private static func faulty(_ shown: ShownFields, _ scene: ConsoleScene) async -> String? {
        if let name = shown.conflicting.first { return name }
        for name in entries.map(\.name) + boxes.map(\.name) where shown.edited(name) != nil {
            do {
                let change = try registration(shown, only: name)
                _ = try await scene.perform(
                    ChangeApplication(id: scene.parameter("id"), registration: change, dryRun: true))
            } catch let error as AdministrationError where error.isAboutForm {
                return name
            } catch is Unread {
                return name
            } catch {
                return nil
            }
        }
        return nil
    }

    /// What the form changes.
    /// - Parameter only: the name of the one field that counts; nil: all do.
    private static func registration(_ shown: ShownFields, only: String? = nil) throws(Unread) -> RegistrationChange {
        var change = RegistrationChange()
        for entry in entries where only == nil || only == entry.name {
            guard let typed = shown.edited(entry.name) else { continue }
            do {
                try entry.set(&change, typed)
            } catch {
                throw error as? Unread ?? Unread(key: "consoleMissing")
            }
        }
        for box in boxes where only == nil || only == box.name {
            if let isTicked = shown.ticked(box.name) { box.set(&change, isTicked) }
        }
        return change
    }

    private static func lines(_ values: [String]) -> String { values.joined(separator: "\n") }

    /// What stands on each line, with the spaces within it.
    private static func trimmedLines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0 == " " } }.map { line in
            String(line.reversed().trimmingPrefix { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
    }

    /// What the form changes, and nothing that it shows: a list that no administrator wrote holds an application that registered itself to it, and
    /// what an application said of itself stays its own word until another is written.
    static func change(_ scene: ConsoleScene) async throws -> ChangeApplication {
        let id = scene.parameter("id")
        guard scene.isForm else { return ChangeApplication(id: id, registration: RegistrationChange()) }
        let present = try await scene.perform(ShowApplication(id: id))
        let shown = shown(present.application, scene)
        try shown.judge()
        do throws(Unread) {
            return ChangeApplication(id: id, registration: try registration(shown), expecting: present.revision)
        } catch {
            throw ConsoleProblem(scene.words(error.key))
        }
    }

    /// What the form changes, and what becomes weaker by it.
    static func review(_ scene: ConsoleScene, _ change: ChangeApplication) async throws -> ConsoleReview {
        let present = try await scene.perform(ShowApplication(id: change.id)).application
        return ConsoleReview(
            changes: shown(present, scene).edits(), warnings: try await scene.warnings(of: change))
    }
}

extension ConsoleScene {
    /// What becomes weaker by a change of an application. Nothing is changed.
    /// - Throws: ``AdministrationError`` where the change would be refused.
    func warnings(of change: ChangeApplication) async throws -> [PageText] {
        try await perform(change.rehearsal).warnings.map { words.saying($0) }
    }
}
