import Foundation

/// How often, and with what pauses, a command is sent again that the TPM was not ready for.
struct RetryPolicy: Sendable {
    var attempts = 12
    var firstPause = 0.01
    var longestPause = 1.0
    var sleep: @Sendable (Double) -> Void = { Thread.sleep(forTimeInterval: $0) }

    /// The pause after the attempt with this number, counted from 1.
    func pause(after attempt: Int) -> Double {
        min(longestPause, firstPause * Double(1 << min(attempt - 1, 20)))
    }
}

/// Sends commands, repeats them when the TPM asks for it, and takes answers apart.
struct CommandChannel: Sendable {
    let transport: any TPMTransport
    let retry: RetryPolicy

    /// Sends a command without a session.
    func execute(_ command: Command) throws(TPMError) -> Response {
        try send(command, parameters: command.parameters, authorizationArea: nil)
    }

    /// Sends a command that is authorized by the empty password.
    func executeWithEmptyPassword(_ command: Command) throws(TPMError) -> Response {
        let area = WireWriter.bytes {
            $0.put(Handle.password.rawValue)
            $0.putSized([])
            $0.put(SessionAttributes.continueSession.rawValue)
            $0.putSized([])
        }
        return try send(command, parameters: command.parameters, authorizationArea: area)
    }

    /// Sends a command in a session, and returns only what the session has shown to be the TPM's.
    func execute(
        _ command: Command, in session: inout SaltedSession, authorization: SensitiveBytes? = nil
    ) throws(TPMError) -> Response {
        let (parameters, area) = session.authorize(command, authorization: authorization)
        var response = try send(command, parameters: parameters, authorizationArea: area)
        guard let answerArea = response.authorizationArea else {
            throw .malformedResponse("\(command.code.name) was answered without authorization")
        }
        try session.verify(
            command, parameters: response.parameters, authorizationArea: answerArea, authorization: authorization)
        if command.answersWithSecret {
            do throws(WireReader.Fault) {
                var reader = WireReader(response.parameters)
                let ciphertext = try reader.sized()
                response.secret = session.decrypt(ciphertext, authorization: authorization)
                response.parameters = reader.remainder()
            } catch {
                throw .malformedResponse("\(command.code.name): \(error.what)")
            }
        }
        return response
    }

    private func send(
        _ command: Command, parameters: [UInt8], authorizationArea: [UInt8]?
    ) throws(TPMError) -> Response {
        let bytes = command.encoded(parameters: parameters, authorizationArea: authorizationArea)
        var attempt = 1
        while true {
            let answer = try transport.exchange(bytes, timeout: command.code.timeout)
            let code = try Self.responseCode(of: answer)
            if code.rawValue == TPMResponseCode.success {
                return try Self.parse(answer, command.code, inSession: authorizationArea != nil)
            }
            guard code.asksForRetry else { throw Self.refusal(code, command.code) }
            guard attempt < retry.attempts else { throw .busy(code) }
            retry.sleep(retry.pause(after: attempt))
            attempt += 1
        }
    }

    private static func refusal(_ code: TPMResponseCode, _ command: CommandCode) -> TPMError {
        if code.isOutOfMemory { return .outOfMemory(code) }
        return .refused(code, command: command.name)
    }

    /// Reads the header (Part 3, clause 4.4) and checks the length.
    static func responseCode(of answer: [UInt8]) throws(TPMError) -> TPMResponseCode {
        guard answer.count <= TPMLimits.longestMessage else { throw .malformedResponse("\(answer.count) bytes") }
        do throws(WireReader.Fault) {
            var reader = WireReader(answer)
            let tag = try reader.uint16()
            let size = try reader.uint32()
            let code = TPMResponseCode(try reader.uint32())
            guard Int(size) == answer.count else {
                throw WireReader.Fault(what: "\(answer.count) bytes where \(size) are announced")
            }
            guard tag == Tag.noSessions || (tag == Tag.sessions && code.rawValue == TPMResponseCode.success) else {
                // TPM_ST_RSP_COMMAND, the answer of a TPM 1.2, is no tag of TPM 2.0 either.
                throw WireReader.Fault(what: "tag 0x\(String(tag, radix: 16))")
            }
            guard code.rawValue == TPMResponseCode.success || answer.count == 10 else {
                throw WireReader.Fault(what: "a refusal with more than a code")
            }
            return code
        } catch {
            throw .malformedResponse(error.what)
        }
    }

    static func parse(_ answer: [UInt8], _ command: CommandCode, inSession: Bool) throws(TPMError) -> Response {
        do throws(WireReader.Fault) {
            var reader = WireReader(answer)
            let tag = try reader.uint16()
            guard (tag == Tag.sessions) == inSession else { throw WireReader.Fault(what: "an unexpected tag") }
            _ = try reader.bytes(8)
            var response = Response(handle: nil, parameters: [], authorizationArea: nil)
            if command.answersWithHandle { response.handle = Handle(try reader.uint32()) }
            if inSession {
                let count = Int(try reader.uint32())
                response.parameters = try reader.bytes(count)
                response.authorizationArea = reader.remainder()
            } else {
                response.parameters = reader.remainder()
            }
            return response
        } catch {
            throw .malformedResponse("\(command.name): \(error.what)")
        }
    }
}

/// Bounds that do not depend on the chip.
enum TPMLimits {
    /// The longest command and answer of Linux's driver, in bytes.
    static let longestMessage = 4096
    /// The longest authorization value: as long as the digest that names the object (Part 1, "Authorization values").
    static let longestAuthorization = 32
    /// The longest content of a sealed object (Part 2, MAX_SYM_DATA).
    static let longestSecret = 128
}
