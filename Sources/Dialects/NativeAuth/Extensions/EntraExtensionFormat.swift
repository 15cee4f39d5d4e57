import CountersignCore
import Foundation
import JSON

/// Calls to custom authentication extensions as Microsoft Entra makes them (Microsoft Learn, Custom claims provider reference;
/// attribute collection events).
public struct EntraExtensionFormat: ExtensionFormat {
    /// Entra's authentication events service (Microsoft Learn, Custom authentication extensions overview). Services look for
    /// it in `azp` or `appid`.
    public let caller = "99045fe1-7639-4a75-9d4a-577b6ca3810f"

    public init() {}

    public func body(of question: ExtensionQuestion) -> JSONValue {
        let (listener, tenant) = (question.listener, question.tenant)
        var context = question.occasion.authenticationContext(in: tenant, correlationID: question.correlationID)
        var data: [String: JSONValue] = [:]
        switch question.subject {
        case .claims(let user):
            context["user"] = .object(user.extensionMembers(in: tenant, locale: question.occasion.locale))
        case .code(let code, let address, let purpose):
            context["requestType"] = .string(purpose)
            data["otpContext"] = .object(["identifier": .string(address), "oneTimeCode": .string(code.reveal())])
        case .signUp(let signUp):
            data["userSignUpInfo"] = signUp.userSignUpInfo(publicURL: question.publicURL)
        }
        data["@odata.type"] = .string(listener.event.callDataType)
        data["tenantId"] = .string(tenant.id)
        data["authenticationEventListenerId"] = .string(listener.listenerID)
        data["customAuthenticationExtensionId"] = .string(listener.id)
        data["authenticationContext"] = .object(context)
        let application = tenant.directoryID(ofApplication: question.occasion.application.rawValue)
        return .object([
            "type": .string(listener.event.callType),
            "source": .string("/tenants/\(tenant.id)/applications/\(application)"), "data": .object(data),
        ])
    }

    public func tokenClaims(of question: ExtensionQuestion, tokenID: String) -> [String: JSONValue] {
        [
            "iss": .string("\(question.publicURL)/\(question.tenant.id)/v2.0"), "tid": .string(question.tenant.id),
            "ver": .string("2.0"), "azp": .string(caller), "appid": .string(caller), "sub": .string(caller),
            "oid": .string(caller), "roles": .array([.string("CustomAuthenticationExtensions.Receive.Payload")]),
            "uti": .string(tokenID),
        ]
    }

    public func action(in answer: JSONValue, to event: ExtensionEvent) throws(ExtensionFailure) -> ExtensionAction {
        guard case .object = answer, case .object(let data)? = answer["data"] else {
            throw ExtensionFailure(.invalidResponseBody, "no object with data")
        }
        guard Self.type(of: data, is: event.answerDataType) else {
            throw ExtensionFailure(.invalidResponseApiSchemaVersion)
        }
        guard case .array(let actions)? = data["actions"], actions.count == 1 else {
            throw ExtensionFailure(.invalidNumberOfActions)
        }
        guard case .object(let members) = actions[0],
            let kind = event.actions.first(where: { Self.type(of: members, is: event.actionPrefix + $0.rawValue) })
        else { throw ExtensionFailure(.invalidActionType) }
        return ExtensionAction(kind.effect(members), name: kind.rawValue)
    }

    private static func type(of object: [String: JSONValue], is name: String) -> Bool {
        guard let said = object["@odata.type"]?.stringValue else { return false }
        return (said.hasPrefix("#") ? String(said.dropFirst()) : said).lowercased() == name.lowercased()
    }
}

/// The actions of answers, by the names that their `@odata.type` ends with.
enum EntraAction: String, Sendable {
    case continueWithDefaultBehavior, provideClaimsForToken, setPrefillValues, modifyAttributeValues
    case showValidationError, showBlockPage

    func effect(_ members: [String: JSONValue]) -> ExtensionAction.Effect {
        switch self {
        case .continueWithDefaultBehavior: .proceed
        case .provideClaimsForToken: .provideClaims(members["claims"])
        case .setPrefillValues: .prefill(members["inputs"])
        case .modifyAttributeValues: .change(members["attributes"])
        case .showValidationError: .reject(attributes: members["attributeErrors"], words: Self.words(members))
        case .showBlockPage: .block(words: Self.words(members))
        }
    }

    private static func words(_ members: [String: JSONValue]) -> [String] {
        ["title", "message"].compactMap { members[$0]?.stringValue }
    }
}
