import Foundation

extension ServerConfiguration {
    /// Reports a start without a configuration file, on the directory of this machine's service, that says less of the data than the
    /// service's configuration does: in which database it is, or where its master key is (docs/decisions/0477).
    ///
    /// Such a start would serve a SQLite file from before a move to PostgreSQL, or make a new one and a new master key beside it.
    /// - Parameters:
    ///   - directory: where the server would have its data.
    ///   - systemFile: the path of the service's configuration. Where this user may not read it, the directory is closed to the user too.
    static func judge(
        _ directory: String, bySystemFile systemFile: String, _ sources: inout ConfigurationSources
    ) async {
        guard FileManager.default.isReadableFile(atPath: systemFile) else { return }
        let place = sources.place(where: .data)
        var system = await ConfigurationSources(flags: [:], environment: [:], file: systemFile)
        guard let its = system.text(.data)?.value else {
            // One that can be read and not understood may be about the directory that is named.
            if let place, !system.faults.isEmpty {
                sources.report(
                    place, "\(systemFile) may be about this directory, and cannot be understood",
                    "correct it: countersign serve --check --config \(systemFile)")
            }
            return
        }
        guard AdministeredData.resolved(its) == AdministeredData.resolved(directory) else { return }
        // A key is said by any of the names for the same thing.
        let things: [[ConfigurationKey]] = [[.database], [.masterKeyFile, .masterKeyDescriptor]]
        let unsaid = things.compactMap { names in
            names.contains { sources.place(where: $0) != nil } ? nil : names.first { system.place(where: $0) != nil }
        }
        if unsaid.isEmpty { return }
        sources.report(
            place ?? sources.place(of: .data),
            "\(directory) is the directory of this machine's service, and nothing says "
                + "\(unsaid.map(\.rawValue).joined(separator: " and ")) here, as \(systemFile) does",
            "start with --config \(systemFile), or name another directory")
    }
}
