import CPNG

/// A picture that was decoded and written anew: whatever else the file of before had in it – text, profiles, data behind its end, a second
/// format – is gone, and every browser reads the same from it (docs/decisions/0299).
public struct PNGPicture: Sendable, Equatable {
    /// The file: RGBA with eight bits each, without metadata (Portable Network Graphics, Third Edition).
    public let bytes: [UInt8]
    public let width: Int
    public let height: Int

    public enum Fault: Error, Sendable, Equatable {
        /// More than ``largestFile``, as it came or as it was written.
        case tooLarge
        /// No PNG, or a broken one.
        case unreadable
        /// Empty, or wider or higher than ``longestSide``.
        case wrongSize
    }

    /// Bytes of a file.
    public static let largestFile = 256 * 1024
    /// Pixels of a side: what is decoded is four megabytes at most.
    public static let longestSide = 1024

    /// - Parameter file: what a stranger may have made.
    public init(reencoding file: [UInt8]) throws(Fault) {
        guard file.count <= Self.largestFile else { throw .tooLarge }
        guard file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else { throw .unreadable }
        let (width, height, pixels) = try Self.decode(file)
        let bytes = try Self.encode(pixels, width: width, height: height)
        guard bytes.count <= Self.largestFile else { throw .tooLarge }
        (self.bytes, self.width, self.height) = (bytes, width, height)
    }

    private static func decode(_ file: [UInt8]) throws(Fault) -> (width: Int, height: Int, pixels: [UInt8]) {
        var image = png_image()
        image.version = CPNG_IMAGE_VERSION
        var pixels: [UInt8] = []
        // The library reads from the file until the picture is read.
        let fault: Fault? = file.withUnsafeBytes { memory in
            defer { png_image_free(&image) }
            guard png_image_begin_read_from_memory(&image, memory.baseAddress, memory.count) != 0 else {
                return .unreadable
            }
            guard (1...longestSide).contains(Int(image.width)), (1...longestSide).contains(Int(image.height)) else {
                return .wrongSize
            }
            image.format = CPNG_FORMAT_RGBA
            pixels = [UInt8](repeating: 0, count: Int(image.width) * Int(image.height) * 4)
            let isRead = pixels.withUnsafeMutableBytes { png_image_finish_read(&image, nil, $0.baseAddress, 0, nil) }
            return isRead == 0 ? .unreadable : nil
        }
        if let fault { throw fault }
        return (Int(image.width), Int(image.height), pixels)
    }

    private static func encode(_ pixels: [UInt8], width: Int, height: Int) throws(Fault) -> [UInt8] {
        var image = png_image()
        image.version = CPNG_IMAGE_VERSION
        image.width = UInt32(width)
        image.height = UInt32(height)
        image.format = CPNG_FORMAT_RGBA
        defer { png_image_free(&image) }
        // Its size first, then the file.
        var size: png_alloc_size_t = 0
        guard png_image_write_to_memory(&image, nil, &size, 0, pixels, 0, nil) != 0 else { throw .unreadable }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let isWritten = bytes.withUnsafeMutableBytes {
            png_image_write_to_memory(&image, $0.baseAddress, &size, 0, pixels, 0, nil)
        }
        guard isWritten != 0 else { throw .unreadable }
        return Array(bytes.prefix(Int(size)))
    }
}
