import Foundation

/// A file that an option names.
enum InputFile {
    /// What is in it. A pipe is a file too: the shell makes one of `<(pass show anna)`.
    static func bytes(_ path: String) throws -> Data {
        guard let bytes = contents(path) else {
            throw CommandFailure(.usage, "\(path) cannot be read. Name an existing file.")
        }
        return bytes
    }

    /// The same; nil where it cannot be read.
    static func contents(_ path: String) -> Data? {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        return try? handle.readToEnd() ?? Data()
    }
}
