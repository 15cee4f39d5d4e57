import CountersignCore
import Foundation
import Pictures

/// Sets the picture by which people know an application on the pages of a sign-in.
public struct SetApplicationLogo: AdministrationOperation {
    public static let name = "applications:set-logo"
    public static let right = AdministrationRight.changeApplications

    public var id: String
    /// A PNG picture in Base64, of at most 256 KiB and 1,024 pixels a side. Nil takes the picture away.
    public var png: String?

    public init(id: String, png: String?) {
        self.id = id
        self.png = png
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
        let id = ClientID(rawValue: id)
        let changed = try await realm.applications.setLogo(picture, of: id, by: client) {
            try permit.requireChanging($0)
            if case .document = $0.oauth.origin { throw AdministrationError.ofDocument(id) }
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
