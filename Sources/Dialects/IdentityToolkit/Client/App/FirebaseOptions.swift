import ClientHTTP
import Foundation

/// What an app knows of its project. Of these, a Countersign server asks only for the API key: the client id that it
/// wrote to `api-key` in its data directory, or that `countersign app add` made.
public final class FirebaseOptions: NSObject, NSCopying, Sendable {
    private struct Fields: Sendable {
        var apiKey: String?
        var projectID: String?
        var googleAppID = ""
        var gcmSenderID = ""
        var bundleID: String?
        var clientID: String?
        var storageBucket: String?
        var databaseURL: String?
    }

    private let fields: Locked<Fields>

    public override init() {
        fields = Locked(Fields())
    }

    /// Options with the two identifiers that the original requires. A Countersign server needs neither; set ``apiKey``.
    public convenience init(googleAppID: String, gcmSenderID: String) {
        self.init()
        self.googleAppID = googleAppID
        self.gcmSenderID = gcmSenderID
    }

    /// The options in a property list such as `GoogleService-Info.plist`, or nil where there is none that can be
    /// read.
    public convenience init?(contentsOfFile path: String) {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)),
            let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil),
            let values = list as? [String: Any]
        else { return nil }
        self.init()
        fields.withLock {
            $0.apiKey = values["API_KEY"] as? String
            $0.projectID = values["PROJECT_ID"] as? String
            $0.googleAppID = values["GOOGLE_APP_ID"] as? String ?? ""
            $0.gcmSenderID = values["GCM_SENDER_ID"] as? String ?? ""
            $0.bundleID = values["BUNDLE_ID"] as? String
            $0.clientID = values["CLIENT_ID"] as? String
            $0.storageBucket = values["STORAGE_BUCKET"] as? String
            $0.databaseURL = values["DATABASE_URL"] as? String
        }
    }

    /// The options of the main bundle's `GoogleService-Info.plist`, where it has one.
    public static func defaultOptions() -> FirebaseOptions? {
        Bundle.main.path(forResource: "GoogleService-Info", ofType: "plist").flatMap {
            FirebaseOptions(contentsOfFile: $0)
        }
    }

    /// Where it is nil, the environment variable `COUNTERSIGN_API_KEY` counts.
    public var apiKey: String? {
        get { fields.current.apiKey }
        set { fields.withLock { $0.apiKey = newValue } }
    }
    /// The project (`PROJECT_ID`). Kept, and not sent: this server has one project, whose id is its setting.
    public var projectID: String? {
        get { fields.current.projectID }
        set { fields.withLock { $0.projectID = newValue } }
    }
    /// The app's id at the vendor (`GOOGLE_APP_ID`). Sent as `X-Firebase-GMPID` where it is not empty; this server
    /// gives it no meaning.
    public var googleAppID: String {
        get { fields.current.googleAppID }
        set { fields.withLock { $0.googleAppID = newValue } }
    }
    /// The sender of the vendor's push service (`GCM_SENDER_ID`). Kept, and not sent.
    public var gcmSenderID: String {
        get { fields.current.gcmSenderID }
        set { fields.withLock { $0.gcmSenderID = newValue } }
    }
    /// The app's bundle id (`BUNDLE_ID`), sent as `X-Ios-Bundle-Identifier`; nil for the main bundle's.
    public var bundleID: String? {
        get { fields.current.bundleID }
        set { fields.withLock { $0.bundleID = newValue } }
    }
    /// The app's OAuth client at the vendor (`CLIENT_ID`). Kept, and not sent; a Countersign client id is ``apiKey``.
    public var clientID: String? {
        get { fields.current.clientID }
        set { fields.withLock { $0.clientID = newValue } }
    }
    /// The vendor's file storage (`STORAGE_BUCKET`). Kept, and not sent.
    public var storageBucket: String? {
        get { fields.current.storageBucket }
        set { fields.withLock { $0.storageBucket = newValue } }
    }
    /// The vendor's database (`DATABASE_URL`). Kept, and not sent.
    public var databaseURL: String? {
        get { fields.current.databaseURL }
        set { fields.withLock { $0.databaseURL = newValue } }
    }

    public func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    func duplicate() -> FirebaseOptions {
        let twin = FirebaseOptions()
        let values = fields.current
        twin.fields.withLock { $0 = values }
        return twin
    }
}
