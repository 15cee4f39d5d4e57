// Where a buffer begins that is known to have bytes. An empty one has no address, and stops the program: system calls and
// libsodium would be handed a null pointer instead.

extension UnsafeRawBufferPointer {
    package var start: UnsafeRawPointer {
        guard let baseAddress else { preconditionFailure("an empty buffer has no address") }
        return baseAddress
    }
}

extension UnsafeMutableRawBufferPointer {
    package var start: UnsafeMutableRawPointer {
        guard let baseAddress else { preconditionFailure("an empty buffer has no address") }
        return baseAddress
    }
}

extension UnsafeBufferPointer {
    package var start: UnsafePointer<Element> {
        guard let baseAddress else { preconditionFailure("an empty buffer has no address") }
        return baseAddress
    }
}

extension UnsafeMutableBufferPointer {
    package var start: UnsafeMutablePointer<Element> {
        guard let baseAddress else { preconditionFailure("an empty buffer has no address") }
        return baseAddress
    }
}
