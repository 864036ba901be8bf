import CoreData

/// The facts of an error that a report shows.
struct ErrorFacts {
  let error: NSError
  let surface: FaultOutcome.Surface
  let place: String
  private let cause: NSError?

  /// - Parameter place: the call that threw it, unless the error says so itself.
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

  /// Domains and codes: `NSCocoaErrorDomain 133020`, or `ManualStack 1 over NSCocoaErrorDomain 259`.
  var codes: String {
    var errors = [error]
    if let next = cause ?? error.userInfo[NSUnderlyingErrorKey] as? NSError { errors.append(next) }
    return errors.map { "\($0.domain) \($0.code)" }.joined(separator: " over ")
  }

  var message: String { error.localizedDescription }
}
