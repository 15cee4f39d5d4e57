import ClientHTTP
import Foundation
import JSON
import NativeAuthWire

/// What an application was configured with, as it was when it was made.
struct ClientSettings: Sendable {
    let clientID: String
    let redirectURI: String?
    let bypassesRedirectValidation: Bool
    let authority: MSALAuthority
    let slice: (slice: String?, dc: String?)?
    let keychainGroup: String?
    let challengeTypes: MSALNativeAuthChallengeTypes
    let capabilities: MSALNativeAuthCapabilities
    let interceptor: (any MSALNativeAuthRequestInterceptor)?

    init(_ config: MSALNativeAuthPublicClientApplicationConfig) {
        clientID = config.clientId
        redirectURI = config.redirectUri
        bypassesRedirectValidation = config.bypassRedirectURIValidation
        authority = config.authority
        slice = config.sliceConfig.map { ($0.slice, $0.dc) }
        keychainGroup = config.cacheConfig.keychainSharingGroup
        challengeTypes = config.challengeTypes
        capabilities = config.capabilities
        interceptor = config.requestInterceptor
    }

    var configuration: MSALNativeAuthPublicClientApplicationConfig {
        let config = MSALNativeAuthPublicClientApplicationConfig(
            clientId: clientID, authority: authority, challengeTypes: challengeTypes)
        config.redirectUri = redirectURI
        config.bypassRedirectURIValidation = bypassesRedirectValidation
        config.sliceConfig = slice.map { MSALSliceConfig(slice: $0.slice, dc: $0.dc) }
        config.cacheConfig.keychainSharingGroup = keychainGroup
        config.capabilities = capabilities
        config.requestInterceptor = interceptor
        return config
    }

    /// As it is sent, always in this order. Source: MSAL for iOS.
    var challengeTypeText: String {
        var words: [ChallengeType] = []
        if challengeTypes.contains(.OOB) { words.append(.oob) }
        if challengeTypes.contains(.password) { words.append(.password) }
        return WordList(words + [.redirect]).text
    }

    /// As it is sent; nil where there are none. Source: MSAL for iOS.
    var capabilitiesText: String? {
        var words: [Capability] = []
        if capabilities.contains(.mfaRequired) { words.append(.mfaRequired) }
        if capabilities.contains(.registrationRequired) { words.append(.registrationRequired) }
        return words.isEmpty ? nil : WordList(words).text
    }

    /// Where an endpoint of the authority is.
    func url(_ path: String) -> URL? {
        let query = (slice?.dc).flatMap { $0.isEmpty ? nil : "?dc=" + $0.percentEncoded } ?? ""
        return URL(string: authority.url.absoluteString + path + query)
    }
}

/// What an application stands on: the network, the keychain, time. Tests put their own in place.
package struct ClientEnvironment: Sendable {
    package var transport: any HTTPTransport
    /// Nil keeps accounts in the keychain.
    package var storage: (any AccountStorage)?
    package var now: @Sendable () -> Date
    /// Waits for so many seconds. Throws where the task is cancelled.
    package var pause: @Sendable (TimeInterval) async throws -> Void

    package init(
        transport: any HTTPTransport = URLSessionTransport.shared, storage: (any AccountStorage)? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        pause: @escaping @Sendable (TimeInterval) async throws -> Void = {
            try await Task.sleep(nanoseconds: UInt64($0 * 1_000_000_000))
        }
    ) {
        self.transport = transport
        self.storage = storage
        self.now = now
        self.pause = pause
    }
}
