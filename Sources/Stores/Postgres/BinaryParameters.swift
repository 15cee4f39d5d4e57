import Foundation
import StoreSQL

/// The parameters of one statement in PostgreSQL's binary format: integers as eight bytes, the highest first, texts in
/// UTF-8 and blobs as they are, each with its length.
///
/// In the text format a text would end at its first U+0000 and be found, or kept, cut short; here the server refuses
/// it.
struct BinaryParameters {
    private var bytes: [UInt8] = []
    /// Where each value lies in `bytes`; nil for NULL.
    private var ranges: [Range<Int>?] = []

    init(_ values: [SQLValue]) {
        for value in values {
            let start = bytes.count
            switch value {
            case .null:
                ranges.append(nil)
                continue
            case .integer(let number):
                withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
            case .text(let text):
                bytes.append(contentsOf: text.utf8)
            case .blob(let data):
                bytes.append(contentsOf: data)
            }
            ranges.append(start..<bytes.count)
        }
        // Empty values have to have an address too: one without is NULL.
        bytes.append(0)
    }

    /// Calls the body with what `PQexecPrepared` takes: the number of values, their addresses, lengths and formats.
    func withPointers<T>(
        _ body: (CInt, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<CInt>?, UnsafePointer<CInt>?) throws -> T
    ) rethrows -> T {
        try bytes.withUnsafeBytes { buffer in
            let start = buffer.bindMemory(to: CChar.self).baseAddress
            let addresses = ranges.map { range in range.flatMap { start?.advanced(by: $0.lowerBound) } }
            let lengths = ranges.map { CInt($0?.count ?? 0) }
            let formats = [CInt](repeating: 1, count: ranges.count)
            return try body(CInt(ranges.count), addresses, lengths, formats)
        }
    }
}
