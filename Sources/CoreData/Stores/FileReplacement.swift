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

  /// Does the work that a migration has deferred.
  ///
  /// - Parameter isOne: whether to do only one piece.
  /// - Returns: whether there was anything to do.
  func finishDeferredMigration(isOne: Bool) throws -> Bool
}

/// A store that can delay writing its file, for a migration, which saves often.
protocol FileWriting: ValueStore {
  /// Whether a commit writes the file. If false, the file is written by the first commit after this is set to true.
  var writesFile: Bool { get set }
}

/// Replaces a store's file by its new version. Made before the new version is, so that it notices writes by others to
/// the old one.
protocol FileReplacement {
  /// Whether to open the old version for writing, because opening it read-only would copy it.
  var readsOldAsOwn: Bool { get }

  /// Whether the new one is.
  var readsNewAsOwn: Bool { get }

  /// The problem of the new version's file; nil if it has none.
  func damage(of new: URL) throws -> String?

  /// Throws if the old version was written by others meanwhile.
  func check() throws

  /// Puts the new version in place of the old one. On failure the store is unchanged.
  func putInPlace(_ new: URL) throws
}

extension FileReplacement {
  var readsOldAsOwn: Bool { false }

  var readsNewAsOwn: Bool { false }

  func damage(of new: URL) throws -> String? { nil }

  func check() throws {}
}

/// For a store that is one file or folder: the new one is renamed over the old one, even if others wrote to the old
/// one.
struct RenamedFile: FileReplacement {
  let url: URL

  func putInPlace(_ new: URL) throws { try StoreFiles.rename(new, to: url) }
}

/// For a store whose file is written as a whole: the file is replaced only if it is unchanged since the beginning.
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
