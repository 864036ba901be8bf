extension Dictionary where Value == Any {
  /// What a store's options or metadata say of a flag, which is a `Bool` or an `NSNumber`; nil if it isn't among them,
  /// or is something else.
  package func flag(_ option: Key) -> Bool? {
    let value = self[option]
    return value as? Bool ?? (value as? NSNumber)?.boolValue
  }
}
