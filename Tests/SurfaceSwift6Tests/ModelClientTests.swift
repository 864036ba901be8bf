import Foundation
import SwiftData
import Testing

@Model final class Visitor {
  @Attribute(.preserveValueOnDeletion) var name: String
  var visits = 0
  init(name: String) { self.name = name }
}

/// Reads the history away from the main actor, and hands it over.
@ModelActor actor HistoryReader {
  func transactions(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] { try modelContext.fetchHistory(descriptor) }

  func changes() throws -> [HistoryChange] { try transactions(HistoryDescriptor()).flatMap(\.changes) }

  func tombstones() throws -> [HistoryTombstone<Visitor>] {
    try changes().compactMap {
      if case .delete(let deletion as DefaultHistoryDelete<Visitor>) = $0 { deletion.tombstone } else { nil }
    }
  }

  func firstIdentifier<T: HistoryTransaction>(_ type: T.Type) throws -> T.ID? where T.ID: Sendable {
    try modelContext.fetchHistory(HistoryDescriptor<T>()).first?.id
  }

  func come(_ name: String) throws -> PersistentIdentifier {
    let visitor = Visitor(name: name)
    modelContext.insert(visitor)
    try modelContext.save()
    return visitor.persistentModelID
  }

  func leave(_ id: PersistentIdentifier) throws {
    guard let visitor = self[id, as: Visitor.self] else { return }
    visitor.visits += 1
    try modelContext.save()
    modelContext.delete(visitor)
    try modelContext.save()
  }
}

/// What a program keeps of a model in a store of its own.
struct VisitorSnapshot: DataStoreSnapshot {
  let persistentIdentifier: PersistentIdentifier
  var name: any DataStoreSnapshotValue { text }
  private let text: String

  init(_ identifier: PersistentIdentifier, _ name: String) { (persistentIdentifier, text) = (identifier, name) }

  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> VisitorSnapshot { VisitorSnapshot(persistentIdentifier, text) }
}

@Suite("Models in the Swift 6 language mode")
struct ModelClientTests {
  @Test("A history crosses over from an actor to the main actor: transactions, changes and tombstones")
  @MainActor
  func history() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ModelClientTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try ModelContainer(
      for: Visitor.self, configurations: ModelConfiguration(url: folder.appendingPathComponent("Visitors.store")))
    let reader = HistoryReader(modelContainer: container)
    try await reader.leave(reader.come("Ada"))
    let number: Int64 = 1
    let later = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.transactionIdentifier > number }, sortBy: [SortDescriptor(\.transactionIdentifier)])
    let transactions = try await reader.transactions(later)
    #expect(transactions.map(\.id) == [2, 3])
    guard case .update(let update as DefaultHistoryUpdate<Visitor>) = try await reader.changes()[1] else {
      Issue.record("\(transactions)")
      return
    }
    let names = await Task.detached { update.updatedAttributes.map { $0 == \Visitor.visits } }.value
    #expect(names == [true])
    #expect(try await reader.tombstones().map { $0[\.name] as? String } == ["Ada"])
    #expect(try await reader.firstIdentifier(DefaultHistoryTransaction.self) == 1)
  }

  @Test("Snapshots, and what stores exchange with contexts, may be handed to any thread")
  func snapshots() async throws {
    let container = try ModelContainer(
      for: Visitor.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let id = try await HistoryReader(modelContainer: container).come("Bo")
    let result = DataStoreFetchResult(
      descriptor: FetchDescriptor<Visitor>(), fetchedSnapshots: [VisitorSnapshot(id, "Bo")])
    let saved = DataStoreSaveChangesResult<VisitorSnapshot>(for: "store")
    let names = await Task.detached { result.fetchedSnapshots.map { $0.name as? String } }.value
    #expect(names == ["Bo"])
    #expect(await Task.detached { saved.storeIdentifier }.value == "store")
    let key = ModelContext.NotificationKey.insertedIdentifiers
    #expect(await Task.detached { key.rawValue }.value == "inserted")
  }
}
