/// The long values of one store: when a file is made, and when it is removed.
///
/// A save that makes files, and forgets others:
///
/// 1. `makeFile`: the name is in the journal, on the disk; then the file is written, down to the disk. This happens
///    inside the transaction that names it.
/// 2. `willCommit`: the files' names are on the disk, and the forgotten files' names are in the journal.
/// 3. The commit.
/// 4. `didCommit`: the journal has the new files settled. The forgotten ones are pending.
/// 5. `removePending`: what nobody needs any more goes.
///
/// So a row never names a file that is not there. A process that ends between 1 and 3 leaves files that no row names,
/// one that ends later may leave forgotten ones: the journal has both, and the next store that opens the file asks
/// about them.
///
/// A pending file is removed when
///
/// 1. no row names it. Of its own names a storage knows that from the commit; names from another's journal are looked
///    for in all tables, in a transaction that keeps writers out;
/// 2. no transaction that began before that is open, in this process or another: contexts pinned to a generation,
///    fetches in progress. SQLite knows: see `Connection.hasNoOlderReader`;
/// 3. no row of this process refers to it: see `ExternalHolds`. So an object that still has the old row reads the old
///    value. An object of another process reads its row again (`ExternalFileSource`);
/// 4. no other store's folder has the same name.
///
/// That is tried after each save that forgets a file, when a pinned context or the last row of a file lets go, when the
/// store is closed, and when it is opened.
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
  /// Files without a row; true for those of which that is still to be found out.
  private var pending: [String: Bool] = [:]
  /// Those of them of which the end of the last row that refers to them will be heard.
  private var awaited: Set<String> = []
  /// How often another try follows soon, when a transaction of others stands in the way.
  private var tries = 0
  /// Files that are made, and of which it is open whether a row has them.
  private var unsettled: Set<String> = []
  /// The store whose connection is used later on; nil for work on a store that is not open.
  private weak var store: SQLiteStore?

  private static let spareCount = 16

  /// Whether files wait to be removed.
  var hasPending: Bool { lock.withLock { !pending.isEmpty } }

  init(_ files: ExternalFiles, uuid: String, of store: SQLiteStore? = nil) {
    self.files = files
    self.uuid = uuid
    self.store = store
  }

  deinit { removeJournal() }

  /// Work of all stores that waits for something to let go.
  static let queue = DispatchQueue(label: "Files of long values", qos: .utility)

  /// Calls `removePending`, soon, on a thread of its own. From anywhere, also under locks.
  func removeLater(after delay: DispatchTimeInterval? = nil) {
    let work = DispatchWorkItem { [weak self] in
      // A store that is closed has nothing pending: its connections are not kept open here.
      guard let self, self.hasPending, let pool = self.store?.pool else { return }
      pool.write { self.removePending($0) }
    }
    if let delay {
      ExternalStorage.queue.asyncAfter(deadline: .now() + delay, execute: work)
    } else {
      ExternalStorage.queue.async(execute: work)
    }
  }

  // A transaction.

  /// Writes a new file, down to the disk, and says its name.
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

  /// Removes files of a transaction that has not been committed.
  func discard(_ names: [String]) {
    if names.isEmpty { return }
    files.remove(names)
    lock.withLock {
      unsettled.subtract(names)
      journal?.removeEntries(names)
    }
  }

  /// Before the commit of a transaction that has made and forgotten files.
  func willCommit(made: [String], forgotten: [String]) throws {
    try files.syncNames(of: made)
    if forgotten.isEmpty || files.isInMemory { return }
    // What is not noted is not found after a crash, which is no reason to refuse a save.
    lock.withLock { try? openJournal().add(forgotten, lasting: false) }
  }

  /// After the commit. Files that were made and forgotten in the same transaction are forgotten.
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

  /// Removes what nobody needs any more.
  ///
  /// - Parameter connection: of the store's file, in no transaction, and kept from others meanwhile.
  func removePending(_ connection: Connection) {
    let names = lock.withLock { pending }
    if names.isEmpty || files.sharesFolder { return }
    guard let forgotten = try? forgotten(names, connection).filter({ !isHeld($0) }), !forgotten.isEmpty else { return }
    // The commit that forgot them may be in the log only, and that not on the disk.
    let code = ExternalFiles.synchronize(files.store.path + "-wal")
    guard code == 0 || code == ENOENT else { return }
    guard connection.hasNoOlderReader() else { return tryAgain() }
    // Rows that were read by an older transaction are counted by now.
    let free = forgotten.filter { !isHeld($0) }
    removeUnusedFiles((try? ExternalFolder(files))?.remove(free) ?? free)
  }

  /// Whether a row of this process refers to a file. The last one that goes is heard.
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

  /// The names of which it is certain that no row has them; those that a row has are settled.
  private func forgotten(_ names: [String: Bool], _ connection: Connection) throws -> [String] {
    let unknown = names.filter(\.value).keys
    if unknown.isEmpty { return names.keys.sorted() }
    let named = try connection.withoutWaiting {
      try connection.transaction(.immediate) { try ExternalFiles.named(in: connection) }
    }
    removeUnusedFiles(unknown.filter(named.contains))
    lock.withLock { for name in unknown where pending[name] != nil { pending[name] = false } }
    return names.keys.filter { names[$0] == false || !named.contains($0) }.sorted()
  }

  private func removeUnusedFiles(_ names: [String]) {
    if names.isEmpty { return }
    lock.withLock {
      for name in names { pending[name] = nil }
      awaited.subtract(names)
      journal?.removeEntries(names)
    }
  }

  // Opening and closing.

  /// Takes over the journals of stores that did not close this file, and asks about their names.
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
        // It stays for the next one.
      }
    }
    removePending(connection)
    lock.withLock(removeJournalIfEmpty)
  }

  /// The last try. What is left is for the next store that opens the file.
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
      // Without its owner it can be taken over.
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
