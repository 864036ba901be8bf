import Foundation

extension PredicateConstant {
  /// The constant for an argument, or for a value of a program's object.
  ///
  /// Foundation's classes become the Swift values they box; collections become `collection`, dictionaries
  /// their values; class instances of any other kind stay opaque objects.
  init(any value: Any?) {
    guard let value else {
      self = .null
      return
    }
    if let constant = PredicateConstant(frequent: value) {
      self = constant
      return
    }
    let type = type(of: value)
    if type == AnyHashable.self {
      self.init(any: (value as! AnyHashable).base)
    } else if type is AnyClass {
      self.init(instance: value as AnyObject)
    } else {
      self.init(structure: value)
    }
  }

  /// The types that most values have. Comparing metatypes costs a nanosecond, a cast that fails about fifty.
  init?(frequent value: Any) {
    let type = type(of: value)
    if type == String.self {
      self = .string(value as! String)
    } else if type == Int.self {
      self = .int(Int64(value as! Int))
    } else if type == Bool.self {
      self = .bool(value as! Bool)
    } else if type == Date.self {
      self = .date(value as! Date)
    } else if type == UUID.self {
      self = .uuid(value as! UUID)
    } else if type == Double.self {
      self = .double(value as! Double)
    } else if type == [String].self {
      self = .collection((value as! [String]).map(PredicateConstant.string))
    } else if type == [Int].self {
      self = .collection((value as! [Int]).map { .int(Int64($0)) })
    } else if type == [UUID].self {
      self = .collection((value as! [UUID]).map(PredicateConstant.uuid))
    } else {
      return nil
    }
  }

  /// Values that are not class instances.
  private init(structure value: Any) {
    switch value {
    case let value as PredicateConstant: self = value
    case let value as any AnyOptional: self.init(any: value.wrapped)
    case let value as any FixedWidthInteger: self.init(integer: value)
    case let value as Float: self = .double(Double(value))
    case let value as CGFloat: self = .double(Double(value))
    case let value as URL: self = .url(value)
    case let value as Data: self = .data(value)
    case let value as Decimal: self = .decimal(value)
    case let value as Substring: self = .string(String(value))
    case let value as Character: self = .string(String(value))
    case let value as UnsafePointer<CChar>: self = .string(String(cString: value))
    case let value as any AnyDictionary: self = .collection(value.allValues.map(PredicateConstant.init(any:)))
    case let value as any CountableRange: self = value.list ?? .other(value)
    case let value as any Collection: self.init(collection: value)
    default: self = .other(value)
    }
  }

  /// Instances of classes.
  private init(instance value: AnyObject) {
    switch value {
    case is any PredicateIdentity: self = .object(value)
    case let value as NSNumber: self.init(number: value)
    case let value as NSString: self = .string(String(describing: value))
    case let value as NSDate: self = .date(value as Date)
    case let value as NSUUID: self = .uuid(value as UUID)
    case let value as NSURL: self = .url(value as URL)
    case let value as NSData: self = .data(value as Data)
    case let value as NSArray: self = .collection(value.map(PredicateConstant.init(any:)))
    case let value as NSSet: self = .collection(value.map(PredicateConstant.init(any:)))
    case let value as NSOrderedSet: self = .collection(value.map(PredicateConstant.init(any:)))
    case let value as NSDictionary: self = .collection(value.allValues.map(PredicateConstant.init(any:)))
    case is NSNull: self = .nothing(isObject: true)
    default: self = .object(value)
    }
  }

  private init(collection: some Collection) {
    self = .collection(collection.map { PredicateConstant(any: $0) })
  }

  /// Unsigned integers beyond `Int64.max` become floating: SQLite has no larger integer either.
  private init(integer value: some FixedWidthInteger) {
    if let exact = Int64(exactly: value) { self = .int(exact) } else { self = .double(Double(value)) }
  }

  /// The number's own type decides, so that `true` stays a Boolean and `1` an integer.
  init(number value: NSNumber) {
    if let decimal = value as? NSDecimalNumber {
      self = .decimal(decimal.decimalValue)
      return
    }
    switch UInt8(bitPattern: value.objCType.pointee) {
    // Only Booleans: Foundation on Linux gives an Int8 the type "i".
    case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .bool(value.boolValue)
    case UInt8(ascii: "f"), UInt8(ascii: "d"): self = .double(value.doubleValue)
    case UInt8(ascii: "Q"): self.init(integer: value.uint64Value)
    default: self = .int(value.int64Value)
    }
  }

  /// The value for a program: numbers as `NSNumber`, nil as nil.
  var anyValue: Any? {
    switch self {
    case .nothing: nil
    case .bool(let value): NSNumber(value: value)
    case .int(let value): NSNumber(value: value)
    case .double(let value): NSNumber(value: value)
    case .date(let value): value
    case .string(let value): value
    case .data(let value): value
    case .uuid(let value): value
    case .url(let value): value
    case .decimal(let value): NSDecimalNumber(decimal: value)
    case .collection(let values): values.map { $0.anyValue ?? NSNull() }
    case .object(let value): value
    case .other(let value): value
    }
  }
}

/// An optional inside an `Any`.
private protocol AnyOptional {
  var wrapped: Any? { get }
}

extension Optional: AnyOptional {
  fileprivate var wrapped: Any? { self }
}

/// A dictionary inside an `Any`, whatever its types.
private protocol AnyDictionary {
  var allValues: [Any] { get }
}

extension Dictionary: AnyDictionary {
  fileprivate var allValues: [Any] { Array(values) }
}

/// A range of numbers, which is a collection too.
private protocol CountableRange {
  /// Its members; nil for a range of more than anyone means one by one, such as `0...Int.max`.
  var list: PredicateConstant? { get }
}

extension Range: CountableRange where Bound: Strideable, Bound.Stride: SignedInteger {
  fileprivate var list: PredicateConstant? { .list(self) }
}

extension ClosedRange: CountableRange where Bound: Strideable, Bound.Stride: SignedInteger {
  fileprivate var list: PredicateConstant? { .list(self) }
}

extension PredicateConstant {
  fileprivate static func list(_ members: some Sequence) -> PredicateConstant? {
    var list: [PredicateConstant] = []
    for member in members {
      if list.count == 10_000 { return nil }
      list.append(PredicateConstant(any: member))
    }
    return .collection(list)
  }
}
