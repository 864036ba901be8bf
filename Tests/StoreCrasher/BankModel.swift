import CoreData

/// The store that many processes share: accounts, and entries in pairs whose amounts cancel out.
enum BankModel {
  static let accounts = 8
  /// How many rows of `Noise` a batch request inserts at once.
  static let batch = 20

  static let first = make(isLater: false)
  /// With one more attribute: opening the store with it migrates.
  static let later = make(isLater: true)

  private static func make(isLater: Bool) -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType, _ value: Any? = nil) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.defaultValue) = (name, type, value)
      attribute.isOptional = value == nil
      return attribute
    }
    func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
      let entity = NSEntityDescription()
      (entity.name, entity.properties) = (name, properties)
      return entity
    }
    let note = attribute("note", .binaryDataAttributeType)
    note.allowsExternalBinaryDataStorage = true
    var own = [attribute("number", .integer64AttributeType, 0), attribute("balance", .integer64AttributeType, 0)]
    own.append(attribute("round", .integer64AttributeType, 0))
    if isLater { own.append(attribute("label", .stringAttributeType, "new")) }
    let account = entity("Account", own)
    let entry = entity(
      "Entry", [attribute("amount", .integer64AttributeType, 0), attribute("serial", .stringAttributeType), note])
    let (entries, back) = (NSRelationshipDescription(), NSRelationshipDescription())
    (entries.name, entries.maxCount, entries.destinationEntity) = ("entries", 0, entry)
    (back.name, back.maxCount, back.destinationEntity) = ("account", 1, account)
    (entries.inverseRelationship, back.inverseRelationship) = (back, entries)
    for relationship in [entries, back] {
      (relationship.isOptional, relationship.deleteRule) = (true, .nullifyDeleteRule)
    }
    account.properties.append(entries)
    entry.properties.append(back)
    let noise = entity("Noise", [attribute("batch", .integer64AttributeType, 0)])
    let model = NSManagedObjectModel()
    model.entities = [account, entry, noise]
    return model
  }

  static func url(in folder: URL) -> URL { folder.appendingPathComponent("Bank.sqlite") }

  static func open(in folder: URL, _ model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url(in: folder),
      options: [
        NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        NSPersistentHistoryTrackingKey: true, NSPersistentStoreTimeoutOption: 60,
      ])
    return coordinator
  }

  static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// A store of the first model, with its accounts.
  static func makeStore(in folder: URL) throws {
    let coordinator = try open(in: folder, first)
    let context = context(coordinator)
    try context.performAndWait {
      for number in 0..<accounts {
        NSEntityDescription.insertNewObject(forEntityName: "Account", into: context).setValue(number, forKey: "number")
      }
      try context.save()
    }
    try coordinator.removeAllStores()
  }

  /// The bytes of an entry's note, some so long that they lie in a file: they say whose they are.
  static func note(_ serial: String) -> Data? {
    let sizes = [nil, 40, 140_000, 170_000, nil]
    guard let size = sizes[Int(serial.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }) % sizes.count] else {
      return nil
    }
    let pattern = Data(serial.utf8) + Data([0])
    return Data((0..<size).map { pattern[$0 % pattern.count] })
  }
}
