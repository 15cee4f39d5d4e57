import CCurl
import CLateLibraries
import CountersignCore
import Foundation

/// One thread's way to the mail server, by libcurl. It keeps its connection for the next mail.
///
/// Every call blocks, for as long as the server's timeout says at most.
final class SMTPSession {
    private let handle: UnsafeMutableRawPointer
    private let server: SMTPServer

    /// libcurl's own preparations, once a process.
    private static let isPrepared =
        countersign_open_libcurl() == nil && curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Nil where libcurl cannot be opened, or has no memory left.
    init?(_ server: SMTPServer) {
        guard Self.isPrepared, let handle = curl_easy_init() else { return nil }
        self.handle = handle
        self.server = server
    }

    deinit {
        curl_easy_cleanup(handle)
    }

    /// What libcurl reads the mail from.
    private final class Reader {
        let bytes: [UInt8]
        var position = 0

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        func read(into buffer: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
            let count = min(room, bytes.count - position)
            bytes.withUnsafeBytes { source in
                if count > 0, let base = source.baseAddress { memcpy(buffer, base + position, count) }
            }
            position += count
            return count
        }
    }

    /// Hands one mail over. Both addresses are ``MailAddress``: nothing in them ends a command.
    func send(_ mail: [UInt8], from sender: MailAddress, to recipient: MailAddress) -> SMTPVerdict {
        curl_easy_reset(handle)
        let reader = Reader(mail)
        var recipients: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(recipients) }
        recipients = curl_slist_append(nil, "<\(recipient.address)>")
        guard recipients != nil, configure(), set(CURLOPT_MAIL_FROM, "<\(sender.address)>"),
            countersign_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients) == CURLE_OK, set(CURLOPT_UPLOAD, 1)
        else { return .postponed(reason: "smtp-setup", isOperators: true) }
        // The least that there is. By default libcurl takes and gives back 192 KiB for each mail, beyond what the allocator keeps.
        _ = set(CURLOPT_UPLOAD_BUFFERSIZE, 16 << 10)
        return withExtendedLifetime(reader) {
            let code = countersign_curl_set_reader(
                handle,
                { buffer, size, count, context in
                    guard let buffer, let context else { return 0 }
                    return Unmanaged<Reader>.fromOpaque(context).takeUnretainedValue().read(into: buffer, size * count)
                }, Unmanaged.passUnretained(reader).toOpaque())
            guard code == CURLE_OK else { return .postponed(reason: "smtp-setup", isOperators: true) }
            let result = curl_easy_perform(handle)
            var reply = 0
            _ = countersign_curl_response_code(handle, &reply)
            return SMTPVerdict(result, reply: reply, isSent: reader.position == reader.bytes.count)
        }
    }

    /// Greets the server, with encryption and login as for a mail, and says nothing else (`NOOP`; RFC 5321, section 4.1.1.9).
    func greet() -> SMTPVerdict {
        curl_easy_reset(handle)
        guard configure(), set(CURLOPT_CUSTOMREQUEST, "NOOP"), set(CURLOPT_NOBODY, 1) else {
            return .postponed(reason: "smtp-setup", isOperators: true)
        }
        let result = curl_easy_perform(handle)
        var reply = 0
        _ = countersign_curl_response_code(handle, &reply)
        return SMTPVerdict(result, reply: reply, isSent: false)
    }

    private func configure() -> Bool {
        let encryption = server.encryption == .required ? CURLUSESSL_ALL : CURLUSESSL_NONE
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_CONNECTTIMEOUT, min(10, server.timeout)), (CURLOPT_TIMEOUT, server.timeout),
            (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2), (CURLOPT_USE_SSL, Int(encryption.rawValue)),
        ]
        // No proxy of the environment's.
        let texts: [(CURLoption, String?)] = [
            (CURLOPT_URL, server.url), (CURLOPT_PROXY, ""), (CURLOPT_CAINFO, server.authorities),
            (CURLOPT_USERNAME, server.login?.user), (CURLOPT_PASSWORD, server.login?.password.reveal()),
        ]
        return countersign_curl_only_smtp(handle) == CURLE_OK && numbers.allSatisfy { set($0.0, $0.1) }
            && texts.allSatisfy { option, text in text.map { set(option, $0) } ?? true }
    }

    private func set(_ option: CURLoption, _ value: Int) -> Bool {
        countersign_curl_set_long(handle, option, value) == CURLE_OK
    }

    private func set(_ option: CURLoption, _ value: String) -> Bool {
        countersign_curl_set_text(handle, option, value) == CURLE_OK
    }
}
