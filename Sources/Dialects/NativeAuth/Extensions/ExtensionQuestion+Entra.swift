import CountersignCore
import Foundation
import JSON

extension ExtensionOccasion {
    /// The `authenticationContext` of a call.
    func authenticationContext(in tenant: Tenant, correlationID: String) -> [String: JSONValue] {
        var client: [String: JSONValue] = [:]
        client["ip"] = source.map { .string($0) }
        if let locale {
            client["locale"] = .string(locale)
            client["market"] = .string(locale)
        }
        return [
            "correlationId": .string(correlationID), "client": .object(client), "protocol": .string("OAUTH2.0"),
            "clientServicePrincipal": Self.principal(application.rawValue, applicationName, in: tenant),
            "resourceServicePrincipal": Self.principal(
                resource ?? application.rawValue, resource == nil ? applicationName : nil, in: tenant),
        ]
    }

    /// The vendor's .NET library reads GUIDs alone as ids; people know applications by their names.
    private static func principal(_ application: String, _ name: String?, in tenant: Tenant) -> JSONValue {
        let (id, name) = (tenant.directoryID(ofApplication: application), name ?? application)
        return .object([
            "id": .string(id), "appId": .string(id), "appDisplayName": .string(name), "displayName": .string(name),
        ])
    }
}

extension SignUpInformation {
    /// `userSignUpInfo` of a call.
    func userSignUpInfo(publicURL: String) -> JSONValue {
        var described: [String: JSONValue] = [:]
        for (name, type) in types {
            let word = ["integer": "int64", "boolean": "boolean"][type] ?? "string"
            described[name] = .object([
                "@odata.type": .string("microsoft.graph.\(word)DirectoryAttributeValue"),
                "value": attributes[name] ?? .null,
                "attributeType": .string(builtIn.contains(name) ? "builtIn" : "directorySchemaExtension"),
            ])
        }
        let issuer = URLComponents(string: publicURL)?.host ?? publicURL
        return .object([
            "attributes": .object(described),
            "identities": .array([
                .object([
                    "signInType": .string("email"), "issuer": .string(issuer),
                    "issuerAssignedId": .string(email.canonical),
                ])
            ]),
        ])
    }
}

extension User {
    /// `authenticationContext.user`, as far as an account has it.
    func extensionMembers(in tenant: Tenant, locale: String?) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "id": .string(tenant.directoryID(of: id)), "createdDateTime": .string(createdAt.formatted(.iso8601)),
            "userType": .string("Member"),
        ]
        members["displayName"] = profile.displayName.map { .string($0) }
        members["givenName"] = profile.attributes["givenName"]
        members["surname"] = profile.attributes["surname"]
        members["mail"] = email.map { .string($0.canonical) }
        members["userPrincipalName"] = email.map { .string($0.canonical) }
        members["preferredLanguage"] = locale.map { .string($0) }
        return members
    }
}
