import Logging
import ServerHTTP

extension ServerConnections {
    /// As the options want it, and as the system allows.
    convenience init(_ options: CountersignServer.Options, logger: Logger) {
        let limits = options.connections.limits(openFiles: OpenFiles.limit)
        if let wanted = options.connections.maximum, wanted > limits.maximum {
            logger.warning(
                "http.maxConnections is \(wanted), but only \(OpenFiles.limit) open files are allowed: raise that (ulimit -n)"
            )
        }
        let (isBehindProxy, proxy, isDevelopment) = (options.tlsEndedByProxy, options.proxy, options.isDevelopment)
        self.init(
            deadlines: options.connections.deadlines, maximum: limits.maximum, maximumPerSource: limits.perSource,
            logger: logger,
            isExempt: { source in
                // Under `--dev`, limits per source do not apply to loopback.
                isBehindProxy ? proxy.trusts(source) : isDevelopment && source.isLoopback
            })
    }
}
