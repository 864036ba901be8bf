/// A predicate, or a part of one, prepared for the managed objects of one entity: it knows the slot of an attribute and
/// reads the row's words, while the general test makes a `PredicateValue` of each value. Both give the same results, in
/// the same order.
///
/// These are classes rather than closures, because a call then only passes the object and counts no references.
class SlotTest {
  func matches(_ object: NSManagedObject) throws -> Bool { fatalError("a subclass says how") }
}

/// AND.
final class BothTest: SlotTest {
  private let first: SlotTest
  private let second: SlotTest

  init(_ first: SlotTest, _ second: SlotTest) {
    self.first = first
    self.second = second
  }

  override func matches(_ object: NSManagedObject) throws -> Bool {
    try first.matches(object) && second.matches(object)
  }
}

/// OR.
final class EitherTest: SlotTest {
  private let first: SlotTest
  private let second: SlotTest

  init(_ first: SlotTest, _ second: SlotTest) {
    self.first = first
    self.second = second
  }

  override func matches(_ object: NSManagedObject) throws -> Bool {
    try first.matches(object) || second.matches(object)
  }
}

/// NOT.
final class OppositeTest: SlotTest {
  private let inner: SlotTest

  init(_ inner: SlotTest) { self.inner = inner }

  override func matches(_ object: NSManagedObject) throws -> Bool { try !inner.matches(object) }
}

/// Anything but an attribute compared with a constant. Uses the general test.
final class GeneralTest: SlotTest {
  private let test: Test

  init(_ test: @escaping Test) { self.test = test }

  override func matches(_ object: NSManagedObject) throws -> Bool {
    var frame = EvaluationFrame(root: .subject(object))
    return try test(&frame)
  }
}

/// An attribute in a relation to a constant.
class AttributeTest: SlotTest {
  fileprivate final let place: PropertyPlace
  fileprivate final let name: String
  /// Whether nil meets the test, which it does only if the relation is negated.
  fileprivate final let isNegated: Bool
  /// For values that don't have the attribute's own type.
  private final let general: Test

  init(_ property: LayoutProperty, isNegated: Bool, general: @escaping Test) {
    place = PropertyPlace(property)
    name = property.name
    self.isNegated = isNegated
    self.general = general
  }

  override final func matches(_ object: NSManagedObject) throws -> Bool {
    object.fireIfNeeded(call: "reading \"\(name)\"")
    if let words = object.currentWords(place) { return relates(words) != isNegated }
    if let changes = object.changes, changes.holdsObject(Int(place.slot)) { return try matchesGenerally(object) }
    return isNegated
  }

  /// Whether a value that isn't nil, and has words, is in the relation. The negation is not the subclasses' concern.
  fileprivate func relates(_ words: UnsafePointer<UInt64>) -> Bool { fatalError("a subclass says how") }

  @inline(never)
  private final func matchesGenerally(_ object: NSManagedObject) throws -> Bool {
    var frame = EvaluationFrame(root: .subject(object))
    return try general(&frame)
  }
}

/// Integers and Booleans. Each comparison is a test for a range.
final class IntegerTest: AttributeTest {
  private let lowest: Int64
  private let highest: Int64
  private let isBoolean: Bool

  /// Nil if the comparator doesn't compare numbers.
  init?(_ property: LayoutProperty, comparator: Comparison.Comparator, number: Int64, general: @escaping Test) {
    var (lowest, highest) = (Int64.min, Int64.max)
    // The empty range goes from the highest to the lowest integer.
    switch comparator {
    case .equalTo, .notEqualTo: (lowest, highest) = (number, number)
    case .lessThan: (lowest, highest) = number == .min ? (.max, .min) : (.min, number - 1)
    case .lessThanOrEqualTo: highest = number
    case .greaterThan: (lowest, highest) = number == .max ? (.max, .min) : (number + 1, .max)
    case .greaterThanOrEqualTo: lowest = number
    default: return nil
    }
    self.lowest = lowest
    self.highest = highest
    isBoolean = property.kind == .boolean
    super.init(property, isNegated: comparator == .notEqualTo, general: general)
  }

  private func contains(_ value: Int64) -> Bool {
    let number = isBoolean ? (value == 0 ? 0 : 1) : value
    return lowest <= number && number <= highest
  }

  override func relates(_ words: UnsafePointer<UInt64>) -> Bool { contains(Int64(bitPattern: words[Int(place.home)])) }
}

/// Floating-point numbers, and dates as seconds. NaN is neither equal to, less than nor greater than anything.
final class RealTest: AttributeTest {
  private let comparator: Comparison.Comparator
  private let number: Double

  /// Nil if the comparator doesn't compare numbers.
  init?(_ property: LayoutProperty, comparator: Comparison.Comparator, number: Double, general: @escaping Test) {
    switch comparator {
    case .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: break
    default: return nil
    }
    self.comparator = comparator
    self.number = number
    super.init(property, isNegated: comparator == .notEqualTo, general: general)
  }

  private func relates(_ value: Double) -> Bool {
    switch comparator {
    case .lessThan: value < number
    case .lessThanOrEqualTo: value <= number
    case .greaterThan: value > number
    case .greaterThanOrEqualTo: value >= number
    default: value == number
    }
  }

  override func relates(_ words: UnsafePointer<UInt64>) -> Bool { relates(Double(bitPattern: words[Int(place.home)])) }
}

/// Texts, compared by their bytes in the row.
final class TextTest: AttributeTest {
  private let finder: StringFinder
  private let isWhole: Bool

  /// Nil if the comparator doesn't search for a piece of text.
  init?(
    _ property: LayoutProperty, comparator: Comparison.Comparator, piece: String, options: Comparison.Options,
    general: @escaping Test
  ) {
    var anchor = TextAnchor.anywhere
    isWhole = comparator == .equalTo || comparator == .notEqualTo
    switch comparator {
    case .beginsWith: anchor = .start
    case .endsWith: anchor = .end
    case .contains: break
    // Equality by locale can't be decided by bytes.
    case _ where isWhole && (options.contains(.normalized) || !options.contains(.localeSensitive)): break
    default: return nil
    }
    // Invalid UTF-8 in a row reads as this character.
    if piece.unicodeScalars.contains("\u{FFFD}") { return nil }
    finder = StringFinder(piece, anchor, options: options)
    super.init(property, isNegated: comparator == .notEqualTo, general: general)
  }

  private func relates(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    isWhole ? finder.isAll(of: bytes) : finder.matches(bytes)
  }

  override func relates(_ words: UnsafePointer<UInt64>) -> Bool {
    relates(RowSnapshot.tail(words, word: Int(place.home)).assumingMemoryBound(to: UInt8.self))
  }
}

/// `!= nil`, and its negation `== nil`.
final class NilTest: AttributeTest {
  init(_ property: LayoutProperty, isEqual: Bool, _ general: @escaping Test) {
    super.init(property, isNegated: isEqual, general: general)
  }

  override func relates(_ words: UnsafePointer<UInt64>) -> Bool { true }
}
