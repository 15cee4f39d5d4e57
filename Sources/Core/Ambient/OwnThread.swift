import Foundation

/// Starts threads for work that blocks, and says where the system starts no more of them.
///
/// Foundation's `Thread` does not say it: its thread never runs, and callers would wait for ever for what it was to do.
package enum OwnThread {
    /// Starts a thread: ``start(_:stackSize:_:)``, or a test's stand-in.
    package typealias Starter =
        @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) throws(Shortage) -> Void

    /// The system starts no more threads.
    package struct Shortage: Error, Sendable, CustomStringConvertible {
        /// What `pthread_create` answered.
        let code: Int32

        package init(code: Int32 = EAGAIN) {
            self.code = code
        }

        package var description: String {
            "the system starts no more threads for this program (\(String(cString: strerror(code)))): raise its limit – ulimit -u, "
                + "TasksMax= of its service, the container's limit of pids – or end what else runs under it"
        }
    }

    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            (self.name, self.run) = (name, run)
        }
    }

    /// Runs the body on a thread that ends with it.
    /// - Parameters:
    ///   - name: as tools show it; on Linux they show fifteen bytes.
    ///   - stackSize: in bytes; the system's default where it is nil.
    package static func start(
        _ name: String, stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void
    ) throws(Shortage) {
        // In memory of its own, as no one module has the initializer of the type on every system.
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        var code = pthread_attr_init(attributes)
        guard code == 0 else { throw Shortage(code: code) }
        defer { pthread_attr_destroy(attributes) }
        if let stackSize { code = pthread_attr_setstacksize(attributes, stackSize) }
        guard code == 0 else { throw Shortage(code: code) }
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread: pthread_t = 0
        #endif
        let context = Unmanaged.passRetained(Body(name, body))
        code = pthread_create(
            &thread, attributes,
            { context in
                // An optional on one system alone.
                guard let context = context as UnsafeMutableRawPointer? else { return nil }
                let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
                Thread.current.name = body.name
                body.run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw Shortage(code: code)
        }
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }
}
