import Foundation

/// What goes to a service and what comes back, as JSON (Microsoft Learn, Custom claims provider reference).
enum ExtensionEnvelope {
    /// Bytes that the body of an answer may have.
    static let answerLimit = 65_536

    /// The body of a call.
    /// - Parameters:
    ///   - context: the `authenticationContext`.
    ///   - content: what the event's data has beside it.
    static func call(
        to listener: CustomExtension, tenant: Tenant, client: ClientID, context: [String: JSONValue],
        content: [String: JSONValue]
    ) throws -> Data {
        var data: [String: JSONValue] = [
            "@odata.type": .string(listener.event.callDataType), "tenantId": .string(tenant.id),
            "authenticationEventListenerId": .string(listener.listenerID),
            "customAuthenticationExtensionId": .string(listener.id),
            "authenticationContext": .object(context),
        ]
        data.merge(content) { own, _ in own }
        let application = tenant.directoryID(ofApplication: client.rawValue)
        return Data(
            try JSONValue.object([
                "type": .string(listener.event.callType),
                "source": .string("/tenants/\(tenant.id)/applications/\(application)"), "data": .object(data),
            ]).jsonText())
    }

    /// The one action that an answer has.
    static func action(
        of reply: ExtensionReply, to event: ExtensionEvent
    ) throws(ExtensionFailure) -> ExtensionAction {
        let (contentType, body): ([String], Data)
        switch reply {
        case .failed(let failure): throw failure
        case .answered(200, let type, let bytes): (contentType, body) = (type, bytes)
        case .answered(let status, _, _): throw .status(status)
        }
        guard body.count <= answerLimit else { throw ExtensionFailure(.responseSizeExceeded) }
        guard isJSON(contentType) else { throw ExtensionFailure(.invalidResponseContentType) }
        guard !body.isEmpty else { throw ExtensionFailure(.emptyResponse) }
        guard body.isJSON(noDeeperThan: 32), let said = try? JSONDecoder().decode(JSONValue.self, from: body),
            case .object = said, case .object(let data)? = said["data"]
        else { throw ExtensionFailure(.invalidResponseBody, "no object with data") }
        guard type(of: data, is: event.answerDataType) else { throw ExtensionFailure(.invalidResponseApiSchemaVersion) }
        guard case .array(let actions)? = data["actions"], actions.count == 1 else {
            throw ExtensionFailure(.invalidNumberOfActions)
        }
        guard case .object(let members) = actions[0],
            let kind = event.actions.first(where: { type(of: members, is: event.actionPrefix + $0.rawValue) })
        else { throw ExtensionFailure(.invalidActionType) }
        return ExtensionAction(kind: kind, members: members)
    }

    /// `application/json` and nothing else, but for saying that it is UTF-8, which it is (RFC 8259, section 8.1) and which
    /// most frameworks say.
    private static func isJSON(_ contentType: [String]) -> Bool {
        guard contentType.count == 1 else { return false }
        let parts = contentType[0].lowercased().split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " && $0 != "\t" } }
        guard parts.first == "application/json" else { return false }
        return parts.count == 1 || parts.count == 2 && ["charset=utf-8", "charset=\"utf-8\""].contains(parts[1])
    }

    private static func type(of object: [String: JSONValue], is name: String) -> Bool {
        guard let said = object["@odata.type"]?.stringValue else { return false }
        return (said.hasPrefix("#") ? String(said.dropFirst()) : said).lowercased() == name.lowercased()
    }
}
