/// What typing does to a passcode that is not displayed: a state machine over the bytes of a terminal in raw mode. The
/// passcode lies in memory that the caller locked.
struct PasscodeEditor {
    /// The characters that the terminal's settings give a meaning. Zero stands for none.
    struct Keys {
        var erase: UInt8 = 0x7F
        var kill: UInt8 = 0x15
        var interrupt: UInt8 = 0x03
        var quit: UInt8 = 0x1C
        var suspend: UInt8 = 0x1A
        var endOfFile: UInt8 = 0x04
    }

    enum Event: Equatable {
        case nothing, entered, cancelled, suspended
        /// More than fits: said once, and the line is refused when it is entered.
        case tooLong
    }

    private enum Escape { case none, begun, sequence, single }

    let keys: Keys
    let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    private(set) var isTooLong = false
    private var escape = Escape.none

    init(keys: Keys, memory: UnsafeMutableRawBufferPointer) {
        self.keys = keys
        self.memory = memory
    }

    /// Whether an escape character came and nothing after it yet: a key of its own, or the first byte of an arrow key.
    var awaitsRestOfEscape: Bool { escape == .begun }

    /// Nothing followed the escape character: it was the key of that name, which means nothing here.
    mutating func endEscape() { escape = .none }

    mutating func clear() {
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        (count, isTooLong, escape) = (0, false, .none)
    }

    mutating func take(_ byte: UInt8) -> Event {
        switch escape {
        case .none: break
        case .begun:
            escape = byte == 0x5B ? .sequence : byte == 0x4F ? .single : .none
            if escape != .none { return .nothing }
        case .sequence:
            // Parameters and intermediates, until a final byte (ECMA-48, 5.4). A pasted text comes between two of them.
            if (0x40...0x7E).contains(byte) { escape = .none }
            if byte >= 0x20 && byte < 0x7F { return .nothing }
            escape = .none
        case .single:
            escape = .none
            return .nothing
        }
        guard byte != 0 else { return .nothing }
        switch byte {
        case 0x0D, 0x0A: return .entered
        case keys.interrupt, keys.quit: return .cancelled
        case keys.suspend: return .suspended
        case keys.endOfFile: return count == 0 ? .cancelled : .entered
        case keys.kill:
            clear()
            return .nothing
        case keys.erase, 0x7F, 0x08:
            eraseCharacter()
            return .nothing
        case 0x1B:
            escape = .begun
            return .nothing
        case ..<0x20: return .nothing
        default: break
        }
        guard count < memory.count else {
            defer { isTooLong = true }
            return isTooLong ? .nothing : .tooLong
        }
        memory[count] = byte
        count += 1
        return .nothing
    }

    /// Takes a whole character back, whatever number of bytes UTF-8 gives it. A line that was too long stays so: what
    /// did not fit is not known any more.
    private mutating func eraseCharacter() {
        while count > 0 {
            count -= 1
            let byte = memory[count]
            memory[count] = 0
            if byte & 0xC0 != 0x80 { break }
        }
    }
}
