import CPageFiles

extension PageFile {
    /// A copy of the file.
    package var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }
}
