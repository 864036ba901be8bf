/// Where reading a format string failed, and what was expected there. `failure(in:)` makes of it what the module
/// throws.
struct PredicateSyntaxError: Error {
  /// UTF-8 offset into the format string.
  var offset: Int
  /// "expected …", and what was found where that helps.
  var what: String

  init(at offset: Int, _ what: String) {
    self.offset = offset
    self.what = what
  }
}
