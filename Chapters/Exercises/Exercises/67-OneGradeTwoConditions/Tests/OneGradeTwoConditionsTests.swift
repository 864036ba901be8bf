import ExerciseSupport
import Foundation
import SwiftData
import Testing

@testable import Exercises

@Suite("67 One grade, two conditions", .serialized)
@MainActor struct OneGradeTwoConditionsTests {
  let bench: Bench
  let context: ModelContext

  init() throws {
    bench = try Bench()
    context = ModelContext(
      try ModelContainer(for: Learner.self, configurations: ModelConfiguration(url: bench.storeURL)))
    try add("Grace", [("Mathematics", 95), ("French", 40)])
    try add("Ada", [("Mathematics", 80), ("French", 90)])
    try add("Barbara", [("Mathematics", 20), ("French", 90)])
    try add("Edith", [])
  }

  private func add(_ name: String, _ marks: [(String, Int)]) throws {
    let learner = Learner(name: name)
    context.insert(learner)
    for (subject, points) in marks { learner.marks.append(Mark(subject, points)) }
    try context.save()
  }

  /// The names of those that the predicate finds in the store, sorted.
  private func found(with points: Int, in subject: String) throws -> [String] {
    let wanted = try learners(with: points, in: subject)
    return try context.fetch(FetchDescriptor(predicate: wanted, sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  @Test("Two have 80 points or more in mathematics")
  func mathematics() throws {
    let names = try found(with: 80, in: "Mathematics")
    #expect(names == ["Ada", "Grace"])
  }

  @Test("In French it is two others")
  func french() throws {
    let names = try found(with: 50, in: "French")
    #expect(names == ["Ada", "Barbara"])
  }

  @Test("No one has marks in a subject that is not taught")
  func latin() throws {
    let names = try found(with: 0, in: "Latin")
    #expect(names.isEmpty)
  }
}
