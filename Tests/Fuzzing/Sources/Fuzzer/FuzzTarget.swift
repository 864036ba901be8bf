/// One way into the code: what an input is, and what is done with it.
///
/// Any input may lead to an error. A trap, a hang, too much memory and a sanitizer's report are not.
protocol FuzzTarget {
  static var name: String { get }

  /// The longest input, in bytes. Short ones are tried more often.
  static var longest: Int { get }

  /// Makes what all inputs share.
  init() throws

  /// Inputs to begin with. Further ones, texts, are files in `Seeds/NAME`.
  func seeds() throws -> [[UInt8]]

  /// Does with one input what a program would: reads it, and uses what was read.
  func run(_ input: [UInt8]) throws

  /// The input with a change that keeps its form mostly whole; nil to leave the change to libFuzzer.
  func mutated(_ input: [UInt8], _ limit: Int, _ dice: inout Dice) -> [UInt8]?
}

extension FuzzTarget {
  func seeds() throws -> [[UInt8]] { [] }
  func mutated(_ input: [UInt8], _ limit: Int, _ dice: inout Dice) -> [UInt8]? { nil }
}

/// In the order in which `Scripts/fuzz` runs them.
let allTargets: [any FuzzTarget.Type] = [
  PredicateTarget.self, PredicateFetchTarget.self, ConversionTarget.self,
  ModelTextTarget.self, OldModelTextTarget.self, CompiledModelTarget.self, PropertyListTarget.self,
  MappingTextTarget.self, CompiledMappingTarget.self,
  XMLStoreTarget.self, BinaryStoreTarget.self, DatabaseTarget.self, DatabaseRowTarget.self,
  ExternalReferenceTarget.self, TransformableTarget.self, HistoryTokenTarget.self,
  CatalogueTarget.self, ManagedSourceTarget.self, BookPageTarget.self, BookSourceTarget.self,
]

/// SplitMix64.
struct Dice {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E6C_63D0_876A_46AD &+ 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// From 0 up to `bound`, which is small.
  mutating func below(_ bound: Int) -> Int { bound < 1 ? 0 : Int(next() % UInt64(bound)) }

  mutating func any<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[below(elements.count)]
  }
}

/// An input read as numbers and choices, from its beginning; behind its end all are 0.
struct ByteSource {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isEmpty: Bool { place >= bytes.count }

  mutating func byte() -> UInt8 {
    guard place < bytes.count else { return 0 }
    defer { place += 1 }
    return bytes[place]
  }

  mutating func below(_ bound: Int) -> Int { Int(byte()) % bound }

  mutating func integer() -> Int {
    // Small numbers, and those at the limits.
    let kind = byte()
    if kind < 200 { return Int(Int8(bitPattern: kind)) }
    return (0..<8).reduce(0) { number, _ in number << 8 | Int(byte()) }
  }

  /// Up to `limit` bytes, their number in front.
  mutating func piece(_ limit: Int = 255) -> [UInt8] {
    let count = min(Int(byte()), limit, max(bytes.count - place, 0))
    defer { place += count }
    return Array(bytes[min(place, bytes.count)..<min(place + count, bytes.count)])
  }

  mutating func rest() -> [UInt8] {
    defer { place = bytes.count }
    return Array(bytes[min(place, bytes.count)...])
  }
}
