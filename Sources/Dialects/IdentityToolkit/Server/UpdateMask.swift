import CountersignCore
import Foundation
import IdentityToolkitWire

/// The field mask of a PATCH: dotted paths, separated by commas, in camel or snake case (google.protobuf.FieldMask).
struct UpdateMask: Sendable {
    /// Nil: no mask was given.
    let paths: [String]?

    init(_ text: String?) {
        paths = text.flatMap { text in
            let paths = text.split(separator: ",").map { path in
                let path = Self.camelCased(path.trimmingCharacters(in: .whitespaces))
                // `mfa.*` is all there is of `mfa`.
                return path.hasSuffix(".*") ? String(path.dropLast(2)) : path
            }
            return paths.isEmpty ? nil : paths
        }
    }

    /// Refuses paths that are none of a configuration.
    /// - Parameters:
    ///   - leaves: the settings that there are, each by its path.
    ///   - branches: those with further members: what is below them is theirs.
    func validate(leaves: [String], branches: [String]) throws {
        for path in paths ?? [] where path != "*" {
            let isKnown =
                (leaves + branches).contains { $0 == path || $0.hasPrefix(path + ".") }
                || branches.contains { path.hasPrefix($0 + ".") }
            guard isKnown else {
                throw IdentityToolkitError.invalidValue(
                    "update_mask", type: "type.googleapis.com/google.protobuf.FieldMask", value: path)
            }
        }
    }

    /// Whether the mask names the path, something above it or something below it.
    /// - Parameter present: whether the body has it, which counts where there is no mask.
    func covers(_ path: String, present: Bool) -> Bool {
        guard let paths else { return present }
        return paths.contains { given in
            given == "*" || given == path || path.hasPrefix(given + ".") || given.hasPrefix(path + ".")
        }
    }

    static func camelCased(_ path: String) -> String {
        var result = ""
        var raise = false
        for character in path {
            if character == "_" {
                raise = true
            } else {
                result += raise ? character.uppercased() : String(character)
                raise = false
            }
        }
        return result
    }
}
