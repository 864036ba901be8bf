extension [AnyHashable: Any] {
  /// What a store's options say of a flag, which is a `Bool` or an `NSNumber`; nil if it isn't among them, or is
  /// something else.
  package func flag(_ option: String) -> Bool? {
    let value = self[option]
    return value as? Bool ?? (value as? NSNumber)?.boolValue
  }
}
