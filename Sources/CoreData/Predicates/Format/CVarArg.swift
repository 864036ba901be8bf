// `NSPredicate(format: "id == %@", id as CVarArg)`: on Apple's platforms these types convert, because each
// has an Objective-C twin. Here `NSPredicate(format:)` takes any value and never asks for the encoding; where
// somebody else does, `String(format:)` with `%@`, the value's description is what is encoded.

extension UUID: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { described(self) }
}

extension Date: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { described(self) }
}

extension URL: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { described(self) }
}

extension Data: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { described(self) }
}

extension Decimal: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { described(self) }
}

extension Array: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { described(self) }
}

extension Set: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { described(self) }
}

extension NSNumber: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { described(self) }
}

extension NSDate: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { described(self) }
}

extension NSArray: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { described(self) }
}

extension NSSet: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { described(self) }
}

/// The description as a C argument. It is never released: nobody tells when the format is done with it.
func described(_ value: Any) -> [Int] {
  Unmanaged.passRetained(NSString(string: "\(value)")).takeUnretainedValue()._cVarArgEncoding
}
