import CoreData

/// Exposes a set-up to a fault. Runs in a process of its own, which may end by it.
@MainActor
struct FaultRun {
  /// What the process saw; without one it did not live to tell.
  struct Sighting: Codable, Sendable {
    var surface: FaultOutcome.Surface
    var place = ""
    var error: String?
    var message: String?
    var canWriteAfterwards: Bool?
    var note: String?
  }

  /// The books in the file before, numbered from 0.
  nonisolated static let booksBefore = 100

  let type: any StackSetup.Type
  let folder: URL
  let fault: InjectedFault
  let plant: PlantedFault?
  /// Takes down what is known so far.
  let tell: (Sighting) -> Void

  func run() async -> Sighting {
    var setup: any StackSetup
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

  /// It opened all the same. Whether it can be used?
  private func useOpened(_ setup: any StackSetup) async -> Sighting {
    var sighting = Sighting(surface: .none)
    let entities = setup.viewContext.persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
    if entities["Book"] == nil {
      sighting.surface = .log
      sighting.place = "standard error"
      sighting.note = "The store opens with a model of \(entities.count) entities."
      // The fetch below may be the last thing that this process does.
      tell(sighting)
    }
    do {
      let count = try setup.viewContext.count(for: NSFetchRequest<Book>(entityName: "Book"))
      sighting.note = "It opens, and \(count) books are there."
      sighting.canWriteAfterwards = await canWrite(setup)
      return sighting
    } catch {
      var failed = Sighting(ErrorFacts(error, at: "the first fetch"))
      failed.note = sighting.note
      return failed
    }
  }

  private func bringAbout(_ setup: any StackSetup) async -> Sighting {
    switch fault {
    case .conflict: await conflict(setup)
    case .constraint: await constraint(setup)
    case .thrown: await thrown(setup)
    case .trap: await trap(setup)
    case .killed: await killed(setup)
    case .full: await full(setup)
    case .unreadable, .modelMissing, .olderModel, .otherModel: Sighting(surface: .notApplicable)
    }
  }

  // MARK: One by one

  private func conflict(_ setup: any StackSetup) async -> Sighting {
    do {
      let book = try Book.find(1, in: setup.viewContext)
      book.pages = 1111
      try await setup.write { try Book.find(1, in: $0).pages = 2222 }
    } catch {
      return Sighting(ErrorFacts(error, at: "write"))
    }
    do {
      try await setup.saveView()
      return Sighting(surface: .none)
    } catch {
      var sighting = Sighting(ErrorFacts(error, at: "saveView"))
      setup.viewContext.rollback()
      sighting.canWriteAfterwards = await canWrite(setup)
      return sighting
    }
  }

  private func constraint(_ setup: any StackSetup) async -> Sighting {
    await seen {
      try await setup.write { context in
        for number in 1000..<1009 { Book.make(number, in: context) }
        Book.make(1, in: context)
      }
    }
  }

  private func thrown(_ setup: any StackSetup) async -> Sighting {
    await seen {
      try await setup.write { context in
        for number in 1000..<1010 { Book.make(number, in: context) }
        throw ComparisonFailure("The block could not go on.")
      }
    }
  }

  private func trap(_ setup: any StackSetup) async -> Sighting {
    let nothing = setup.viewContext.registeredObjects.count - setup.viewContext.registeredObjects.count
    return await seen {
      try await setup.write { context in
        for number in 1000..<1010 { Book.make(number, in: context) }
        Book.make(1 / nothing, in: context)
      }
    }
  }

  private func killed(_ setup: any StackSetup) async -> Sighting {
    let log = folder.appendingPathComponent(type.info.storeName + "-wal").path
    Thread.detachNewThread {
      while FileSize.bytes(log) < 512 * 1024 { usleep(100) }
      kill(getpid(), SIGKILL)
    }
    var sighting = await seen {
      try await setup.write { context in
        for number in 1000..<61_000 { Book.make(number, in: context) }
      }
    }
    sighting.note = "The save was over before the kill."
    return sighting
  }

  private func full(_ setup: any StackSetup) async -> Sighting {
    let files = ["", "-wal", "-shm"].map {
      FileSize.bytes(folder.appendingPathComponent(type.info.storeName + $0).path)
    }
    FileSize.limit(to: (files.max() ?? 0) + 16 * 1024)
    let sighting = await seen {
      try await setup.write { context in
        for number in 1000..<11_000 { Book.make(number, in: context) }
      }
    }
    FileSize.limit(to: nil)
    return sighting
  }

  // MARK: Together

  private func seen(_ body: () async throws -> Void) async -> Sighting {
    do {
      try await body()
      return Sighting(surface: .none)
    } catch {
      return Sighting(ErrorFacts(error, at: "write"))
    }
  }

  private func canWrite(_ setup: any StackSetup) async -> Bool {
    do {
      try await setup.write { Book.make(900_000, in: $0) }
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
