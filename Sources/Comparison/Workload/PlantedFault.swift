import CoreData

/// A mistake that is made on purpose in a set-up, to see whether the table shows it.
public enum PlantedFault: String, Codable, Sendable, CaseIterable {
  /// Writes are made in the view context.
  case saveOnMain = "save-on-main"
  /// The view context doesn't merge other contexts' saves.
  case noMerge = "no-merge"
  /// Each write blocks the main queue for 300 ms.
  case stall
  /// Nothing is saved.
  case noSave = "no-save"

  @MainActor
  func planted(in setup: any ComparedSetup) -> any ComparedSetup {
    if self == .noMerge { setup.view.managedContext.automaticallyMergesChangesFromParent = false }
    return PlantedSetup(setup, self)
  }
}

/// A set-up with a mistake in it.
private final class PlantedSetup: ComparedSetup {
  static let info = SetupInfo(id: "planted", title: "", summary: "", modelName: "", storeName: "")

  private let setup: any ComparedSetup
  private let fault: PlantedFault

  init(_ setup: any ComparedSetup, _ fault: PlantedFault) {
    self.setup = setup
    self.fault = fault
  }

  init(folder: URL) async throws { throw ComparisonFailure("A planted set-up is made of another.") }

  var view: any BookContext { setup.view }

  func writeBooks(_ block: @escaping @Sendable (any BookContext) throws -> Void) async throws {
    switch fault {
    case .saveOnMain:
      try block(view)
      try await setup.saveView()
    case .stall:
      usleep(300_000)
      try await setup.writeBooks(block)
    case .noMerge:
      try await setup.writeBooks(block)
    case .noSave:
      try await setup.writeBooks { context in
        try block(context)
        context.rollback()
      }
    }
  }

  func saveView() async throws { try await setup.saveView() }

  func close() async throws { try await setup.close() }
}
