import Foundation

/// The hash of decimal numbers. Foundation's on Linux calls itself without end, so that a program ended where one came
/// into a set or became a key: `Set(books.compactMap(\.price))`. In the class's own table stands this one.
enum DecimalHash {
  /// Done when a model is first used. Does nothing if the table is not what `ClassMetadata` says.
  static let setUp: Void = {
    ClassMetadata(NSDecimalNumber.self).takeMethod(overriddenBy: WithHash.self, butNotBy: Plain.self)
  }()

  // Objects of these classes are never made: `self` is one of Foundation's class.

  private class Plain: NSDecimalNumber, @unchecked Sendable {
    required convenience init(floatLiteral value: Double) { fatalError("No such number is made.") }
    required convenience init(integerLiteral value: Int) { fatalError("No such number is made.") }
    required convenience init(booleanLiteral value: Bool) { fatalError("No such number is made.") }
    required init(bytes buffer: UnsafeRawPointer, objCType: UnsafePointer<Int8>) {
      fatalError("No such number is made.")
    }
    required init?(coder: NSCoder) { fatalError("No such number is made.") }
  }

  private final class WithHash: Plain, @unchecked Sendable {
    override var hash: Int { DecimalHash.hash(self) }
  }

  /// Equal numbers have equal doubles, whatever they are made of. Not inlined, so that nothing of a subclass is taken
  /// for granted of the number.
  @inline(never)
  private static func hash(_ number: NSNumber) -> Int { NSNumber(value: number.doubleValue).hash }
}
