import Foundation

extension NSStagedMigrationManager {
  /// While a handler runs, a container with the model of the current stage; nil at any other time. Its store is a copy
  /// of the one that is migrated. Save your changes before the handler returns: what is not saved is lost.
  public var container: NSPersistentContainer? {
    if let made = madeContainer as? NSPersistentContainer { return made }
    guard let stack else { return nil }
    let url = stack.store.url ?? .storeInMemory
    let description = NSPersistentStoreDescription(url: url)
    description.type = stack.store.type
    description.configuration = stack.store.configurationName
    for (key, value) in stack.options {
      if let key = key as? String, let value = value as? NSObject { description.setOption(value, forKey: key) }
    }
    let container = NSPersistentContainer(
      name: url.deletingPathExtension().lastPathComponent, coordinator: stack.coordinator, [description])
    madeContainer = container
    return container
  }
}
