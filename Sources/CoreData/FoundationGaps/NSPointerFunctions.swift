/// How a table refers to its objects, which Foundation on Linux lacks. Here it only holds the options.
public enum NSPointerFunctions {
  /// Whether a table keeps its objects alive, copies them, and how it tells them apart.
  ///
  /// Only these options have an effect here: those of memory that is not an object's are for C.
  public struct Options: OptionSet, Sendable {
    /// The sum of the options.
    public let rawValue: UInt
    /// Options from a sum.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Objects are kept alive. The default.
    public static let strongMemory: Options = []
    /// Objects are not kept alive, and leave the table when they are freed.
    public static let weakMemory = Options(rawValue: 5)
    /// Objects are told apart by `isEqual(_:)` and `hash`, others than `NSObject`s by identity. The default.
    public static let objectPersonality: Options = []
    /// Objects are told apart by identity.
    public static let objectPointerPersonality = Options(rawValue: 2 << 8)
    /// Objects are copied when they are added.
    public static let copyIn = Options(rawValue: 1 << 16)

    var isWeak: Bool { rawValue & 0b111 == Options.weakMemory.rawValue }
    var isOfPointers: Bool { contains(.objectPointerPersonality) }
  }
}
