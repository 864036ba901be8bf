import Foundation

/// Makes the text that `print` writes for an `NSError` readable.
package enum ErrorText {
  /// Replaces every `Error Domain=NSCocoaErrorDomain Code=1570 "(null)"UserInfo={…}` in a text by the error's sentence,
  /// followed by domain and code in brackets. The rest of the text stays as it is.
  package static func readable(_ text: String) -> String {
    var text = text
    var place = text.startIndex
    while let head = text[place...].firstMatch(of: #/Error Domain=([^ ]+) Code=(-?\d+) "((?:[^"\\]|\\.)*)" ?/#) {
      var end = head.range.upperBound
      var info: Substring = ""
      if text[end...].hasPrefix("UserInfo={") {
        let start = text.index(end, offsetBy: "UserInfo={".count)
        let close = endOfBraces(in: text[start...])
        info = text[start..<close]
        end = close == text.endIndex ? close : text.index(after: close)
      }
      let words = sentence(info) ?? (head.3 == "(null)" ? nil : String(head.3))
      let code = "\(head.1) \(head.2)"
      let replacement = words.map { "\($0) (\(code))" } ?? code
      let offset = text.distance(from: text.startIndex, to: head.range.lowerBound) + replacement.count
      text.replaceSubrange(head.range.lowerBound..<end, with: replacement)
      place = text.index(text.startIndex, offsetBy: offset)
    }
    return text
  }

  /// The position of the brace that closes the one before the text.
  private static func endOfBraces(in text: Substring) -> String.Index {
    var depth = 1
    for index in text.indices {
      if text[index] == "{" { depth += 1 }
      if text[index] == "}" { depth -= 1 }
      if depth == 0 { return index }
    }
    return text.endIndex
  }

  private static let keys = ["NSLocalizedDescription", "NSLocalizedFailureReason"]

  /// The error's sentence from `KEY=VALUE, KEY=VALUE`. A value ends where the next key begins.
  private static func sentence(_ info: Substring) -> String? {
    var sentences: [String] = []
    for key in keys {
      guard let start = info.firstRange(of: key + "=")?.upperBound else { continue }
      let value = info[start...]
      let end = value.firstMatch(of: #/, [A-Za-z]\w*=/#)?.range.lowerBound ?? value.endIndex
      let words = value[..<end].trimmingCharacters(in: .whitespacesAndNewlines.union(["\""]))
      if !words.isEmpty, !sentences.contains(where: { $0.contains(words) }) { sentences.append(words) }
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }
}
