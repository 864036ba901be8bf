import Testing

@testable import SwiftData

@Suite("What SwiftData takes for granted of the runtime")
struct RuntimeTests {
  @Test("The records of enumerations are in the form that the module reads")
  func records() { #expect(EnumerationCase.areReadable) }
}
