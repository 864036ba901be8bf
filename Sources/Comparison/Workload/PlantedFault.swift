import CoreData

/// A mistake that is made on purpose in any set-up, to see whether the table shows it.
public enum PlantedFault: String, Codable, Sendable, CaseIterable {
  /// Everything is written in the view context.
  case saveOnMain = "save-on-main"
  /// The view context hears of no save.
  case noMerge = "no-merge"
  /// Each write holds up the main queue for 300 ms.
  case stall
  /// Nothing is saved.
  case noSave = "no-save"

  @MainActor
  func planted(in setup: any StackSetup) -> any StackSetup {
    if self == .noMerge { setup.viewContext.automaticallyMergesChangesFromParent = false }
    return PlantedSetup(setup, self)
  }
}

/// A set-up with a mistake in it.
private final class PlantedSetup: StackSetup {
  static let info = SetupInfo(id: "planted", title: "", summary: "", modelName: "", storeName: "")

  private let setup: any StackSetup
  private let fault: PlantedFault

  init(_ setup: any StackSetup, _ fault: PlantedFault) {
    self.setup = setup
    self.fault = fault
  }

  init(folder: URL) async throws { throw ComparisonFailure("A planted set-up is made of another.") }

  var viewContext: NSManagedObjectContext { setup.viewContext }

  func write(_ block: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
    switch fault {
    case .saveOnMain:
      try block(viewContext)
      try await setup.saveView()
    case .stall:
      usleep(300_000)
      try await setup.write(block)
    case .noMerge:
      try await setup.write(block)
    case .noSave:
      try await setup.write { context in
        try block(context)
        context.rollback()
      }
    }
  }

  func saveView() async throws { try await setup.saveView() }

  func close() async throws { try await setup.close() }
}
