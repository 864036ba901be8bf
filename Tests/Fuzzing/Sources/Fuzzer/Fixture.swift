import CoreData
import DataModelFiles

/// The model and the objects of all targets that have a store.
enum Fixture {
  static let contents = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
        <entity name="Author">
            <attribute name="name" optional="YES" attributeType="String"/>
            <attribute name="number" optional="YES" attributeType="Integer 64"/>
            <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
            <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint></uniquenessConstraints>
        </entity>
        <entity name="Book">
            <attribute name="name" optional="YES" attributeType="String"/>
            <attribute name="number" optional="YES" attributeType="Integer 64"/>
            <attribute name="pages" optional="YES" attributeType="Integer 16"/>
            <attribute name="price" optional="YES" attributeType="Decimal"/>
            <attribute name="weight" optional="YES" attributeType="Double"/>
            <attribute name="height" optional="YES" attributeType="Float"/>
            <attribute name="isRead" optional="YES" attributeType="Boolean"/>
            <attribute name="date" optional="YES" attributeType="Date"/>
            <attribute name="id" optional="YES" attributeType="UUID"/>
            <attribute name="link" optional="YES" attributeType="URI"/>
            <attribute name="data" optional="YES" attributeType="Binary"/>
            <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <attribute name="list" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
            <relationship name="author" optional="YES" maxCount="1" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
            <relationship name="labels" optional="YES" toMany="YES" destinationEntity="Label" inverseName="books" inverseEntity="Label"/>
            <relationship name="chapters" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Chapter" inverseName="book" inverseEntity="Chapter"/>
        </entity>
        <entity name="Novel" parentEntity="Book">
            <attribute name="genre" optional="YES" attributeType="String"/>
        </entity>
        <entity name="Label">
            <attribute name="name" optional="YES" attributeType="String"/>
            <attribute name="number" optional="YES" attributeType="Integer 32"/>
            <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="labels" inverseEntity="Book"/>
        </entity>
        <entity name="Chapter">
            <attribute name="name" optional="YES" attributeType="String"/>
            <attribute name="number" optional="YES" attributeType="Integer 32"/>
            <relationship name="book" optional="YES" maxCount="1" destinationEntity="Book" inverseName="chapters" inverseEntity="Book"/>
        </entity>
    </model>
    """

  static let url = URL(fileURLWithPath: "/Fixture.xcdatamodel")

  /// The model as plain values.
  static let values = try! SourceModelReader.model(
    contents: Array(contents.utf8), name: "Fixture", file: "contents"
  ).model

  static let model: NSManagedObjectModel = {
    let file = Scratch.url("Fixture.mom")
    try! Data(CompiledModelFiles.mom(values)).write(to: file)
    return try! NSManagedObjectModel(checkedContentsOf: file)
  }()

  /// One file, without a log beside it; nothing waits for a disk.
  static let options: [AnyHashable: Any] = [
    NSSQLitePragmasOption: ["journal_mode": "delete", "synchronous": "off"], NSPersistentStoreTimeoutOption: 1,
    NSPersistentHistoryTrackingKey: true,
  ]

  static func open(
    _ type: String, _ url: URL?, _ more: [AnyHashable: Any] = [:]
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let options = type == NSSQLiteStoreType ? options.merging(more) { $1 } : more
    try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
    return coordinator
  }

  static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    context.unreadableFaultHandler = { _, _ in .keepFault }
    return context
  }

  /// A handful of objects with all kinds of values, in two saves.
  static func fill(_ context: NSManagedObjectContext) throws {
    try context.performAndWait {
      func make(_ entity: String, _ number: Int, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(number, forKey: "number")
        object.setValue("\(entity) \(number)", forKey: "name")
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
      }
      let authors = (1...2).map { make("Author", $0) }
      let labels = (1...2).map { make("Label", $0) }
      let books = (1...4).map { number -> NSManagedObject in
        var values: [String: Any] = ["author": authors[number % 2], "pages": 100 * number, "isRead": number == 1]
        values["price"] = NSDecimalNumber(string: "1\(number).50")
        values["weight"] = 0.25 * Double(number)
        values["height"] = Float(number)
        values["date"] = Date(timeIntervalSinceReferenceDate: 1000 * Double(number))
        values["id"] = UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number)")!
        values["link"] = URL(string: "http://localhost/\(number)")!
        values["data"] = Data([1, 2, UInt8(number)])
        values["list"] = NSArray(array: ["a", number])
        values["labels"] = NSSet(array: [labels[number % 2], labels[0]])
        return make(number == 4 ? "Novel" : "Book", number, values)
      }
      books[3].setValue("crime", forKey: "genre")
      let chapters = (1...3).map { make("Chapter", $0) }
      books[0].setValue(NSOrderedSet(array: chapters), forKey: "chapters")
      try context.save()
      books[0].setValue(Data(repeating: 7, count: 40), forKey: "cover")
      books[1].setValue("ä 日 😀", forKey: "name")
      context.delete(books[2])
      try context.save()
    }
  }

  /// The bytes of a store with these objects.
  static func store(_ type: String, _ name: String) throws -> [UInt8] {
    let url = Scratch.url("Seed-\(name)")
    let coordinator = try open(type, url)
    try fill(context(coordinator))
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    return Array(try Data(contentsOf: url))
  }
}
