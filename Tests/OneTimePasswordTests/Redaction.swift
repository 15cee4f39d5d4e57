import OneTimePassword
import Testing

/// Expects that no way of printing a value shows the secret as bytes, as text, in Base32 or in hexadecimal.
func expectRedacted(_ value: some Any, secret: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    var dumped = ""
    dump([value as Any?], to: &dumped)
    let outputs = ["\(value)", String(reflecting: value), "\([value])", String(reflecting: [value] as Any?), dumped]
    let forbidden = [
        "\(secret)",
        secret.prefix(3).map(String.init).joined(separator: ", "),
        String(decoding: secret, as: UTF8.self),
        Base32.encode(secret),
        secret.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
    ]
    for output in outputs {
        for text in forbidden {
            #expect(!output.lowercased().contains(text.lowercased()), sourceLocation: sourceLocation)
        }
        #expect(!output.contains("SymmetricKey"), sourceLocation: sourceLocation)
    }
    #expect(!dumped.contains("- \(secret.first ?? 0)\n"), sourceLocation: sourceLocation)
}
