import BuiltPrograms
import CoreData
import DurabilitySupport
import Foundation
import Testing

/// Why nothing of this runs under a sanitizer.
let hasFaultyFiles = ConditionTrait.enabled(
  if: FaultyFolder.isAvailable, "A sanitizer has the functions of the C library for itself.")

/// A ledger's store in a folder of its own that can be made to fail. Removed with the value.
final class FaultyStack {
  let setup: StoreSetup
  let folder: FaultyFolder
  let coordinator: NSPersistentStoreCoordinator
  let ledgerContext: LedgerContext
  /// What the store is to have when all that was saved is in it.
  private(set) var ledger: Ledger
  /// What it has while the pending changes are not saved.
  private(set) var saved: [String]

  init(_ setup: StoreSetup, saves: Int = 3) throws {
    self.setup = setup
    folder = try makeFolder()
    coordinator = try setup.open(in: folder.url)
    ledgerContext = try LedgerContext(coordinator)
    ledger = Ledger(seed: 3, hasFiles: setup.hasFiles)
    saved = ledger.lines
    for _ in 0..<saves {
      prepare()
      try save()
    }
  }

  deinit {
    try? coordinator.removeAllStores()
    try? FileManager.default.removeItem(at: folder.url)
  }

  var context: NSManagedObjectContext { ledgerContext.context }
  var url: URL { setup.url(in: folder.url) }

  /// Makes the changes of the next save.
  func prepare(withFile: Bool = false) {
    let changes = ledger.advance(withFile: withFile)
    ledgerContext.apply(changes, save: ledger.saves)
  }

  func save() throws {
    try ledgerContext.save()
    saved = ledger.lines
  }

  /// What another coordinator finds in the file.
  func linesOnDisk() throws -> [String] {
    let other = try setup.open(in: folder.url)
    defer { try? other.removeAllStores() }
    return try LedgerContext(other).lines
  }

  /// All that can be seen of the context's changes.
  func look() -> [String] { ledgerContext.look() }
}

func makeFolder() throws -> FaultyFolder {
  let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    .appendingPathComponent("DurabilityTests-\(UUID().uuidString)", isDirectory: true)
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  return FaultyFolder(url)
}

/// The bytes of a folder's files but for the log's index, by name.
func contents(_ folder: URL) throws -> [String: Data] {
  var files: [String: Data] = [:]
  for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
    files[name] = FileManager.default.contents(atPath: folder.appendingPathComponent(name).path)
  }
  return files
}

/// The error that a body throws, if it does.
func failure(_ body: () throws -> Void) -> NSError? {
  do {
    try body()
    return nil
  } catch {
    return error as NSError
  }
}

/// Whether an error is one of Cocoa's and names a file in the folder.
func names(_ folder: URL, _ error: NSError) -> Bool {
  error.domain == NSCocoaErrorDomain
    && (error.userInfo[NSFilePathErrorKey] as? String ?? error.localizedDescription).contains(folder.path)
}

/// The trace without numbers, and without the names that differ from run to run. Equal lines in a row are one line.
func order(_ trace: [String]) -> String {
  var lines: [String] = []
  for line in trace {
    var words = line.split(separator: " ").map(String.init).filter { !($0.first?.isNumber ?? false) }
    words = words.map { word in
      guard let slash = word.lastIndex(of: "/") else { return word }
      let name = word[word.index(after: slash)...]
      if name.hasPrefix("_") { return word }
      return word[...slash] + (UUID(uuidString: String(name)) == nil ? "TEMPORARY" : "UUID")
    }
    let text = words.joined(separator: " ")
    if lines.last != text { lines.append(text) }
  }
  return lines.joined(separator: "\n")
}

/// Runs the program that kills and breaks; returns what it said.
func runCrasher(_ arguments: [String]) throws -> (code: Int32, output: String) {
  let output = Pipe()
  let process = try startCrasher(arguments, output)
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return (process.terminationStatus, text)
}

/// Starts it.
func startCrasher(_ arguments: [String], _ output: Pipe? = nil) throws -> Process {
  let process = Process()
  let program: URL = try #require(BuiltProgram.url("StoreCrasher"), "The program StoreCrasher was not built.")
  process.executableURL = program
  process.arguments = arguments
  process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "COREDATA_STRESS" }
  process.standardOutput = output ?? FileHandle.nullDevice
  process.standardError = FileHandle.nullDevice
  try process.run()
  return process
}
