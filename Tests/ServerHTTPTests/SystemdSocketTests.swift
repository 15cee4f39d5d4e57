import CountersignCore
import Foundation
import TestSupport
import Testing

@testable import CountersignServer

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

struct SystemdSocketTests {
    private static let handedOn = ["LISTEN_PID": "77", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "countersign.socket"]

    private static func taken(_ descriptor: Int32, _ variables: [String: String] = [:]) throws -> SystemdSocket? {
        try SystemdSocket(
            environment: handedOn.merging(variables) { $1 }, process: 77, first: descriptor)
    }

    /// Why it is not taken; empty where it is.
    private static func refusal(_ descriptor: Int32, _ variables: [String: String] = [:]) throws -> String {
        do {
            _ = try taken(descriptor, variables)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func `A listening socket is taken with its address, and is for no program that the server starts`() throws {
        let socket = try HandedSocket()
        #expect(fcntl(socket.descriptor, F_GETFD) == 0)
        let taken = try #require(try Self.taken(socket.descriptor))
        #expect(taken.address == ListenAddress(host: "127.0.0.1", port: socket.port))
        #expect(taken.descriptor == socket.descriptor && fcntl(socket.descriptor, F_GETFD) == FD_CLOEXEC)
        let wide = try HandedSocket(host: "0.0.0.0")
        #expect(try Self.taken(wide.descriptor)?.address.isWildcard == true)
    }

    @Test(arguments: [
        ["LISTEN_PID": "78"], ["LISTEN_PID": ""], ["LISTEN_PID": "self"], ["LISTEN_PID": "-77"],
    ])
    func `What is for another process is left alone`(variables: [String: String]) throws {
        let socket = try HandedSocket()
        #expect(try Self.taken(socket.descriptor, variables) == nil)
        #expect(fcntl(socket.descriptor, F_GETFD) == 0)
    }

    @Test func `Without a manager nothing is taken`() throws {
        let socket = try HandedSocket()
        let none = ["LISTEN_PID": "77", "LISTEN_FDS": "0"]
        for environment in [[:], ["LISTEN_PID": "77"], ["LISTEN_FDS": "1"], none] {
            #expect(try SystemdSocket(environment: environment, process: 77, first: socket.descriptor) == nil)
        }
    }

    @Test(arguments: ["2", "", "-1", "one", "99999999999999999999"])
    func `Another number than one is refused`(count: String) throws {
        let socket = try HandedSocket()
        let text = try Self.refusal(socket.descriptor, ["LISTEN_FDS": count, "LISTEN_FDNAMES": "web:metrics"])
        #expect(
            text.hasPrefix("The service manager hands on \(count) sockets (web:metrics), and the server takes one."))
        #expect(text.contains("ListenStream=") && text.contains("Accept=no"))
    }

    @Test func `What is no listening socket of TCP is refused`() throws {
        let (bound, datagrams) = (try HandedSocket(.bound), try HandedSocket(.datagrams))
        #expect(try Self.refusal(bound.descriptor).contains("hands on a connection"))
        #expect(try Self.refusal(datagrams.descriptor).contains("none of TCP"))
        let local = try HandedSocket(.ofThisMachine)
        #expect(try Self.refusal(local.descriptor).contains("none of TCP"))
        let pipe = Pipe()
        #expect(try Self.refusal(pipe.fileHandleForReading.fileDescriptor).contains("is no socket"))
        #expect(try Self.refusal(1_000_000).contains("is no socket: Bad file descriptor"))
    }

    @Test func `The variables are removed, whatever they say`() throws {
        for environment in [Self.handedOn, Self.handedOn.merging(["LISTEN_FDS": "2"]) { $1 }, [:]] {
            var removed: [String] = []
            _ = try? SystemdSocket.take(environment: environment, process: 78) { removed.append($0) }
            _ = try? SystemdSocket.take(environment: environment, process: 77) { removed.append($0) }
            #expect(removed == SystemdSocket.variables + SystemdSocket.variables)
        }
        #expect(Set(Self.handedOn.keys).isSubset(of: SystemdSocket.variables))
    }

    // MARK: The configuration

    private static func configuration(
        _ flags: [ConfigurationKey: String], host: String = "127.0.0.1"
    ) async throws -> (ServerConfiguration, HandedSocket) {
        let socket = try HandedSocket(host: host)
        let configuration = try await ServerConfiguration.load(
            flags: flags, environment: [:], systemFile: "/nowhere", socket: try taken(socket.descriptor))
        return (configuration, socket)
    }

    @Test func `Its address counts, and who wrote another is told`() async throws {
        let (configuration, socket) = try await Self.configuration([.listen: "127.0.0.1:1"])
        #expect(configuration.listen == ListenAddress(host: "127.0.0.1", port: socket.port))
        #expect(CountersignServer.Options(configuration).socket?.descriptor == socket.descriptor)
        #expect(CountersignServer.Options(configuration).port == socket.port)
        #expect(
            configuration.warnings.contains {
                $0.hasPrefix("listen is 127.0.0.1:1, and the service manager listens on 127.0.0.1:\(socket.port)")
            })
        let written = configuration.written.first { $0.key == "listen" }
        #expect(written?.text == "127.0.0.1:\(socket.port)" && written?.place == "LISTEN_FDS")

        let known = try HandedSocket()
        let same = try await ServerConfiguration.load(
            flags: [.listen: "[::1]:\(known.port)"], environment: [:], systemFile: "/nowhere",
            socket: try Self.taken(known.descriptor))
        #expect(!same.warnings.contains { $0.contains("service manager") })
    }

    @Test func `Its address is judged as the configured one`() async throws {
        do {
            _ = try await Self.configuration([:], host: "0.0.0.0")
            Issue.record("Passwords would go over the network in plain text.")
        } catch let faults as ConfigurationFaults {
            #expect(faults.faults.first?.place == "ListenStream")
            #expect(faults.faults.first?.problem.contains("would show passwords to the network") == true)
        }
        await #expect(throws: ConfigurationFaults.self) {
            _ = try await Self.configuration([.dev: "true"], host: "0.0.0.0")
        }
        let (proxied, _) = try await Self.configuration([.tlsEndedByProxy: "true"], host: "0.0.0.0")
        #expect(proxied.listen.isWildcard)
    }

    @Test func `A check says what is handed on, and why it cannot be taken`() async throws {
        let socket = try HandedSocket()
        let taken = try #require(try Self.taken(socket.descriptor))
        let findings = await ServerCheck.findings(
            environment: [:], systemFile: "/nowhere", handedOn: .success(taken)
        ).filter { $0.area == .listen }
        #expect(findings.map(\.state) == [.ok])
        #expect(findings.first?.text.contains("listens on 127.0.0.1:\(socket.port)") == true)
        let refused = await ServerCheck.findings(
            flags: [.listen: "127.0.0.1:0"], environment: [:], systemFile: "/nowhere",
            handedOn: .failure(SystemdSocketError("It cannot be."))
        ).filter { $0.area == .listen }
        #expect(refused.first?.state == .fault && refused.first?.text.hasPrefix("It cannot be.") == true)
    }

    // MARK: Serving

    /// Whether nothing listens there any more, shortly after the last was told to close.
    private static func isClosed(_ url: URL) async throws -> Bool {
        for _ in 0..<1000 {
            if (try? RawConnection(to: url)) == nil { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test func `Connections that waited before the server was there are served, and those after it wait for the next`()
        async throws
    {
        let request = "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        var socket: HandedSocket? = try HandedSocket()
        let url = try #require(URL(string: "http://127.0.0.1:\(socket?.port ?? 0)"))
        for _ in 0..<2 {
            let waiting = try RawConnection(to: url)
            waiting.write(request)
            try await LiveServer.run(configure: { $0.take(socket) }) { listening, _ in
                #expect(listening.port == url.port)
                let answer = await waiting.read()
                #expect(answer.isClosed && answer.text.statuses == [200], "\(answer)")
                let another = try await RawConnection.exchange(request, with: url)
                #expect(another.text.statuses == [200])
            }
            let later = try RawConnection(to: url)
            #expect(later.write(request), "The manager's socket is open still.")
        }
        socket = nil
        #expect(try await Self.isClosed(url), "The server has kept its descriptor.")
    }

    @Test func `A server that does not start lets go of the socket`() async throws {
        var socket: HandedSocket? = try HandedSocket()
        let url = try #require(URL(string: "http://127.0.0.1:\(socket?.port ?? 0)"))
        await #expect(throws: (any Error).self) {
            try await LiveServer.run(configure: {
                $0.take(socket)
                $0.tls = ("/nowhere/certificate.pem", "/nowhere/key.pem")
            }) { _, _ in }
        }
        socket = nil
        #expect(try await Self.isClosed(url))
    }
}

extension CountersignServer.Options {
    /// Serves on a socket as if a service manager handed it on.
    mutating func take(_ handed: HandedSocket?) {
        guard let handed else { return }
        socket = try? SystemdSocket(
            environment: ["LISTEN_PID": "77", "LISTEN_FDS": "1"], process: 77, first: handed.copy())
        port = handed.port
    }
}
