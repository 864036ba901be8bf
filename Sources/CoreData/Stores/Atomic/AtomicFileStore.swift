/// A store that has all rows in memory, and in one file that each save writes as a whole.
///
/// `loadMetadata()` reads the whole file, or creates it. A save writes the file before the new rows become visible. If
/// that fails, file and rows stay as they were. Several coordinators may read one file. After the first of them has
/// saved, the saves of the others fail (`Failure.fileChangedElsewhere`), because they would undo it.
///
/// Usable from any thread: `committed` guards the rows, `lock` guards everything else. While a save writes, fetches
/// wait.
class AtomicFileStore: NSPersistentStore, MemoryBacked, ValueStore {
  /// The form of the file. Subclasses override it.
  class var form: any AtomicForm.Type { preconditionFailure("\(self) has no form.") }

  let committed: CommittedRows
  /// Keeps the descriptions alive that layouts refer to without retaining them.
  private let model: NSManagedObjectModel

  private let storedMetadata = StoredMetadata()
  private let lock = NSLock()
  /// The last key given out. All entities share one sequence.
  private var lastKey: Int64 = 0
  /// The numbers of those rows whose number is not their key. See `AtomicRows`.
  private(set) var movedRows: [RowReference: Int64] = [:]
  /// The path and the stamp of the file that was last read or written.
  private var known: (path: String, stamp: WholeFile.Stamp)?

  /// Whether a commit writes the file. A migration sets it to false, because it saves often. The first commit after it
  /// is true again writes the file.
  var writesFile = true {
    didSet { if writesFile, !oldValue { storedMetadata.writeAgain() } }
  }

  override var type: String { Self.form.type }

  /// The store's metadata. A change is written with the next commit.
  override var metadata: [String: Any]! {
    get { storedMetadata.current.values }
    set { storedMetadata.set(newValue, type: type, uuid: identity.uuid) }
  }

  override init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
    at url: URL, options: [AnyHashable: Any]? = nil
  ) {
    guard let root else {
      misuse("A store of type \(Self.form.type) is made by the coordinator that it is added to.")
    }
    model = root.ownModel
    committed = CommittedRows(root.layouts)
    super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
  }

  // Opening.

  /// Reads the file, or creates it. Throws a `Failure`.
  override func loadMetadata() throws {
    guard let url, url.isFileURL else { throw Failure.storeWithoutURL(type: type) }
    try Self.form.check(heldLayouts, url: url)
    try Self.translating(url, isWriting: false) {
      if !isReadOnly { WholeFile.removeAbandoned(beside: url.path) }
      if try loadExisting(url) { return }
      if isReadOnly { throw Failure.storeFileMissing(url: url) }
      do {
        try make(url)
      } catch WholeFile.Problem.changed {
        // Another process has created the file in the meantime, so it is read like any other.
        if try !loadExisting(url) { throw WholeFile.Problem.changed }
      }
    }
  }

  /// Reads the file. Returns false if it doesn't exist yet, or is empty.
  private func loadExisting(_ url: URL) throws -> Bool {
    do {
      let (bytes, stamp) = try WholeFile.read(url.path)
      if bytes.isEmpty { return false }
      try load(bytes, stamp: stamp, url: url)
      return true
    } catch WholeFile.Problem.missing {
      return false
    }
  }

  private func load(_ bytes: [UInt8], stamp: WholeFile.Stamp, url: URL) throws {
    var header = try Self.form.header(of: bytes)
    guard StoreIdentity.canBeUUID(header.uuid) else {
      throw Failure.damagedStore(url: url, line: nil, what: "its UUID is \(Failure.words(for: header.uuid))")
    }
    let fits = try ModelMetadata.fits(
      header.metadata, type: type, url: url, model: model, configuration: configuration, options: options)
    var loader = AtomicLoader(committed.layouts, heldLayouts)
    try Self.form.readRows(of: bytes, into: &loader)
    let rows = try loader.finish()
    var stamp = stamp
    if !fits, !isReadOnly {
      // From now on the store belongs to this model.
      header.metadata.merge(ModelMetadata.entries(for: model, configuration: configuration)) { $1 }
      stamp = try Self.translating(url, isWriting: true) {
        try WholeFile.write(
          Self.form.replaceHeader(of: bytes, by: header), to: url.path, expecting: .unchanged(stamp))
      }
    }
    committed.replace(by: rows.rows, lastKeys: committed.givenKeys)
    storedMetadata.read(header.metadata)
    lock.withLock {
      identity.uuid = header.uuid
      lastKey = max(header.lastKey, rows.lastKey, Self.form.keyBeforeFirst)
      known = (url.path, stamp)
    }
  }

  private func make(_ url: URL) throws {
    let metadata = ModelMetadata.entries(for: model, configuration: configuration).merging([
      NSStoreTypeKey: type, NSStoreUUIDKey: identity.uuid,
      "NSPersistenceFrameworkVersion": Int(NSCoreDataVersionNumber),
    ]) { $1 }
    var header = AtomicHeader(metadata: metadata, lastKey: Self.form.keyBeforeFirst)
    var none: [RowReference: Int64] = [:]
    let bytes = try Self.form.write(AtomicRows(committed.current, moved: &none, lastKey: &header.lastKey), header)
    let stamp: WholeFile.Stamp
    do {
      stamp = try WholeFile.write(bytes, to: url.path, expecting: .nothing)
    } catch let problem as WholeFile.Problem {
      if case .changed = problem { throw problem }
      throw problem.failure(url, isWriting: true)
    }
    storedMetadata.read(metadata)
    lock.withLock {
      lastKey = header.lastKey
      known = (url.path, stamp)
    }
  }

  /// Whether the file is still the one that was last read or written.
  var isCurrent: Bool {
    guard let known = lock.withLock({ known }) else { return false }
    return (try? WholeFile.stamp(known.path)) == known.stamp
  }

  override func willRemove(from coordinator: NSPersistentStoreCoordinator?) { committed.removeAll() }

  var heldLayouts: [EntityLayout] {
    let layouts = committed.layouts
    guard let configuration, let entities = model.entities(forConfigurationName: configuration) else {
      return layouts.layouts
    }
    return entities.compactMap(layouts.layout(of:))
  }

  // Saving.

  func reserveKeys(_ count: Int, in root: EntityLayout) throws -> Int64 {
    try lock.withLock {
      guard lastKey <= Int64.max - Int64(count) else {
        let url = url ?? .storeInMemory
        throw Failure.damagedStore(url: url, line: nil, what: "its last key is \(lastKey), the largest there is")
      }
      defer { lastKey += Int64(count) }
      return lastKey + 1
    }
  }

  func admitKeys(upTo last: Int64, in root: EntityLayout) throws -> Bool {
    lock.withLock { lastKey = max(lastKey, last) }
    return true
  }

  var hasUnsavedMetadata: Bool { !isReadOnly && writesFile && storedMetadata.unwritten != nil }

  func commit(_ changes: ChangeSet) throws -> SaveOutcome {
    guard let url else { throw Failure.storeWithoutURL(type: type) }
    if isReadOnly {
      let entity = changes.firstRow?.entity
      throw Failure.readOnlyStore(url: url, entity: entity.map { committed.layouts[$0].name })
    }
    if changes.writesNothing && storedMetadata.unwritten == nil || !writesFile { return committed.commit(changes) }
    return try committed.commit(changes) { rows in
      try Self.translating(url, isWriting: true) { try write(rows, url) }
    }
  }

  private func write(_ rows: MemoryRows, _ url: URL) throws {
    let metadata = storedMetadata.current
    let (rows, header, known) = lock.withLock {
      let rows = AtomicRows(rows, moved: &movedRows, lastKey: &lastKey)
      return (rows, AtomicHeader(metadata: metadata.values, lastKey: lastKey), self.known)
    }
    let bytes = try Self.form.write(rows, header)
    // A store whose URL has changed is saved at the new URL, and replaces any file there.
    let isSamePlace = known?.path == url.path
    let expected = isSamePlace ? known.map { WholeFile.Expectation.unchanged($0.stamp) } : nil
    do {
      let stamp = try WholeFile.write(bytes, to: url.path, expecting: expected ?? .anything)
      lock.withLock { self.known = (url.path, stamp) }
      storedMetadata.didWrite(metadata)
    } catch WholeFile.Problem.unconfirmed(let stamp, let errno) {
      // The save fails and the context keeps its changes, but its next save must expect the file that this one wrote.
      lock.withLock { self.known = (url.path, stamp) }
      throw WholeFile.Problem.unconfirmed(stamp, errno: errno)
    }
  }

  // Stores that are not open.

  override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    try publicErrors {
      try translating(url, isWriting: false) { try form.header(of: try contents(of: url).bytes).metadata }
    }
  }

  override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
    try publicErrors {
      try translating(url, isWriting: true) {
        let (bytes, stamp) = try contents(of: url)
        var header = try form.header(of: bytes)
        header.metadata = NSPersistentStore.metadata(
          metadata, keepingOwnOf: header.metadata, type: form.type, uuid: header.uuid)
        let new = try form.replaceHeader(of: bytes, by: header)
        _ = try WholeFile.write(new, to: url.path, expecting: .unchanged(stamp))
      }
    }
  }

  private class func contents(of url: URL) throws -> (bytes: [UInt8], stamp: WholeFile.Stamp) {
    do {
      let file = try WholeFile.read(url.path)
      if !file.bytes.isEmpty { return file }
    } catch WholeFile.Problem.missing {}
    throw Failure.storeFileMissing(url: url)
  }

  private class func translating<Result>(_ url: URL, isWriting: Bool, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let problem as WholeFile.Problem {
      throw problem.failure(url, isWriting: isWriting)
    } catch let problem as AtomicProblem {
      throw problem.failure(url, form.type)
    }
  }
}

extension ChangeSet {
  /// Whether no row and no link is written. Rows that are only looked at don't change the file.
  fileprivate var writesNothing: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty }
}
