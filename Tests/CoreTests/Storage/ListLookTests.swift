import CountersignCore
import Testing

/// A list of numbers, which stands for a table.
private struct Numbers {
    var rows: [Int]
    /// Rows that were read.
    var read = 0

    mutating func answer(_ range: ListRange<Int>) -> [Int] {
        let ordered = range.isBackwards ? rows.sorted(by: >) : rows.sorted()
        let rest = ordered.filter { row in
            range.key.map { range.isBackwards ? row < $0 : row > $0 } ?? true
        }
        let answer = Array(rest.prefix(range.limit))
        read += answer.count
        return answer
    }

    mutating func page(
        _ range: ListRange<Int>, most: Int? = nil, chunk: Int = 250, where isShown: (Int) -> Bool = { _ in true }
    ) -> ListPage<Int, Int> {
        range.page(most: most, chunk: chunk, key: \.self) {
            answer($0)
        } show: {
            isShown($0) ? $0 : nil
        }
    }

    /// From the first page to the last, and back again.
    mutating func walk(
        limit: Int, most: Int? = nil, chunk: Int = 250, where isShown: (Int) -> Bool = { _ in true }
    ) -> (there: [[Int]], back: [[Int]]) {
        func next(_ edge: ListEdge<Int>?, isBackwards: Bool) -> ListRange<Int>? {
            switch edge {
            case .row(let key): ListRange(key, isBackwards: isBackwards, limit: limit)
            case .end: ListRange(isBackwards: isBackwards, limit: limit)
            case nil: nil
            }
        }
        var page = page(ListRange(limit: limit), most: most, chunk: chunk, where: isShown)
        #expect(page.previous == nil, "the first page has nothing before it")
        var there = [page.rows]
        while let range = next(page.next, isBackwards: false), there.count < 10_000 {
            page = self.page(range, most: most, chunk: chunk, where: isShown)
            there.append(page.rows)
        }
        var back = [page.rows]
        while let range = next(page.previous, isBackwards: true), back.count < 10_000 {
            page = self.page(range, most: most, chunk: chunk, where: isShown)
            back.append(page.rows)
        }
        return (there, back.reversed())
    }
}

@Suite struct ListLookTests {
    @Test func `Pages are full but for the last, and the way back shows the same pages`() {
        for count in [0, 1, 2, 6, 7, 8, 14, 15, 100] {
            for limit in [1, 2, 7, 50] {
                var numbers = Numbers(rows: Array(0..<count))
                let (there, back) = numbers.walk(limit: limit)
                #expect(there.flatMap(\.self) == Array(0..<count))
                #expect(there.count == max(1, (count + limit - 1) / limit), "\(count) by \(limit)")
                #expect(back == there, "\(count) by \(limit)")
            }
        }
    }

    @Test func `A page reads its rows, one more, and one on its other side`() {
        var numbers = Numbers(rows: Array(0..<1000))
        _ = numbers.page(ListRange(500, limit: 50))
        #expect(numbers.read == 52)
        numbers.read = 0
        _ = numbers.page(ListRange(limit: 50))
        #expect(numbers.read == 51)
    }

    @Test func `The first page has none before it and the last none after it, whatever came and went meanwhile`() {
        var numbers = Numbers(rows: Array(0..<20))
        // The page before was removed as a whole: the second is the first now.
        var second = numbers.page(ListRange(9, limit: 10))
        #expect(second.previous == .row(10) && second.next == nil)
        numbers.rows.removeAll { $0 < 10 }
        second = numbers.page(ListRange(9, limit: 10))
        #expect(second.rows == Array(10..<20) && second.previous == nil && second.next == nil)
        // One comes before it, and one after it.
        numbers.rows += [3, 30]
        second = numbers.page(ListRange(9, limit: 10))
        #expect(second.rows == Array(10..<20))
        #expect(second.previous == .row(10) && second.next == .row(19))
        let first = numbers.page(ListRange(10, isBackwards: true, limit: 10))
        #expect(first.rows == [3] && first.previous == nil && first.next == .row(3))
    }

    @Test func `An empty page leads to the end of the list that it lies behind, and nowhere in an empty list`() {
        var numbers = Numbers(rows: Array(0..<20))
        let behind = numbers.page(ListRange(19, limit: 5))
        #expect(behind.rows.isEmpty && behind.previous == .end && behind.next == nil)
        let before = numbers.page(ListRange(0, isBackwards: true, limit: 5))
        #expect(before.rows.isEmpty && before.next == .end && before.previous == nil)
        // Where the ends lead to.
        let last = numbers.page(ListRange(isBackwards: true, limit: 5))
        #expect(last.rows == [15, 16, 17, 18, 19] && last.next == nil && last.previous == .row(15))
        numbers.rows = []
        let empty = numbers.page(ListRange(7, limit: 5))
        #expect(empty.rows.isEmpty && empty.previous == nil && empty.next == nil)
    }

    @Test func `A filter lets each row through once in both directions, however far apart they are`() {
        for (every, limit, most, chunk) in [
            (1, 7, 50, 10), (3, 7, 50, 10), (10, 2, 20, 7), (10, 2, 20, 1), (25, 5, 10, 10), (300, 5, 20, 250),
        ] {
            var numbers = Numbers(rows: Array(0..<200))
            let expected = Array(stride(from: 0, to: 200, by: every))
            let (there, back) = numbers.walk(limit: limit, most: most, chunk: chunk) { $0.isMultiple(of: every) }
            #expect(there.flatMap(\.self) == expected, "every \(every)")
            #expect(back.flatMap(\.self) == expected, "every \(every), back")
            #expect(there.allSatisfy { $0.count <= limit })
        }
    }

    @Test func `A look ends at its bound, and says so only where more follows`() {
        var numbers = Numbers(rows: Array(0..<100))
        var page = numbers.page(ListRange(limit: 5), most: 20, chunk: 8) { $0 > 90 }
        #expect(page.rows.isEmpty && page.next == .row(19) && page.previous == nil)
        #expect(numbers.read == 21)
        // Exactly as many as are looked through, and nothing behind them.
        numbers.rows = Array(0..<20)
        page = numbers.page(ListRange(limit: 5), most: 20, chunk: 8) { $0 > 90 }
        #expect(page.rows.isEmpty && page.next == nil && page.previous == nil)
        // Nothing that is shown lies before the page.
        numbers.rows = Array(0..<100)
        page = numbers.page(ListRange(50, limit: 5), most: 100) { $0 > 50 }
        #expect(page.rows == [51, 52, 53, 54, 55] && page.previous == nil && page.next == .row(55))
        // As far as was looked.
        page = numbers.page(ListRange(50, limit: 5), most: 20) { $0 > 50 }
        #expect(page.previous == .row(51))
    }

    @Test func `Beside a page as much is read at once as on it, and not more than a thousand rows`() {
        for (most, chunk, reads) in [(5000, 1000, 3), (5000, 250, 9), (600, 250, 8)] {
            var numbers = Numbers(rows: Array(0..<3000))
            var count = 0
            let page: ListPage<Int, Int> = ListRange(2000, limit: 5).page(most: most, chunk: chunk, key: \.self) {
                count += 1
                return numbers.answer($0)
            } show: {
                $0 > 2000 && $0 <= 2003 ? $0 : nil
            }
            #expect(page.rows == [2001, 2002, 2003] && page.previous == .row(2001))
            #expect(count <= reads, "\(most) by \(chunk): \(count)")
        }
    }

    @Test func `No page has more than a thousand rows, and none has none`() {
        var numbers = Numbers(rows: Array(0..<3000))
        for (limit, count) in [(Int.max, 1000), (1000, 1000), (0, 1), (-1, 1)] {
            let page = numbers.page(ListRange(limit: limit))
            #expect(page.rows.count == count, "\(limit)")
        }
    }
}
