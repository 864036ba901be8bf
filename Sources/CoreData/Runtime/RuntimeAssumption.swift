internal import CSwiftRuntime
import Foundation

#if compiler(>=6.4)
#warning("Strata has been tested with Swift 6.2 and 6.3. Before you use this version, run: swift run inspect --runtime")
#endif

/// What this room assumes about the compiler, the runtime, Foundation and SQLite, though none of them promises it.
///
/// Each is checked once, when it is first asked for. `inspect --runtime` prints them all: run it first when you have
/// another version of Swift.
package enum RuntimeAssumption: String, CaseIterable, Sendable {
  /// `SmallString`.
  case smallStrings = "Texts of up to 15 ASCII bytes lie in the string's own two words"
  /// `MiddleString`.
  case middleStrings = "Texts of 16 to 63 ASCII bytes lie in an object behind four words, which have known contents"
  /// `NumberObject`.
  case numberObjects = "An NSNumber is two words behind its header: what its type is, and the number"
  /// `NotificationObservers`.
  case notificationCenters = "A notification center has a table by name, behind a lock, at a known place"
  /// `allocateObject(_:fieldsFrom:)`, `exchangeFields(of:with:)`.
  case instanceSizes = "A class says how large its objects are, where ClassMetadata looks"
  /// `ClassMetadata.place(overriddenBy:of:butNotBy:)`, `takeMethod(overriddenBy:butNotBy:)`.
  case methodPlaces = "A class has a pointer for each method, at one place in all its subclasses"
  /// `ClassMetadata.standBelow(_:superclass:)`.
  case superclasses = "A class has its superclass in its second word, and a cast looks there"
  /// `DynamicInitializers.swift`.
  case initializers = "A convenience initializer is a function of its class, and calls the initializer of that class"
  /// `getVaList(_:)`.
  case argumentLists = "A list of C arguments can be made of words that lie one behind the other"
  /// `TypeNames`.
  case typeNames = "The runtime finds a type by its mangled name"
  /// `KeyPathDescription`, `SymbolNames`.
  case keyPathGetters = "A key path names the getter of a computed property, and the program has the getter's name"
  /// `CallSite`.
  case callSites = "The stack of calls can be read, and the functions on it have names"
  /// `ColumnValues`.
  case columnValues = "The values of a row of SQLite's lie side by side, at equal distances"
  /// `LivingReference`, and every weak entry of the tables of rows and objects.
  case endingObjects = "An unowned retain keeps an object's memory; once its end has begun, it can't be retained"

  /// What the module does if the assumption does not hold.
  package var otherwise: String {
    switch self {
    case .smallStrings, .middleStrings: "Such texts are made by the standard library: readings are slower."
    case .numberObjects: "Such objects are made by Foundation: values by key are slower."
    case .notificationCenters: "Notifications without an observer are posted as well: small saves are slower."
    case .instanceSizes: "The program ends with this sentence at the first predicate or expression that it makes."
    case .methodPlaces:
      "Each class is taken to override validateValue(_:forKey:): saves are slower. NSCompoundPredicate(…) prints as "
        + "FALSEPREDICATE. A reversed sort descriptor by a key path loses its comparator in a fetch."
    case .superclasses: "A typed fetch request can't be cast to one for any results."
    case .initializers: "Nothing helps: objects of a program's own classes can't be made. Don't use this version."
    case .argumentLists: "NSPredicate(format:arguments:) can't be used with getVaList(_:); argumentArray: can."
    case .typeNames: "Foundation finds classes, more slowly; accessors of transient attributes are not found by key."
    case .keyPathGetters:
      "Sort descriptors by a key path to @NSManaged properties fail with an error that says to use a key. "
        + "Programs whose symbols were stripped have no names either."
    case .callSites: "Reports about misuse don't say which line of the program it was."
    case .columnValues: "SQLite is asked for each value of a row: fetches are slower."
    case .endingObjects: "Nothing helps: two threads may use an object that is being freed. Don't use this version."
    }
  }

  package var isMet: Bool {
    switch self {
    case .smallStrings: Self.hasSmallStrings
    case .middleStrings: Self.hasMiddleStrings
    case .numberObjects: NumberObject.isKnown
    case .notificationCenters: NotificationObservers.isKnown
    case .instanceSizes: Self.hasInstanceSizes
    case .methodPlaces: Self.hasMethodPlaces
    case .superclasses: Self.hasSuperclasses
    case .initializers: Self.makesObjectsOfValues
    case .argumentLists: Self.hasArgumentLists
    case .typeNames: Self.hasTypeNames
    case .keyPathGetters: Self.hasKeyPathGetters
    case .callSites: CallSite.readsNames
    case .columnValues: Self.hasColumnValues
    case .endingObjects: Self.refusesEndingObjects
    }
  }

  private static let hasSmallStrings: Bool = {
    SmallString.setUp
    return core_data_knows_small_strings
  }()

  private static let hasMiddleStrings: Bool = {
    MiddleString.setUp
    return core_data_string_class != nil
  }()

  private static let hasColumnValues: Bool = {
    ColumnValues.setUp
    return core_data_column_stride != 0
  }()

  private static let hasInstanceSizes: Bool = {
    // The header has two words, then come a word and two bytes; the subclass adds four bytes at the next multiple of
    // four.
    let (base, below) = (ClassMetadata(RuntimeSample.self), ClassMetadata(ChangedRuntimeSample.self))
    return base.instanceSize == 26 && below.instanceSize == 32 && base.alignmentMask == 7
  }()

  private static let hasMethodPlaces =
    ClassMetadata.place(
      overriddenBy: ChangedRuntimeSample.self, of: RuntimeSample.self, butNotBy: PlainRuntimeSample.self) != nil

  private static let hasSuperclasses: Bool = {
    let sample: AnyObject = GenericRuntimeSample<Int>()
    ClassMetadata(GenericRuntimeSample<Int>.self).standBelow(
      GenericRuntimeSample<Any>.self, superclass: RuntimeSample.self)
    return sample is GenericRuntimeSample<Any>
  }()

  private static let hasArgumentLists: Bool = {
    let kinds = "ild".utf8.map { CChar(bitPattern: $0) }
    var words = [UInt64](repeating: 0, count: 3)
    core_data_take_arguments(getVaList([Int32(-7), Int64(1) << 40, 2.5]), kinds, 3, &words)
    return words == [UInt64(bitPattern: -7), 1 << 40, (2.5).bitPattern]
  }()

  private static let hasTypeNames = TypeNames.type("RuntimeSample", .class, in: "CoreData") == RuntimeSample.self

  private static let hasKeyPathGetters = KeyPathDescription.names(in: "\(\RuntimeSample.computed)") == ["computed"]

  private static let refusesEndingObjects: Bool = {
    var wasRetained: Bool?
    _ = EndingRuntimeSample { pointer in
      wasRetained = swift_tryRetain(pointer) != nil
    }
    var sample: RuntimeSample? = RuntimeSample()
    let reference = LivingReference(sample)
    let isFound = reference.object === sample
    sample = nil
    return wasRetained == false && isFound && reference.object == nil
  }()
}

/// Classes that the assumptions are tried with.
class RuntimeSample {
  var word = 0
  var short: UInt16 = 0
  var computed: Int { word + 1 }
  func answer() -> Int { 1 }
}

private final class PlainRuntimeSample: RuntimeSample {}

private final class GenericRuntimeSample<Parameter>: RuntimeSample {}

private final class ChangedRuntimeSample: RuntimeSample {
  var more: Int32 = 0
  // No other method does this, so that the linker can't fold two equal functions into one.
  override func answer() -> Int { word &* 31 &+ Int(more) }
}

/// Hands out its address in its deinit.
private final class EndingRuntimeSample {
  private let body: (UnsafeMutableRawPointer) -> Void
  init(_ body: @escaping (UnsafeMutableRawPointer) -> Void) { self.body = body }
  deinit { body(Unmanaged.passUnretained(self).toOpaque()) }
}
