/// Makes and removes the files of one store's long values.
///
/// The steps of a save that makes files, and forgets others:
///
/// 1. `makeFile` puts the name into the journal, on the disk, and then writes the file and flushes it. This happens
///    inside the transaction that names the file.
/// 2. `willCommit` flushes the new files' names to the disk, and puts the forgotten files' names into the journal.
/// 3. The commit.
/// 4. `didCommit` settles the new files in the journal. The forgotten ones are now pending.
/// 5. `removePending` removes the pending files that no reader needs any longer.
///
/// So a row never names a file that is not there. A process that ends between 1 and 3 leaves files that no row names.
/// One that ends later may leave forgotten files. The journal lists both, and the next store that opens the database
/// checks them.
///
/// A pending file is removed when all of this is true:
///
/// 1. No row names it. If this store forgot the file, the commit proves it. Names from another store's journal are
///    looked up in all tables, in a transaction that keeps writers out.
/// 2. No transaction that began earlier is still open, in this process or another, for a pinned context or a fetch in
///    progress. SQLite can tell: see `Connection.hasNoOlderReader`.
/// 3. No row in the memory of this process refers to it: see `ExternalHolds`. So an object that still has the old row
///    reads the old value. An object of another process reads its row again (`ExternalFileSource`).
/// 4. No other store has a folder of the same name.
///
/// Removal is tried after each save that forgets a file, when no context is pinned any more, when the last row that
/// refers to a file goes away, and when the store is opened or closed.
///
/// Any thread.
final class ExternalStorage: @unchecked Sendable {
  // `@unchecked Sendable`: everything that changes is only touched under `lock`.

  let files: ExternalFiles
  private let uuid: String
  private let lock = NSLock()
  private var journal: ExternalJournal?
  /// Names in the journal, on the disk, whose files are not made yet.
  private var spare: [String] = []
  /// The files to remove, by name. True if it is not known yet whether a row names the file.
  private var pending: [String: Bool] = [:]
  /// The pending files that rows in memory still refer to. `ExternalHolds` reports when the last such row goes away.
  private var awaited: Set<String> = []
  /// How many more quick tries there are while an older transaction stands in the way.
  private var tries = 0
  /// The new files for which it is not known yet whether a row names them.
  private var unsettled: Set<String> = []
  /// The store whose connection removes files later on; nil for work on a store that is not open.
  private let store: LivingReference<SQLiteStore>

  private static let spareCount = 16

  /// Whether files wait to be removed.
  var hasPending: Bool { lock.withLock { !pending.isEmpty } }

  init(_ files: ExternalFiles, uuid: String, of store: SQLiteStore? = nil) {
    self.files = files
    self.uuid = uuid
    self.store = LivingReference(store)
  }

  deinit { removeJournal() }

  /// The queue on which all stores try removals again.
  static let queue = DispatchQueue(label: "Files of long values", qos: .utility)

  /// Calls `removePending` on `queue`, soon or after a delay. Can be called from anywhere, even while locks are held.
  func removeLater(after delay: DispatchTimeInterval? = nil) {
    let work = DispatchWorkItem { [weak self] in
      // A closed store has nothing pending, so this does not keep its connections open.
      guard let self, self.hasPending, let pool = self.store.object?.pool else { return }
      pool.write { self.removePending($0) }
    }
    if let delay {
      ExternalStorage.queue.asyncAfter(deadline: .now() + delay, execute: work)
    } else {
      ExternalStorage.queue.async(execute: work)
    }
  }

  // A transaction.

  /// Writes a new file, flushes it to the disk, and returns its name.
  func makeFile(_ value: UnsafeRawBufferPointer) throws -> String {
    let name = try lock.withLock { () -> String in
      if spare.isEmpty {
        let names = (0..<ExternalStorage.spareCount).map { _ in UUID().uuidString }
        try openJournal().add(names, lasting: true)
        spare = names
      }
      let name = spare.removeLast()
      unsettled.insert(name)
      return name
    }
    try ExternalFolder.made(files).write(value, to: name)
    return name
  }

  /// Removes the files of a transaction that is not committed.
  func discard(_ names: [String]) {
    if names.isEmpty { return }
    files.remove(names)
    lock.withLock {
      unsettled.subtract(names)
      journal?.removeEntries(names)
    }
  }

  /// Prepares the commit of a transaction that has made and forgotten files.
  func willCommit(made: [String], forgotten: [String]) throws {
    try files.syncNames(of: made)
    if forgotten.isEmpty || files.isInMemory { return }
    // Forgotten files that are not noted stay behind after a crash. That is no reason to refuse a save.
    lock.withLock { try? openJournal().add(forgotten, lasting: false) }
  }

  /// Settles the new files after the commit, and removes the forgotten ones if it can. A file that was made and
  /// forgotten in the same transaction counts as forgotten.
  func didCommit(made: [String], forgotten: [String], _ connection: Connection) {
    if made.isEmpty && forgotten.isEmpty || files.isInMemory { return }
    lock.withLock {
      let gone = Set(forgotten)
      unsettled.subtract(made)
      journal?.removeEntries(made.filter { !gone.contains($0) })
      for name in gone { pending[name] = false }
      tries = 5
    }
    if !forgotten.isEmpty { removePending(connection) }
    lock.withLock {
      if pending.isEmpty, unsettled.isEmpty, journal?.clear(ifLong: true) == true { spare = [] }
    }
  }

  private func openJournal() throws -> ExternalJournal {
    if let journal { return journal }
    guard let prefix = ExternalJournal.prefix(files, uuid: uuid) else {
      throw Failure.storeFileGone(url: files.store, isReplaced: false)
    }
    let new = try ExternalJournal(files, prefix: prefix)
    journal = new
    return new
  }

  // Removing.

  /// Removes the pending files that no reader needs any longer.
  ///
  /// - Parameter connection: a connection to the store's file, in no transaction, that no other thread uses meanwhile.
  func removePending(_ connection: Connection) {
    let names = lock.withLock { pending }
    if names.isEmpty || files.sharesFolder { return }
    guard let forgotten = try? forgotten(names, connection).filter({ !isHeld($0) }), !forgotten.isEmpty else { return }
    guard files.syncCommit() else { return }
    guard connection.hasNoOlderReader() else { return tryAgain() }
    // Ask again: every row that an older transaction read holds its files by now.
    let free = forgotten.filter { !isHeld($0) }
    dropPending((try? ExternalFolder(files))?.remove(free) ?? free)
  }

  /// Whether a row in the memory of this process refers to a file. If so, removal is tried again after the last such
  /// row.
  private func isHeld(_ name: String) -> Bool {
    guard let uuid = UUID(uuidString: name), ExternalHolds.isHeld(uuid) else { return false }
    guard lock.withLock({ awaited.insert(name).inserted }) else { return true }
    if ExternalHolds.whenFree(uuid, { [weak self] in self?.removeLater() }) { return true }
    lock.withLock { _ = awaited.remove(name) }
    return false
  }

  private func tryAgain() {
    let isLast = lock.withLock {
      tries -= 1
      return tries < 0
    }
    if !isLast { removeLater(after: .milliseconds(200)) }
  }

  /// The names that certainly no row has. Names that turn out to have a row are settled.
  private func forgotten(_ names: [String: Bool], _ connection: Connection) throws -> [String] {
    let unknown = names.filter(\.value).keys
    if unknown.isEmpty { return names.keys.sorted() }
    let named = try connection.withoutWaiting {
      try connection.transaction(.immediate) { try ExternalFiles.named(in: connection) }
    }
    dropPending(unknown.filter(named.contains))
    lock.withLock { for name in unknown where pending[name] != nil { pending[name] = false } }
    return names.keys.filter { names[$0] == false || !named.contains($0) }.sorted()
  }

  /// These names wait for nothing any more: their files are gone, or a row has them.
  private func dropPending(_ names: [String]) {
    if names.isEmpty { return }
    lock.withLock {
      for name in names { pending[name] = nil }
      awaited.subtract(names)
      journal?.removeEntries(names)
    }
  }

  // Opening and closing.

  /// Takes over the journals of stores that did not close this database, and removes the files they list if it can.
  func takeOver(_ connection: Connection) {
    guard let prefix = ExternalJournal.prefix(files, uuid: uuid) else { return }
    let found = ExternalJournal.abandoned(files, prefix: prefix)
    if found.isEmpty { return }
    let folder = try? ExternalFolder(files)
    for (old, names) in found {
      let there = names.filter { folder?.has($0) == true }
      do {
        try lock.withLock {
          if !there.isEmpty { try openJournal().add(there.sorted(), lasting: true) }
          for name in there where pending[name] == nil { pending[name] = true }
        }
        old.remove()
      } catch {
        // The journal stays for the next store.
      }
    }
    removePending(connection)
    lock.withLock(removeJournalIfEmpty)
  }

  /// Tries to remove the pending files a last time. What is left is for the next store that opens the database.
  func close(_ connection: Connection) {
    lock.withLock {
      for name in unsettled { pending[name] = true }
      unsettled = []
    }
    removePending(connection)
    removeJournal()
    lock.withLock { pending = [:] }
  }

  private func removeJournal() {
    lock.withLock {
      removeJournalIfEmpty()
      // Once it has no owner, another store can take it over.
      journal = nil
      spare = []
    }
  }

  private func removeJournalIfEmpty() {
    guard pending.isEmpty, unsettled.isEmpty, let journal else { return }
    journal.remove()
    self.journal = nil
    spare = []
  }
}
