import Delivery
import ServerHTTP

extension ServerConfiguration {
    static func connections(_ sources: inout ConfigurationSources) -> ConnectionOptions {
        let range = ConfigurationKey.connectionRange
        return ConnectionOptions(
            maximum: sources.integer(.httpMaxConnections, in: range)?.value,
            maximumPerSource: sources.integer(.httpMaxConnectionsPerSource, in: range)?.value)
    }

    static func proxy(_ sources: inout ConfigurationSources) -> ProxyOptions {
        var options = ProxyOptions()
        let header = sources.text(.proxyHeader)
        if let header {
            if let known = ProxyHeader(rawValue: header.value.lowercased()) {
                options.header = known
            } else {
                let names = ProxyHeader.allCases.map(\.rawValue).joined(separator: " or ")
                sources.report(header.place, "\"\(header.value)\" is no header that is understood", "write \(names)")
            }
        }
        let trusted = sources.list(.proxyTrusted)
        for text in trusted?.value ?? [] where !text.isEmpty {
            if let range = AddressRange(text) {
                options.trusted.append(range)
            } else {
                sources.report(
                    trusted?.place ?? "", "\"\(text)\" is no address and no network",
                    "write ones such as 127.0.0.1, ::1 or 10.1.0.0/16, with zeros after the prefix")
            }
        }
        if sources.bool(.tlsEndedByProxy)?.value != true {
            for place in [header?.place, trusted?.place].compactMap({ $0 }) {
                sources.report(place, "no proxy is said to be there", "write tls.endedByProxy: true, or leave it out")
            }
        }
        return options
    }

    static func metricsListen(_ sources: inout ConfigurationSources) -> ListenAddress? {
        guard let found = sources.text(.metricsListen) else { return nil }
        if let address = ListenAddress(found.value) { return address }
        sources.report(
            found.place, "\"\(found.value)\" is no address",
            "write HOST:PORT such as 127.0.0.1:9464 or [::1]:9464, with a port from 0 to 65535")
        return nil
    }

    /// What is allowed of all this but should be known.
    var connectionWarnings: [String] {
        var warnings: [String] = []
        if tlsIsEndedByProxy, proxy.trusted.isEmpty, !listen.isLoopback {
            warnings.append(
                "proxy.trusted is not set: every client that can connect to \(listen) can set its address by \(proxy.header.rawValue)"
            )
        }
        if let metricsListen, !metricsListen.isLoopback {
            warnings.append("every client that can connect to \(metricsListen) can read the metrics")
        }
        return warnings
    }
}
