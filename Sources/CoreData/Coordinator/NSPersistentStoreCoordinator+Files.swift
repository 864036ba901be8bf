/// Stores as files: moving, copying, replacing, destroying. The work is the store classes'; see
/// `FileOperating`.
extension NSPersistentStoreCoordinator {
  /// ``destroyPersistentStore(at:ofType:options:)`` in the newer spelling.
  public func destroyPersistentStore(
    at url: URL, type: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroyPersistentStore(at: url, ofType: type.rawValue, options: options)
  }

  /// ``replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)`` in the newer
  /// spelling.
  public func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
    type: NSPersistentStore.StoreType
  ) throws {
    try replacePersistentStore(
      at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
      sourceOptions: sourceOptions, ofType: type.rawValue)
  }

  /// ``migratePersistentStore(_:to:options:withType:)`` in the newer spelling.
  @discardableResult
  public func migratePersistentStore(
    _ store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]? = nil, type: NSPersistentStore.StoreType
  ) throws -> NSPersistentStore {
    try migratePersistentStore(store, to: url, options: options, withType: type.rawValue)
  }

  /// ``destroyPersistentStore(at:ofType:options:)``.
  func destroyStore(at url: URL, _ type: String, _ options: [AnyHashable: Any]?) throws {
    let storeClass = try NSPersistentStoreCoordinator.storeClass(for: type)
    try removeStore(at: url)
    try publicErrors {
      if let server = storeClass as? any ServerStore.Type { return try server.destroyStore(at: url, options) }
      guard let files = storeClass as? any FileOperating.Type else { return try StoreFiles.remove(url) }
      try files.destroyStore(at: url, options)
    }
  }

  /// ``replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)``.
  func replaceStore(
    at destination: URL, options: [AnyHashable: Any]?, from source: URL, sourceOptions: [AnyHashable: Any]?,
    type: String
  ) throws {
    let storeClass = try NSPersistentStoreCoordinator.storeClass(for: type)
    try removeStore(at: destination)
    try publicErrors {
      if let server = storeClass as? any ServerStore.Type {
        return try server.replaceStore(at: destination, options, from: source, sourceOptions)
      }
      guard let files = storeClass as? any FileOperating.Type else {
        return try StoreFiles.replace(destination, by: source)
      }
      try files.replaceStore(at: destination, options, from: source, sourceOptions)
    }
  }

  /// The store is removed before its file changes, so that nobody reads a state that is gone.
  private func removeStore(at url: URL) throws {
    while let store = persistentStores.first(where: { $0.isAt(url) }) { try removeStore(store) }
  }

  // Moving.

  /// ``setURL(_:for:)``.
  func setLocation(_ url: URL, of store: NSPersistentStore) -> Bool {
    let uuid = store.identity.uuid
    do {
      try saving.alone {
        try checkAdded(store)
        if let other = persistentStores.first(where: { $0 !== store && $0.isAt(url) }) {
          throw Failure.storeAlreadyAdded(url: other.url ?? url)
        }
        RemoteChanges.removeListeners(of: store)
        defer { RemoteChanges.addListener(for: store, of: self) }
        if let files = store as? any FileOperating { try files.move(to: url) } else { store.url = url }
      }
    } catch {
      warn(
        MisuseReport(
          "The store \(store.url?.path ?? "without a URL") could not be moved to \(url.path).",
          facts: [("Error", error.publicError.localizedDescription)],
          how: "setURL(_:for:) opens the file that is there, which has to be this store's, moved or copied.",
          remedy: "The store goes on where it was."))
      return false
    }
    if store.identity.uuid != uuid {
      post(.NSPersistentStoreCoordinatorStoresDidChange, [NSUUIDChangedPersistentStoresKey: [store, store]])
    }
    return true
  }

  // Saving as.

  /// ``migratePersistentStore(_:to:options:withType:)``.
  func migrateStore(
    _ store: NSPersistentStore, to url: URL, _ options: [AnyHashable: Any]?, type: String
  ) throws -> NSPersistentStore {
    let storeClass = try NSPersistentStoreCoordinator.storeClass(for: type)
    let hasFile = type != NSInMemoryStoreType && !url.isStoreInMemory
    var isReserved = false
    defer { if isReserved { withStores { $0.endOpening(url) } } }
    try publicErrors {
      try checkAdded(store)
      // Until the new store is in the list nobody else may open one there: its file would be replaced.
      if hasFile, !persistentStores.contains(where: { $0.isAt(url) }) {
        try withStores { try $0.beginOpening(url) }
        isReserved = true
      }
      let isOccupied =
        try (storeClass as? any FileOperating.Type)?.isOccupied(url)
        ?? (storeClass as? any ServerStore.Type)?.isOccupied(url) ?? StoreFiles.isOccupied(url)
      if isOccupied || persistentStores.contains(where: { $0.isAt(url) }) { throw Failure.storeExists(url: url) }
    }
    NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store, userInfo: nil)
    let (new, references) = try saving.alone {
      try publicErrors { try checkAdded(store) }
      let new = try publicErrors { try copyStore(store, storeClass: storeClass, to: url, options: options) }
      let references = self.references(in: new)
      RemoteChanges.removeListeners(of: store)
      store.willRemove(from: self)
      new.takePlace(of: store)
      withStores { $0.replace(store, by: new) }
      store.detach()
      return (new, references)
    }
    new.didAdd(to: self)
    RemoteChanges.addListener(for: new, of: self)
    let ids = references.flatMap { reference in
      [store, new].map {
        NSManagedObjectID(
          layout: layouts[Int(reference.entity)], key: reference.key, store: $0.identity)
      }
    }
    // One after the other, as observers may look for one of the keys only.
    post(.NSPersistentStoreCoordinatorStoresDidChange, [NSAddedPersistentStoresKey: [new]])
    post(
      .NSPersistentStoreCoordinatorStoresDidChange, [NSUUIDChangedPersistentStoresKey: [store, new, ids] as [Any]])
    post(.NSPersistentStoreCoordinatorStoresDidChange, [NSRemovedPersistentStoresKey: [store]])
    return new
  }

  /// The keys of all rows of a store, for observers. None if nobody observes, or if they can't be read: the store has
  /// been made by then.
  private func references(in store: NSPersistentStore) -> [RowReference] {
    guard NotificationObservers.areThere(for: .NSPersistentStoreCoordinatorStoresDidChange),
      let reader = try? (store as? any RowStore)?.reader(for: nil)
    else { return [] }
    return layouts.layouts.filter { $0.isRoot && holds(store, $0) }.flatMap { root in
      var fetch = FetchDescription(layout: root)
      fetch.output = .references
      return (try? reader.rows(for: fetch))?.references ?? RowReferences()
    }
  }

  /// Makes and opens the new store. On failure nothing of it remains.
  private func copyStore(
    _ store: NSPersistentStore, storeClass: NSPersistentStore.Type, to url: URL, options: [AnyHashable: Any]?
  ) throws -> NSPersistentStore {
    guard let source = store as? any RowStore, storeClass is any RowStore.Type else {
      throw Failure.unsupportedFeature(
        "Migrating a store of class \(Swift.type(of: store)) to one of class \(storeClass)")
    }
    let copy = StoreCopy(store, layouts, entities: layouts.layouts.filter { holds(store, $0) })
    let files = storeClass as? any FileOperating.Type
    do {
      let isMade = try files?.makeFile(at: url, copying: source, copy) ?? false
      let new = try openStore(storeClass, configuration: store.configurationName, at: url, options: options)
      if isMade { return new }
      do {
        if new.isReadOnly { throw Failure.readOnlyStore(url: url, entity: nil) }
        guard let rows = new as? any ValueStore else {
          throw Failure.unsupportedFeature("Saving rows without objects to a store of class \(storeClass)")
        }
        try copy.fill(rows, from: source)
      } catch {
        new.willRemove(from: self)
        new.detach()
        throw error
      }
      return new
    } catch {
      if let files { files.removeStore(at: url) } else { try? StoreFiles.remove(url) }
      throw error
    }
  }
}
