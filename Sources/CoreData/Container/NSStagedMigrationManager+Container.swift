import Foundation

extension NSStagedMigrationManager {
  /// The store with the model that the stage is at, while a handler runs; nil at any other time. Its store is a copy
  /// of the one that is migrated, and only what contexts have saved when the handler returns goes on.
  public var container: NSPersistentContainer? {
    if let made = madeContainer as? NSPersistentContainer { return made }
    guard let stack else { return nil }
    let url = stack.store.url ?? URL(fileURLWithPath: "/dev/null")
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
