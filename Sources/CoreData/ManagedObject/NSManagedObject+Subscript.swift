nonisolated extension NSManagedObject {
  /// The value of a property by its name. It is read by ``value(forKey:)`` and set by ``setValue(_:forKey:)``.
  ///
  ///     object["pages"] = 320
  ///     let pages = object["pages"] as? Int  // 320
  public final subscript(key: String) -> Any? {
    get { value(forKey: key) }
    set { setValue(newValue, forKey: key) }
  }
}
