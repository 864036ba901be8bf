import CoreData
import Foundation
import SwiftData
import TestFiles
import Testing

/// Stores that Apple's framework wrote; they are no part of this project.
private let corpus = ProcessInfo.processInfo.environment["COREDATA_CORPUS"].map {
  URL(fileURLWithPath: $0).appendingPathComponent("swiftdata")
}

@Suite("Stores of Apple's framework", .enabled(if: corpus != nil, "COREDATA_CORPUS names no folder"))
struct CorpusTests {
  static let challenges = [
    "keithsharp+VacuumTest/2570ae30-Data-challenges.store", "keithsharp+VacuumTest/3751d2b7-exports-challenges.store",
    "keithsharp+VacuumTest/6de932bc-Data-challenges.store",
  ]
  static let schedulers = [
    "StanfordSpezi+SpeziScheduler/9ef998cc-iOS26MigrationInput.sqlite",
    "StanfordSpezi+SpeziScheduler/b0fadb32-edu.stanford.spezi.scheduler.storage.sqlite",
  ]

  private func copy(_ path: String, to folder: TemporaryFolder) throws -> URL {
    let source = try #require(corpus).appendingPathComponent(path)
    for suffix in ["", "-wal"] {
      let from = URL(fileURLWithPath: source.path + suffix)
      guard FileManager.default.fileExists(atPath: from.path) else { continue }
      let to = URL(fileURLWithPath: folder.file().path + suffix)
      try FileManager.default.copyItem(at: from, to: to)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: to.path)
    }
    return folder.file()
  }

  private func hashes(_ url: URL) throws -> [String: Data] {
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
    return try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Data])
  }

  private func tables(_ url: URL) throws -> [String] {
    let output = try SQLiteText.rows(url, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
    return output
  }

  @Test("The Swift sources alone give each entity the hash that its store states", arguments: challenges + schedulers)
  func versionHashes(_ path: String) throws {
    let folder = TemporaryFolder()
    let url = try copy(path, to: folder)
    let schema =
      Self.challenges.contains(path) ? Schema([Vacuum.Challenge.self]) : Schema([Scheduler.Outcome.self])
    let container = try ModelContainer(
      for: schema, configurations: ModelConfiguration(url: folder.file("New.store")))
    withExtendedLifetime(container) {}
    #expect(try hashes(folder.file("New.store")) == hashes(url))
  }

  @Test("A store of challenges is read, changed, saved, and keeps its tables", arguments: challenges)
  func challenge(_ path: String) throws {
    let folder = TemporaryFolder()
    let url = try copy(path, to: folder)
    let before = try tables(url)
    do {
      let container = try ModelContainer(for: Vacuum.Challenge.self, configurations: ModelConfiguration(url: url))
      let context = ModelContext(container)
      let challenges = try context.fetch(FetchDescriptor<Vacuum.Challenge>())
      for challenge in challenges {
        #expect(!challenge.name.isEmpty)
        challenge.rating = .hard
      }
      context.insert(Vacuum.Challenge(name: "New", rating: .easy))
      try context.save()
    }
    let container = try ModelContainer(for: Vacuum.Challenge.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    let ratings = try context.fetch(FetchDescriptor<Vacuum.Challenge>()).map(\.rating)
    #expect(ratings.filter { $0 == .easy }.count == 1 && ratings.allSatisfy { $0 == .easy || $0 == .hard })
    #expect(try tables(url) == before)
  }

  @Test("The history that Apple's framework wrote is read, and counts on where that stopped", arguments: challenges)
  func history(_ path: String) throws {
    let folder = TemporaryFolder()
    let url = try copy(path, to: folder)
    do {
      let context = ModelContext(
        try ModelContainer(for: Vacuum.Challenge.self, configurations: ModelConfiguration(url: url)))
      let before = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      // One of them was made, and nothing saved to it.
      #expect(before.count == (path.contains("6de932bc") ? 0 : 1))
      for transaction in before {
        #expect(transaction.bundleIdentifier == "uk.co.passback.CreateData")
        #expect(transaction.processIdentifier == "CreateData" && transaction.author == nil)
        #expect(transaction.timestamp.timeIntervalSinceReferenceDate > 738_000_000 && !transaction.changes.isEmpty)
      }
      context.insert(Vacuum.Challenge(name: "New", rating: .easy))
      try context.save()
      let after = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(after.count == before.count + 1 && after.last?.changes.count == 1)
    }
    for (number, table) in [(16001, "ACHANGE"), (16002, "ATRANSACTION"), (16003, "ATRANSACTIONSTRING")] {
      let isCounted = try SQLiteText.rows(
        url, "SELECT Z_MAX = (SELECT MAX(Z_PK) FROM \(table)) FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)")
      #expect(isCounted == ["1"], "\(table)")
    }
  }

  @Test("A store with structs three deep is read, changed, saved, and keeps its tables", arguments: schedulers)
  func scheduler(_ path: String) throws {
    let folder = TemporaryFolder()
    let url = try copy(path, to: folder)
    let before = try tables(url)
    let start = Date(timeIntervalSinceReferenceDate: 1000)
    let plan = Scheduler.Plan(
      startDate: start, scheduleDuration: .duration(.seconds(90)), recurrenceRule: nil,
      notificationMatchingHint: .components(
        month: nil, day: nil, hour: 8, minute: 30, second: nil, weekday: nil))
    do {
      let context = ModelContext(
        try ModelContainer(for: Scheduler.Task.self, configurations: ModelConfiguration(url: url)))
      let tasks = try context.fetch(FetchDescriptor<Scheduler.Task>(sortBy: [SortDescriptor(\.id)]))
      #expect(!tasks.isEmpty)
      for task in tasks {
        #expect(!task.title.key.isEmpty && task.tags.isEmpty && task.userInfo == Scheduler.UserInfo())
        #expect(task.schedule.startDate.timeIntervalSinceReferenceDate > 700_000_000)
        #expect(task.outcomes.isEmpty && (task.nextVersion.map { $0.previousVersion === task } ?? true))
      }
      tasks[0].schedule = plan
      tasks[0].notificationThread = .custom("x")
      tasks[0].tags = ["a"]
      context.insert(Scheduler.Outcome(task: tasks[0], start: start))
      try context.save()
    }
    let context = ModelContext(
      try ModelContainer(for: Scheduler.Task.self, configurations: ModelConfiguration(url: url)))
    let task = try #require(try context.fetch(FetchDescriptor<Scheduler.Task>(sortBy: [SortDescriptor(\.id)])).first)
    #expect(task.schedule == plan && task.tags == ["a"] && task.outcomes.count == 1)
    guard case .custom("x") = task.notificationThread else {
      Issue.record("\(task.notificationThread)")
      return
    }
    #expect(try tables(url) == before)
  }
}
