/// Adding and removing stores. Observers are called without a lock, so they may save, fetch and wait for contexts.
extension NSPersistentStoreCoordinator {
  /// ``addPersistentStore(ofType:configurationName:at:options:)``.
  func addStore(
    ofType type: String, _ configuration: String?, at url: URL?, _ options: [AnyHashable: Any]?
  ) throws -> NSPersistentStore {
    let storeClass = try NSPersistentStoreCoordinator.storeClass(for: type)
    let url = try url ?? NSPersistentStoreCoordinator.urlWithoutFile(for: type)
    if let configuration, ownModel.entities(forConfigurationName: configuration) == nil {
      throw Failure.unknownConfiguration(name: configuration, configurations: ownModel.namedConfigurations)
        .nsError
    }
    let hasFile = type != NSInMemoryStoreType && !url.isStoreInMemory
    if hasFile { try publicErrors { try withStores { try $0.beginOpening(url) } } }
    let store: NSPersistentStore
    do {
      store = try openMigrating(storeClass, type: type, configuration: configuration, at: url, options: options)
    } catch {
      if hasFile { withStores { $0.endOpening(url) } }
      throw error
    }
    withStores {
      $0.append(store)
      if hasFile { $0.endOpening(url) }
    }
    store.didAdd(to: self)
    RemoteChanges.addListener(for: store, of: self)
    post(.NSPersistentStoreCoordinatorStoresDidChange, [NSAddedPersistentStoresKey: [store]])
    return store
  }

  /// Opens a store, which is not in the list yet.
  func openStore(
    _ storeClass: NSPersistentStore.Type, configuration: String?, at url: URL, options: [AnyHashable: Any]?
  ) throws -> NSPersistentStore {
    let store = storeClass.makeDynamically(
      for: self, configuration: configuration, at: url, options: options)
    do {
      try publicErrors { try store.open() }
    } catch {
      store.detach()
      throw error
    }
    return store
  }

  /// ``remove(_:)``.
  func removeStore(_ store: NSPersistentStore) throws {
    try publicErrors { try checkAdded(store) }
    let info = [NSRemovedPersistentStoresKey: [store]]
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store, userInfo: nil)
    try saving.alone {
      // An observer may have removed it.
      try publicErrors { try checkAdded(store) }
      RemoteChanges.removeListeners(of: store)
      store.willRemove(from: self)
      withStores { $0.remove(store) }
      store.detach()
    }
    post(.NSPersistentStoreCoordinatorStoresDidChange, info)
  }

  /// - Parameter entity: the name of an entity whose objects are to be saved there.
  func checkAdded(_ store: NSPersistentStore, toSave entity: @autoclosure () -> String? = nil) throws {
    if !withStores({ $0.contains(store) }) { throw Failure.storeNotAdded(url: store.url, entity: entity()) }
  }

  func post(_ name: Notification.Name, _ info: [AnyHashable: Any]) {
    NotificationCenter.default.post(name: name, object: self, userInfo: info)
  }
}
