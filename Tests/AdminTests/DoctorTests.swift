import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import AdminServer

/// What `doctor` says of standards, and that what it says is so.
@Suite struct DoctorTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    // MARK: The table

    /// How many requirements each section of ASVS 5.0 has.
    private static let sections: [(section: String, count: Int)] = [
        ("6.1", 3), ("6.2", 12), ("6.3", 8), ("6.4", 6), ("6.5", 8), ("6.6", 4), ("6.7", 2), ("6.8", 4),
        ("7.1", 3), ("7.2", 4), ("7.3", 2), ("7.4", 5), ("7.5", 3), ("7.6", 2),
        ("9.1", 3), ("9.2", 4),
        ("10.1", 2), ("10.2", 3), ("10.3", 5), ("10.4", 16), ("10.5", 5), ("10.6", 2), ("10.7", 3),
    ]

    @Test func `Every requirement of the chapters is there, once and in order`() {
        let expected = Self.sections.flatMap { section, count in (1...count).map { "\(section).\($0)" } }
        #expect(Requirement.all.filter { $0.standard == .asvs }.map(\.number) == expected)
        #expect(Set(Requirement.all.map(\.id)).count == Requirement.all.count)
        for requirement in Requirement.all {
            #expect((1...3).contains(requirement.level), "\(requirement.id)")
            #expect(requirement.text.hasSuffix(".") && !requirement.text.contains("|"), "\(requirement.id)")
        }
    }

    @Test func `Every test that is named is there, and each page`() throws {
        // The texts of all suites, by the names of their files.
        var suites: [String: String] = [:]
        let tests = Self.root.appendingPathComponent("Tests")
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            let name = file.deletingPathExtension().lastPathComponent
            // A long name stands on a line of its own.
            suites[name, default: ""] += try String(contentsOf: file, encoding: .utf8)
                .replacing(/func\s+`/, with: "func `")
        }
        for requirement in Requirement.all {
            for test in requirement.tests {
                let parts = test.split(separator: ":", maxSplits: 1)
                let name = try #require(parts.last).drop { $0 == " " }
                let text = suites[String(parts[0])]
                #expect(text?.contains("func `\(name)`(") == true, "\(requirement.id) names \(test)")
            }
            switch requirement.basis {
            case .construction, .settings:
                #expect(!requirement.tests.isEmpty, "\(requirement.id) is shown by no test.")
            case .documented(let page):
                #expect(
                    FileManager.default.fileExists(atPath: Self.root.appendingPathComponent(page).path),
                    "\(requirement.id) names \(page)")
            case .lacking, .elsewhere, .inapplicable: break
            }
        }
    }

    /// A row of `docs/doctor.md`.
    private static func row(_ requirement: Requirement) -> String {
        let how =
            switch requirement.basis {
            case .construction: "by construction"
            case .documented(let page):
                "[\(page.dropFirst("docs/".count))](\(page.dropFirst("docs/".count)))"
            case .settings(let judge):
                "settings: " + keys(of: judge(weakest)).map { "`\($0)`" }.joined(separator: ", ")
            case .lacking(let why): "**not met.** \(why)"
            case .elsewhere(let why): "elsewhere. \(why)"
            case .inapplicable(let why): "without object. \(why)"
            }
        let level = requirement.isMandatory ? "\(requirement.level)" : "\(requirement.level), should"
        let tests = requirement.tests.map { test -> String in
            let parts = test.split(separator: ":", maxSplits: 1)
            return "`\(parts[0])`:\(parts[1])"
        }
        return
            "| \(requirement.number) | \(level) | \(requirement.text) | \(how) | \(tests.joined(separator: "<br>")) |"
    }

    private static func keys(of finding: Finding) -> [String] {
        guard case .notMet(let found) = finding else { return [] }
        var keys: [String] = []
        for remedy in found.compactMap(\.remedy) {
            let key =
                switch remedy {
                case .setting(let key, _), .start(let key, _): key
                case .application(let option): "app set \(option)"
                }
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    @Test func `The page lists every requirement as the code has it`() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("docs/doctor.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.first == "|" && $0.dropFirst(2).first?.isNumber == true }
        let expected = Requirement.all.map(Self.row)
        for (row, wanted) in zip(rows, expected) { #expect(row == wanted) }
        #expect(rows.count == expected.count)
    }

    // MARK: Findings

    /// Everything that settings, registrations and a start can weaken.
    private static let weakest: Situation = {
        var settings = RealmSettings()
        settings.passwords = PasswordPolicy(
            minimumLength: 6, maximumLength: 20, required: [.digit], refusesCommon: false, remembered: 0)
        settings.secondFactors.state = .disabled
        settings.secondFactors.offersPasskeys = false
        settings.passkeys.userVerification = .preferred
        settings.passkeys.allowsSynced = true
        settings.passkeys.allowedAAGUIDs = ["ee882879-721c-4913-9775-3dfcce97072a"]
        settings.passkeys.attestationRoots = ["MII"]
        settings.privacy.hidesAddresses = false
        settings.signUp.allowsAnonymous = true
        settings.tokens.customTokenKeys = ["backend": "PEM"]
        var old = ApplicationRegistration(audiences: nil, revealsAddresses: true)
        old.displayName = "Old"
        var web = ApplicationRegistration()
        web.oauth = OAuthRegistration(kind: .web)
        web.oauth.isFirstParty = true
        return Situation(
            settings: settings,
            applications: [
                Application(id: ClientID(rawValue: "old"), createdAt: .distantPast, registration: old),
                Application(id: ClientID(rawValue: "web"), createdAt: .distantPast, registration: web),
            ],
            deployment: Deployment(
                isDevelopment: true, isEncrypted: false, mail: .none, hashMemory: 1024, hashPasses: 1))
    }()

    /// What an operator who follows the advice comes to.
    private static func follow(_ remedy: Shortcoming.Remedy, in situation: inout Situation) throws {
        switch remedy {
        case .setting(let key, let value):
            try SettingCatalogue.setting(key).write(&situation.settings, .string(value))
        case .start(let key, _):
            switch key {
            case "dev": situation.deployment?.isDevelopment = false
            case "publicURL": situation.deployment?.isEncrypted = true
            case "mail.smtp.url": situation.deployment?.mail = .encrypted
            case "passwords.memoryMiB":
                situation.deployment?.hashMemory = 19 * 1024
                situation.deployment?.hashPasses = 2
            default: Issue.record("Nothing is started with \(key).")
            }
        case .application(let options):
            for index in situation.applications.indices {
                var registration = situation.applications[index].registration
                for option in options.split(separator: " ") where option.hasPrefix("--") {
                    switch option {
                    case "--no-reveal-addresses": registration.revealsAddresses = false
                    case "--no-first-party": registration.oauth.isFirstParty = false
                    case "--secret": registration.setSecret(Secret("0123456789abcdef01234567"))
                    case "--audience": registration.audiences = ["https://api.example.com"]
                    case "--require-dpop": registration.oauth.requiresDPoP = true
                    case "--require-par": registration.oauth.requiresPAR = true
                    case "--kind": registration.oauth.kind = .web
                    case "--grant-types": registration.oauth.grantTypes = ["authorization_code", "refresh_token"]
                    case "--jwks": registration.oauth.jwksURI = "https://app.example.com/jwks.json"
                    case "--auth-method": break
                    default: Issue.record("There is no option \(option).")
                    }
                }
                situation.applications[index].registration = registration
            }
        }
    }

    @Test func `What settings decide is not met by the weakest, and met once the advice is followed`() throws {
        // Nothing ends an app's session within twelve hours.
        let hopeless: Set = ["NIST-2.3.3a", "NIST-2.3.3b"]
        for requirement in Requirement.all {
            guard case .settings = requirement.basis else { continue }
            var situation = Self.weakest
            let before = requirement.finding(in: situation)
            guard case .notMet(let shortcomings) = before else {
                Issue.record("\(requirement.id) is met by the weakest settings: \(before)")
                continue
            }
            for remedy in shortcomings.compactMap(\.remedy) { try Self.follow(remedy, in: &situation) }
            if case .notMet = requirement.finding(in: situation) {
                #expect(hopeless.contains(requirement.id), "\(requirement.id) is not met by its own advice.")
            } else {
                #expect(requirement.finding(in: situation) == .met, "\(requirement.id)")
            }
        }
    }

    @Test func `Each advice can be followed as it is printed, and none locks users out without a word`() async throws {
        let site = try await TestServer.with { server in server.realm.site }
        var bare = Self.weakest
        bare.settings.passkeys.allowedAAGUIDs = nil
        bare.settings.passkeys.attestationRoots = nil
        let fresh = Situation(settings: RealmSettings())
        for (start, hasDomain) in [(Self.weakest, true), (bare, true), (fresh, true), (fresh, false)] {
            var situation = start
            situation.hasPasskeyDomain = hasDomain
            situation.assurance = 3
            var followed = situation
            for requirement in Requirement.all {
                guard case .notMet(let shortcomings) = requirement.finding(in: situation) else { continue }
                for case .setting(let key, let value)? in shortcomings.map(\.remedy) {
                    var settings = situation.settings
                    try SettingCatalogue.setting(key).write(&settings, .string(value))
                    #expect(throws: Never.self, "\(requirement.id): \(key) \(value)") {
                        try ChangeSetting.judge(settings, at: site)
                    }
                    try SettingCatalogue.setting(key).write(&followed.settings, .string(value))
                }
            }
            // Whoever follows everything for level 3 without a domain is left without a factor, and is told.
            let found = Requirement.all.first { $0.id == "ASVS-6.3.3" }?.finding(in: followed)
            #expect(followed.settings.locksUsersOut(hasDomain) == !hasDomain)
            #expect((found == .met) == hasDomain, "\(String(describing: found))")
            if !hasDomain {
                var before = followed.settings
                before.secondFactors.state = .enabled
                let warnings = ChangeSetting.warnings(
                    try SettingCatalogue.setting("secondFactors.state"), before, followed.settings,
                    hasPasskeyDomain: false)
                #expect(warnings.count == 1 && warnings[0].contains("users cannot sign in"), "\(warnings)")
            }
        }
    }

    @Test func `A setting that leaves no second factor where one is required says so, whichever it is`() throws {
        var settings = RealmSettings()
        settings.secondFactors.state = .mandatory
        settings.secondFactors.offersPasskeys = false
        for (key, value, rest) in [
            ("secondFactors.totp.state", "DISABLED", "secondFactors.offersPush"),
            ("secondFactors.offersPush", "false", "secondFactors.totp.state"),
        ] {
            var before = settings
            try SettingCatalogue.setting(rest).write(&before, .string(rest.hasSuffix("state") ? "DISABLED" : "false"))
            var after = before
            let setting = try SettingCatalogue.setting(key)
            try setting.write(&after, .string(value))
            let warnings = ChangeSetting.warnings(setting, before, after, hasPasskeyDomain: true)
            #expect(
                warnings.count == 1 && warnings[0].contains("cannot sign in, nor set one up"), "\(key): \(warnings)")
            // With another one left it is the setting's own word.
            var one = settings
            try setting.write(&one, .string(value))
            let own = ChangeSetting.warnings(setting, settings, one, hasPasskeyDomain: true)
            #expect(own.count == 1 && !own[0].contains("password alone"), "\(key): \(own)")
        }
    }

    @Test func `What depends on the start is unknown before any, and told after it`() async throws {
        try await TestServer.with { server in
            let realm = server.realm
            func state(_ id: String) async throws -> RequirementFinding.State? {
                let answer = try await RunDoctor(level: 3, assurance: 3).perform(
                    on: realm, as: .commandLine, by: .commandLine)
                return answer.requirements.first { $0.id == id }?.state
            }
            #expect(try await state("NIST-2.1.2b") == .unknown)
            #expect(try await state("ASVS-6.3.7") == .unknown)
            var deployment = Deployment(
                isDevelopment: false, isEncrypted: true, mail: .encrypted, hashMemory: 19 * 1024, hashPasses: 2)
            let address = PublicAddress(url: "https://login.example.com", isConfigured: true)
            try await realm.note(address, deployment)
            #expect(try await realm.deployment() == deployment)
            for id in ["NIST-2.1.2b", "ASVS-6.3.7", "NIST-3.1.1.2l", "ASVS-6.3.2"] {
                #expect(try await state(id) == .met, "\(id)")
            }
            deployment.isEncrypted = false
            try await realm.note(address, deployment)
            #expect(try await state("NIST-2.1.2b") == .notMet)
        }
    }

    @Test func `A fresh server falls short of this, and a strict one of what no setting mends`() throws {
        func short(_ situation: Situation) -> [String] {
            Requirement.all.filter { $0.level <= 2 }.map {
                RequirementFinding($0, $0.finding(in: situation), isExcepted: false)
            }
            .filter(\.counts).map(\.id)
        }
        let good = Deployment(
            isDevelopment: false, isEncrypted: true, mail: .encrypted, hashMemory: 19 * 1024, hashPasses: 2)
        var situation = Situation(settings: RealmSettings(), deployment: good)
        let lacking = Requirement.all.filter { requirement in
            guard case .lacking = requirement.basis else { return false }
            // What a standard recommends and does not insist on is told and does not count.
            return requirement.level <= 2 && requirement.isMandatory
        }.map(\.id)
        #expect(
            Set(short(situation)).subtracting(lacking)
                == ["ASVS-6.3.3", "ASVS-6.5.5", "NIST-2.2.1", "NIST-3.1.1.2a", "NIST-3.1.3.1b"])
        situation.settings.secondFactors.state = .mandatory
        situation.settings.secondFactors.offersPush = false
        situation.settings.secondFactors.totp?.adjacentIntervals = 0
        situation.settings.toolkitDocument = .object(["allowsEmailLinks": .bool(false)])
        #expect(short(situation) == lacking)
    }

    // MARK: The operation

    @Test func `The operation counts what is mandatory, and takes exceptions by name`() async throws {
        try await TestServer.with { server in
            func post(_ body: JSON) async throws -> Reply {
                try await server.send(
                    .post, "/admin/v1/doctor",
                    headers: [.authorization: "Bearer \(server.adminToken)", .contentType: "application/json"],
                    body: body.bytes)
            }
            let first = try await post([:])
            #expect(first.status == 200 && first.json["isMet"] == false && first.json["level"] == 2, "\(first.text)")
            let answer = try JSONDecoder().decode(RunDoctor.Answer.self, from: Data(first.text.utf8))
            let short = answer.requirements.filter(\.counts).map(\.id)
            #expect(short.contains("ASVS-6.2.12") && short.contains("NIST-2.1.2b"))
            #expect(!answer.requirements.contains { $0.level == 3 })
            let excepted = try await post(["except": .array(short.map { .string($0) })])
            #expect(excepted.json["isMet"] == true, "\(excepted.text)")
            #expect(try await post(["level": 4]).status == 400)
            let unknown = try await post(["except": ["ASVS-6.2.13"]])
            #expect(
                unknown.status == 400 && unknown.message?.contains("Did you mean ASVS-6.") == true, "\(unknown.text)"
            )
        }
    }

    @Test func `Names of applications cannot steer a terminal, and are not listed without end`() async throws {
        var situation = Situation(settings: RealmSettings())
        situation.applications = (0..<9).map { number in
            Application(
                id: ClientID(rawValue: "app\(number)\u{1B}[31m"), createdAt: .distantPast,
                registration: ApplicationRegistration(audiences: nil))
        }
        let requirement = try #require(Requirement.all.first { $0.id == "ASVS-9.2.4" })
        guard case .notMet(let found) = requirement.finding(in: situation) else {
            Issue.record("It is met.")
            return
        }
        #expect(found.count == 1 && found[0].why.contains("and 4 more") && !found[0].why.contains("\u{1B}"))
    }

    // MARK: What holds by construction and had no test

    @Test func `A password of ten years ago signs in`() async throws {
        try await TestServer.with { server in
            let created = try await server.realm.accounts.create(
                email: EmailAddress("ada@example.com"), password: Secret("correct horse battery"),
                profile: UserProfile(),
                by: .commandLine)
            _ = try created.get()
            server.clock.advance(3653 * 86_400)
            let reply = try await server.send(
                .post, "/v1/accounts:signInWithPassword?key=\(server.key)", headers: [.contentType: "application/json"],
                body: (["email": "ada@example.com", "password": "correct horse battery", "returnSecureToken": true]
                    as JSON)
                    .bytes)
            #expect(reply.status == 200, "\(reply.text)")
        }
    }

    @Test func `No means of proof is a hint or a question`() {
        #expect(
            Set(ProofRegistry.standard.kinds.map(\.rawValue)) == [
                "password", "totp", "push", "device-statement", "approval", "recovery-code", "email", "mailed-code",
                "link", "custom", "passkey",
            ])
    }
}
