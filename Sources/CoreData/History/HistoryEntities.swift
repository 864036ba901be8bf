/// The entities of fetch requests for history. No store has objects of them.
///
/// Made once, and immutable afterwards.
final class HistoryEntities: @unchecked Sendable {
  // `@unchecked Sendable`: nothing changes the descriptions after `init`.
  static let shared = HistoryEntities()

  static let transactionName = "TRANSACTION"
  static let changeName = "CHANGE"

  let transaction = NSEntityDescription()
  let change = NSEntityDescription()
  /// Keeps the entities.
  private let model = NSManagedObjectModel()

  private init() {
    transaction.name = HistoryEntities.transactionName
    transaction.properties =
      [
        HistoryEntities.attribute("timestamp", .dateAttributeType),
        HistoryEntities.attribute("transactionNumber", .integer64AttributeType),
        HistoryEntities.attribute("token", .transformableAttributeType),
      ]
      + ["author", "bundleID", "contextName", "processID", "storeID"]
      .map { HistoryEntities.attribute($0, .stringAttributeType) }
    change.name = HistoryEntities.changeName
    change.properties = [
      HistoryEntities.attribute("changeID", .integer64AttributeType),
      HistoryEntities.attribute("changeType", .integer16AttributeType),
      HistoryEntities.attribute("changedObjectID", .objectIDAttributeType),
      HistoryEntities.attribute("changedEntity", .transformableAttributeType),
      HistoryEntities.attribute("tombstone", .transformableAttributeType),
      HistoryEntities.attribute("updatedProperties", .transformableAttributeType),
    ]
    model.entities = [transaction, change]
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    return attribute
  }

  static func request(_ entity: NSEntityDescription?) -> NSFetchRequest<NSFetchRequestResult>? {
    let request = NSFetchRequest<NSFetchRequestResult>()
    request.entity = entity
    return request
  }
}
