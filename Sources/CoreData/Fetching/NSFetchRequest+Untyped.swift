// Without Objective-C, a request of one result type can't be converted to one of another. All are laid out alike,
// because they refer to their results only by class.

extension NSFetchRequest {
  /// The request for callers that don't need its result type.
  final var untyped: NSFetchRequest<any NSFetchRequestResult> { asFetch }

  /// A copy, of the request's own class.
  final var twin: NSFetchRequest<ResultType> {
    unsafeDowncast(copy() as AnyObject, to: NSFetchRequest<ResultType>.self)
  }
}

extension NSPersistentStoreRequest {
  /// This request as a fetch request, which it has to be, of whatever result type.
  final var asFetch: NSFetchRequest<any NSFetchRequestResult> {
    unsafeBitCast(self as AnyObject, to: NSFetchRequest<any NSFetchRequestResult>.self)
  }
}
