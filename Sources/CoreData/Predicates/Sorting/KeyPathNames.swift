import Foundation

/// A class whose Swift key paths have names that it knows itself.
protocol KeyPathNaming: AnyObject {
  /// The properties' names along `keyPath`; nil if it does not know them.
  static func names(of keyPath: AnyKeyPath) -> [String]?
}

/// The names of the properties along a Swift key path.
///
/// Swift has no function for this, but a key path's description has the names; see `KeyPathDescription`.
enum KeyPathNames {
  // Under `lock`: key paths are few, descriptions and symbol look-ups slow.
  nonisolated(unsafe) private static var known: [AnyKeyPath: [String]] = [:]
  private static let lock = NSLock()

  /// Throws `Failure.malformedFetchRequest` for a key path whose names can't be found, because it goes through a
  /// subscript or the program has no symbols.
  static func path(of keyPath: AnyKeyPath) throws -> [String] {
    if let names = lock.withLock({ known[keyPath] }) { return names }
    let names = try find(keyPath)
    lock.withLock { known[keyPath] = names }
    return names
  }

  private static func find(_ keyPath: AnyKeyPath) throws -> [String] {
    if let owner = type(of: keyPath).rootType as? any KeyPathNaming.Type, let names = owner.names(of: keyPath) {
      return names
    }
    var description = "\(keyPath)"
    if TextOrderStep.selector(of: keyPath) != nil, let step = description.range(of: ".<", options: .backwards) {
      description = String(description[..<step.lowerBound])
    }
    if let names = KeyPathDescription.names(in: description) { return names }
    throw SortKey.unsupported(
      "the key path \(description) has no name that could be found; use NSSortDescriptor(key:ascending:)")
  }
}

extension AnyKeyPath {
  /// The names of the properties along the key path, as `"author.name"`; nil if they can't be found.
  ///
  ///     let predicate = NSPredicate(format: "%K == %@", (\Book.title)._kvcKeyPathString!, "Solaris")
  ///
  /// It takes the place of Swift's own, which is nil for every key path where there is no Objective-C.
  public var _kvcKeyPathString: String? { (try? KeyPathNames.path(of: self))?.joined(separator: ".") }
}
