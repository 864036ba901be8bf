import Foundation

/// Where reading a format string failed, and what was expected there. The parser makes a `Failure` of it.
struct PredicateSyntaxError: Error {
  /// UTF-8 offset into the format string.
  var offset: Int
  /// "expected …", and what was found where that helps.
  var what: String

  init(at offset: Int, _ what: String) {
    self.offset = offset
    self.what = what
  }

  /// The failure with the format string, the place counted in characters.
  func failure(in format: String) -> Failure {
    let index = format.utf8.index(format.startIndex, offsetBy: min(offset, format.utf8.count))
    let characters = format[..<index].count
    return .malformedPredicate(format: format, offset: characters, what: what)
  }
}
