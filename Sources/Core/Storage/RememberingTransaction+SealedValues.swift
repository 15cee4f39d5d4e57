import Foundation

extension RememberingTransaction {
    func sealedRows(
        in place: SealedPlace, after key: String?, except name: Data?, limit: Int
    ) throws -> [SealedRow] {
        try base.sealedRows(in: place, after: key, except: name, limit: limit)
    }

    func replaceSealed(_ present: Data, at address: SealedAddress, with sealed: Data) throws -> Bool {
        forgetAll()
        return try base.replaceSealed(present, at: address, with: sealed)
    }
}
