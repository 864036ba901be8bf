extension NSPersistentContainer: _WithDefaultDirectory {}

/// Containers, for `defaultDirectoryURL` without parentheses. A class can't have a property and a method of one name.
public protocol _WithDefaultDirectory {}

nonisolated extension _WithDefaultDirectory {
  /// Where stores live by default: what ``NSPersistentContainer/defaultDirectoryURL()`` of the class returns.
  public static var defaultDirectoryURL: URL { (Self.self as! NSPersistentContainer.Type).defaultDirectoryURL() }
}
