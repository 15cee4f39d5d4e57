/// What a TPM has, and what is in it.
extension Conversation {
    /// Whether the TPM has these parameters (Part 3, clause 30.3).
    func supports(_ kind: PublicArea.Kind) throws(TPMError) -> Bool {
        let parameters = WireWriter.bytes { writer in
            switch kind {
            case .rsaSigning: writer.put(Algorithm.rsa)
            case .storage, .eccSigning: writer.put(Algorithm.ecc)
            case .sealedData: writer.put(Algorithm.keyedHash)
            }
            PublicArea.parameters(of: kind, into: &writer)
        }
        do throws(TPMError) {
            _ = try noting { () throws(TPMError) in
                try channel.execute(Command(code: .testParms, parameters: parameters))
            }
            return true
        } catch .refused(let code, _) where code.base & 0x080 != 0 {
            // Format 1: the TPM complains about the parameter, which is the answer.
            return false
        } catch .refused(let code, _) where code.base == TPMResponseCode.commandCode {
            // A chip without the command: making the key will show.
            return true
        }
    }

    /// Reads properties (Part 3, clause 30.2; Part 2, TPM_PT), from the first one to the last, in as many answers as
    /// the TPM likes to give.
    func properties(_ range: ClosedRange<UInt32>) throws(TPMError) -> [UInt32: UInt32] {
        var found: [UInt32: UInt32] = [:]
        var next = range.lowerBound
        while next <= range.upperBound {
            let (more, page) = try capability(6, from: next, count: range.upperBound - next + 1) {
                (reader) throws(WireReader.Fault) -> (UInt32, UInt32) in
                (try reader.uint32(), try reader.uint32())
            }
            // Each page goes on where the last one ended, so that an odd TPM cannot keep us here.
            guard let last = page.last?.0, last >= next else { break }
            for (property, value) in page where range.contains(property) { found[property] = value }
            guard more, last < range.upperBound else { break }
            next = last + 1
        }
        return found
    }

    /// Every object and HMAC session that is in the TPM now.
    func loadedHandles() throws(TPMError) -> Set<Handle> {
        var found: Set<Handle> = []
        for first: UInt32 in [0x8000_0000, 0x0200_0000] {
            let (_, handles) = try capability(1, from: first, count: 64) {
                (reader) throws(WireReader.Fault) -> Handle in Handle(try reader.uint32())
            }
            found.formUnion(handles.filter { $0.isTransient || $0.isHMACSession })
        }
        return found
    }

    private func capability<Item>(
        _ capability: UInt32, from first: UInt32, count: UInt32,
        _ item: (inout WireReader) throws(WireReader.Fault) -> Item
    ) throws(TPMError) -> (more: Bool, items: [Item]) {
        let response = try noting { () throws(TPMError) in
            try channel.execute(
                Command(
                    code: .getCapability,
                    parameters: WireWriter.bytes {
                        $0.put(capability)
                        $0.put(first)
                        $0.put(count)
                    }))
        }
        return try reading(.getCapability, response.parameters) {
            (reader) throws(WireReader.Fault) -> (more: Bool, items: [Item]) in
            let more = try reader.uint8() != 0
            guard try reader.uint32() == capability else { throw WireReader.Fault(what: "another capability") }
            let count = try reader.uint32()
            guard count <= 1024 else { throw WireReader.Fault(what: "\(count) entries") }
            var items: [Item] = []
            for _ in 0..<count { items.append(try item(&reader)) }
            try reader.finish()
            return (more, items)
        }
    }
}
