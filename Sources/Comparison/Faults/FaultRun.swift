import CoreData
import PostgreSQLStore
import Synchronization

/// Exposes a set-up to a fault. It runs in a process of its own, because the fault may end the process.
@MainActor
struct FaultRun {
  /// What the process saw. If it wrote none, it ended too early.
  struct Sighting: Codable, Sendable {
    var surface: FaultOutcome.Surface
    var place = ""
    var error: String?
    var message: String?
    var canWriteAfterwards: Bool?
    var note: String?
  }

  /// The number of books in the file before the fault. They are numbered from 0.
  nonisolated static let booksBefore = 100

  let type: any ComparedSetup.Type
  let folder: URL
  let fault: InjectedFault
  let plant: PlantedFault?
  /// Records what is known so far, in case the process ends.
  let tell: (Sighting) -> Void

  func run() async -> Sighting {
    if fault == .modelMissing, type.info.modelName.isEmpty {
      return Sighting(surface: .notApplicable, note: "The classes are the model.")
    }
    var setup: any ComparedSetup
    do {
      setup = try await type.init(folder: folder)
    } catch {
      return Sighting(ErrorFacts(error, at: "init(folder:)"))
    }
    setup = plant?.planted(in: setup) ?? setup
    var sighting = fault.isMetAtOpening ? await useOpened(setup) : await bringAbout(setup)
    if !fault.isMetAtOpening, sighting.canWriteAfterwards == nil {
      sighting.canWriteAfterwards = await canWrite(setup)
    }
    try? await setup.close()
    return sighting
  }

  /// The set-up opened in spite of the fault. Finds out whether it works.
  private func useOpened(_ setup: any ComparedSetup) async -> Sighting {
    var sighting = Sighting(surface: .none)
    let entities = setup.view.managedContext.persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
    if entities["Book"] == nil {
      sighting.surface = .log
      sighting.place = "standard error"
      sighting.note = "The store opens with a model of \(entities.count) entities."
      // The fetch below may end this process.
      tell(sighting)
    }
    do {
      let count = try setup.view.bookCount()
      sighting.note = "It opens, and \(count) books are there."
      sighting.canWriteAfterwards = await canWrite(setup)
      return sighting
    } catch {
      var failed = Sighting(ErrorFacts(error, at: "the first fetch"))
      failed.note = sighting.note
      return failed
    }
  }

  private func bringAbout(_ setup: any ComparedSetup) async -> Sighting {
    switch fault {
    case .conflict: await conflict(setup)
    case .constraint: await constraint(setup)
    case .thrown: await thrown(setup)
    case .trap: await trap(setup)
    case .killed: await killed(setup)
    case .full: await full(setup)
    case .serverStops: await serverStops(setup)
    case .unreadable, .modelMissing, .olderModel, .otherModel: Sighting(surface: .notApplicable)
    }
  }

  // MARK: The faults

  private func conflict(_ setup: any ComparedSetup) async -> Sighting {
    do {
      let book = try setup.view.book(1)
      book.pages = 1111
      try await setup.writeBooks { try $0.book(1).pages = 2222 }
    } catch {
      return Sighting(ErrorFacts(error, at: "write"))
    }
    do {
      try await setup.saveView()
      return Sighting(surface: .none)
    } catch {
      var sighting = Sighting(ErrorFacts(error, at: "saveView"))
      setup.view.rollback()
      sighting.canWriteAfterwards = await canWrite(setup)
      return sighting
    }
  }

  private func constraint(_ setup: any ComparedSetup) async -> Sighting {
    await seen {
      try await setup.writeBooks { context in
        for number in 1000..<1009 { context.makeBook(number) }
        context.makeBook(1)
      }
    }
  }

  private func thrown(_ setup: any ComparedSetup) async -> Sighting {
    await seen {
      try await setup.writeBooks { context in
        for number in 1000..<1010 { context.makeBook(number) }
        throw ComparisonFailure("The block could not go on.")
      }
    }
  }

  private func trap(_ setup: any ComparedSetup) async -> Sighting {
    let nothing = setup.view.managedContext.registeredObjects.count - setup.view.managedContext.registeredObjects.count
    return await seen {
      try await setup.writeBooks { context in
        for number in 1000..<1010 { context.makeBook(number) }
        context.makeBook(1 / nothing)
      }
    }
  }

  private func killed(_ setup: any ComparedSetup) async -> Sighting {
    let log = folder.appendingPathComponent(type.info.storeName + "-wal").path
    let grown: @Sendable () throws -> Int
    do { grown = try serverLog(setup) ?? { FileSize.bytes(log) } } catch {
      return Sighting(ErrorFacts(error, at: "the server's log"))
    }
    let trouble = Mutex<String?>(nil)
    Thread.detachNewThread {
      // The save may have all connections for a moment.
      for _ in 0..<50 {
        do {
          while try grown() < 512 * 1024 { usleep(100) }
          kill(getpid(), SIGKILL)
        } catch {
          trouble.withLock { $0 = "\(error)" }
          usleep(100_000)
        }
      }
    }
    var sighting = await seen {
      try await setup.writeBooks { context in
        for number in 1000..<61_000 { context.makeBook(number) }
      }
    }
    sighting.note =
      trouble.withLock { $0 }.map { "It was not killed, because the server's log could not be looked at: \($0)" }
      ?? "The save was over before the kill."
    return sighting
  }

  /// What the server's log has grown by since this call; nil for a store in a file.
  private func serverLog(_ setup: any ComparedSetup) throws -> (@Sendable () throws -> Int)? {
    let stores = setup.view.managedContext.persistentStoreCoordinator?.persistentStores
    guard let store = stores?.first as? PostgreSQLStore else { return nil }
    let answer: @Sendable (String) throws -> String = { statement in
      guard let answer = try store.texts(statement).first?.first ?? nil else {
        throw ComparisonFailure("The server did not answer \(statement).")
      }
      return answer
    }
    let start = try answer("SELECT pg_current_wal_insert_lsn()")
    return { try Int(answer("SELECT (pg_current_wal_insert_lsn() - '\(start)')::bigint")) ?? 0 }
  }

  private func serverStops(_ setup: any ComparedSetup) async -> Sighting {
    do {
      try ServerSwitch.stop.ask(in: folder)
      let sighting = await seen {
        try await setup.writeBooks { context in for number in 1000..<1010 { context.makeBook(number) } }
      }
      try ServerSwitch.start.ask(in: folder)
      return sighting
    } catch {
      return Sighting(ErrorFacts(error, at: "the server"))
    }
  }

  private func full(_ setup: any ComparedSetup) async -> Sighting {
    let files = ["", "-wal", "-shm"].map {
      FileSize.bytes(folder.appendingPathComponent(type.info.storeName + $0).path)
    }
    FileSize.limit(to: (files.max() ?? 0) + 16 * 1024)
    let sighting = await seen {
      try await setup.writeBooks { context in
        for number in 1000..<11_000 { context.makeBook(number) }
      }
    }
    FileSize.limit(to: nil)
    return sighting
  }

  // MARK: Helpers

  private func seen(_ body: () async throws -> Void) async -> Sighting {
    do {
      try await body()
      return Sighting(surface: .none)
    } catch {
      return Sighting(ErrorFacts(error, at: "write"))
    }
  }

  private func canWrite(_ setup: any ComparedSetup) async -> Bool {
    do {
      try await setup.writeBooks { $0.makeBook(900_000) }
      return true
    } catch {
      return false
    }
  }
}

extension FaultRun.Sighting {
  init(_ facts: ErrorFacts) {
    self.init(surface: facts.surface, place: facts.place, error: facts.codes, message: facts.message)
  }
}
