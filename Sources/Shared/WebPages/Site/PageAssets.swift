import CPageFiles
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServerHTTP

/// What pages load from the server: their style sheet and scripts, `GET /assets/<hash>/<name>`. The hash is of the content, so that
/// browsers keep each for as long as they like (RFC 8246).
public struct PageAssets: Sendable {
    /// A script of pages. Each does what pages do without it, with less waiting or fewer steps.
    public enum Script: String, Sendable, CaseIterable {
        /// Asks whether what a page waits for has happened.
        case wait = "wait.js"
        /// Sends the page's form.
        case post = "post.js"
        /// Shows passwords on request, and warns before an attempt ends.
        case form = "form.js"
        /// Asks the browser for passkeys.
        case passkey = "passkey.js"

        fileprivate var bytes: [UInt8] {
            switch self {
            case .wait: PageFile.waitScript.bytes
            case .post: PageFile.postScript.bytes
            case .form: PageFile.formScript.bytes
            case .passkey: PageFile.passkeyScript.bytes
            }
        }
    }

    /// A style sheet of some pages, behind the one of all: the first page that a person sees loads nothing of it.
    public enum Sheet: String, Sendable, CaseIterable {
        /// Lists, menus and forms of the console.
        case console = "console.css"

        fileprivate var bytes: [UInt8] {
            switch self {
            case .console: PageFile.consoleStyles.bytes
            }
        }
    }

    /// The path of the style sheet that every page links to.
    public static let styleSheetPath = path(of: "countersign.css", PageFile.countersignStyles.bytes)

    /// The path of a style sheet of some pages.
    public static func path(of sheet: Sheet) -> String { sheetPaths[sheet] ?? "" }

    private static let sheetPaths = Dictionary(
        uniqueKeysWithValues: Sheet.allCases.map { ($0, path(of: $0.rawValue, $0.bytes)) })

    /// The path of a script.
    public static func path(of script: Script) -> String { scriptPaths[script] ?? "" }

    private static let scriptPaths = Dictionary(
        uniqueKeysWithValues: Script.allCases.map { ($0, path(of: $0.rawValue, $0.bytes)) })

    static func path(of name: String, _ bytes: [UInt8]) -> String {
        let digest = SHA256.hash(data: Data(bytes)).prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        return "/assets/\(digest.joined())/\(name)"
    }

    private let theme: PageTheme?
    private let grounds: AccentColors.Grounds

    init(theme: PageTheme? = nil) {
        self.theme = theme
        grounds = AccentColors.Grounds(
            ofTheme: theme?.styleSheet.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "")
    }

    /// The path of the operator's style sheet.
    var themePath: String? { theme?.styleSheet?.path }
    /// The path of the operator's logo.
    var logoPath: String? { theme?.logo?.path }

    /// The path of the style sheet that colours the pages of an application; nil where the text is no colour.
    func accentPath(_ accent: String) -> String? {
        AccentColors(accent, on: grounds).map { "/assets/accents/\($0.fileName)" }
    }

    /// Adds the routes; the composition root calls it once.
    public func addRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        router.get(RouterPath(Self.styleSheetPath)) { _, _ in
            Self.response(PageFile.countersignStyles.bytes, type: Self.styleSheetType)
        }
        router.get("assets/accents/{file}") { _, context in
            guard let colors = context.parameters.get("file").flatMap({ AccentColors(fileName: $0) }) else {
                throw HTTPError(.notFound)
            }
            return Self.response(Array(colors.styleSheet.utf8), type: Self.styleSheetType)
        }
        for sheet in Sheet.allCases {
            router.get(RouterPath(Self.path(of: sheet))) { _, _ in
                Self.response(sheet.bytes, type: "text/css; charset=utf-8")
            }
        }
        for asset in [theme?.styleSheet, theme?.logo].compactMap({ $0 }) {
            router.get(RouterPath(asset.path)) { _, _ in Self.response(asset.bytes, type: asset.type) }
        }
        for script in Script.allCases {
            router.get(RouterPath(Self.path(of: script))) { _, _ in
                Self.response(script.bytes, type: "text/javascript; charset=utf-8")
            }
        }
    }

    private static let styleSheetType = "text/css; charset=utf-8"

    private static func response(_ bytes: [UInt8], type: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
