/// Encodes a value into the parts of its shape. Coding keys stand for stored properties or cases; see ``PartNames``.
/// Values that encode themselves without keys, such as `CGPoint`, fill the parts by position.
struct ShapeEncoder: Encoder {
  let target: PartValues
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed<Key>(target: target))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { Positional(target: target) }
  func singleValueContainer() -> any SingleValueEncodingContainer { Single(target: target) }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let target: PartValues
    private let names = PartNames<Key>()
    var codingPath: [any CodingKey] { [] }

    init(target: PartValues) { self.target = target }

    private func name(_ key: Key) -> String { names.name(of: key, in: target) }

    mutating func encodeNil(forKey key: Key) throws { _ = try target.part(name(key)) }
    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      try target.set(value, target.part(name(key)))
    }
    mutating func nestedContainer<Inner: CodingKey>(
      keyedBy _: Inner.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Inner> {
      KeyedEncodingContainer(ShapeEncoder.Keyed<Inner>(target: target.opening(name(key))))
    }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      Positional(target: target.opening(name(key)))
    }
    // No stored property belongs to what is encoded there, so it is refused.
    mutating func superEncoder() -> any Encoder { ShapeEncoder(target: PartValues(nil)) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { ShapeEncoder(target: PartValues(nil)) }
  }

  private struct Positional: UnkeyedEncodingContainer {
    let target: PartValues
    var codingPath: [any CodingKey] { [] }
    private(set) var count = 0

    init(target: PartValues) { self.target = target }

    mutating func encodeNil() throws {
      _ = try target.part(at: count)
      count += 1
    }
    mutating func encode<T: Encodable>(_ value: T) throws {
      try target.set(value, target.part(at: count))
      count += 1
    }
    mutating func nestedContainer<Inner: CodingKey>(keyedBy _: Inner.Type) -> KeyedEncodingContainer<Inner> {
      defer { count += 1 }
      let name = (try? target.part(at: count))?.name
      return KeyedEncodingContainer(Keyed<Inner>(target: name.map(target.opening) ?? PartValues(nil)))
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      defer { count += 1 }
      let name = (try? target.part(at: count))?.name
      return Positional(target: name.map(target.opening) ?? PartValues(nil))
    }
    mutating func superEncoder() -> any Encoder { ShapeEncoder(target: PartValues(nil)) }
  }

  /// For a struct with one stored property that encodes itself as that single value.
  private struct Single: SingleValueEncodingContainer {
    let target: PartValues
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil() throws { _ = try target.onlyPart() }
    mutating func encode<T: Encodable>(_ value: T) throws { try target.set(value, target.onlyPart()) }
  }
}

/// Decodes a value from the parts of its shape.
struct ShapeDecoder: Decoder {
  let source: PartValues
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed<Key>(source: source))
  }
  func unkeyedContainer() -> any UnkeyedDecodingContainer { Positional(source: source) }
  func singleValueContainer() -> any SingleValueDecodingContainer { Single(source: source) }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let source: PartValues
    private let names = PartNames<Key>()
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { source.values.keys.compactMap(names.key(ofPart:)) }

    init(source: PartValues) { self.source = source }

    private func name(_ key: Key) -> String { names.name(of: key, in: source) }

    func contains(_ key: Key) -> Bool { source.stored(name(key)) != nil }
    func decodeNil(forKey key: Key) -> Bool { source.stored(name(key)) == nil }
    func decode<T: Decodable>(_: T.Type, forKey key: Key) throws -> T {
      try source.value(T.self, source.part(name(key)))
    }
    func nestedContainer<Inner: CodingKey>(
      keyedBy _: Inner.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> {
      KeyedDecodingContainer(ShapeDecoder.Keyed<Inner>(source: source.opened(name(key))))
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      Positional(source: source.opened(name(key)))
    }
    func superDecoder() throws -> any Decoder { throw ValueProblem("a value type has no super") }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw ValueProblem("a value type has no super") }
  }

  private struct Positional: UnkeyedDecodingContainer {
    let source: PartValues
    var codingPath: [any CodingKey] { [] }
    var count: Int? { source.shape?.parts.count ?? 0 }
    var isAtEnd: Bool { currentIndex >= count ?? 0 }
    private(set) var currentIndex = 0

    init(source: PartValues) { self.source = source }

    mutating func decodeNil() throws -> Bool {
      guard source.values[try source.part(at: currentIndex).name] == nil else { return false }
      currentIndex += 1
      return true
    }
    mutating func decode<T: Decodable>(_: T.Type) throws -> T {
      let value = try source.value(T.self, source.part(at: currentIndex))
      currentIndex += 1
      return value
    }
    mutating func nestedContainer<Inner: CodingKey>(keyedBy _: Inner.Type) throws -> KeyedDecodingContainer<Inner> {
      let part = try source.part(at: currentIndex)
      currentIndex += 1
      return KeyedDecodingContainer(Keyed<Inner>(source: source.opened(part.name)))
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      let part = try source.part(at: currentIndex)
      currentIndex += 1
      return Positional(source: source.opened(part.name))
    }
    mutating func superDecoder() throws -> any Decoder { throw ValueProblem("a value type has no super") }
  }

  private struct Single: SingleValueDecodingContainer {
    let source: PartValues
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { (try? source.onlyPart()).map { source.values[$0.name] == nil } ?? true }
    func decode<T: Decodable>(_: T.Type) throws -> T { try source.value(T.self, source.onlyPart()) }
  }
}

extension PartValues {
  fileprivate func onlyPart() throws -> ValueShape.Part {
    guard let shape, shape.parts.count == 1 else {
      throw ValueProblem("the type has several stored properties, but is encoded as a single value")
    }
    return shape.parts[0]
  }
}
