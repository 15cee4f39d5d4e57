import HTMLText

/// QR codes (ISO/IEC 18004) as pictures in a page.
public enum SVGQRCode {
    /// The code as an `svg` element that a page can have inside, without a script or a style of its own: dark modules on
    /// white, whatever the colours of the page, with the border of four modules that the standard asks for.
    ///
    /// Errors are corrected at level M (15 %). The size is the page's to say; the element scales.
    /// - Parameters:
    ///   - text: at most 2,331 bytes of UTF-8, not empty, without zero bytes.
    ///   - label: what a screen reader says instead of the picture. Escaped here.
    /// - Throws: ``QRCodeError``.
    public static func render(_ text: String, label: String) throws -> String {
        let matrix = try QRMatrix(text).surrounded(by: 4)
        let width = matrix.width
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                guard matrix[row, column] else {
                    column += 1
                    continue
                }
                let start = column
                while matrix[row, column] { column += 1 }
                path += "M\(start) \(row)h\(column - start)v1h-\(column - start)z"
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" class="qr" role="img" aria-label="\(HTMLText.escaped(label))" \
            viewBox="0 0 \(width) \(width)" shape-rendering="crispEdges">\
            <rect width="\(width)" height="\(width)" fill="#fff"/><path d="\(path)" fill="#000"/></svg>
            """
    }
}
