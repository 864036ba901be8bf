extension Dictionary where Value == Any {
  /// What a store's options or metadata say of a flag, which is a `Bool` or an `NSNumber`; nil if it isn't among them,
  /// or is something else.
  package func flag(_ option: Key) -> Bool? {
    let value = self[option]
    return value as? Bool ?? (value as? NSNumber)?.boolValue
  }
}

extension Dictionary where Key == AnyHashable, Value == Any {
  /// Whether a store's options ask for a history: by a flag, or by a dictionary. Any other value asks for none.
  package var tracksHistory: Bool {
    let value = self[NSPersistentHistoryTrackingKey]
    return flag(NSPersistentHistoryTrackingKey) ?? (value is NSDictionary || value is [AnyHashable: Any])
  }
}
