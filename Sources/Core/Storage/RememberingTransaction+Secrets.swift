import Foundation

extension RememberingTransaction {
    func sealedSecret(_ name: String) throws -> Data? { try base.sealedSecret(name) }
    func putSealedSecret(_ name: String, _ sealed: Data) throws { try base.putSealedSecret(name, sealed) }
    func deleteSealedSecret(_ name: String) throws { try base.deleteSealedSecret(name) }
}
