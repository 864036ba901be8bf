// `NSPredicate(format: "id == %@", id as CVarArg)`: on Apple's platforms these types convert, because each
// has an Objective-C twin. Here `NSPredicate(format:)` takes any value and never uses the encoding. For other callers
// the value's description is encoded, since `String(format:)` can't print other objects. A list of C arguments for a
// predicate finds the value again by the description's address.

extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension Date: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension URL: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension Data: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension Decimal: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension Array: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension Set: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension Dictionary: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension NSNumber: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension NSDate: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension NSArray: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension NSSet: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension NSOrderedSet: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension NSDictionary: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension NSUUID: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {
  public var _cVarArgObject: any CVarArg { DescribedArgument(self as UUID) }
}

extension NSURL: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {
  public var _cVarArgObject: any CVarArg { DescribedArgument(self as URL) }
}

extension NSData: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {
  public var _cVarArgObject: any CVarArg { DescribedArgument(self as Data) }
}

extension NSError: @retroactive CVarArg, @retroactive _CVarArgObject, _DescribedArgument {}

extension NSEntityDescription: CVarArg, _DescribedArgument {}

/// A value that has its description as a C argument.
///
/// `withVaList(_:_:)`, and with it `String(format:)`, asks a `_CVarArgObject` for an object, passes that one on, and
/// keeps it during the call. Foundation passes its strings in the same way.
public protocol _DescribedArgument: _CVarArgObject {}

extension _DescribedArgument {
  /// The description, which the list of arguments keeps.
  public var _cVarArgObject: any CVarArg { DescribedArgument(self) }

  /// For callers that don't ask for the object. The description is never released, because nothing says when it is no
  /// longer needed.
  public var _cVarArgEncoding: [Int] {
    Unmanaged.passRetained(NSString(string: "\(self)")).takeUnretainedValue()._cVarArgEncoding
  }
}

/// The description of a value as a C argument, for as long as a list of arguments keeps it.
final class DescribedArgument: CVarArg {
  private let text: NSString

  init(_ value: Any) {
    text = NSString(string: "\(value)")
    DescribedArguments.note(value, as: text)
  }

  deinit { DescribedArguments.forget(text) }

  var _cVarArgEncoding: [Int] { text._cVarArgEncoding }
}

/// The objects behind the descriptions that were made for C arguments.
enum DescribedArguments {
  private enum Origin {
    case value(Any)
    /// Instances are not kept alive.
    case instance(Weak)
  }
  private struct Weak { weak var object: AnyObject? }

  // Under `lock`. An entry is removed before its description ends, so no other object has the address meanwhile.
  nonisolated(unsafe) private static var origins: [ObjectIdentifier: Origin] = [:]
  private static let lock = NSLock()

  static func note(_ value: Any, as description: NSString) {
    let isInstance = type(of: value) is AnyClass
    let origin = isInstance ? Origin.instance(Weak(object: value as AnyObject)) : .value(value)
    lock.withLock { origins[ObjectIdentifier(description)] = origin }
  }

  static func forget(_ description: NSString) {
    // The value ends behind the lock, because its end may run code of the program's.
    _ = lock.withLock { origins.removeValue(forKey: ObjectIdentifier(description)) }
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
