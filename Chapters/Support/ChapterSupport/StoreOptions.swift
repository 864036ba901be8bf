import ArgumentParser
import Foundation

/// `--store` and `--fresh`: where a chapter keeps its file, and whether it removes an earlier one first.
public struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "Keep the store in this folder (default: the application support folder of the user).",
      valueName: "folder"))
  public var folder: String?

  @Flag(name: .customLong("fresh"), help: "Remove the program's own store files first.")
  public var startsFresh = false

  // The stack itself reads these two, and `ChapterArguments` takes them out before anything is parsed. They are here to
  // be listed.
  @Option(
    name: .customLong("com.apple.CoreData.SQLDebug", withSingleDash: true),
    help: ArgumentHelp(
      "Print the SQL that runs, on standard error: 1 the statements, 3 also their values, 4 also the plans.",
      valueName: "level"))
  var sqlDebugLevel: Int?

  @Option(
    name: .customLong("com.apple.CoreData.ConcurrencyDebug", withSingleDash: true),
    help: ArgumentHelp("With 1, end the program where an object is used off its queue.", valueName: "1"))
  var concurrencyDebug: Int?

  public init() {}

  /// The folder to use: made if it is missing, checked to be writable, named on the terminal, and, with
  /// `--fresh`, freed of the files of `stores`. Nothing else in it is touched.
  ///
  /// - Parameters:
  ///   - program: Names the folder below application support.
  ///   - stores: File names of the program's stores, such as `Library.sqlite`.
  ///   - announcing: Names the folder on standard output; else on standard error, where output is data.
  public func openFolder(
    for program: String, stores: [String], announcing: Bool = true
  ) throws -> URL {
    let url = try folderURL(for: program)
    let files = FileManager.default
    do {
      try files.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw ChapterFailure("The folder \(url.path) cannot be made: \(Self.reason(error)).")
    }
    guard files.isWritableFile(atPath: url.path) else {
      throw ChapterFailure("The folder \(url.path) cannot be written to.")
    }
    let line = "Store folder: \(url.path)\n"
    (announcing ? FileHandle.standardOutput : FileHandle.standardError).write(Data(line.utf8))
    if startsFresh {
      for store in stores { try Self.removeStore(at: url.appendingPathComponent(store)) }
    }
    return url
  }

  private func folderURL(for program: String) throws -> URL {
    if let folder {
      guard !folder.isEmpty else { throw ChapterFailure("--store needs the name of a folder.") }
      return URL(fileURLWithPath: (folder as NSString).expandingTildeInPath, isDirectory: true)
        .standardizedFileURL
    }
    let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
    guard let first = support.first else {
      throw ChapterFailure("This user has no application support folder; name a folder with --store.")
    }
    return first.appendingPathComponent("Strata/\(program)", isDirectory: true)
  }

  /// Removes a SQLite file together with its log and its shared memory: a log without its file would be
  /// taken for that of the next file of the same name.
  public static func removeStore(at url: URL) throws {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      let path = url.path + suffix
      guard FileManager.default.fileExists(atPath: path) else { continue }
      do {
        try FileManager.default.removeItem(atPath: path)
      } catch {
        throw ChapterFailure("The file \(path) cannot be removed: \(reason(error)).")
      }
    }
  }

  /// What the system said, in the words of the lowest level, without Foundation's sentences around it.
  private static func reason(_ error: any Error) -> String {
    let error = error as NSError
    if let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError {
      return reason(underlying)
    }
    if error.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(error.code))).lowercased() }
    switch (error.domain, error.code) {
    case (NSCocoaErrorDomain, CocoaError.fileWriteFileExists.rawValue):
      return "there is a file of that name"
    case (NSCocoaErrorDomain, CocoaError.fileNoSuchFile.rawValue),
      (NSCocoaErrorDomain, CocoaError.fileReadNoSuchFile.rawValue):
      return "the place for it does not exist"
    case (NSCocoaErrorDomain, CocoaError.fileWriteNoPermission.rawValue),
      (NSCocoaErrorDomain, CocoaError.fileReadNoPermission.rawValue):
      return "permission denied"
    case (NSCocoaErrorDomain, CocoaError.fileWriteOutOfSpace.rawValue):
      return "no space left on the disk"
    case (NSCocoaErrorDomain, CocoaError.fileWriteVolumeReadOnly.rawValue):
      return "the disk can only be read"
    default:
      let words = error.localizedDescription
      return "\(words.last == "." ? String(words.dropLast()) : words) (\(error.domain) \(error.code))"
    }
  }
}
