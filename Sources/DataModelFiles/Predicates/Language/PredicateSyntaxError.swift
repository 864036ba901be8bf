/// The place at which a format string can't be read, and what was expected there. `failure(in:)` turns it into the
/// error that the module throws.
struct PredicateSyntaxError: Error {
  /// The offset in the format string, in UTF-8 bytes.
  var offset: Int
  /// "expected …", and, where it helps, what was found.
  var what: String

  init(at offset: Int, _ what: String) {
    self.offset = offset
    self.what = what
  }
}
