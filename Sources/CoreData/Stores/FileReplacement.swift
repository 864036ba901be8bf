import Foundation

/// A store class whose stores change in place by what two models imply, without objects.
package protocol InPlaceMigrating: NSPersistentStore {
  /// Brings a store, which no coordinator of this process has open, to another version of its model.
  ///
  /// - Parameter configuration: nil for all entities.
  /// - Throws: a `Failure`; the store is then as it was.
  static func migrateInPlace(
    at url: URL, by delta: ModelDelta, to layouts: ModelLayouts, configuration: String?, options: [AnyHashable: Any]?
  ) throws

  /// The model that a store keeps; nil if it keeps none.
  static func keptModel(at url: URL) -> NSManagedObjectModel?

  /// Does what a migration has put off.
  ///
  /// - Parameter isOne: whether to do one piece only.
  /// - Returns: whether there was anything to do.
  func finishDeferredMigration(isOne: Bool) throws -> Bool
}

/// A store that can put off the writing of its file. For a migration, which saves often.
protocol FileWriting: ValueStore {
  /// Whether a commit writes the file; else the next one does, once it is to.
  var writesFile: Bool { get set }
}

/// How a store's file gives way to its new version. Made before the new one is; it notices that somebody else
/// writes to the old one.
protocol FileReplacement {
  /// Whether the old version has to be opened as one's own, since it would be copied to be only read.
  var readsOldAsOwn: Bool { get }

  /// Whether the new one is.
  var readsNewAsOwn: Bool { get }

  /// What is wrong with the file of the new version; nil if nothing is.
  func damage(of new: URL) throws -> String?

  /// Throws if somebody else has written to the old version meanwhile.
  func check() throws

  /// Puts the new version in the place of the old one. What may fail leaves the store as it was.
  func putInPlace(_ new: URL) throws
}

extension FileReplacement {
  var readsOldAsOwn: Bool { false }

  var readsNewAsOwn: Bool { false }

  func damage(of new: URL) throws -> String? { nil }

  func check() throws {}
}

/// Of a store that is one file, or folder: it is renamed over, whoever has written to it.
struct RenamedFile: FileReplacement {
  let url: URL

  func putInPlace(_ new: URL) throws { try StoreFiles.rename(new, to: url) }
}

/// Of a store whose file is written as a whole: only the file that was there at the beginning gives way.
struct RewrittenFile: FileReplacement {
  private let url: URL
  private let stamp: WholeFile.Stamp?

  init(_ url: URL) throws {
    self.url = url
    stamp = try WholeFile.stamp(url.path)
  }

  func putInPlace(_ new: URL) throws {
    let expected: WholeFile.Expectation = stamp.map { .unchanged($0) } ?? .anything
    do {
      _ = try WholeFile.write(try WholeFile.read(new.path).bytes, to: url.path, expecting: expected)
    } catch WholeFile.Problem.unconfirmed {
      // It is there, and the old one gone.
    } catch let problem as WholeFile.Problem {
      throw problem.failure(url, isWriting: true)
    }
  }
}
