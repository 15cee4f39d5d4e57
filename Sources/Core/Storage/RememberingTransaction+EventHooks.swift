extension RememberingTransaction {
    func eventHooks() throws -> [EventHook] { try base.eventHooks() }
    func insert(_ hook: EventHook) throws -> Bool { try base.insert(hook) }
    func update(_ hook: EventHook) throws -> Bool { try base.update(hook) }
    func deleteEventHook(_ id: String) throws -> Bool { try base.deleteEventHook(id) }
}
