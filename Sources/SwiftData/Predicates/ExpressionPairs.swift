// How an expression of two others is coded: both in one array, in their order.

extension Decoder {
  func pair<First: Decodable, Second: Decodable>() throws -> (First, Second) {
    var container = try unkeyedContainer()
    return (try container.decode(First.self), try container.decode(Second.self))
  }
}

extension Encoder {
  func encodePair(_ first: some Encodable, _ second: some Encodable) throws {
    var container = unkeyedContainer()
    try container.encode(first)
    try container.encode(second)
  }
}
