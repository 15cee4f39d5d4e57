import HTTPTypes
import ServerHTTP
import Testing

@Suite struct HeaderValueTests {
    @Test(arguments: [[], ["a"], [""], ["a", "b"], ["a", "", "b, c"]])
    func `A header's value is what all of its fields say together`(values: [String]) {
        for name in [HTTPField.Name.accept, .cookie] {
            var headers: HTTPFields = [.referer: "r"]
            for value in values { headers.append(HTTPField(name: name, value: value)) }
            headers.append(HTTPField(name: .userAgent, value: "u"))
            #expect(headers.value(of: name) == headers[name])
            #expect(
                headers.value(of: name)
                    == (values.isEmpty ? nil : values.joined(separator: name == .cookie ? "; " : ", ")))
        }
    }
}
