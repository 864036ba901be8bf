import TestDice
import Testing

@testable import CoreData

/// The tables that are made by hand, beside the standard library's.
@Suite("Tables made by hand")
struct TableTests {
  private final class Thing: Keyed {
    let key: Int64

    init(_ key: Int64 = 0) { self.key = key }
  }

  /// Keys that come one after the other, at random, and with gaps of a power of two, which all ask for one place.
  @Test("A table of keys finds, replaces and removes what a dictionary does", arguments: [1, 1 << 32, 0])
  func keys(gap: Int64) {
    var dice = Dice(state: 4711)
    let keys = (0..<300).map { gap > 0 ? Int64($0 - 150) * gap : Int64.random(in: .min ... .max, using: &dice) }
    // Three things ask for each key, one after the other.
    let things = (keys + keys + keys).map(Thing.init)
    var table = KeyTable<Thing>()
    var expected: [Int64: Thing] = [:]
    for _ in 0..<20_000 {
      let thing = things[dice.roll(things.count)]
      switch dice.roll(3) {
      case 0:
        table.insert(.passUnretained(thing))
        expected[thing.key] = thing
      case 1:
        // Removing a thing whose key another one has by now removes nothing.
        let isThere = expected[thing.key] === thing
        #expect(table.remove(.passUnretained(thing)) == isThere)
        if isThere { expected[thing.key] = nil }
      default:
        if let there = expected.removeValue(forKey: thing.key) { table.remove(.passUnretained(there)) }
      }
      #expect(table[thing.key]?.takeUnretainedValue() === expected[thing.key])
      if table.count != expected.count { break }
    }
    #expect(table.count == expected.count)
    var found: [Int64: ObjectIdentifier] = [:]
    table.forEach { entry in entry._withUnsafeGuaranteedRef { found[$0.key] = ObjectIdentifier($0) } }
    #expect(found == expected.mapValues(ObjectIdentifier.init))
    withExtendedLifetime(things) {}
  }

  @Test("Room that is made beforehand changes nothing of what a table of keys holds")
  func reserve() {
    let things = (0..<100).map(Thing.init)
    var table = KeyTable<Thing>()
    for thing in things { table.insert(.passUnretained(thing)) }
    table.reserve(10_000)
    #expect(table.count == 100)
    for thing in things { #expect(table[thing.key]?.takeUnretainedValue() === thing) }
    #expect(table[100] == nil)
    withExtendedLifetime(things) {}
  }

  @Test("A table of names finds each name of up to 16 bytes, and nothing that only looks like it")
  func names() {
    var dice = Dice(state: 4711)
    let letters = Array("abAB0_é")
    let names = Set(
      (0..<400).map { _ in String((0..<dice.roll(12) + 1).map { _ in letters[dice.roll(letters.count)] }) }
    )
    .filter { $0.utf8.count <= 16 }
    let listed = Array(names.sorted().shuffled(using: &dice).prefix(names.count / 2))
    let table = NameTable(listed)
    defer { table.free() }
    for (index, name) in listed.enumerated() { #expect(table[name] == index, "\(name)") }
    for name in names.subtracting(listed) { #expect(table[name] == nil, "\(name)") }
    #expect(table[""] == nil)
    #expect(table[String(repeating: "a", count: 17)] == nil)
  }

  @Test("A short text made of bytes is the library's, and of others than ASCII none is made")
  func smallStrings() {
    func words(_ text: String?) -> [UInt64]? {
      text.map { unsafeBitCast($0, to: (UInt64, UInt64).self) }.map { [$0, $1] }
    }
    func made(_ bytes: [UInt8]) -> String? {
      bytes.withUnsafeBytes { bytes in bytes.baseAddress.flatMap { SmallString.make($0, bytes.count) } }
    }
    var dice = Dice(state: 4711)
    for count in 1...15 {
      for _ in 0..<100 {
        var bytes = (0..<count).map { _ in UInt8(dice.roll(127) + 1) }
        #expect(words(made(bytes)) == words(String(decoding: bytes, as: UTF8.self)))
        bytes[dice.roll(count)] |= 0x80
        #expect(made(bytes) == nil)
      }
    }
    #expect(
      words(withUnsafeBytes(of: 0) { SmallString.make($0.baseAddress!, 0) })
        == words(String(decoding: [], as: UTF8.self)))
  }

  @Test("A text of 16 to 63 ASCII bytes made of bytes behaves as the library's, and of others none is made")
  func middleString() {
    _ = MiddleString.setUp
    func made(_ bytes: [UInt8]) -> String? {
      bytes.withUnsafeBytes { bytes in bytes.baseAddress.flatMap { MiddleString.make($0, bytes.count) } }
    }
    var dice = Dice(state: 4712)
    for count in 16...63 {
      for _ in 0..<20 {
        var bytes = (0..<count).map { _ in UInt8(dice.roll(127) + 1) }
        let library = String(decoding: bytes, as: UTF8.self)
        let text = made(bytes)
        #expect(text == library && text?.hashValue == library.hashValue && text?.utf8.count == count)
        #expect(text?.withCString { strlen($0) } == count)
        #expect(text.map { NSString(string: $0) } == NSString(string: library))
        // Of two that share an object the other stays as it was; alone it grows in place.
        var (changed, alone) = (text ?? "", made(bytes) ?? "")
        changed.append("ä")
        for _ in 0..<40 { alone += "0123" }
        #expect(changed == library + "ä" && text == library)
        #expect(alone == library + String(repeating: "0123", count: 40))
        bytes[dice.roll(count)] |= 0x80
        #expect(made(bytes) == nil)
      }
    }
    #expect(made([UInt8](repeating: 65, count: 15)) == nil)
    #expect(made([UInt8](repeating: 65, count: 64)) == nil)
  }

  @Test("An object made of a number is Foundation's: its type, its value, its hash and what it is cast to")
  func numberObjects() {
    func compare(_ made: NSNumber, _ foundation: NSNumber) {
      #expect(type(of: made) == type(of: foundation))
      #expect(String(cString: made.objCType) == String(cString: foundation.objCType))
      #expect(made == foundation && foundation == made && made.hash == foundation.hash)
      #expect(made.stringValue == foundation.stringValue && made.description == foundation.description)
      #expect(made.int64Value == foundation.int64Value && made.boolValue == foundation.boolValue)
      let (any, other): (Any, Any) = (made, foundation)
      #expect(any as? Int == other as? Int && any as? Int16 == other as? Int16 && any as? Double == other as? Double)
      #expect(any as? Bool == other as? Bool && any as? Float == other as? Float)
    }
    for value in [Int16.min, -3, -2, -1, 0, 1, 12, 13, 300, .max] {
      compare(NumberObject.int16(value), NSNumber(value: value))
    }
    for value in [Int32.min, -70_000, -2, -1, 0, 1, 12, 13, 300, .max] {
      compare(NumberObject.int32(value), NSNumber(value: value))
    }
    for value in [Int64.min, -2, -1, 0, 1, 12, 13, 300, 1 << 53 + 1, .max] {
      compare(NumberObject.int64(value), NSNumber(value: value))
    }
    for value in [Float(-2.5), -0.0, 0, 0.1, 1, 1e30, .infinity] {
      compare(NumberObject.float(value), NSNumber(value: value))
    }
    for value in [-2.5, -0.0, 0, 0.1, 1, 1e300, 4e-320, .infinity] {
      compare(NumberObject.double(value), NSNumber(value: value))
    }
    #expect(NumberObject.double(.nan).doubleValue.isNaN)
  }

  @Test("A weak list gives those that live, in their order, and forgets the others")
  func weakList() {
    var list = WeakList<Thing>()
    let (first, last) = (Thing(), Thing())
    _ = list.append(first)
    var middle: Thing? = Thing()
    _ = list.append(middle!)
    _ = list.append(last)
    #expect(list.elements.map(ObjectIdentifier.init) == [first, middle!, last].map(ObjectIdentifier.init))
    middle = nil
    #expect(list.elements.map(ObjectIdentifier.init) == [first, last].map(ObjectIdentifier.init))
    list.remove(ObjectIdentifier(first))
    #expect(list.elements.map(ObjectIdentifier.init) == [ObjectIdentifier(last)])
    withExtendedLifetime((first, last)) {}
  }

  @Test("A notification center's form is known whatever its memory held before")
  func notificationCenterInUsedMemory() {
    let blocks = (0..<2_000).map { _ in UnsafeMutableRawPointer.allocate(byteCount: 40, alignment: 8) }
    for block in blocks {
      block.initializeMemory(as: UInt8.self, repeating: 0xFF, count: 40)
    }
    for block in blocks { block.deallocate() }
    #expect(NotificationObservers.isFormKnown())
  }

  @Test("A living reference leads to its object while that lives, keeps none alive, and can be set anew")
  func livingReference() {
    var (first, second): (Thing?, Thing?) = (Thing(), Thing())
    var reference = LivingReference(first)
    #expect(reference.object === first)
    first = nil
    #expect(reference.object == nil)
    reference.object = second
    // To itself, so that the last count would be given back before it is taken.
    reference.object = reference.object
    #expect(reference.object === second)
    second = nil
    #expect(reference.object == nil)
    reference.object = nil
    #expect(reference.object == nil)
  }

  @Test("What the module takes for granted of this version of Swift is so", arguments: RuntimeAssumption.allCases)
  func runtime(assumption: RuntimeAssumption) {
    #expect(assumption.isMet, "\(assumption.otherwise)")
  }
}
