import CountersignCore
import Foundation
import Pictures

/// Sets the picture by which people know an application on the pages of a sign-in.
public struct SetApplicationLogo: RehearsedOperation {
    public static let name = "applications:set-logo"
    public static let right = AdministrationRight.changeApplications
    /// The largest picture in Base64, and a little more.
    public static let bodyLimit = 393_216

    public var id: String
    /// A PNG picture in Base64, of at most 256 KiB and 1,024 pixels a side. Nil takes the picture away.
    public var png: String?
    /// Whether it is judged alone, by the same rules, and nothing is changed.
    public var dryRun: Bool?
    /// The `revision` that the application is to have still (``ShowApplication/Answer/revision``); otherwise nothing is changed.
    public var expecting: String?

    public init(id: String, png: String?, dryRun: Bool? = nil, expecting: String? = nil) {
        self.id = id
        self.png = png
        self.dryRun = dryRun
        self.expecting = expecting
    }

    public struct Answer: Codable, Sendable {
        public let application: ApplicationSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let picture = try png.map { text -> Data in
            guard let file = Data(base64Encoded: text) else {
                throw AdministrationError(.invalid, "The picture is not written in Base64.")
            }
            do throws(PNGPicture.Fault) {
                return Data(try PNGPicture(reencoding: [UInt8](file)).bytes)
            } catch {
                throw AdministrationError(.invalid, error.sentence)
            }
        }
        let (id, expecting) = (ClientID(rawValue: id), expecting)
        let judge: @Sendable (ApplicationRegistration) throws -> Void = {
            try permit.requireChanging($0)
            try RecordRevision.require(expecting, $0.revision)
            if case .document = $0.oauth.origin { throw AdministrationError.ofDocument(id) }
        }
        let changed: Application?
        if dryRun == true {
            changed = try await realm.applications.registered(id)
            if let changed { try judge(changed.registration) }
        } else {
            changed = try await realm.applications.setLogo(picture, of: id, by: client, judging: judge)
        }
        guard let changed else { throw AdministrationError.noApplication(self.id) }
        return Answer(application: try await realm.summary(of: changed, for: permit))
    }
}

extension PNGPicture.Fault {
    fileprivate var sentence: String {
        switch self {
        case .tooLarge: "The picture has more than \(PNGPicture.largestFile / 1024) KiB."
        case .unreadable: "The picture is no PNG that can be read."
        case .wrongSize: "The picture is wider or higher than \(PNGPicture.longestSide) pixels."
        }
    }
}
