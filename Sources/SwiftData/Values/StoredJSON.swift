import Foundation

/// The JSON in which collections, and values that can't be taken apart, are stored. It has words for the numbers that
/// JSON has none for.
enum StoredJSON {
  private static let (infinity, minusInfinity, nan) = ("inf", "-inf", "nan")

  static func data(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: infinity, negativeInfinity: minusInfinity, nan: nan)
    return try encoder.encode(value)
  }

  static func value<Value: Decodable>(_: Value.Type, _ data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: infinity, negativeInfinity: minusInfinity, nan: nan)
    return try decoder.decode(Value.self, from: data)
  }
}
