import Foundation
import OneTimePassword
import Passkeys
import Testing

@testable import CountersignCore

/// Rows outlive the program that wrote them. For each persisted type: what was written earlier, as it stands in old
/// databases, and what it means today. Never edit a shape; add the new one.
@Suite("Every shape that was ever written")
struct StoredShapeTests {
    private func read<T: Decodable>(_ type: T.Type = T.self, _ json: String) throws -> T {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    /// The same of what has a coder of its own, which has to read what `Codable` does.
    private func read<T: StoredJSON & Decodable & Equatable>(_ type: T.Type = T.self, _ json: String) throws -> T {
        let value = try T(stored: json.utf8)
        #expect(try JSONDecoder().decode(type, from: Data(json.utf8)) == value)
        return value
    }

    /// The same of what has a coder of its own: servers of the version before read what this one writes, and this one what they
    /// write.
    private func survives(_ value: some StoredJSON & Codable & Equatable) throws -> Bool {
        let type = type(of: value)
        let written = try value.stored
        #expect(try type.init(stored: JSONEncoder().encode(value)) == value)
        #expect(try JSONDecoder().decode(type, from: written) == value)
        return try type.init(stored: written) == value
    }

    /// Whether the value is written such that it is read again as it was.
    private func survives(_ value: some Codable & Equatable) throws -> Bool {
        try JSONDecoder().decode(type(of: value), from: JSONEncoder().encode(value)) == value
    }

    @Test
    func `A count of users is read as it was written`() throws {
        let tally = try read(UserTally.self, #"{"count":5001,"at":774251300.25}"#)
        #expect(tally == UserTally(count: 5001, at: Date(timeIntervalSinceReferenceDate: 774_251_300.25)))
        #expect(try survives(tally))
    }

    @Test
    func `What a start notes is read as it was written`() throws {
        let age = try read(MasterKeyAge.self, #"{"since":774251300.25,"id":"0123abcd"}"#)
        #expect(age == MasterKeyAge(id: "0123abcd", since: Date(timeIntervalSinceReferenceDate: 774_251_300.25)))
        #expect(try survives(age))
        let address = try read(PublicAddress.self, #"{"url":"https:\/\/login.example.com","isConfigured":true}"#)
        #expect(address == PublicAddress(url: "https://login.example.com", isConfigured: true))
        #expect(try survives(address))
        let deployment = try read(
            Deployment.self,
            """
            {"hashMemory":19456,"hashPasses":2,"isDevelopment":false,"isEncrypted":true,"mail":"plain","values":[
             {"key":"listen","place":"--listen","source":"flag","text":"[::1]:8080"},
             {"key":"data","place":"data","source":"standard"}]}
            """)
        #expect(
            deployment
                == Deployment(
                    isDevelopment: false, isEncrypted: true, mail: .plain, hashMemory: 19456, hashPasses: 2,
                    values: [
                        Deployment.Value(key: "listen", text: "[::1]:8080", source: .flag, place: "--listen"),
                        Deployment.Value(key: "data", text: nil, source: .standard, place: "data"),
                    ]))
        #expect(try survives(deployment))
    }

    @Test
    func `Settings of every earlier shape are read`() throws {
        #expect(try read(RealmSettings.self, "{}") == RealmSettings())
        let full = try read(
            RealmSettings.self,
            """
            {"passwords":{"minimumLength":10,"minimumLengthAlone":15,"refusesCommon":false,"remembered":7},
             "privacy":{"hidesAddresses":false},
             "push":{"provider":"direct","apns":{"keyID":"K","teamID":"T","bundleID":"B","isSandbox":true}},
             "secondFactors":{"listsPhone":true,"state":"MANDATORY","totp":{"adjacentIntervals":5,"state":"ENABLED"}},
             "signUp":{"allowsAnonymous":true,"isOpen":false},
             "tokens":{"algorithm":"RS256","algorithms":{"native-auth":"ES256"},"customTokenKeys":{"a@b":"PEM"},
                       "idTokenLifetime":600,"sessionDays":30}}
            """)
        #expect(
            full.passwords
                == PasswordPolicy(
                    minimumLength: 10, minimumLengthAlone: 15, refusesCommon: false, remembered: 7))
        let early = try read(PasswordPolicy.self, #"{"minimumLength":8,"refusesCommon":true}"#)
        #expect(early == .standard && early.remembered == 3)
        #expect(early.required.isEmpty && early.maximumLength == nil)
        let strict = try read(
            PasswordPolicy.self, #"{"minimumLength":10,"maximumLength":9000,"required":["digit","symbol"]}"#)
        #expect(strict.required == [.digit, .symbol] && strict.maximumLength == PasswordPolicy.longestMaximum)
        #expect(try survives(strict))
        let wide = try read(PasswordPolicy.self, #"{"remembered":99}"#)
        #expect(try wide.remembered == 10 && read(PasswordPolicy.self, #"{"remembered":-1}"#).remembered == 0)
        #expect(!full.privacy.hidesAddresses)
        #expect(full.push.provider == .direct && full.push.apns.keyID == "K" && full.push.apns.isSandbox)
        #expect(full.toolkitDocument == ["listsPhone": .bool(true)] && full.secondFactors.state == .mandatory)
        #expect(full.secondFactors.totp == TOTPSettings(state: .enabled, adjacentIntervals: 5))
        #expect(full.signUp.allowsAnonymous && !full.signUp.isOpen)
        #expect(full.tokens.algorithm(for: .identityToolkit) == .rs256)
        #expect(full.tokens.algorithm(for: Dialect(rawValue: "native-auth")) == .es256)
        #expect(full.tokens.customTokenKeys == ["a@b": "PEM"])
        #expect(full.tokens.idTokenLifetime == 600 && full.tokens.sessionDays == 30)
        #expect(try survives(full))
        #expect(try survives(RealmSettings()))

        // A dialect's own section is kept as it is; what it says is that dialect's to test.
        let toolkit = try read(
            RealmSettings.self,
            #"{"identityToolkit":{"allowsEmail":false},"secondFactors":{"listsPhone":false,"state":"ENABLED"}}"#)
        #expect(toolkit.toolkitDocument == ["allowsEmail": .bool(false), "listsPhone": .bool(false)])
        #expect(try survives(toolkit))
        let later = try read(
            RealmSettings.self,
            #"{"identityToolkit":{"listsPhone":false},"secondFactors":{"listsPhone":true,"state":"ENABLED"}}"#)
        #expect(later.toolkitDocument == ["listsPhone": .bool(false)])
        // What was never set stays unset: under `--dev` anonymous accounts are allowed then.
        #expect(try read(SignUpSettings.self, #"{"allowsAnonymous":false}"#).anonymous == nil)
        #expect(try read(SignUpSettings.self, #"{"anonymous":false,"allowsAnonymous":true}"#).anonymous == false)

        let sparse = try read(RealmSettings.self, #"{"tokens":{},"signUp":{},"privacy":{},"passwords":{}}"#)
        #expect(sparse == RealmSettings())
        let withoutTOTP = try read(RealmSettings.self, #"{"secondFactors":{"state":"ENABLED"}}"#)
        #expect(!withoutTOTP.secondFactors.offersTOTP)
        #expect(withoutTOTP.secondFactors.requiredGroups == nil && !withoutTOTP.secondFactors.isRequiredOfSome)
        var ofSome = RealmSettings()
        ofSome.secondFactors.requiredGroups = ["staff"]
        ofSome.secondFactors.requiredRoles = ["owner", "of-a-later-version"]
        #expect(try survives(ofSome) && ofSome.secondFactors.isRequiredOfSome)
        let unset = try read(TOTPSettings.self, #"{"state":"ENABLED"}"#)
        #expect(unset.adjacentIntervals == nil)
        #expect(try read(RealmSettings.self, #"{"unknown":{"a":1}}"#) == RealmSettings())
    }

    @Test
    func `Life times of a document are cut to what makes sense`() throws {
        let short = try read(TokenSettings.self, #"{"idTokenLifetime":1,"sessionDays":0}"#)
        #expect(short.idTokenLifetime == 300 && short.sessionDays == 1)
        let long = try read(TokenSettings.self, #"{"idTokenLifetime":9000000,"sessionDays":9000000}"#)
        #expect(long.idTokenLifetime == 86_400 && long.sessionDays == 3650)
    }

    @Test
    func `Profiles of every earlier shape are read`() throws {
        #expect(try read(UserProfile.self, "{}") == UserProfile())
        let full = try read(
            UserProfile.self,
            """
            {"attributes":{"city":"London"},"customClaims":{"level":7,"role":"admin"},"displayName":"Ada",
             "emailVerified":true,"phoneNumber":"+44","photoURL":"https://example.org","providers":["password","emailLink"]}
            """)
        #expect(
            full
                == UserProfile(
                    emailVerified: true, displayName: "Ada", photoURL: "https://example.org", phoneNumber: "+44",
                    customClaims: ["level": .integer(7), "role": "admin"], attributes: ["city": "London"],
                    providers: ["password", "emailLink"]))
        #expect(full.hasCustomClaims && !UserProfile().hasCustomClaims)
        #expect(try survives(full))
        let cleared = try read(UserProfile.self, #"{"customClaims":{},"hasCustomClaims":true}"#)
        #expect(try cleared.hasCustomClaims && survives(cleared))
    }

    @Test
    func `What a session was proven with`() throws {
        let least = try read(SessionEvidence.self, #"{"dialect":"identity-toolkit","proofs":[]}"#)
        #expect(least == SessionEvidence(dialect: .identityToolkit, proofs: []))
        let full = try read(
            SessionEvidence.self,
            """
            {"details":{"developer_claims":{"a":1}},"dialect":"identity-toolkit","proofs":[
              {"at":0,"isSecondFactor":false,"kind":"password","factorID":"p"},
              {"at":30.5,"isSecondFactor":true,"kind":"totp","factorID":"t"},
              {"at":1,"isSecondFactor":false,"kind":"of the future"}],"scopes":["openid"]}
            """)
        #expect(full.proofs.map(\.kind.rawValue) == ["password", "totp", "of the future"])
        #expect(full.secondFactor?.factorID?.rawValue == "t")
        #expect(full.authenticatedAt == Date(timeIntervalSinceReferenceDate: 30.5))
        #expect(full.scopes == ["openid"])
        #expect(full.details["developer_claims"]?["a"] == .integer(1))
        #expect(full.proofs.allSatisfy { $0.assurance == nil })
        #expect(try survives(full))
        let verified = try read(Proof.self, #"{"at":0,"isSecondFactor":false,"kind":"passkey","assurance":6}"#)
        #expect(try verified.assurance == [.possession, .userVerified] && survives(verified))
    }

    @Test
    func `Terms of grants of every earlier shape are read, and the audience of the details is one of the audiences`()
        throws
    {
        #expect(try read(GrantTerms.self, #"{"scopes":[],"details":{}}"#) == GrantTerms())
        let early = try read(
            GrantTerms.self, #"{"details":{"audience":"https://api","x":true},"scopes":["openid"]}"#)
        #expect(early == GrantTerms(scopes: ["openid"], details: ["x": .bool(true)], audiences: ["https://api"]))
        #expect(try survives(early))
        let present = try read(
            GrantTerms.self, #"{"audiences":["urn:stock"],"details":{"audience":"https://api"},"scopes":[]}"#)
        #expect(present == GrantTerms(details: ["audience": "https://api"], audiences: ["urn:stock"]))
        #expect(try survives(present))
        #expect(try String(decoding: GrantTerms().stored, as: UTF8.self) == #"{"details":{},"scopes":[]}"#)
        let evidence = try read(
            SessionEvidence.self, #"{"details":{"audience":"https://api"},"dialect":"guardian","proofs":[]}"#)
        #expect(evidence.terms == GrantTerms(audiences: ["https://api"]))
        #expect(try survives(evidence))
    }

    @Test
    func `Instants of a session's evidence survive the store to the microsecond`() async throws {
        let test = try await TestRealm.make()
        test.clock.advance(0.123457)
        try await test.addUser()
        let signedIn = try #require(await test.signIn().signedIn)
        let kept = try #require(await test.store.read { try $0.granted(signedIn.grant.id) })
        #expect(kept.evidence == signedIn.evidence)
        #expect(kept.evidence.authenticatedAt == test.now)
    }

    @Test
    func `Bodies of flows of every earlier shape are read`() throws {
        let least = try read(
            FlowBody.self,
            #"{"purpose":"signIn","dialect":"identity-toolkit","clientID":"app","challenge":{"secondFactor":{}}}"#)
        #expect(least.purpose == .signIn)
        #expect(least.challenge == .secondFactor)
        #expect(least.maximumAttempts == 10 && least.proven.isEmpty && !least.requiresSecondFactor)
        #expect(least.terms == GrantTerms() && least.tokenEpoch == nil && least.email == nil)

        let challenges: [(String, FlowChallenge)] = [
            (#"{"secondFactor":{}}"#, .secondFactor), (#"{"link":{}}"#, .link),
            (
                #"{"mailedCode":{"digest":"AQI=","expiresAt":5}}"#,
                try .mailedCode(digest: Data([1, 2]), expiresAt: Date(timeIntervalSinceReferenceDate: 5))
            ),
            (#"{"enrolment":{"kind":"totp","payload":"AQI="}}"#, .enrolment(kind: .totp, payload: Data([1, 2]))),
        ]
        for (json, challenge) in challenges {
            let full = try read(
                FlowBody.self,
                """
                {"purpose":"changeEmail","dialect":"identity-toolkit","clientID":"app","challenge":\(json),
                 "email":"a@b.c","newEmail":"d@e.f","maximumAttempts":3,"requiresSecondFactor":true,"tokenEpoch":4,
                 "proven":[{"at":0,"isSecondFactor":false,"kind":"password"}],
                 "terms":{"scopes":["s"],"details":{"x":true}}}
                """)
            #expect(full.challenge == challenge)
            #expect(full.email == "a@b.c" && full.newEmail == "d@e.f" && full.maximumAttempts == 3)
            #expect(full.requiresSecondFactor && full.tokenEpoch == 4 && full.proven.count == 1)
            #expect(full.terms == GrantTerms(scopes: ["s"], details: ["x": .bool(true)]))
            #expect(try survives(full))
        }
        var answered = least
        answered.memory = AnsweredRequest(
            digest: Data([1]), at: Date(timeIntervalSinceReferenceDate: 5),
            outcome: .signedIn(SessionID(rawValue: "s"), refreshToken: "t"))
        #expect(least.memory == nil)
        #expect(try survives(answered))
        for purpose in ["signIn", "enrolFactor", "verifyEmail", "resetPassword", "changeEmail"] {
            #expect(FlowPurpose(rawValue: purpose) != nil)
        }
    }

    @Test
    func `Offers to enrol, and what is asked to be authorized`() throws {
        let early = try read(
            FlowBody.self,
            """
            {"purpose":"enrolFactor","dialect":"guardian","clientID":"app",
             "challenge":{"registration":{"_0":{"factorID":"dev_1","totpSecret":"AQI="}}}}
            """)
        let offer = try #require(early.offer)
        #expect(offer.factorID.rawValue == "dev_1" && offer.totpSecret == Data([1, 2]) && offer.recoveryCode == nil)
        #expect(offer.allows(.push) && offer.allows(.totp) && !offer.isOnlyFirst)
        let full = try read(
            FlowBody.self,
            """
            {"purpose":"backchannel","dialect":"guardian","clientID":"app","challenge":{"approval":{}},
             "enrolment":{"factorID":"dev_1","kinds":["totp"],"onlyAsFirst":true,"recoveryCode":"R"},
             "consent":{"id":"cns_1","audience":"a","scopes":["openid"],"bindingMessage":"m",
              "authorizationDetails":[{"type":"t"}],"createdAt":0,"expiresAt":300}}
            """)
        #expect(full.purpose == .backchannel && full.challenge == .approval)
        #expect(full.offer?.allows(.push) == false && full.offer?.isOnlyFirst == true)
        #expect(full.offer?.recoveryCode == "R" && full.requestedAuthorization?.bindingMessage == "m")
        #expect(full.requestedAuthorization?.authorizationDetails == [["type": "t"]])
        #expect(try survives(full))
    }

    @Test
    func `Payloads of TOTP factors`() throws {
        let least = try read(TOTPFactor.Payload.self, #"{"secret":"AQIDBA=="}"#)
        #expect(least == TOTPFactor.Payload(secret: Data([1, 2, 3, 4])))
        let full = try read(
            TOTPFactor.Payload.self,
            #"{"algorithm":"SHA256","digits":8,"lastStep":59666667,"period":60,"secret":"AQIDBA=="}"#)
        #expect(
            full
                == TOTPFactor.Payload(
                    secret: Data([1, 2, 3, 4]), algorithm: .sha256, digits: 8, period: 60, lastStep: 59_666_667))
        #expect(try survives(full))
    }

    @Test
    func `Payloads of passkeys, and what a sign-in by one was asked`() throws {
        let least = try read(
            PasskeyFactor.Payload.self,
            #"""
            {"credential":{"aaguid":"00000000-0000-0000-0000-000000000000",
             "attestation":{"format":"none","trust":"notJudged"},"backupEligible":false,"backupState":false,
             "id":"BwcH","publicKey":"pQEC_-8","rpID":"example.org","signCount":4294967295,"transports":[],
             "userHandle":"AQ","uvInitialized":true}}
            """#)
        let credential = CredentialRecord(
            id: [7, 7, 7], publicKey: [0xA5, 1, 2, 0xFF, 0xEF], userHandle: [1], rpID: "example.org",
            signCount: .max, uvInitialized: true, backupEligible: false, backupState: false)
        #expect(least == PasskeyFactor.Payload(credential: credential))
        var full = PasskeyFactor.Payload(
            credential: CredentialRecord(
                id: Array(0...255), publicKey: [], userHandle: Array(repeating: 0xFB, count: 64),
                rpID: "bücher.example",
                signCount: 0, uvInitialized: false, backupEligible: true, backupState: true,
                transports: ["internal", "hybrid"], aaguid: try #require(AAGUID(1...16)),
                attestation: .init(format: "packed", trust: .trusted)))
        full.userAgent = #"Mozilla/5.0 "é"#
        full.isSuspicious = true
        full.isOfHost = false
        #expect(try survives(full))
        for member in ["aaguid", "attestation", "id", "publicKey", "rpID", "signCount", "transports", "uvInitialized"] {
            var members = try #require(JSONValue(encoding: full)["credential"]?.members)
            members[member] = nil
            #expect(throws: StoreError.self, "without \(member)") {
                try PasskeyFactor.Payload(stored: JSONValue.object(["credential": .object(members)]).jsonText())
            }
        }

        let asked = try read(
            RequestOptions.self,
            #"{"allowCredentials":[],"challenge":"AAEC","rpId":"example.org","userVerification":"required"}"#)
        #expect(asked.challenge == [0, 1, 2] && asked.timeout == nil && asked.hints == nil)
        let party = try RelyingParty(id: "example.org", name: "E", origins: ["https://example.org"])
        let options = RequestOptions(
            relyingParty: party, challenge: Array(0..<32),
            allowCredentials: [
                CredentialDescriptor(id: [1]), CredentialDescriptor(id: [2, 255], transports: ["usb"]),
            ],
            userVerification: .preferred, hints: ["hybrid"])
        #expect(try survives(options))
        #expect(PasskeyFactor().shown(options) == JSONValue(encoding: options))
    }

    @Test
    func `Payloads of passwords of every earlier shape are read`() throws {
        let payload = try read(PasswordFactor.Payload.self, #"{"hash":"$argon2id$v=19$m=1,t=1,p=1$AA$AA"}"#)
        #expect(payload.hash == "$argon2id$v=19$m=1,t=1,p=1$AA$AA")
        #expect(payload.last(5) == [payload.hash])
        #expect(try PasswordFactor.payload(hash: "h") == Data(#"{"hash":"h"}"#.utf8))
        let full = try read(PasswordFactor.Payload.self, #"{"earlier":["b","a"],"hash":"c"}"#)
        #expect(full == PasswordFactor.Payload(hash: "c", earlier: ["b", "a"]) && full.last(2) == ["c", "b"])
        #expect(try survives(full))
    }

    @Test
    func `Registrations of every earlier shape are read`() throws {
        #expect(try read(ApplicationRegistration.self, "{}") == ApplicationRegistration(audiences: nil))
        let full = try read(
            ApplicationRegistration.self,
            """
            {"attributes":[{"isRequired":true,"name":"city","type":"string"},
                           {"isRequired":false,"name":"code","pattern":"^[0-9]$","type":"string"}],
             "audiences":["https://api"],"challengeTypes":["oob"],
             "displayName":"App","redirectURIs":["http://127.0.0.1/callback"],"requiresSecondFactor":true,
             "revealsAddresses":true,"scopes":["openid"],"secretDigest":"AA=="}
            """)
        var expected = ApplicationRegistration(
            displayName: "App", redirectURIs: ["http://127.0.0.1/callback"],
            challengeTypes: ["oob"], scopes: ["openid"], audiences: ["https://api"],
            attributes: [
                .init(name: "city", type: "string", isRequired: true),
                .init(name: "code", type: "string", isRequired: false, pattern: "^[0-9]$"),
            ], requiresSecondFactor: true, revealsAddresses: true)
        expected.secretDigest = "AA=="
        #expect(full == expected)
        #expect(try survives(full))
        #expect(full.oauth.handedOverAt == nil)
        let handed = try read(ApplicationRegistration.self, #"{"oauth":{"handedOverAt":5,"asksSince":6}}"#)
        #expect(handed.oauth.handedOverAt == Date(timeIntervalSinceReferenceDate: 5))
        #expect(handed.oauth.asksSince == Date(timeIntervalSinceReferenceDate: 6))
        #expect(try survives(handed))
        #expect(try survives(ApplicationRegistration()))
        #expect(try read(ApplicationRegistration.self, "{}").allowsAudience("https://any"))
        #expect(!ApplicationRegistration().allowsAudience("https://any"))
    }

    @Test
    func `Contents of messages of every earlier shape are read`() throws {
        let least = try read(OutboxContent.self, #"{"template":"code","values":{}}"#)
        #expect(least == OutboxContent(template: "code", values: [:]))
        let full = try read(
            OutboxContent.self, #"{"locale":"de","template":"code","values":{"code":"12345678","email":"a@b.c"}}"#)
        #expect(full == OutboxContent(template: "code", locale: "de", values: ["code": "12345678", "email": "a@b.c"]))
        let occasion = try read(
            OutboxContent.self,
            #"{"template":"code","values":{},"occasion":{"application":"a","requestType":"signIn"}}"#)
        #expect(
            occasion.occasion
                == OutboxContent.Occasion(
                    application: ClientID(rawValue: "a"), requestType: "signIn", source: nil, correlationID: nil))
        #expect(try survives(full))
    }

    @Test
    func `A settings document that cannot be read is an error that says so, not the defaults`() async throws {
        let test = try await TestRealm.make()
        for document in ["", "null", "[]", #"{"signUp":7}"#, #"{"secondFactors":{"state":"SOMETIMES"}}"#] {
            try await test.store.write { try $0.putDocument("settings", Data(document.utf8)) }
            await #expect(throws: StoreError.self) { try await test.realm.settings() }
        }
    }

    @Test
    func `Devices and recovery codes`() throws {
        let device = try read(
            PushFactor.Payload.self,
            """
            {"identifier":"A1","tokenDigest":"AAEC","service":"APNS","pushToken":"ff",
             "key":{"material":{"p256":{"point":"a2V5"}}},"totp":{"secret":"AQID","algorithm":"SHA1","digits":6,"period":30}}
            """)
        #expect(device.identifier == "A1" && device.service == "APNS" && device.pushToken == "ff")
        #expect(device.key.algorithm == .es256)
        #expect(device.totp?.secret == Data([1, 2, 3]))
        #expect(device.pushTokenAt == nil)
        #expect(try survives(device))
        let later = try read(
            PushFactor.Payload.self,
            """
            {"identifier":"A1","tokenDigest":"AAEC","service":"APNS","pushToken":"ff","pushTokenAt":800000000,
             "key":{"material":{"p256":{"point":"a2V5"}}}}
            """)
        #expect(later.pushTokenAt == Date(timeIntervalSinceReferenceDate: 800_000_000))
        let silent = try read(
            PushFactor.Payload.self,
            #"{"identifier":"","tokenDigest":"","key":{"material":{"rsa":{"modulus":"AQ==","exponent":"AQAB"}}}}"#)
        #expect(silent.service == nil && silent.totp == nil && silent.key.algorithm == .rs256)
        #expect(try read(RecoveryCodeFactor.Payload.self, #"{"digest":"AAEC"}"#).digest == Data([0, 1, 2]))
    }

    @Test
    func `A damaged row is read or is a StoreError, and never ends the program`() throws {
        var body = try read(
            FlowBody.self,
            #"""
            {"purpose":"signIn","dialect":"native-auth","clientID":"app","challenge":{"mailedCode":{"digest":"AQI=","expiresAt":5.5}},
             "approval":{"id":"a","askedAt":0,"expiresAt":300,"devices":["dev_1"],
              "decision":{"isAllowed":true,"by":"dev_1","at":5,"kind":"push"}},"email":"a@b.c","invitation":"AQI=",
             "proven":[{"at":30.25,"isSecondFactor":false,"kind":"password","factorID":"f","assurance":6}],"tokenEpoch":4,
             "terms":{"scopes":["s"],"details":{"x":[true,null,{"y":-1.5}]}},"enrolment":{"factorID":"dev_1","kinds":["totp"]}}
            """#)
        #expect(body.creation == nil)
        body.creation = OpenChallenge(.passkey, bytes: Data(#"{"options":1}"#.utf8))
        #expect(try survives(body))
        body.journey = Journey(stage: .secondFactor, method: .password, abilities: JourneyAbilities())
        let whole = Array(try body.stored)
        let random = SeededRandom(seed: 160)
        var corrupt = 0
        for _ in 0..<5000 {
            var damaged = whole
            let place = random.number(below: damaged.count)
            switch random.number(below: 4) {
            case 0: damaged[place] = random.bytes(1)[0]
            case 1: damaged.remove(at: place)
            case 2: damaged.insert(Array(#"{}[]",:\0-e"#.utf8)[random.number(below: 11)], at: place)
            default: damaged.removeSubrange(place...)
            }
            do {
                _ = try FlowBody(stored: damaged)
            } catch let error as StoreError where error.code == .corrupt {
                corrupt += 1
            }
        }
        #expect(corrupt > 2500 && corrupt < 5000)
    }
}

extension JSONValue {
    fileprivate var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
}
