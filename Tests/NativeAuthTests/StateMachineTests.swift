import CountersignCore
import DialectTestSupport
import Foundation
import NativeAuthWire
import Testing

/// The ways through the protocol (Microsoft Learn, Native authentication API reference), each a table of requests and
/// answers.
@Suite("Native authentication's state machines")
struct StateMachineTests {
    /// One request, and what has to come back.
    struct Step: Sendable {
        let endpoint: Endpoint
        /// `{code}` is the code that went out last, `{first code}` the one that went out first.
        let fields: [String: String]
        let answer: Answer
        /// Whether the request names the flow by the text of the first answer instead of the last.
        var usesFirstToken = false

        init(_ endpoint: Endpoint, _ fields: [String: String] = [:], _ answer: Answer, usesFirstToken: Bool = false) {
            self.endpoint = endpoint
            self.fields = fields
            self.answer = answer
            self.usesFirstToken = usesFirstToken
        }
    }

    enum Answer: Sendable {
        /// 200 with a continuation token.
        case goesOn
        case asks(String)
        case tokens
        case redirect
        case refused(String, String? = nil, Int? = nil)
        case wants([String])
        case status(String)
    }

    enum Account: Sendable {
        case none, password, code
    }

    struct Way: Sendable, CustomTestStringConvertible {
        let name: String
        var types = ["oob", "password", "redirect"]
        var attributes: [ApplicationRegistration.Attribute] = []
        var requiresMFA = false
        var reveals = false
        var account = Account.none
        let steps: [Step]

        var testDescription: String { name }
    }

    private static let email = NativeClient.email
    private static let password = NativeClient.password
    private static let city = ApplicationRegistration.Attribute(name: "city", type: "string", isRequired: true)
    private static let age = ApplicationRegistration.Attribute(name: "age", type: "integer", isRequired: true)

    private static func initiate(_ types: String = NativeClient.everything, _ answer: Answer = .goesOn) -> Step {
        Step(
            .initiate,
            ["username": email, "challenge_type": types, "capabilities": "mfa_required,registration_required"], answer)
    }
    private static func start(_ more: [String: String] = [:], _ answer: Answer = .goesOn) -> Step {
        Step(
            .signUpStart, ["username": email, "challenge_type": "oob redirect"].merging(more) { $1 }, answer)
    }
    private static func challenge(_ type: String, at endpoint: Endpoint = .challenge) -> Step {
        Step(endpoint, ["challenge_type": NativeClient.everything], .asks(type))
    }
    private static func token(_ grant: String, _ more: [String: String], _ answer: Answer = .tokens) -> Step {
        Step(
            .token,
            ["grant_type": grant, "scope": "openid profile offline_access", "client_info": "true"]
                .merging(more) { $1 }, answer)
    }
    private static func code(_ endpoint: Endpoint, _ answer: Answer, _ code: String = "{code}") -> Step {
        Step(endpoint, ["grant_type": "oob", "oob": code], answer)
    }

    static let ways: [Way] = [
        Way(
            name: "E-mail OTP sign-in", account: .code,
            steps: [initiate(), challenge("oob"), token("oob", ["oob": "{code}"])]),
        Way(
            name: "Password sign-in", account: .password,
            steps: [initiate(), challenge("password"), token("password", ["password": password])]),
        Way(
            name: "A wrong answer leaves the flow as it is", account: .password,
            steps: [
                initiate(), challenge("password"),
                token("password", ["password": "wrong"], .refused("invalid_grant", nil, 50126)),
                token("password", ["password": password]),
            ]),
        Way(
            name: "Resend: a new code, the old one dead, under the new token", account: .code,
            steps: [
                initiate(), challenge("oob"), challenge("oob"),
                token("oob", ["oob": "{first code}"], .refused("invalid_grant", "invalid_oob_value")),
                token("oob", ["oob": "{code}"]),
            ]),
        Way(
            name: "Resend: the newest code is good under the oldest token", account: .code,
            steps: [
                initiate(), challenge("oob"), challenge("oob"),
                Step(
                    .token, ["grant_type": "oob", "oob": "{code}", "scope": "openid"], .tokens, usesFirstToken: true),
            ]),
        Way(
            name: "OTP sign-up",
            steps: [
                start(), challenge("oob", at: .signUpChallenge), code(.signUpContinue, .goesOn),
                token("continuation_token", ["username": email]),
            ]),
        Way(
            name: "OTP sign-up with a wrong code in between",
            steps: [
                start(), challenge("oob", at: .signUpChallenge),
                code(.signUpContinue, .refused("invalid_grant", "invalid_oob_value"), "1"),
                code(.signUpContinue, .goesOn), token("continuation_token", ["username": email]),
            ]),
        Way(
            name: "Password sign-up",
            steps: [
                start(["password": password, "challenge_type": NativeClient.everything]),
                challenge("oob", at: .signUpChallenge), code(.signUpContinue, .goesOn),
                token("continuation_token", ["username": email]), initiate(), challenge("password"),
                token("password", ["password": password]),
            ]),
        Way(
            name: "Password sign-up, password later",
            steps: [
                start(["challenge_type": NativeClient.everything]), challenge("oob", at: .signUpChallenge),
                code(.signUpContinue, .refused("credential_required", nil, 55103)),
                challenge("password", at: .signUpChallenge),
                Step(
                    .signUpContinue, ["grant_type": "password", "password": "short"],
                    .refused("invalid_grant", "password_too_short")),
                Step(.signUpContinue, ["grant_type": "password", "password": password], .goesOn),
                token("continuation_token", ["username": email]),
            ]),
        Way(
            name: "Sign-up with attributes at the end, wrong ones first", attributes: [city, age],
            steps: [
                start(), challenge("oob", at: .signUpChallenge), code(.signUpContinue, .wants(["city", "age"])),
                Step(
                    .signUpContinue, ["grant_type": "attributes", "attributes": #"{"city":"London"}"#], .wants(["age"])),
                Step(
                    .signUpContinue, ["grant_type": "attributes", "attributes": #"{"age":"old"}"#],
                    .refused("invalid_grant", "attribute_validation_failed")),
                Step(.signUpContinue, ["grant_type": "attributes", "attributes": #"{"age":"36"}"#], .goesOn),
                token("continuation_token", ["username": email]),
            ]),
        Way(
            name: "Sign-up with all attributes at the start", attributes: [city, age],
            steps: [
                start(["attributes": #"{"city":"London","age":36,"unknown":[]}"#]),
                challenge("oob", at: .signUpChallenge), code(.signUpContinue, .goesOn),
                token("continuation_token", [:]),
            ]),
        Way(
            name: "Sign-up with a password and attributes, both later", attributes: [city],
            steps: [
                start(["challenge_type": NativeClient.everything]), challenge("oob", at: .signUpChallenge),
                code(.signUpContinue, .refused("credential_required")), challenge("password", at: .signUpChallenge),
                Step(.signUpContinue, ["grant_type": "password", "password": password], .wants(["city"])),
                Step(.signUpContinue, ["grant_type": "attributes", "attributes": #"{"city":"London"}"#], .goesOn),
                token("continuation_token", ["username": email]),
            ]),
        Way(
            name: "Attributes before the address is proven", attributes: [city],
            steps: [
                start(),
                Step(
                    .signUpContinue, ["grant_type": "attributes", "attributes": #"{"city":"London"}"#],
                    .refused("verification_required")),
                challenge("oob", at: .signUpChallenge), code(.signUpContinue, .wants(["city"])),
            ]),
        Way(
            name: "Sign-up of a known address, revealed", reveals: true, account: .code,
            steps: [start([:], .refused("user_already_exists", nil, 1_003_037))]),
        Way(
            name: "Sign-up of a known address, hidden: who reads the mailbox learns it", account: .code,
            steps: [
                start(), challenge("oob", at: .signUpChallenge), code(.signUpContinue, .refused("user_already_exists")),
                code(.signUpContinue, .refused("invalid_grant", nil, 55200)),
            ]),
        Way(
            name: "Self-service password reset", account: .password,
            steps: [
                Step(.resetPasswordStart, ["username": email, "challenge_type": "oob redirect"], .goesOn),
                challenge("oob", at: .resetPasswordChallenge),
                code(.resetPasswordContinue, .refused("invalid_grant", "invalid_oob_value"), "1"),
                code(.resetPasswordContinue, .goesOn),
                Step(.resetPasswordPoll, [:], .status("not_started")),
                Step(
                    .resetPasswordSubmit, ["new_password": "password1"], .refused("invalid_grant", "password_banned")),
                Step(
                    .resetPasswordSubmit, ["new_password": password],
                    .refused("invalid_grant", "password_recently_used", 399_246)),
                Step(.resetPasswordSubmit, ["new_password": "difference engine"], .goesOn),
                Step(.resetPasswordPoll, [:], .status("succeeded")),
                token("continuation_token", ["username": email]), initiate(), challenge("password"),
                token("password", ["password": password], .refused("invalid_grant", nil, 50126)),
                token("password", ["password": "difference engine"]),
            ]),
        Way(
            name: "Reset without a password, revealed", reveals: true, account: .code,
            steps: [
                Step(
                    .resetPasswordStart, ["username": email, "challenge_type": "oob redirect"],
                    .refused("invalid_request", nil, 500222))
            ]),
        Way(
            name: "Reset without a password, hidden: who reads the mailbox learns it", account: .code,
            steps: [
                Step(.resetPasswordStart, ["username": email, "challenge_type": "oob redirect"], .goesOn),
                challenge("oob", at: .resetPasswordChallenge),
                code(.resetPasswordContinue, .refused("invalid_request", nil, 500222)),
            ]),
        Way(
            name: "Unknown address, revealed", reveals: true,
            steps: [
                initiate(NativeClient.everything, .refused("user_not_found", nil, 50034)),
                Step(
                    .resetPasswordStart, ["username": email, "challenge_type": "oob redirect"],
                    .refused("user_not_found", nil, 50034)),
            ]),
        Way(
            name: "Redirect: the account has a password, the client asks for none", account: .password,
            steps: [initiate("oob redirect", .redirect)]),
        Way(
            name: "Redirect: the account has no password, the client asks for one", account: .code,
            steps: [initiate("password redirect", .redirect)]),
        Way(
            name: "Redirect: a password application, a client without", types: ["password", "redirect"],
            account: .password, steps: [initiate("oob redirect", .redirect)]),
        Way(
            name: "An application of codes asks every user for one", types: ["oob", "redirect"], account: .password,
            steps: [
                initiate("oob redirect"), challenge("oob"), token("oob", ["oob": "{code}"]),
            ]),
        Way(
            name: "Redirect: sign-up with a password where there are none", types: ["oob", "redirect"],
            steps: [start(["password": password, "challenge_type": NativeClient.everything], .redirect)]),
        Way(
            name: "Redirect: a client that takes nothing", account: .code,
            steps: [initiate("redirect", .redirect)]),
        Way(
            name: "A client that does not take redirect", account: .code,
            steps: [initiate("oob password", .refused("unsupported_challenge_type", nil, 901_007))]),
    ]

    @Test(arguments: ways)
    func `Every way ends where it should`(_ way: Way) async throws {
        try await TestServer.with { server in
            let client = try await server.application(
                types: way.types, requiresMFA: way.requiresMFA, reveals: way.reveals, attributes: way.attributes)
            switch way.account {
            case .none: break
            case .password: try await server.account()
            case .code: try await server.account(password: nil)
            }
            try await Self.walk(way.steps, client)
        }
    }

    /// Goes through the steps, with the last continuation token each time.
    static func walk(_ steps: [Step], _ client: NativeClient) async throws {
        var token: String?
        var first: String?
        for (index, step) in steps.enumerated() {
            var fields: [String: String?] = [:]
            let codes = try await client.codes()
            for (name, value) in step.fields {
                fields[name] =
                    value == "{code}" ? codes.last ?? "" : value == "{first code}" ? codes.first ?? "" : value
            }
            let begins = [.initiate, .signUpStart, .resetPasswordStart].contains(step.endpoint)
            if !begins { fields["continuation_token"] = step.usesFirstToken ? first : token }
            let reply = try await client.post(step.endpoint, fields)
            let place = Comment(rawValue: "step \(index + 1), \(step.endpoint.path): \(reply.text)")
            expect(reply, step.answer, place)
            if let fresh = reply.token {
                #expect(fresh != token, place)
                token = fresh
                if begins { first = fresh }
            }
        }
    }

    private static func expect(_ reply: Reply, _ answer: Answer, _ place: Comment) {
        switch answer {
        case .goesOn:
            #expect(reply.status == 200 && reply.token != nil, place)
        case .asks(let type):
            #expect(reply.status == 200 && reply.token != nil && reply.json["challenge_type"].text == type, place)
            guard type == "oob" else { return }
            #expect(reply.json["code_length"] == 8 && reply.json["binding_method"] == "prompt", place)
            #expect(reply.json["challenge_channel"] == "email" && reply.json["interval"] == 300, place)
            #expect(reply.json["challenge_target_label"] == "a***a@ex**e.org", place)
        case .tokens:
            #expect(reply.status == 200, place)
            #expect(reply.json["token_type"] == "Bearer" && reply.json["client_info"].text != nil, place)
            #expect(reply.json["access_token"].text != nil && reply.json["id_token"].text != nil, place)
            #expect((reply.json["expires_in"].int ?? 0) > 0, place)
        case .redirect:
            #expect(reply.status == 200 && reply.json["challenge_type"] == "redirect", place)
            #expect(reply.json["redirect_reason"].text?.isEmpty == false && reply.token == nil, place)
        case .refused(let error, let suberror, let number):
            #expect(reply.status == 400 && reply.error == error && reply.suberror == suberror, place)
            if let number { #expect(reply.number == number, place) }
            if error == "credential_required" { #expect(reply.token != nil, place) }
        case .wants(let names):
            #expect(reply.status == 400 && reply.error == "attributes_required" && reply.token != nil, place)
            #expect(reply.json["required_attributes"].elements.map(\.["name"].text) == names, place)
        case .status(let status):
            #expect(reply.status == 200 && reply.json["status"].text == status && reply.token != nil, place)
        }
    }
}
