import BlockingTestSupport
import Crypto
import Foundation
import TPMTestSupport
import Testing

@testable import KeychainTPM

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Connections, with a peer that answers as the test wants.
@Suite(.onOwnThreads)
struct TransportTests {
    private let command: [UInt8] = [0x80, 0x01, 0, 0, 0, 12, 0, 0, 1, 0x7B, 0, 8]
    private let answer: [UInt8] = [0x80, 0x01, 0, 0, 0, 16, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4]

    @Test func `An answer in pieces is put together`() throws {
        let peer = try SocketPeer { [answer] connection, _ in
            for byte in answer { connection.send([byte]) }
        }
        let connection = TPMConnection(.unixSocket(path: peer.path))
        #expect(try connection.exchange(command, timeout: 300) == answer)
        #expect(try connection.exchange(command, timeout: 300) == answer)
        #expect(peer.heard == [command, command])
        #expect(peer.connections == 1)
        connection.close()
        #expect(try connection.exchange(command, timeout: 300) == answer)
        #expect(peer.connections == 2)
    }

    @Test(arguments: [
        ("too short a size", [UInt8]([0x80, 0x01, 0, 0, 0, 9, 0, 0, 0])),
        ("too large a size", [0x80, 0x01, 0, 0, 0x10, 0x01, 0, 0, 0, 0]),
        ("four gigabytes", [0x80, 0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]),
        ("two answers", [0x80, 0x01, 0, 0, 0, 10, 0, 0, 0, 0, 0x80, 0x01]),
    ])
    func `An answer that cannot end is refused`(_ what: String, _ bytes: [UInt8]) throws {
        let peer = try SocketPeer { connection, _ in connection.send(bytes) }
        #expect {
            try TPMConnection(.unixSocket(path: peer.path)).exchange(command, timeout: 300)
        } throws: {
            guard case .malformedResponse = $0 as? TPMError else { return false }
            return true
        }
    }

    @Test func `An end in the middle of an answer is an error, and the next exchange begins afresh`() throws {
        let peer = try SocketPeer { [answer] connection, number in
            connection.send(number == 0 ? Array(answer.prefix(7)) : answer)
            if number == 0 { connection.end() }
        }
        let connection = TPMConnection(.unixSocket(path: peer.path))
        #expect(throws: TPMError.unavailable("it closed the connection before it had answered.")) {
            try connection.exchange(command, timeout: 300)
        }
        #expect(try connection.exchange(command, timeout: 300) == answer)
    }

    @Test func `A late answer is not taken for the next one`() throws {
        let gate = DispatchSemaphore(value: 0)
        let late: [UInt8] = [0x80, 0x01, 0, 0, 0, 10, 0, 0, 1, 1]
        let peer = try SocketPeer { [answer] connection, number in
            if number == 0 {
                gate.wait()
                connection.send(late)
            } else {
                connection.send(answer)
            }
        }
        let connection = TPMConnection(.unixSocket(path: peer.path))
        #expect(throws: TPMError.timedOut(seconds: 0.1)) { try connection.exchange(command, timeout: 0.1) }
        gate.signal()
        #expect(try connection.exchange(command, timeout: 300) == answer)
    }

    @Test func `A peer that does not read blocks no longer than the limit`() throws {
        let gate = DispatchSemaphore(value: 0)
        let peer = try SocketPeer(reads: false) { _, _ in gate.wait() }
        defer { gate.signal() }
        // More than the buffers of a socket hold.
        let long = [UInt8](repeating: 0, count: 8 << 20)
        #expect(throws: TPMError.timedOut(seconds: 0.2)) {
            try TPMConnection(.unixSocket(path: peer.path)).exchange(long, timeout: 0.2)
        }
    }

    @Test func `Signals that interrupt the wait change nothing`() throws {
        let waiting = DispatchSemaphore(value: 0)
        let peer = try SocketPeer { [answer] connection, _ in
            waiting.signal()
            Thread.sleep(forTimeInterval: 0.3)
            connection.send(answer)
        }
        var action = sigaction()
        // A handler, so that the signal interrupts system calls instead of ending the process.
        #if canImport(Glibc)
            action.__sigaction_handler.sa_handler = { _ in }
        #else
            action.__sigaction_u.__sa_handler = { _ in }
        #endif
        var before = sigaction()
        sigaction(SIGUSR2, &action, &before)
        defer { sigaction(SIGUSR2, &before, nil) }
        let outcome = Locking<Result<[UInt8], TPMError>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let thread = Locking<pthread_t?>(nil)
        Thread.detachNewThread { [command] in
            thread.withLock { $0 = pthread_self() }
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGUSR2)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            let connection = TPMConnection(.unixSocket(path: peer.path))
            let result = Result<[UInt8], TPMError> { () throws(TPMError) in
                try connection.exchange(command, timeout: 300)
            }
            outcome.withLock { $0 = result }
            done.signal()
        }
        #expect(Self.wait(waiting))
        for _ in 0..<20 {
            if outcome.withLock({ $0 == nil }), let thread = thread.withLock({ $0 }) { pthread_kill(thread, SIGUSR2) }
            Thread.sleep(forTimeInterval: 0.01)
        }
        #expect(Self.wait(done))
        #expect(try outcome.withLock { $0 }?.get() == answer)
    }

    private static func wait(_ semaphore: DispatchSemaphore) -> Bool {
        semaphore.wait(timeout: .now() + 600) == .success
    }

    @Test func `What is not there, or is something else, is said in words`() throws {
        func complaint(_ endpoint: TPMConnection.Endpoint) -> String {
            do {
                _ = try TPMConnection(endpoint).exchange(command, timeout: 5)
                return ""
            } catch { return "\(error)" }
        }
        let long = "/tmp/" + String(repeating: "x", count: 200)
        #expect(complaint(.device(path: "/dev/no-tpm")).contains("there is no /dev/no-tpm. Is a TPM 2.0 there"))
        #expect(complaint(.device(path: "/dev/no-tpm\0x")).contains("cannot be reached"))
        #expect(complaint(.device(path: "/etc/hostname")).contains("is no device"))
        #expect(complaint(.unixSocket(path: "/tmp/no-tpm-socket")).contains("no process listens at /tmp/no-tpm-socket"))
        #expect(complaint(.unixSocket(path: long)).contains("has 205"))
        #expect(complaint(.unixSocket(path: "")).contains("has 0"))
        #expect(complaint(.loopback(port: 1)).contains("127.0.0.1:1"))
        // A device that is no TPM: reading gives nothing, for ever.
        #expect(complaint(.device(path: "/dev/null")).contains("closed the connection"))
    }

    @Test func `Linux's resource manager is known by its name`() {
        #expect(TPMConnection().managesResources)
        #expect(TPMConnection(.device(path: "/dev/tpmrm1")).managesResources)
        #expect(!TPMConnection(.device(path: "/dev/tpm0")).managesResources)
        #expect(!TPMConnection(.device(path: "/dev/tpmrm0/x")).managesResources)
        #expect(!TPMConnection(.unixSocket(path: "/dev/tpmrm0")).managesResources)
    }

    /// A terminal stands in for the device: a character device with a peer.
    @Test func `A device is opened, spoken to and given back`() throws {
        let terminal = try Terminal()
        let connection = TPMConnection(.device(path: terminal.path))
        terminal.answer(with: { [answer] _ in answer })
        #expect(try connection.exchange(command, timeout: 300) == answer)
        connection.close()
        #expect(try connection.exchange(command, timeout: 300) == answer)
        #expect(terminal.heard == [command, command])
    }

    @Test func `A device that says nothing is waited for no longer than the limit`() throws {
        let terminal = try Terminal()
        #expect(throws: TPMError.timedOut(seconds: 0.1)) {
            try TPMConnection(.device(path: terminal.path)).exchange(command, timeout: 0.1)
        }
    }

    @Test(.needsSoftwareTPM)
    func `A whole operation goes through a device`() throws {
        let chip = try SoftwareTPM()
        let terminal = try Terminal()
        let behind = chip.connection
        terminal.answer(with: { (try? behind.exchange($0, timeout: 60)) ?? [] })
        let tpm = TPM(transport: TPMConnection(.device(path: terminal.path)))
        let key = try tpm.makeSigningKey(.p256, pin: "482913")
        let message = Data("m".utf8)
        let signature = try tpm.sign(SHA256.hash(data: message), with: key, pin: "482913")
        behind.close()
        #expect(try chip.verifies(signature, of: message, with: key))
        #expect(terminal.heard.count > 10)
    }
}
