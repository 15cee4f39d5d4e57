import CountersignCore
import Delivery
import Foundation
import HTTPTypes
import ServerHTTP
import Traces

/// Where spans go, and which.
public struct TracingOptions: Sendable {
    /// The collector's endpoint for traces, with its path.
    public var url: URL
    /// Of the traces that begin here, those that are recorded: 0 to 1.
    public var share = 1.0
    /// Sent with each request to the collector.
    public var headers: [(name: String, value: Secret<String>)] = []
    /// Attributes of the resource beside those that the program knows.
    public var attributes: [(name: String, value: String)] = []

    /// Exports to this collector every trace that begins here, without further headers and attributes.
    public init(url: URL) {
        self.url = url
    }

    /// The tracer for one process.
    func tracer(random: any RandomSource) -> SpanTracer {
        SpanTracer(queue: SpanQueue(), share: share) {
            random.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// Where that process exports to.
    func destination(random: any RandomSource) -> SpanExporter.Destination {
        let instance = random.bytes(16).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
        let known = [
            ("service.name", "countersign"), ("service.version", ServerVersion.current.number),
            ("service.instance.id", instance), ("telemetry.sdk.name", "countersign"),
            ("telemetry.sdk.language", "swift"), ("telemetry.sdk.version", ServerVersion.current.number),
        ]
        let own = Set(attributes.map(\.name))
        return SpanExporter.Destination(
            url: url.absoluteString, headers: headers,
            resource: known.filter { !own.contains($0.0) }.map { (name: $0.0, value: $0.1) } + attributes,
            version: ServerVersion.current.number)
    }
}

extension ServerConfiguration {
    static func tracing(_ sources: inout ConfigurationSources) -> TracingOptions? {
        let share = sources.number(.tracingShare, in: 0...1)
        let headers = headers(&sources)
        let attributes = attributes(&sources)
        guard let found = sources.text(.tracingURL) else {
            for key in ConfigurationKey.ofTracing {
                guard let place = sources.place(where: key) else { continue }
                sources.report(
                    place, "tracing.url is not set", "write where the collector is, such as http://127.0.0.1:4318")
            }
            return nil
        }
        guard let url = collector(found.value) else {
            // What was written may hold a password: it is not repeated.
            sources.report(
                found.place, "this is no URL of a collector",
                "write one such as http://127.0.0.1:4318 or https://otlp.example.com/v1/traces, without a login")
            return nil
        }
        var options = TracingOptions(url: url)
        if let share { options.share = share.value }
        (options.headers, options.attributes) = (headers, attributes)
        return options
    }

    /// A base gets the path that the protocol has for traces (OpenTelemetry Protocol 1.x, "OTLP/HTTP Request").
    private static func collector(_ text: String) -> URL? {
        guard var parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme),
            parts.host?.isEmpty == false, parts.user == nil, parts.password == nil, parts.fragment == nil
        else { return nil }
        if ["", "/"].contains(parts.path) { parts.path = "/v1/traces" }
        return parts.url
    }

    private static func headers(_ sources: inout ConfigurationSources) -> [(name: String, value: Secret<String>)] {
        guard let file = sources.text(.tracingHeadersFile) else { return [] }
        guard let data = FileManager.default.contents(atPath: file.value) else {
            sources.report(
                file.place, "\"\(file.value)\" cannot be read", "write the path of a file that this user may read")
            return []
        }
        sources.warnIfExposed(file.value, holding: "headers for the collector")
        var headers: [(name: String, value: Secret<String>)] = []
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        for (number, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, HTTPField.Name(parts[0]) != nil, HTTPField.isValidValue(parts[1]) else {
                // Its text may be a secret.
                sources.report(file.place, "line \(number + 1) of the file is no header", "write Name: value")
                continue
            }
            headers.append((parts[0], Secret(parts[1])))
        }
        return headers
    }

    private static func attributes(_ sources: inout ConfigurationSources) -> [(name: String, value: String)] {
        guard let list = sources.list(.tracingAttributes) else { return [] }
        let remedy = "write at most 32 of the form deployment.environment.name=production"
        if list.value.count > 32 { sources.report(list.place, "the list is too long", remedy) }
        return list.value.compactMap { text in
            let parts = text.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, !parts[0].isEmpty else {
                sources.report(list.place, "\"\(text)\" is no attribute", remedy)
                return nil
            }
            return (parts[0], parts[1])
        }
    }

    /// What is allowed of all this but should be known.
    var tracingWarnings: [String] {
        guard let tracing, tracing.url.scheme == "http", !Self.isLoopback(tracing.url) else { return [] }
        return ["spans go to \(tracing.url.host ?? "the collector") in plain text, with the headers for it"]
    }
}
