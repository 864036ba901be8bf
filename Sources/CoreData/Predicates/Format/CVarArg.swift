// `NSPredicate(format: "id == %@", id as CVarArg)`: on Apple's platforms these types convert, because each
// has an Objective-C twin. Here `NSPredicate(format:)` takes any value and never uses the encoding. For other callers
// the value's description is encoded, since `String(format:)` can't print other objects. A list of C arguments for a
// predicate finds the value again by the description's address.

extension UUID: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension Date: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension URL: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension Data: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension Decimal: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension Array: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension Set: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension Dictionary: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension NSNumber: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension NSDate: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension NSArray: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension NSSet: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension NSOrderedSet: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension NSDictionary: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension NSUUID: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self as UUID) }
}

extension NSURL: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self as URL) }
}

extension NSData: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self as Data) }
}

extension NSError: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension NSEntityDescription: CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

/// The description as a C argument. It is never released, because nothing says when the format no longer needs it.
func encodedDescription(_ value: Any) -> [Int] {
  let text = NSString(string: "\(value)")
  DescribedArguments.note(value, as: text)
  return Unmanaged.passRetained(text).takeUnretainedValue()._cVarArgEncoding
}

/// The objects behind the descriptions that were made for C arguments.
enum DescribedArguments {
  private enum Origin {
    case value(Any)
    /// Instances are not kept alive.
    case instance(Weak)
  }
  private struct Weak { weak var object: AnyObject? }

  // Under `lock`. Descriptions are never released, so their addresses stay unique.
  nonisolated(unsafe) private static var origins: [ObjectIdentifier: Origin] = [:]
  private static let lock = NSLock()

  static func note(_ value: Any, as description: NSString) {
    let isInstance = type(of: value) is AnyClass
    let origin = isInstance ? Origin.instance(Weak(object: value as AnyObject)) : .value(value)
    lock.withLock { origins[ObjectIdentifier(description)] = origin }
  }

  /// What `object` was made to describe, or `object` itself.
  static func value(of object: AnyObject) -> Any {
    switch lock.withLock({ origins[ObjectIdentifier(object)] }) {
    case .value(let value)?: value
    case .instance(let box)?: box.object ?? object
    case nil: object
    }
  }
}
