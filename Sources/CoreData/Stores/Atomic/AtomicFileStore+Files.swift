import Foundation

extension AtomicFileStore: FileOperating, FileWriting {
  static func replacement(of url: URL, _ options: [AnyHashable: Any]?) throws -> any FileReplacement {
    try RewrittenFile(url)
  }

  /// Copies the file the way a save writes it. If the process is killed on the way, the next opening removes what it
  /// left behind.
  static func replaceStore(
    at destination: URL, _ options: [AnyHashable: Any]?, from source: URL, _ sourceOptions: [AnyHashable: Any]?
  ) throws {
    if source.isSameFile(as: destination) { return }
    let bytes: [UInt8]
    do {
      bytes = try WholeFile.read(source.path).bytes
    } catch WholeFile.Problem.missing {
      throw Failure.storeFileMissing(url: source)
    } catch let problem as WholeFile.Problem {
      throw problem.failure(source, isWriting: false)
    }
    do {
      _ = try WholeFile.write(bytes, to: destination.path, expecting: .anything)
    } catch let problem as WholeFile.Problem {
      throw problem.failure(destination, isWriting: true)
    }
  }
}
