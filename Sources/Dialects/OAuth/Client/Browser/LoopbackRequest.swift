#if os(Linux) || os(macOS)
    import Foundation

    /// What a connection to the port of a callback has sent so far, and what it is answered. Knows no socket.
    struct LoopbackRequest: Sendable {
        /// Bytes of a request, at most: an answer's address is far shorter.
        static let longest = 16_384

        enum Verdict: Sendable, Equatable {
            /// More of the request has to come.
            case incomplete
            /// None of ours: answered, and nothing changes.
            case refused(status: String)
            /// What the page waited for.
            case answer(URL)
        }

        private var bytes: [UInt8] = []

        /// Takes what came, and judges what there is.
        mutating func receive(_ more: some Sequence<UInt8>, at address: String, for page: AuthorizationPage) -> Verdict
        {
            bytes += more
            guard bytes.count <= Self.longest else { return .refused(status: "431 Request Header Fields Too Large") }
            guard let end = Self.end(of: bytes) else { return .incomplete }
            return Self.judge(String(decoding: bytes[..<end], as: UTF8.self), at: address, for: page)
        }

        /// Where the empty line is that ends the headers.
        private static func end(of bytes: [UInt8]) -> Int? {
            guard bytes.count >= 4 else { return nil }
            return (0...(bytes.count - 4)).first {
                bytes[$0] == 13 && bytes[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10])
            }
        }

        private static func judge(_ head: String, at address: String, for page: AuthorizationPage) -> Verdict {
            let lines = head.components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].first == "/",
                let own = URLComponents(string: address)
            else { return .refused(status: "400 Bad Request") }
            // A page of another name that leads here (DNS rebinding) is none of ours.
            let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }.map {
                $0.dropFirst("host:".count).trimmingCharacters(in: .whitespaces).lowercased()
            }
            guard hosts == ["\(own.host ?? ""):\(own.port ?? 0)"] else {
                return .refused(status: "421 Misdirected Request")
            }
            let path = words[1].prefix { $0 != "?" }
            guard path == own.path else { return .refused(status: "404 Not Found") }
            guard words[0] == "GET" else { return .refused(status: "405 Method Not Allowed") }
            guard let answer = URL(string: "http://\(own.host ?? ""):\(own.port ?? 0)\(words[1])"),
                page.isAnswered(by: answer)
            else { return .refused(status: "400 Bad Request") }
            return .answer(answer)
        }

        /// What the browser shows.
        static func response(to verdict: Verdict) -> [UInt8] {
            let (status, text): (String, String)
            switch verdict {
            case .incomplete: (status, text) = ("408 Request Timeout", "Too slow.")
            case .refused(let refusal): (status, text) = (refusal, "This is not the answer that is waited for.")
            case .answer(let url):
                let isRefusal = CallbackParameters(url)?["error"] != nil
                (status, text) = (
                    "200 OK",
                    isRefusal
                        ? "The sign-in did not finish. You can close this page." : "You can close this page."
                )
            }
            let body =
                "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Countersign</title><p>\(text)</p></html>\n"
            return Array(
                """
                HTTP/1.1 \(status)\r
                Content-Type: text/html; charset=utf-8\r
                Content-Length: \(body.utf8.count)\r
                Cache-Control: no-store\r
                Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r
                Referrer-Policy: no-referrer\r
                X-Content-Type-Options: nosniff\r
                Connection: close\r
                \r
                \(body)
                """.utf8)
        }
    }
#endif
