import CPageFiles

extension PageFile {
    /// The file, copied: whoever reads it keeps what is made of it.
    var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }
}
