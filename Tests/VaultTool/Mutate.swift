#if DEBUG
    import Foundation
    import KeychainTypes
    import Synchronization

    @testable import SecretVault

    /// `mutate DIRECTORY SEED COUNT`: damages a vault in COUNT ways and opens it each time. Prints each breach, and at
    /// the end how often it still opened. A crash is one, too, and so is asking for more than 64 MiB: the process may
    /// not have them.
    enum Mutate {
        static func run(_ arguments: [String]) throws {
            let directory = arguments[0]
            let (seed, count): (UInt64, Int) = try (parsed(arguments[1]), parsed(arguments[2]))
            let material = try Material(directory: directory)
            try limitMemory(to: 64 << 20)
            var numbers = SeededNumbers(seed)
            var (opened, breaches) = (0, 0)
            for index in 0..<count {
                let (name, bytes) = material.mutation(&numbers)
                try material.put(bytes)
                guard bytes != material.bytes else { continue }
                do throws(KeychainError) {
                    let vault = try Vault.open(material.configuration)
                    opened += 1
                    if let breach = Corpus.breach(of: vault) {
                        breaches += 1
                        print("breach \(index) \(name): \(breach)")
                    }
                    if !name.hasPrefix("knowing") {
                        breaches += 1
                        print("breach \(index) \(name): opened as if nothing were")
                    }
                } catch {
                    continue
                }
            }
            print("tried \(count) opened \(opened) breaches \(breaches)")
        }

        /// Room for so much more than there is now, and for the stacks of two threads.
        private static func limitMemory(to more: UInt64) throws {
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[0]
            let limit = try parsed(pages) as UInt64 * UInt64(getpagesize()) + more + (16 << 20)
            var value = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &value)
        }
    }

    /// The vault, its history, a second vault, and its keys: the attacker who "knows" is one who once saw the key that
    /// authenticates the file, and has no other.
    private struct Material {
        let directory: String
        let configuration: VaultConfiguration
        let bytes: [UInt8]
        private let image: VaultImage
        private let older: [VaultImage]
        private let olderBytes: [[UInt8]]
        private let other: VaultImage
        private let otherBytes: [UInt8]
        private let tagKey: LockedBytes

        init(directory: String) throws {
            self.directory = directory
            var configuration = try Corpus.configuration(directory + "/one")
            configuration.clock = hastyClock()
            self.configuration = configuration
            let vault = try Vault.open(configuration)
            try Corpus.fill(vault)
            var older: [[UInt8]] = []
            let file = directory + "/one/vault.kc"
            func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }
            older.append(try read(file))
            for item in try vault.items(ofClass: "genp") {
                guard case .string(let name)? = item.attributes["acct"] else { continue }
                try vault.update(
                    item.id, with: ItemChange(secret: LockedBytes(Corpus.secret(name, 2))),
                    context: Corpus.passwordContext())
                if name == "after" { older.append(try read(file)) }
            }
            bytes = try read(file)
            guard let keys = vault.state.withLock({ $0.keys }) else { throw KeychainError.locked }
            tagKey = keys.fileTag
            let bounds = KeyDerivation.acceptedInTests
            image = try VaultImage(decoding: bytes, costs: bounds)
            olderBytes = older
            self.older = try older.map { try VaultImage(decoding: $0, costs: bounds) }

            var second = try Corpus.configuration(directory + "/two")
            second.clock = hastyClock()
            try Corpus.fill(try Vault.open(second))
            otherBytes = try read(directory + "/two/vault.kc")
            other = try VaultImage(decoding: otherBytes, costs: bounds)
        }

        func put(_ bytes: [UInt8]) throws {
            let path = directory + "/one/vault.kc"
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            defer { close(file) }
            guard VaultDirectory.writeAll(file, bytes) else { throw KeychainError.io(operation: "put", errno: errno) }
        }

        func mutation(_ numbers: inout SeededNumbers) -> (name: String, bytes: [UInt8]) {
            let kind = Int.random(in: 0..<20, using: &numbers)
            if kind < 8 { return ordinary(kind, &numbers) }
            var image = image
            let name = structural(&image, &numbers)
            // The mutations of the generation and the order alone are the writer's right.
            if Bool.random(using: &numbers) { return ("knowing \(name)", encode(image, tag: nil)) }
            return (name, encode(image, tag: Array(bytes.suffix(32))))
        }

        private func encode(_ image: VaultImage, tag: [UInt8]?) -> [UInt8] {
            let encoded = (try? image.encoded(tagKey: tagKey)) ?? []
            return tag.map { encoded.dropLast(32) + $0 } ?? encoded
        }

        private func ordinary(_ kind: Int, _ numbers: inout SeededNumbers) -> (String, [UInt8]) {
            var bytes = bytes
            switch kind {
            case 0:
                for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                    bytes[Int.random(in: bytes.indices, using: &numbers)] ^=
                        1 << UInt8.random(in: 0..<8, using: &numbers)
                }
                return ("bits", bytes)
            case 1:
                for _ in 0..<Int.random(in: 1...16, using: &numbers) {
                    bytes[Int.random(in: bytes.indices, using: &numbers)] = .random(in: 0...255, using: &numbers)
                }
                return ("bytes", bytes)
            case 2: return ("cut", Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &numbers))))
            case 3:
                let more = Int.random(in: 1...5000, using: &numbers)
                let filler: UInt8 = Bool.random(using: &numbers) ? 0 : .random(in: 0...255, using: &numbers)
                return ("longer", bytes + [UInt8](repeating: filler, count: more))
            case 4:
                // Lengths and counts blown up, wherever they may be.
                let width = one(of: [1, 2, 4, 8], &numbers)
                let start = Int.random(in: 0..<(bytes.count - width), using: &numbers)
                let value: UInt8 = one(of: [0xFF, 0x7F, 0x80, 0x00], &numbers)
                for index in start..<(start + width) { bytes[index] = index == start ? value : 0xFF }
                return ("length", bytes)
            case 5:
                // The header is where the lengths are.
                let start = Int.random(in: 4..<200, using: &numbers)
                bytes[start] = .random(in: 0...255, using: &numbers)
                bytes[start + 1] = .random(in: 0...255, using: &numbers)
                return ("header", bytes)
            case 6:
                let length = Int.random(in: 1...200, using: &numbers)
                let from = Int.random(in: 0..<(bytes.count - length), using: &numbers)
                let to = Int.random(in: 0..<(bytes.count - length), using: &numbers)
                bytes.replaceSubrange(to..<(to + length), with: Array(bytes[from..<(from + length)]))
                return ("copied", bytes)
            default:
                let start = Int.random(in: 0..<bytes.count, using: &numbers)
                let whole = one(of: [otherBytes, olderBytes[0]], &numbers)
                guard start < whole.count, start > 200 else { return ("another vault", otherBytes) }
                return ("half of another file", Array(bytes[..<start]) + whole[start...])
            }
        }

        /// Changes that leave a file that can be taken apart.
        private func structural(_ image: inout VaultImage, _ numbers: inout SeededNumbers) -> String {
            let ids = image.order.shuffled(using: &numbers)
            guard var first = image[ids[0]]?.record, var second = image[ids[1]]?.record else { return "nothing" }
            func put(_ record: VaultRecord) { image.put(VaultImage.Entry(record, metadata: nil)) }
            switch Int.random(in: 0..<22, using: &numbers) {
            case 0:
                swap(&first.sealedSecret, &second.sealedSecret)
                put(first)
                put(second)
                return "secrets swapped"
            case 1:
                swap(&first.alternatives, &second.alternatives)
                put(first)
                put(second)
                return "wraps swapped"
            case 2:
                swap(&first.alternatives, &second.alternatives)
                swap(&first.sealedSecret, &second.sealedSecret)
                put(first)
                put(second)
                return "wraps and secrets swapped"
            case 3:
                swap(&first.sealedMetadata, &second.sealedMetadata)
                put(first)
                put(second)
                return "attributes swapped"
            case 4:
                swap(&first.binding, &second.binding)
                put(first)
                put(second)
                return "bindings swapped"
            case 5, 6, 7:
                first.binding.access = one(of: Corpus.accesses, &numbers).1
                if Bool.random(using: &numbers) { first.alternatives = second.alternatives }
                if first.binding.access.constraints.isDisjoint(with: .factors) {
                    // What an attacker has to write so that the record is taken apart at all.
                    first.alternatives = first.alternatives.map { alternative in
                        var alternative = alternative
                        (alternative.recipients, alternative.ephemeral) = ([], [])
                        return alternative
                    }
                }
                put(first)
                return "access control changed"
            case 8:
                var constraints = first.binding.access.constraints
                constraints.subtract([.userPresence, .devicePasscode, .biometryCurrentSet, .biometryAny])
                if let access = try? AccessControl(first.binding.access.accessibility, constraints) {
                    first.binding.access = access
                }
                for index in first.alternatives.indices {
                    (first.alternatives[index].recipients, first.alternatives[index].ephemeral) = ([], [])
                }
                put(first)
                return "factors dropped"
            case 9:
                first.binding.access =
                    (try? AccessControl(.afterFirstUnlock, first.binding.access.constraints)) ?? first.binding.access
                put(first)
                return "accessibility weakened"
            case 10:
                if let old = older.randomElement(using: &numbers)?[ids[0]]?.record { put(old) }
                return "record of an older generation"
            case 11:
                if let old = older[0][ids[0]]?.record {
                    first.sealedSecret = old.sealedSecret
                    if Bool.random(using: &numbers) { first.alternatives = old.alternatives }
                }
                put(first)
                return "parts of an older generation"
            case 12:
                image.header.slots[0].sealedKeys = other.header.slots[0].sealedKeys
                return "slot's keys of another vault"
            case 13:
                image.header.slots = other.header.slots
                return "slot of another vault"
            case 14:
                image.header.slots[0].cost = .stored(
                    operations: one(of: [0, 1, 2, 16, 17, .max], &numbers),
                    memory: one(
                        of: [0, 1, 8 << 10, 9 << 10, 1 << 20, 16 << 20, (1 << 30) + 1, 1 << 40, .max], &numbers))
                return "costs changed"
            case 15:
                image.header.slots[0].salt = .random(count: 16, &numbers)
                return "salt changed"
            case 16:
                image.header.generation = one(
                    of: [0, 1, .max, .random(in: 0...UInt64.max, using: &numbers)], &numbers)
                return "generation changed"
            case 17:
                image.remove([ids[0]])
                return "record taken away"
            case 18:
                let index = one(of: Array(image.header.factorKeys.indices), &numbers)
                image.header.factorKeys[index].publicKey = .random(count: 32, &numbers)
                return "factor's public key replaced"
            case 19:
                let index = one(of: Array(image.header.factorKeys.indices), &numbers)
                image.header.factorKeys[index].boundTo = nil
                image.header.factorKeys[index].role =
                    one(of: [.passcode, .biometry, .companion], &numbers)
                return "factor's role changed"
            case 20:
                guard image.header.factorKeys.count > 1 else { return "nothing" }
                let wraps = image.header.factorKeys[0].wraps
                image.header.factorKeys[0].wraps = image.header.factorKeys[1].wraps
                image.header.factorKeys[1].wraps = wraps
                return "factor's wraps swapped"
            default:
                if let foreign = other.order.randomElement(using: &numbers).flatMap({ other[$0]?.record }) {
                    image.remove([ids[0]])
                    put(foreign)
                }
                return "record of another vault"
            }
        }
    }

    extension [UInt8] {
        fileprivate static func random(count: Int, _ numbers: inout SeededNumbers) -> [UInt8] {
            (0..<count).map { _ in .random(in: 0...255, using: &numbers) }
        }
    }
#endif
