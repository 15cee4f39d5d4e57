import KeychainTypes

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The client's side of an Assuan connection. Lines are read into memory that the caller locked.
final class AssuanConnection {
    private let descriptor: Int32
    private let buffer: UnsafeMutableRawBufferPointer
    private let deadline: Deadline
    private var filled = 0
    private var lineLength = 0

    init(descriptor: Int32, buffer: UnsafeMutableRawBufferPointer, deadline: Deadline) {
        (self.descriptor, self.buffer, self.deadline) = (descriptor, buffer, deadline)
    }

    func send(_ command: String, _ parameter: [UInt8] = []) throws(PresenceError) {
        let line = Array(command.utf8) + (parameter.isEmpty ? [] : [0x20]) + parameter + [0x0A]
        guard line.count <= Assuan.lineBytes else { throw .unavailable("a line for pinentry is too long") }
        var sent = 0
        while sent < line.count {
            let count = line.withUnsafeBytes {
                systemSend(descriptor, $0.start + sent, line.count - sent)
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                var ready = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
                guard deadline.wait(&ready) else { throw .timedOut }
            } else if errno != EINTR {
                throw .unavailable("pinentry ended before it answered")
            }
        }
    }

    /// The next line. Its bytes are good until the next call.
    func line() throws(PresenceError) -> UnsafeRawBufferPointer {
        dropLine()
        var searched = 0
        while true {
            if let end = (searched..<filled).first(where: { buffer[$0] == 0x0A }) {
                lineLength = end + 1
                return UnsafeRawBufferPointer(rebasing: buffer[..<end])
            }
            searched = filled
            guard filled < Assuan.lineBytes else { throw .unavailable("pinentry sent a line that is too long") }
            var ready = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
            guard deadline.wait(&ready) else { throw .timedOut }
            let count = systemReceive(descriptor, buffer.start + filled, buffer.count - filled)
            if count > 0 {
                filled += count
            } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
                throw .unavailable("pinentry ended before it answered")
            }
        }
    }

    /// Wipes the line that was given out, and moves what came after it to the front.
    private func dropLine() {
        guard lineLength > 0, let base = buffer.baseAddress else { return }
        memmove(base, base + lineLength, filled - lineLength)
        memset(base + filled - lineLength, 0, lineLength)
        filled -= lineLength
        lineLength = 0
    }
}

/// `send(2)` and `recv(2)`, which methods of a like name hide.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    send(descriptor, bytes, count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
}
private func systemReceive(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    recv(descriptor, bytes, count, 0)
}

/// What is said to a pinentry for one request.
struct PinentryDialogue {
    let connection: AssuanConnection

    private enum Reply {
        case ok
        case refused(PresenceError)
    }

    /// Lines of a chatty or hostile program that are read for one command.
    private static let mostLines = 200

    func run(_ text: PresenceText, options: [String], seconds: Int) throws(PresenceError) -> LockedBytes {
        if case .refused(let error) = try reply() { throw error }
        for option in options { _ = try say("OPTION \(option)") }
        _ = try say("SETTIMEOUT \(seconds)")
        _ = try say("SETTITLE", "Keychain")
        _ = try say("SETDESC", text.lines.joined(separator: "\n"))
        _ = try say("SETPROMPT", "\(text.prompt):")

        var complaint = text.complaint
        while true {
            if let complaint { _ = try say("SETERROR", complaint) }
            var repeats = false
            if let again = text.promptAgain, case .ok = try say("SETREPEAT", "\(again):") {
                repeats = true
                _ = try say("SETREPEATERROR", PresenceText.mismatch)
            }
            let (first, isRepeated) = try pin()
            guard text.promptAgain != nil else { return first }
            guard first.withBytes(text.isLongEnough) else {
                complaint = text.tooShort
                continue
            }
            if repeats && isRepeated { return first }
            // This pinentry cannot ask twice by itself.
            _ = try say("SETPROMPT", "\(text.promptAgain ?? ""):")
            let (second, _) = try pin()
            if first.isSame(as: second) { return first }
            complaint = PresenceText.mismatch
            _ = try say("SETPROMPT", "\(text.prompt):")
        }
    }

    private func say(_ command: String, _ parameter: String = "") throws(PresenceError) -> Reply {
        try connection.send(command, Assuan.escaped(parameter))
        return try reply()
    }

    /// Reads to the end of an answer that carries no data.
    private func reply() throws(PresenceError) -> Reply {
        for _ in 0..<Self.mostLines {
            switch Assuan.response(try connection.line()) {
            case .ok: return .ok
            case .failure(let code): return .refused(Self.error(code))
            case .inquiry: try connection.send("CAN")
            case .data, .status, .comment, .unknown: continue
            }
        }
        throw .unavailable("pinentry does not come to an end")
    }

    /// - Returns: what was typed, and whether it was typed twice.
    private func pin() throws(PresenceError) -> (LockedBytes, isRepeated: Bool) {
        try connection.send("GETPIN")
        return try LockedScratch.with(PresenceLimits.credentialBytes) { memory throws(PresenceError) in
            var (count, isRepeated) = (0, false)
            for _ in 0..<Self.mostLines {
                let line = try connection.line()
                switch Assuan.response(line) {
                case .ok:
                    guard count > 0 else { throw .cancelled }
                    return (LockedBytes(memory, count: count), isRepeated)
                case .failure(let code): throw Self.error(code)
                case .data(let range):
                    guard
                        let end = Assuan.unescape(
                            UnsafeRawBufferPointer(rebasing: line[range]), into: memory, from: count)
                    else { throw .unavailable(PresenceText.tooLong) }
                    count = end
                case .status(let range):
                    if line[range].elementsEqual("PIN_REPEATED".utf8) { isRepeated = true }
                case .inquiry: try connection.send("CAN")
                case .comment, .unknown: continue
                }
            }
            throw .unavailable("pinentry does not come to an end")
        }
    }

    /// The causes of gpg-error that a person brings about, and the rest.
    private static func error(_ code: UInt32) -> PresenceError {
        switch code & 0xFFFF {
        case 99, 198, 114: .cancelled
        case 62: .timedOut
        case let cause where cause & 0x8000 != 0: .unavailable("pinentry found no terminal and no display (\(code))")
        default: .unavailable("pinentry refused (\(code))")
        }
    }
}
