import CountersignCore
import JWTKit

/// Settings with a free name at their end: `tokens.algorithms.identity-toolkit`.
struct SettingFamily: Sendable {
    /// With the dot at its end.
    let prefix: String
    /// What the rest of the name is, for people.
    let member: String
    /// The names that there are; nil where any will do.
    var known: [String]?
    /// The names that are set.
    let names: @Sendable (RealmSettings) -> [String]
    let make: @Sendable (_ key: String, _ name: String) -> Setting

    static let all: [SettingFamily] = [algorithms, customTokenKeys, termsAddresses]

    private static let algorithms = SettingFamily(
        prefix: "tokens.algorithms.", member: "DIALECT",
        known: Dialect.signing.map(\.rawValue),
        names: { $0.tokens.algorithms.keys.sorted() },
        make: { key, name in
            let accepts = "\(Setting.words(of: SigningAlgorithm.self)), or none"
            return Setting(
                key, accepts: accepts, "signs tokens of that dialect",
                read: { $0.tokens.algorithms[name].map { .string($0.rawValue) } ?? .null },
                write: { settings, value in
                    settings.tokens.algorithms[name] =
                        value.isNone ? nil : try Setting.word(key, value, accepts: accepts) as SigningAlgorithm
                })
        })

    private static let customTokenKeys = SettingFamily(
        prefix: "tokens.customTokenKeys.", member: "ISSUER",
        names: { $0.tokens.customTokenKeys.keys.sorted() },
        make: { key, name in
            let accepts = "a public key in PEM (P-256, or RSA of at least 2048 bits), or none"
            return Setting(
                key, accepts: accepts, "the public key of a back end that makes custom tokens",
                read: { $0.tokens.customTokenKeys[name].map { .string($0) } ?? .null },
                write: { settings, value in
                    if value.isNone {
                        settings.tokens.customTokenKeys[name] = nil
                        return
                    }
                    guard let pem = value.stringValue else { throw Setting.refusal(key, value, accepts: accepts) }
                    try judge(pem, for: key, accepts: accepts)
                    settings.tokens.customTokenKeys[name] = pem
                },
                weakness: { before, after in
                    let (old, new) = (before.tokens.customTokenKeys[name], after.tokens.customTokenKeys[name])
                    return new != nil && new != old
                        ? "The holder of this private key can sign in as any user from now on." : nil
                })
        })

    private static let termsAddresses = SettingFamily(
        prefix: "terms.urls.", member: "LANGUAGE", known: ["de", "en", "ja"],
        names: { $0.terms.urls.keys.sorted() },
        make: { key, name in
            let accepts = "an https URL, or none"
            return Setting(
                key, accepts: accepts, "where the terms of use are read in that language",
                read: { $0.terms.urls[name].map { .string($0) } ?? .null },
                write: { settings, value in
                    if value.isNone {
                        settings.terms.urls[name] = nil
                        return
                    }
                    guard let url = value.stringValue, TermsSettings.isAddress(url) else {
                        throw Setting.refusal(key, value, accepts: accepts)
                    }
                    settings.terms.urls[name] = url
                })
        })

    private static func judge(_ pem: String, for key: String, accepts: String) throws {
        if pem.contains("PRIVATE KEY") {
            throw AdministrationError(
                .invalid, "That is a private key, which belongs to the back end alone. \(key) takes the public one.")
        }
        let isElliptic = (try? ES256PublicKey(pem: pem)) != nil
        guard isElliptic || (try? Insecure.RSA.PublicKey(pem: pem)) != nil else {
            throw AdministrationError(.invalid, "\(key) is no such key. It takes \(accepts).")
        }
    }
}
