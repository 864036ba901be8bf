import ExerciseSupport
import Foundation
import SwiftData
import Testing

@testable import Exercises

@Suite("66 Enrol twice", .serialized)
@MainActor struct EnrolTwiceTests {
  let bench: Bench
  let container: ModelContainer

  init() throws {
    bench = try Bench()
    container = try ModelContainer(
      for: Enrolment.self, configurations: ModelConfiguration(url: bench.storeURL))
  }

  private func names() throws -> [String] {
    let other = ModelContext(container)
    return try other.fetch(FetchDescriptor<Enrolment>(sortBy: [SortDescriptor(\.number)])).map(\.name)
  }

  @Test("A list is enrolled")
  func once() throws {
    try enrolAll([1: "Ada", 2: "Grace"], in: container)
    #expect(try names() == ["Ada", "Grace"])
  }

  @Test("The same list again changes nothing")
  func again() throws {
    try enrolAll([1: "Ada", 2: "Grace"], in: container)
    try enrolAll([1: "Ada", 2: "Grace"], in: container)
    #expect(try names() == ["Ada", "Grace"])
  }

  @Test("A number that comes with another name has the new one")
  func renamed() throws {
    try enrolAll([1: "Ada", 2: "Grace"], in: container)
    try enrolAll([1: "Ada Lovelace", 3: "Barbara"], in: container)
    #expect(try names() == ["Ada Lovelace", "Grace", "Barbara"])
  }
}
