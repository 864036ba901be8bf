import Foundation

/// A constant of a model in an archive: plain numbers and strings stand for themselves, the rest are objects.
enum ArchivedValue {
  /// - Parameter type: the attribute's type; it tells a Boolean from a number, a decimal from a double.
  static func read(_ value: KeyedArchive.Value, type: DataModel.AttributeType) -> DataModel.Value? {
    guard let scalar = value.scalar else { return value.object.flatMap { read($0, type: type) } }
    switch scalar {
    case .boolean(let flag):
      return type == .boolean || type == .undefined ? .boolean(flag) : number(flag ? 1 : 0, type)
    case .integer(let integer):
      return type == .undefined ? .integer(integer) : number(Double(integer), type, integer)
    case .real(let real): return number(real, type)
    case .date(let seconds): return .date(seconds)
    case .string(let string): return .string(string)
    case .data(let data): return .data(data)
    case .array, .uid, .dictionary: return nil
    }
  }

  private static func number(
    _ double: Double, _ type: DataModel.AttributeType, _ integer: Int64? = nil
  ) -> DataModel.Value? {
    switch type.notation {
    case .boolean: .boolean(double != 0)
    case .integer: (integer ?? Int64(exactly: double)).map { .integer($0) }
    case .decimal: .decimal(integer.map { Decimal($0) } ?? Decimal(rounding: double))
    case .date: .date(double)
    case .real, .text, .uuid, .uri, .none: .double(double)
    }
  }

  private static func read(_ object: KeyedArchive.Object, type: DataModel.AttributeType) -> DataModel.Value? {
    switch object.className {
    case "NSDate": return object["NS.time"]?.scalar.flatMap { number($0) }.map { .date($0) }
    case "NSUUID":
      guard let bytes = object["NS.uuidbytes"]?.data, bytes.count == 16 else { return nil }
      return .uuid(
        bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case "NSURL": return object.string("NS.relative").map { .uri($0) }
    case "NSDecimalNumber", "NSDecimalNumberPlaceholder": return decimal(object).map { .decimal($0) }
    case "NSString", "NSMutableString":
      return object.string("NS.string").map { .string($0) }
    case "NSData", "NSMutableData": return object["NS.data"]?.data.map { .data($0) }
    default: return nil
    }
  }

  private static func number(_ value: PropertyList) -> Double? {
    switch value {
    case .real(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }

  private static func decimal(_ object: KeyedArchive.Object) -> Decimal? {
    guard let mantissa = object["NS.mantissa"]?.data, let length = object.integer("NS.length"),
      let exponent = object.integer("NS.exponent")
    else { return nil }
    return ArchivedDecimal(
      mantissa: mantissa, length: Int64(length), exponent: Int64(exponent), isNegative: object.flag("NS.negative"),
      isBigEndian: object.integer("NS.mantissa.bo") == 2)?.decimal
  }

  private static func archive(_ decimal: Decimal, to archive: inout KeyedArchiveBuilder) -> PropertyList {
    let parts = ArchivedDecimal(decimal)
    return archive.object(
      ArchivedDecimal.classes,
      [
        "NS.mantissa": .data(parts.mantissa), "NS.mantissa.bo": .integer(1), "NS.exponent": .integer(parts.exponent),
        "NS.length": .integer(parts.length), "NS.negative": .boolean(parts.isNegative), "NS.compact": .boolean(true),
      ])
  }

  static func write(_ value: DataModel.Value, to archive: inout KeyedArchiveBuilder) -> PropertyList {
    switch value {
    case .boolean(let flag): return archive.scalar(.boolean(flag))
    case .integer(let number): return archive.scalar(.integer(number))
    case .double(let number): return archive.scalar(.real(number))
    case .string(let string): return archive.string(string)
    case .data(let data): return archive.scalar(.data(data))
    case .date(let seconds):
      return archive.object(["NSDate", "NSObject"], ["NS.time": .real(seconds)])
    case .uuid(let uuid):
      let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
      return archive.object(["NSUUID", "NSObject"], ["NS.uuidbytes": .data(bytes)])
    case .uri(let text):
      let relative = archive.string(text)
      return archive.object(
        ["NSURL", "NSObject"], ["NS.base": KeyedArchiveBuilder.null, "NS.relative": relative])
    case .decimal(let decimal): return Self.archive(decimal, to: &archive)
    }
  }
}

extension Decimal {
  /// The decimal nearest to a double; NaN for NaN and infinities. Foundation's own initializer crashes on those.
  public init(rounding double: Double) { self = double.isFinite ? Decimal(double) : .nan }
}
