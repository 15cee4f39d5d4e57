import CountersignCore
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

extension ServerResponder {
    /// What connections call for each request: answers it, with the date, and writes the answer.
    ///
    /// Hummingbird's `Application` makes for each request a logger with its name, binds it to the task, and calls generic code. Here the name is
    /// a number until the log is asked for it (``CountersignRequestContext/logger``), no code asks for the task's logger, and the calls are plain
    /// ones.
    /// - Parameter logger: the server's.
    public func answering(logger: Logger) -> HTTPChannelHandler.Responder {
        let dates = AnswerDates()
        return { [self] (request, writer: consuming ResponseWriter, channel) in
            let context = CountersignRequestContext(
                ApplicationRequestContextSource(channel: channel, logger: logger), number: RequestID())
            let response = try await answer(request, context, dates)
            do {
                try await writer.write(response: response.head, body: response.body)
            } catch is HTTPParserError {
                // As what was parsed it would be answered, a second time.
                throw AnswerFault()
            }
        }
    }

    private func answer(
        _ request: Request, _ context: CountersignRequestContext, _ dates: AnswerDates
    ) async throws -> Response {
        var response: Response
        do {
            response = try await respond(to: request, context: context)
        } catch let error as HTTPParserError {
            // The connection answers it.
            throw error
        } catch {
            // A failure that could not be put into words: RequestPassage has told the log of it.
            response = Response(status: .internalServerError)
        }
        // RFC 9110, section 6.6.1.
        response.headers[.date] = dates.present
        return response
    }

    /// An answer could not be written, as its request turned out to be none.
    private struct AnswerFault: Error {}
}

/// The field `Date` of answers, put into words once a second. It is the machine's time, whatever time the realm goes by.
final class AnswerDates: Sendable {
    private let clock: any WallClock
    private let known = Mutex<(second: Int64, text: String)>((.min, ""))

    init(clock: any WallClock = SystemClock()) { self.clock = clock }

    var present: String {
        let second = clock.now.seconds
        return known.withLock { known in
            if known.second != second { known = (second, HTTPDate.text(of: second)) }
            return known.text
        }
    }
}
