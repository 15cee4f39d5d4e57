import CountersignServer
import Logging

let opened = try await OpenedRealm.open(DataDirectory(path: "/tmp/csdata"), isDevelopment: true)
var logger = Logger(label: "countersign")
logger.logLevel = .debug
let server = CountersignServer(opened, options: .init(port: 8099, isDevelopment: true), logger: logger)
try await server.run { print("listening on \($0)") }
