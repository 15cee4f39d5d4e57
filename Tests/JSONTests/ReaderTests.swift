import JSON
import Testing

@Suite("JSON text that is read straight into fields")
struct ReaderTests {
    private struct Event: Equatable {
        var name = ""
        var at: Int64 = 0
        var weight = 0.0
        var isOpen = false
        var tags: [String] = []
        var secret: [UInt8] = []
        var more: [String: JSONValue]?

        init() {}

        init(_ json: inout JSONReader) throws(JSONFault) {
            try json.beginObject()
            while let member = try json.nextMember() {
                switch member {
                case "name": name = try json.string()
                case "at": at = try json.integer()
                case "weight": weight = try json.number()
                case "isOpen": isOpen = try json.bool()
                case "tags":
                    try json.beginArray()
                    while try json.nextElement() { tags.append(try json.string()) }
                case "secret": secret = try json.base64()
                case "more": more = json.isNull() ? nil : try json.object()
                default: try json.skip()
                }
            }
        }

        func write(to json: inout JSONWriter) throws {
            json.beginObject()
            json.name("at")
            json.write(at)
            json.name("isOpen")
            json.write(isOpen)
            if let more {
                json.name("more")
                try json.write(more)
            }
            json.name("name")
            json.write(name)
            json.name("secret")
            json.writeBase64(secret)
            json.name("tags")
            json.beginArray()
            for tag in tags { json.write(tag) }
            json.endArray()
            json.name("weight")
            try json.write(weight)
            json.endObject()
        }
    }

    private static let full: Event = {
        var event = Event()
        event.name = "Größe \"\\\u{1}\n"
        event.at = .min
        event.weight = 817_000_000.123_456_5
        event.isOpen = true
        event.tags = ["", "a/b", "🔐"]
        event.secret = Array(240...255)
        event.more = ["deep": .array([.object(["x": .null]), .number(0.5), .bool(false)]), "": .integer(-7)]
        return event
    }()

    private func read(_ text: String) throws(JSONFault) -> Event {
        var reader = try JSONReader(Array(text.utf8))
        let event = try Event(&reader)
        try reader.end()
        return event
    }

    @Test
    func `What was written member by member is read back, and is what a tree is read from`() throws {
        var writer = JSONWriter()
        try Self.full.write(to: &writer)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(try read(text) == Self.full)
        let tree = try JSONParser.parse(writer.bytes)
        #expect(tree["name"]?.stringValue == Self.full.name && tree["at"] == .integer(.min))
        #expect(try String(decoding: tree.jsonText(), as: UTF8.self) == text)
    }

    @Test(
        arguments: [
            #" { "later" : [1,{"a":[]},"\"",null,true,-1e5] , "at" : 7 , "latest":{} } "#,
            #"{"at":7.0,"more":null}"#, #"{"at":70e-1,"tags":[ ]}"#, #"{"at":1,"at":7}"#, #"{"\u0061t":7}"#,
        ])
    func `Members of a later version are passed over, and space and spelling do not matter`(text: String) throws {
        var expected = Event()
        expected.at = 7
        #expect(try read(text) == expected)
    }

    @Test(
        arguments: [
            "", "[]", "{", #"{"at"}"#, #"{"at":}"#, #"{"at":7,}"#, #"{"at":7 "name":""}"#, #"{"at":7.5}"#,
            #"{"at":1e30}"#, #"{"at":"7"}"#, #"{"name":7}"#, #"{"isOpen":1}"#, #"{"isOpen":tru}"#, #"{"tags":{}}"#,
            #"{"tags":[""#, #"{"tags":["a" "b"]}"#, #"{"tags":["a",]}"#, #"{"secret":"a"}"#, #"{"secret":"a b="}"#,
            #"{"more":[]}"#, #"{"more":{"a":1,"a":2}}"#, #"{"x":[}"#, #"{"x":nul}"#, #"{} {}"#,
        ])
    func `What is not what the caller expects is a fault`(text: String) {
        #expect(throws: JSONFault.self) { try read(text) }
    }

    @Test
    func `Numbers of every length are the nearest that there is`() throws {
        for text in [
            "0.1", "817000000.1234565", "123456789012345.6", "9007199254740993.0", "0.30000000000000004", "1e22",
            "5e-324",
            "1.7976931348623157e308", "0.00000000000000000000001", "9007199254740992.5", "-3.25",
            "100000000000000000000000.5",
        ] {
            var reader = try JSONReader(Array(text.utf8))
            #expect(try reader.number() == Double(text))
        }
    }

    @Test
    func `Damaged text is read or refused, and never ends the program`() throws {
        var writer = JSONWriter()
        try Self.full.write(to: &writer)
        let whole = writer.bytes
        var generator = SplitMix(state: 12)
        var refused = 0
        for _ in 0..<30_000 {
            var damaged = whole
            for _ in 0...Int(generator.next() % 3) {
                let place = Int(generator.next() % UInt64(damaged.count))
                switch generator.next() % 4 {
                case 0: damaged[place] = UInt8(truncatingIfNeeded: generator.next())
                case 1: damaged.remove(at: place)
                case 2: damaged.insert(Array(#"{}[]",:\0-e"#.utf8)[Int(generator.next() % 11)], at: place)
                default: damaged.removeSubrange(place...)
                }
                if damaged.isEmpty { damaged = [0x7B] }
            }
            do {
                var reader = try JSONReader(damaged)
                _ = try Event(&reader)
                try reader.end()
            } catch { refused += 1 }
        }
        #expect(refused > 15_000 && refused < 30_000)
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }
}
