import Foundation

/// Runs `body`, and turns a `Failure` that it throws into the `NSError` that a program sees.
package func publicErrors<Value>(_ body: () throws -> Value) throws -> Value {
  do { return try body() } catch let failure as Failure { throw failure.nsError }
}

extension Error {
  /// The error that a program sees.
  package var publicError: NSError { (self as? Failure)?.nsError ?? self as NSError }
}
