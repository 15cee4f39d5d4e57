/// One operation on the TPM: keeps account of the objects and sessions that it makes, so that none remains.
///
/// A chip without a resource manager has three slots for objects and three for sessions. An operation uses two and one.
final class Conversation {
    /// A loaded key, or the storage key that loads others.
    struct LoadedObject {
        let handle: Handle
        let publicArea: PublicArea

        var named: Command.NamedHandle { .init(handle, name: publicArea.name) }
    }

    let channel: CommandChannel
    private var opened: [Handle] = []
    /// The handles that were there before; nil where the transport cleans up by itself.
    private var strangers: Set<Handle>?
    /// Whether an answer was lost, and with it perhaps a handle.
    private var lostAnAnswer = false
    /// Whether the TPM could not be reached: then no further command waits for it.
    private var isUnreachable = false

    init(_ channel: CommandChannel) throws(TPMError) {
        self.channel = channel
        if !channel.transport.managesResources { strangers = try loadedHandles() }
    }

    /// Frees everything that the operation made. Failures are not reported: the operation's own outcome counts.
    func close() {
        defer { channel.transport.close() }
        // A manager of resources has freed everything when the transport closed on the failure.
        if isUnreachable && strangers == nil { return }
        isUnreachable = false
        for handle in opened.reversed() where !isUnreachable { try? flushNow(handle) }
        guard lostAnAnswer, let strangers else { return }
        isUnreachable = false
        for handle in (try? loadedHandles())?.subtracting(strangers) ?? [] where !isUnreachable {
            try? flushNow(handle)
        }
    }

    func flush(_ handle: Handle) throws(TPMError) {
        opened.removeAll { $0 == handle }
        try flushNow(handle)
    }

    private func flushNow(_ handle: Handle) throws(TPMError) {
        // The handle is a parameter here, in no need of an authorization.
        _ = try noting { () throws(TPMError) in
            try channel.execute(
                Command(code: .flushContext, parameters: WireWriter.bytes { $0.put(handle.rawValue) }))
        }
    }

    func noting<Result>(_ body: () throws(TPMError) -> Result) throws(TPMError) -> Result {
        do throws(TPMError) {
            return try body()
        } catch {
            switch error {
            case .refused, .busy, .outOfMemory: break
            case .unavailable, .timedOut:
                lostAnAnswer = true
                isUnreachable = true
            default: lostAnAnswer = true
            }
            throw error
        }
    }

    /// The handle in an answer that must bring one of this kind; it is freed at the end whatever comes after.
    func open(_ response: Response, _ isOfKind: KeyPath<Handle, Bool>) throws(TPMError) -> Handle {
        guard let handle = response.handle, handle[keyPath: isOfKind] else {
            lostAnAnswer = true
            throw .malformedResponse("a handle of another kind")
        }
        opened.append(handle)
        return handle
    }

    /// Reads an answer's parameters, all of them or with an error.
    func reading<Result>(
        _ command: CommandCode, _ parameters: [UInt8],
        _ body: (inout WireReader) throws(WireReader.Fault) -> Result
    ) throws(TPMError) -> Result {
        var reader = WireReader(parameters)
        do throws(WireReader.Fault) {
            return try body(&reader)
        } catch {
            throw .malformedResponse("\(command.name): \(error.what)")
        }
    }
}
