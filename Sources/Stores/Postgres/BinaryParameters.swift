import Foundation
import StoreSQL

/// The parameters of one statement in PostgreSQL's binary format: integers as eight bytes, the highest first, texts in
/// UTF-8 and blobs as they are, each with its length.
///
/// In the text format a text would end at its first U+0000 and be found, or kept, cut short; here the server refuses
/// it.
enum BinaryParameters {
    /// Calls the body with what `PQexecPrepared` takes: the number of values, their addresses, lengths and formats.
    /// - Parameter bytes: where the values are put together; what is in it before and after says nothing.
    static func withPointers<T>(
        to values: [SQLValue], in bytes: inout [UInt8],
        _ body: (CInt, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<CInt>?, UnsafePointer<CInt>?) -> T
    ) -> T {
        bytes.removeAll(keepingCapacity: true)
        let count = values.count
        // Lengths first, then formats.
        return withUnsafeTemporaryAllocation(of: CInt.self, capacity: 2 * count) { numbers in
            for (place, value) in values.enumerated() {
                let start = bytes.count
                switch value {
                case .null: break
                case .integer(let number): withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
                case .text(let text): bytes.append(contentsOf: text.utf8)
                case .blob(let data): bytes.append(contentsOf: data)
                }
                numbers.initializeElement(at: place, to: CInt(bytes.count - start))
                numbers.initializeElement(at: count + place, to: 1)
            }
            // Empty values have to have an address too: one without is NULL.
            bytes.append(0)
            let (lengths, formats) = (numbers.baseAddress, numbers.baseAddress?.advanced(by: count))
            return bytes.withUnsafeBufferPointer { buffer in
                withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { addresses in
                    var next = UnsafeRawPointer(buffer.baseAddress)
                    for (place, value) in values.enumerated() {
                        addresses.initializeElement(
                            at: place, to: value == .null ? nil : next?.assumingMemoryBound(to: CChar.self))
                        next = next?.advanced(by: Int(numbers[place]))
                    }
                    return body(
                        CInt(count), UnsafePointer(addresses.baseAddress), lengths.map { UnsafePointer($0) },
                        formats.map { UnsafePointer($0) })
                }
            }
        }
    }
}
