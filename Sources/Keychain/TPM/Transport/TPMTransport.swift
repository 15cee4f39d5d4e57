/// What carries commands to a TPM and answers back.
public protocol TPMTransport: Sendable {
    /// Sends one command and waits for its answer, of at most 4096 bytes. No other exchange comes in between.
    ///
    /// - Parameter timeout: In seconds. After an error the next exchange begins afresh: a late answer is never taken
    ///   for that of another command.
    /// - Throws: ``TPMError/unavailable(_:)``, ``TPMError/timedOut(seconds:)``, ``TPMError/malformedResponse(_:)``.
    func exchange(_ command: [UInt8], timeout: Double) throws(TPMError) -> [UInt8]

    /// Called at the end of each operation. A transport that holds a shared device releases it here.
    func close()

    /// Whether objects and sessions vanish when the transport closes, as those of `/dev/tpmrm0` do. Without, a client
    /// that missed an answer has to find out what remains from before.
    var managesResources: Bool { get }
}
