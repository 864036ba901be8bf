import CSQLite
import ChapterSupport
import CoreData
import DataControllerChapter
import Foundation

extension DataControllerProgram {
  //> show-fault
  @MainActor func show(_ fault: Fault, in folder: URL) async throws {
    let url = try breakStore(fault, in: folder)
    do {
      let controller = try await DataController.load(at: url, modelName: modelName(fault))
      try controller.close()
      throw ChapterFailure("\(url.path) was opened although it was broken (\(fault.rawValue)).")
    } catch let failure as DataControllerFailure {
      Output.paragraph(failure.message)
      if let underlying = failure.underlying {
        Output.line("  in the log: \(underlying.domain) \(underlying.code)")
      }
    }
  }
  //< show-fault

  /// Ends the program with the failure, after a look at Core Data's own error.
  @MainActor func end(with fault: Fault, in folder: URL) async throws {
    let url = try breakStore(fault, in: folder)
    let before = try? Data(contentsOf: url)
    do {
      _ = try await DataController.load(at: url, modelName: modelName(fault))
    } catch let failure as DataControllerFailure {
      Output.heading("What Core Data says")
      if let error = failure.underlying {
        describe(error)
      } else {
        Output.line("nothing, because the program never asked it")
      }
      if let before { Output.line("the file is as it was: \(try Data(contentsOf: url) == before)") }
      throw failure
    }
    throw ChapterFailure("\(url.path) was opened although it was broken (\(fault.rawValue)).")
  }

  //> describe-error
  @MainActor private func describe(_ error: NSError) {
    Output.line("domain and code: \(error.domain) \(error.code)")
    Output.paragraph("description: \(error.localizedDescription)")
    Output.paragraph("reason: \(error.localizedFailureReason ?? "none")")
    Output.line("userInfo has: \(error.userInfo.keys.sorted().joined(separator: ", "))")
    // The key has no constant of its own.
    let metadata = error.userInfo["metadata"] as? [String: Any]
    let stored = metadata?[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    let model = NSPersistentContainer(name: "DataModel").managedObjectModel
    for (entity, hash) in stored.sorted(by: { $0.key < $1.key }) {
      Output.line("\(entity), the store's hash: \(Self.words(hash))")
      let own = model.entityVersionHashesByName[entity]
      Output.line("\(entity), the model's hash: \(Self.words(own))")
    }
  }
  //< describe-error

  /// The first bytes of a hash are enough to tell two apart.
  private static func words(_ hash: Data?) -> String {
    guard let hash else { return "none" }
    return hash.prefix(8).map { String(format: "%02x", $0) }.joined() + "…, \(hash.count) bytes"
  }

  /// A database of some other program.
  private static func makeDatabase(at url: URL) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open(url.path, &database) == SQLITE_OK,
      sqlite3_exec(database, "CREATE TABLE song (title TEXT)", nil, nil, nil) == SQLITE_OK
    else { throw ChapterFailure("The database \(url.path) cannot be made.") }
  }

  private func modelName(_ fault: Fault) -> String { fault == .model ? "NoSuchModel" : "DataModel" }

  /// Makes a broken store in a folder of its own, and returns where it is.
  private func breakStore(_ fault: Fault, in folder: URL) throws -> URL {
    let place = folder.appendingPathComponent("Broken", isDirectory: true)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let url = place.appendingPathComponent(DataController.storeName)
    try StoreOptions.removeStore(at: url)
    switch fault {
    case .model: break
    case .file: try Data("Meeting at ten. Bring the badges.\n".utf8).write(to: url)
    case .foreign: try Self.makeDatabase(at: url)
    case .damaged:
      try StoreOfAnotherModel.make(at: url)
      // What is left when a copy was interrupted.
      let file = try FileHandle(forUpdating: url)
      try file.truncate(atOffset: 5000)
      try file.close()
    case .mismatch: try StoreOfAnotherModel.make(at: url)
    }
    return url
  }
}
