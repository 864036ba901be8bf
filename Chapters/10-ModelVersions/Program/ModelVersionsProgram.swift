import ArgumentParser
import ChapterSupport
import CoreData
import Foundation
import ModelVersionsChapter

@main
struct ModelVersionsProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "ModelVersions",
    abstract: "A store grows with its model: inferred, renamed, custom and staged migration.")

  @OptionGroup var store: StoreOptions

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp("Only open the store with this version, migrating it if need be.", valueName: "version"))
  var goal: Int?

  @Flag(name: .customLong("break"), help: "Let a migration policy refuse a book.")
  var breaksMigration = false

  static let stagedName = "Staged.sqlite"

  static func main() { ChapterProgram.run(Self.self) }

  func validate() throws {
    try refuseTogether(["--to": goal != nil, "--break": breaksMigration])
  }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "ModelVersions", stores: [LibraryStore.name, Self.stagedName])
    let file = LibraryFile(url: folder.appendingPathComponent(LibraryStore.name))
    if let goal { return try open(file, goal) }
    if breaksMigration { return try showRefusedBook(file) }

    try showDifferences()
    try showFirstVersion(file)
    try showInferred(file, folder)
    try showRenamed(file, folder)
    try showCustom(file)
    try showImpossible(file)
    try showForgotten(file)
    let staged = LibraryFile(url: folder.appendingPathComponent(Self.stagedName))
    try showStaged(file, staged)
    try showDeferred(staged)
  }

  /// `--to`: the store's own way, by what the two models say.
  private func open(_ file: LibraryFile, _ goal: Int) throws {
    guard let version = LibraryVersion(rawValue: goal) else {
      let versions = LibraryVersion.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
      throw ValidationError("The versions are \(versions).")
    }
    try LibraryStore(at: file.url, version: version, migrates: true).close()
    Output.line("The store is of version \(try LibraryVersion(ofStoreAt: file.url).rawValue).")
  }

  private func showDifferences() throws {
    Output.heading("Four versions of one model")
    for old in LibraryVersion.allCases {
      guard let new = old.next else { continue }
      Output.line("from \(old.rawValue) to \(new.rawValue)")
      //> differences
      for line in ModelDifference(from: try old.model, to: try new.model).lines {
        Output.line("  \(line)")
      }
      //< differences
    }
  }

  private func showFirstVersion(_ file: LibraryFile) throws {
    Output.heading("A store of version 1")
    try LibraryStore.makeFirstVersion(at: file.url)
    try file.show("ZBOOK")
    Output.line("written with version \(try LibraryVersion(ofStoreAt: file.url).rawValue)")

    Output.heading("Opened with version 2, without migration")
    //> refused
    do {
      _ = try LibraryStore(at: file.url, version: .two)
    } catch let error as NSError {
      Output.line("\(error.code): \(error.localizedFailureReason ?? "")")
    }
    //< refused
  }

  private func showInferred(_ file: LibraryFile, _ folder: URL) throws {
    Output.heading("From 1 to 2: inferred")
    try showSQL(MigrationSQL.ofMigrating(storeIn: folder, to: 2))
    try file.show("ZBOOK")
    try file.show("ZREADER")
  }

  private func showRenamed(_ file: LibraryFile, _ folder: URL) throws {
    Output.heading("From 2 to 3: renamed")
    let store = try LibraryStore(at: file.url, version: .two)
    //> lend
    let reader = NSEntityDescription.insertNewObject(
      forEntityName: "Reader", into: store.context)
    reader.setValue("Ada", forKey: "name")
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "title == 'Emma'")
    reader.setValue(Set(try store.context.fetch(request)), forKey: "books")
    try store.context.save()
    //< lend
    try store.close()
    try showSQL(MigrationSQL.ofMigrating(storeIn: folder, to: 3))
    try file.show("ZBOOK")
    try file.show("ZMEMBER")
  }

  /// Statements that read are left out; they change nothing.
  private func showSQL(_ statements: [String]) {
    for statement in statements {
      let first = statement.prefix { $0.isLetter }.uppercased()
      if ["SELECT", "PRAGMA"].contains(first) { continue }
      Output.line(statement)
    }
  }

  private func showCustom(_ file: LibraryFile) throws {
    Output.heading("From 3 to 4: by a mapping model of our own")
    //> custom
    try LibraryMigrator(url: file.url).migrate(to: .current) { old, new in
      Output.line("version \(old.rawValue) became version \(new.rawValue)")
    }
    //< custom
    try file.show("ZBOOK")
    try file.show("ZAUTHOR")
    try file.show("ZMEMBER")
  }

  private func showImpossible(_ file: LibraryFile) throws {
    Output.heading("A change that no one can guess")
    let before = try file.bytes()
    //> impossible
    let model = try LibraryVersion.four.model
    let books = model.entitiesByName["Book"]
    books?.attributesByName["firstPublished"]?.attributeType = .stringAttributeType
    do {
      _ = try LibraryStore(at: file.url, model: model, migrates: true)
    } catch let error as NSError {
      Output.line("\(error.code): \(error.localizedFailureReason ?? "")")
      if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError {
        let place = ["entity", "property"].map { "\(cause.userInfo[$0] ?? "")" }
        Output.line(
          "\(cause.code): \(place.joined(separator: ".")), "
            + "\(cause.localizedFailureReason ?? "")")
      }
    }
    //< impossible
    Output.line("the file is byte for byte as it was: \(try file.bytes() == before)")
  }

  private func showForgotten(_ file: LibraryFile) throws {
    Output.heading("A default that was forgotten")
    let before = try file.bytes()
    //> forgotten
    let shelf = NSAttributeDescription()
    shelf.name = "shelf"
    shelf.attributeType = .stringAttributeType
    shelf.isOptional = false
    let model = try LibraryVersion.four.model
    model.entitiesByName["Book"]?.properties.append(shelf)
    do {
      _ = try LibraryStore(at: file.url, model: model, migrates: true)
    } catch let error as NSError {
      let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
      Output.line("\(error.code): \(cause?.localizedFailureReason ?? "")")
      Output.line("it is \(cause?.userInfo["attribute"] ?? "no attribute")")
    }
    //< forgotten
    Output.line("the file is byte for byte as it was: \(try file.bytes() == before)")
  }

  private func showStaged(_ file: LibraryFile, _ staged: LibraryFile) throws {
    Output.heading("From 1 to 4 at once: stages")
    try LibraryStore.makeFirstVersion(at: staged.url)
    //> staged
    let stages = try LibraryStages()
    let store = try LibraryStore(at: staged.url, version: .current, migrates: true) {
      $0.setOption(stages.manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
    }
    //< staged
    try store.close()
    try staged.show("ZAUTHOR")
    try staged.show("ZBOOK")
    Output.line("the same tables as the other file: \(try staged.tables() == file.tables())")
  }

  private func showDeferred(_ staged: LibraryFile) throws {
    Output.heading("A column that goes, but not now")
    //> deferred
    let model = try LibraryVersion.four.model
    model.entitiesByName["Book"]?.properties.removeAll { $0.name == "isReference" }
    let store = try LibraryStore(at: staged.url, model: model, migrates: true) {
      $0.setOption(
        true as NSNumber, forKey: NSPersistentStoreDeferredLightweightMigrationOptionKey)
    }
    Output.line("opened:   \(try staged.columns(of: "ZBOOK").joined(separator: ", "))")
    try store.container.persistentStoreCoordinator.finishDeferredLightweightMigration()
    Output.line("finished: \(try staged.columns(of: "ZBOOK").joined(separator: ", "))")
    //< deferred
    try store.close()
  }

  /// `--break`: what a policy throws ends the migration; the store stays what it was.
  private func showRefusedBook(_ file: LibraryFile) throws {
    try LibraryStore.makeFirstVersion(at: file.url)
    let migrator = LibraryMigrator(url: file.url)
    try migrator.migrate(to: .three)
    try file.show("ZBOOK")
    let before = try file.bytes()
    do {
      //> strict
      let mapping = try LibraryMapping.authors(policy: StrictBookPolicy.self)
      try migrator.step(from: .three, to: .four, by: mapping)
      //< strict
    } catch {
      Output.line("the file is byte for byte as it was: \(try file.bytes() == before)")
      Output.line("it is still of version \(try LibraryVersion(ofStoreAt: file.url).rawValue)")
      throw error
    }
    throw ChapterFailure("A book without a writer went through a policy that forbids it.")
  }
}
