/// Writes TPM structures: big-endian integers and byte strings with a 16-bit size in front (Part 1, "Data marshaling").
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ value: UInt8) { bytes.append(value) }

    mutating func put(_ value: UInt16) { withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) } }

    mutating func put(_ value: UInt32) { withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) } }

    mutating func put(_ content: some Collection<UInt8>) { bytes.append(contentsOf: content) }

    /// A TPM2B: the size, then the content. Everything that this module writes is shorter than 64 KiB; its callers
    /// bound what comes from outside.
    mutating func putSized(_ content: some Collection<UInt8>) {
        precondition(content.count <= Int(UInt16.max))
        put(UInt16(content.count))
        put(content)
    }

    static func bytes(_ write: (inout WireWriter) -> Void) -> [UInt8] {
        var writer = WireWriter()
        write(&writer)
        return writer.bytes
    }
}
