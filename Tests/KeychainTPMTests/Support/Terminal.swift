import Foundation
import TPMTestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A pseudo-terminal that passes bytes on as they are: a character device whose other end the test holds.
final class Terminal: Sendable {
    let path: String
    private let master: Int32
    /// Held open, so that the terminal stays when a connection closes.
    private let held: Int32
    private let commands = Locking<[[UInt8]]>([])

    var heard: [[UInt8]] { commands.withLock { $0 } }

    init() throws {
        var (master, held): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 1024)
        guard openpty(&master, &held, &name, nil, nil) == 0 else {
            throw Tool.Failure(description: "no pseudo-terminal")
        }
        (self.master, self.held) = (master, held)
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        var settings = termios()
        guard tcgetattr(held, &settings) == 0 else { throw Tool.Failure(description: "no terminal") }
        cfmakeraw(&settings)
        guard tcsetattr(held, TCSANOW, &settings) == 0 else { throw Tool.Failure(description: "no raw terminal") }
    }

    /// Answers from now on. A command is whole when as many bytes are there as its header says.
    func answer(with answer: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        // A descriptor of the thread's own: after `deinit` the number of the other may be another terminal's.
        let (master, commands) = (dup(master), commands)
        Thread.detachNewThread {
            defer { close(master) }
            var pending: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(master, &buffer, buffer.count)
                if count <= 0 { return }
                pending += buffer.prefix(count)
                guard pending.count >= 6 else { continue }
                let size = pending[2..<6].reduce(0) { $0 << 8 | Int($1) }
                guard pending.count >= size else { continue }
                let command = Array(pending.prefix(size))
                pending.removeFirst(size)
                commands.withLock { $0.append(command) }
                var rest = answer(command)[...]
                while !rest.isEmpty {
                    let written = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
                    if written <= 0 { return }
                    rest = rest.dropFirst(written)
                }
            }
        }
    }

    deinit {
        close(held)
        close(master)
    }
}
