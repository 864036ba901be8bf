import Foundation

/// Under this key an error has several others that it came of. Foundation on Linux lacks the name.
public let NSMultipleUnderlyingErrorsKey = "NSMultipleUnderlyingErrorsKey"

extension NSError {
  /// The errors that this one came of: those under `NSMultipleUnderlyingErrorsKey` and `NSUnderlyingErrorKey`. Should
  /// Foundation on Linux get it, its own is used.
  @_disfavoredOverload
  public var underlyingErrors: [any Error] {
    let several = userInfo[NSMultipleUnderlyingErrorsKey] as? [any Error] ?? []
    return several + [userInfo[NSUnderlyingErrorKey] as? any Error].compactMap { $0 }
  }
}
