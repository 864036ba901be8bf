import Foundation

/// What Foundation has against a record's JSON, in words for the person who wrote it.
struct JSONFault: CustomStringConvertible {
  let description: String

  /// - Parameter error: Of `JSONSerialization`; what it says is under a key for debugging, since no user was to see it.
  init(_ error: any Error, in raw: JSONRecordReader.RawRecord) {
    let words = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String ?? ""
    if let match = words.wholeMatch(of: #/Number (.*) is not representable in Swift\./#) {
      description = "the number \(match.1) in it is too large to be kept"
    } else if words.hasPrefix("Too many nested") {
      description = "lists and objects in it are nested more than 512 deep"
    } else if let match = words.wholeMatch(of: #/(.*) around character (\d+)\./#), let place = Int(match.2) {
      // Counted in bytes, from 0; behind the fault, more often than on it.
      let line = raw.line + raw.bytes.prefix(place).reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
      let words = Self.words(raw.bytes, place)
      description = "it is not well-formed JSON: \(match.1.lowercased()) on line \(line), near \(words)"
    } else {
      let reason = words.isEmpty ? error.localizedDescription : words
      description = "it is not well-formed JSON: \(reason.lowercased().trimmingCharacters(in: ["."]))"
    }
  }

  /// Some whole words before a place and behind it.
  private static func words(_ bytes: Data, _ place: Int) -> String {
    let start = max(0, place - 24)
    var words = String(decoding: bytes.dropFirst(start).prefix(48), as: UTF8.self)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isWhitespace)
    if start > 0, words.count > 2 { words.removeFirst() }
    if start + 48 < bytes.count, words.count > 2 { words.removeLast() }
    return words.filter { !$0.isEmpty }.joined(separator: " ")
  }
}
