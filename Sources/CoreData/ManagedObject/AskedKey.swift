/// A key that a predicate asks an object about. An unknown one is the predicate's error, which can be thrown; asked for
/// otherwise, it ends the program.
// Used by the thread that asks.
final class AskedKey: @unchecked Sendable {
  @TaskLocal static var current: AskedKey?
  var isUndefined = false
}
