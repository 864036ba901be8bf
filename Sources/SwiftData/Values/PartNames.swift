import Synchronization

/// Which part of a shape each key of a Codable conformance stands for.
///
/// The compiler's own conformance has a key for each stored property or case, which is called like it, whatever text is
/// written for it: `case text = "content"`. Parts are called like the properties, because key paths lead to these.
struct PartNames<Key: CodingKey> {
  /// The keys' own names by their texts, where both differ; empty for most types.
  private let renamed = namesByText(Key.self)

  /// The name of the part that a key stands for. A conformance that is written by hand may call its keys as it likes,
  /// and have the properties' names for their texts.
  func name(of key: Key, in values: PartValues) -> String {
    let text = key.stringValue
    guard !renamed.isEmpty, let name = renamed[text], values.shape?.part(named: name) != nil else { return text }
    return name
  }

  /// The key that stands for a part.
  func key(ofPart name: String) -> Key? {
    Key(stringValue: renamed.first { $0.value == name }?.key ?? name)
  }
}

private let known = Mutex<[ObjectIdentifier: [String: String]]>([:])

private func namesByText<Key: CodingKey>(_ type: Key.Type) -> [String: String] {
  if let names = known.withLock({ $0[ObjectIdentifier(type)] }) { return names }
  var names: [String: String] = [:]
  if let values = EnumerationCase.values(of: type), let cases = EnumerationCase.all(of: type) {
    for (value, item) in zip(values, cases) where value.stringValue != item.name {
      names[value.stringValue] = item.name
    }
  }
  known.withLock { $0[ObjectIdentifier(type)] = names }
  return names
}
