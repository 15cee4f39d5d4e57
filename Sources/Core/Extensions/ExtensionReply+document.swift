import Foundation

extension ExtensionReply {
    /// Bytes that the body of an answer may have.
    static let longestBody = 65_536

    /// The JSON of an answer with status 200 that is neither too large nor too deep.
    func document() throws(ExtensionFailure) -> JSONValue {
        let (contentType, body): ([String], Data)
        switch self {
        case .failed(let failure): throw failure
        case .answered(200, let type, let bytes): (contentType, body) = (type, bytes)
        case .answered(let status, _, _): throw .status(status)
        }
        guard body.count <= Self.longestBody else { throw ExtensionFailure(.responseSizeExceeded) }
        guard Self.isJSON(contentType) else { throw ExtensionFailure(.invalidResponseContentType) }
        guard !body.isEmpty else { throw ExtensionFailure(.emptyResponse) }
        guard body.isJSON(noDeeperThan: 32), let document = try? JSONDecoder().decode(JSONValue.self, from: body)
        else { throw ExtensionFailure(.invalidResponseBody, "no object with data") }
        return document
    }

    /// `application/json` and nothing else, but for saying that it is UTF-8, which it is (RFC 8259, section 8.1) and which
    /// most frameworks say.
    private static func isJSON(_ contentType: [String]) -> Bool {
        guard contentType.count == 1 else { return false }
        let parts = contentType[0].lowercased().utf8.split(
            separator: UInt8(ascii: ";"), omittingEmptySubsequences: false
        )
        .map { Substring($0).filter { $0 != " " && $0 != "\t" } }
        guard parts.first == "application/json" else { return false }
        return parts.count == 1 || parts.count == 2 && ["charset=utf-8", "charset=\"utf-8\""].contains(parts[1])
    }
}
