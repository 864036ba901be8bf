import CoreData

/// What there is to say of an error.
struct ErrorFacts {
  let error: NSError
  let surface: FaultOutcome.Surface
  let place: String
  private let cause: NSError?

  /// - Parameter place: The call that threw it, if it doesn't say so itself.
  init(_ error: any Error, at place: String = "") {
    if let surfaced = error as? SurfacedError {
      self.error = surfaced.underlying as NSError
      surface = surfaced.surface
      self.place = surfaced.place
      cause = surfaced.cause
    } else {
      self.error = error as NSError
      surface = .thrown
      self.place = place
      cause = nil
    }
  }

  var isConflict: Bool { error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectMergeError }

  /// `NSCocoaErrorDomain 133020`; `ManualStack 1 over NSCocoaErrorDomain 259`.
  var codes: String {
    var errors = [error]
    if let next = cause ?? error.userInfo[NSUnderlyingErrorKey] as? NSError { errors.append(next) }
    return errors.map { "\($0.domain) \($0.code)" }.joined(separator: " over ")
  }

  var message: String { error.localizedDescription }
}
