import Foundation
import KeychainTypes
import SecretVault

/// Processes that write, to be killed or to be in each other's way.
public enum Write {
    public enum Operation: String, CaseIterable, Sendable {
        case create, add, update, delete, changePasscode, removePasscode
    }

    public static let newPasscode = "quite another one"

    /// `step DIRECTORY OPERATION STEP`: kills itself when the operation comes to that step.
    static func dieAtStep(_ arguments: [String]) throws {
        let (directory, step) = (arguments[0], arguments[2])
        guard let operation = Operation(rawValue: arguments[1]) else { throw WrongArgument(text: arguments[1]) }
        let presence = CustomPresence { request in
            let isChange = request.kind == .newPasscode && operation != .create
            return LockedBytes(Array((isChange ? newPasscode : Corpus.passcode).utf8))
        }
        var configuration = try Corpus.configuration(directory, presence: presence, finger: false)
        var vault: Vault?
        if operation != .create { vault = try Vault.open(configuration) }
        configuration.faults = { if $0.rawValue == step { kill(getpid(), SIGKILL) } }
        if operation == .create {
            _ = try Vault.open(configuration)
            exit(0)
        }
        // A second one, which dies.
        _ = vault
        let doomed = try Vault.open(configuration)
        try perform(operation, on: doomed)
    }

    public static func perform(_ operation: Operation, on vault: Vault) throws {
        func first() throws -> ItemID {
            guard let item = try vault.item(ofClass: "genp", uniqueKey: Array("plain".utf8)) else {
                throw WrongArgument(text: "a vault without the item called plain")
            }
            return item.id
        }
        switch operation {
        case .create: break
        case .add: try vault.add(Corpus.item("added", AccessControl(.whenUnlocked), version: 1))
        case .update:
            try vault.update(first(), with: ItemChange(secret: LockedBytes(Corpus.secret("plain", 2))))
        case .delete: try vault.delete([first()])
        case .changePasscode: try vault.changePasscode()
        case .removePasscode: try vault.removePasscode()
        }
    }

    /// Slots of the model: what lies at `n mod 7` after `n` operations.
    public static func content(after count: Int) -> [String: String] {
        var content: [String: String] = [:]
        for number in 0..<count { apply(number, to: &content) }
        return content
    }

    private static func apply(_ number: Int, to content: inout [String: String]) {
        let name = "slot \(number % 7)"
        content[name] = content[name] != nil && number % 3 == 0 ? nil : "value \(number)"
    }

    /// `write DIRECTORY NUMBER`: does one operation after the other from the given number on, and says so.
    static func forEver(_ arguments: [String]) throws {
        let vault = try Vault.open(Corpus.configuration(arguments[0], finger: false))
        var number: Int = try parsed(arguments[1])
        var content = content(after: number)

        while true {
            let name = "slot \(number % 7)"
            let before = content[name]
            apply(number, to: &content)
            let found = try vault.item(ofClass: "genp", uniqueKey: Array(name.utf8))
            if let value = content[name] {
                let secret = LockedBytes(Array(value.utf8))
                if before != nil, let found {
                    try vault.update(found.id, with: ItemChange(secret: secret))
                } else {
                    try vault.add(
                        NewItem(
                            itemClass: "genp", uniqueKey: Array(name.utf8), attributes: ["acct": .string(name)],
                            secret: secret, access: AccessControl(.whenUnlocked)))
                }
            } else if let found {
                try vault.delete([found.id])
            }
            number += 1
            try FileHandle.standardOutput.write(contentsOf: Data("done \(number)\n".utf8))
        }
    }

    /// `share DIRECTORY NAME COUNT`: adds COUNT items beside others who do the same, changes every second one and
    /// deletes every third. Prints how many writes it made.
    static func share(_ arguments: [String]) throws {
        let (name, count) = (arguments[1], try parsed(arguments[2]) as Int)
        let vault = try Vault.open(Corpus.configuration(arguments[0], finger: false))
        var writes = 0
        for number in 0..<count {
            let key = "\(name) \(number)"
            let id = try vault.add(
                NewItem(
                    itemClass: "genp", uniqueKey: Array(key.utf8), attributes: ["acct": .string(key)],
                    secret: LockedBytes(Array("first".utf8)), access: AccessControl(.whenUnlocked)))
            writes += 1
            if number % 2 == 0 {
                try vault.update(id, with: ItemChange(secret: LockedBytes(Array("second".utf8))))
                writes += 1
            }
            if number % 3 == 0 {
                try vault.delete([id])
                writes += 1
            }
        }
        print("wrote \(writes)")
    }

    /// `fill DIRECTORY`: adds items until the file system is full, makes sure that all are there, and goes on with less.
    static func fill(_ arguments: [String]) throws {
        let vault = try Vault.open(Corpus.configuration(arguments[0], finger: false))
        var ids: [ItemID] = []
        do throws(KeychainError) {
            while ids.count < 1000 {
                let item = NewItem(
                    itemClass: "genp", uniqueKey: Array("\(ids.count)".utf8), attributes: [:],
                    secret: LockedBytes([UInt8](repeating: 1, count: 1000)),
                    access: AccessControl(unconstrained: .whenUnlocked))
                ids.append(try vault.add(item))
            }
        } catch {
            print("full \(error)")
        }
        let again = try Vault.open(Corpus.configuration(arguments[0], finger: false))
        print(Set(try again.items(ofClass: "genp").map(\.id)) == Set(ids) ? "all there" : "lost")
        try again.delete([ids[0], ids[1], ids[2], ids[3], ids[4], ids[5]])
        print(try vault.items(ofClass: "genp").count == ids.count - 6 ? "goes on" : "stuck")
    }

    /// `full DIRECTORY BYTES`: writes an item where a file may have no more than BYTES, and then, without that limit,
    /// another one.
    static func full(_ arguments: [String]) throws {
        let vault = try Vault.open(Corpus.configuration(arguments[0], finger: false))
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: try parsed(arguments[1]), rlim_max: .max)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        do {
            try vault.add(Corpus.item("too much", AccessControl(.whenUnlocked), version: 1))
            print("written")
        } catch {
            print("\(error)")
        }
        limit.rlim_cur = .max
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        try vault.add(Corpus.item("fits", AccessControl(.whenUnlocked), version: 1))
        print(try vault.items(ofClass: "genp").count)
    }
}

extension AccessControl {
    fileprivate init(_ accessibility: Accessibility) { self.init(unconstrained: accessibility) }
}
