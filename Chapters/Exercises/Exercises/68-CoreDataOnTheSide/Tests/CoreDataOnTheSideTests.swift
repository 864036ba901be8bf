import CoreData
import ExerciseSupport
import Foundation
import SwiftData
import Testing

@testable import Exercises

@Suite("68 Core Data on the side", .serialized)
@MainActor struct CoreDataOnTheSideTests {
  let bench: Bench
  let container: ModelContainer

  init() throws {
    bench = try Bench()
    container = try ModelContainer(
      for: Visitor.self, configurations: ModelConfiguration(url: bench.storeURL))
    let context = ModelContext(container)
    context.insert(Visitor(name: "Ada", visits: 3))
    try context.save()
  }

  private let request = NSFetchRequest<NSManagedObject>(entityName: "Visitor")

  @Test("Core Data reads what SwiftData has saved")
  func reads() throws {
    let visitors = try visitorsStack(at: bench.storeURL).viewContext.fetch(request)
    #expect(visitors.map { $0.value(forKey: "name") as? String } == ["Ada"])
  }

  @Test("SwiftData reads what Core Data has saved")
  func writes() throws {
    let stack = try visitorsStack(at: bench.storeURL)
    try stack.viewContext.fetch(request).first?.setValue(4, forKey: "visits")
    try stack.viewContext.save()
    let other = ModelContext(container)
    let visits = try other.fetch(FetchDescriptor<Visitor>()).map(\.visits)
    #expect(visits == [4])
  }

  @Test("The history has the saves of both")
  func history() throws {
    let stack = try visitorsStack(at: bench.storeURL)
    stack.viewContext.transactionAuthor = "Core Data"
    try stack.viewContext.fetch(request).first?.setValue(4, forKey: "visits")
    try stack.viewContext.save()
    let transactions = try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(transactions.map { $0.author ?? "none" } == ["none", "Core Data"])
  }
}
