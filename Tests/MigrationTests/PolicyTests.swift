import CoreData
import Foundation
import Testing

@Suite("Migration policies")
struct PolicyTests {
  let folder: ManagerFolder

  init() throws { folder = try ManagerFolder() }

  private typealias Models = InferenceModels

  private func manager(_ old: NSManagedObjectModel, _ new: NSManagedObjectModel) -> NSMigrationManager {
    NSMigrationManager(sourceModel: old, destinationModel: new)
  }

  @Test("All methods are called, mapping by mapping, in three passes", arguments: ManagerStore.allCases)
  func order(_ kind: ManagerStore) throws {
    let old = Models.model(
      .init("A", [Models.attribute("name")]), .init("B", [Models.attribute("name")]),
      .init("C", [Models.attribute("name")]))
    let new = Models.model(
      .init("A", [Models.attribute("name")]), .init("B", [Models.attribute("name")]),
      .init("D", [Models.attribute("name")]))
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      for name in ["A", "B", "C"] { context.make(name, ["name": "\(name)1"]) }
    }
    let mappings = [
      ManagerMappings.map("B", "B", ["name": "$source.name"], policy: LoggingPolicy.self),
      ManagerMappings.map("A", "A", ["name": "$source.name"], policy: LoggingPolicy.self),
      ManagerMappings.map("C", nil, policy: LoggingPolicy.self),
      ManagerMappings.map(nil, "D", policy: LoggingPolicy.self),
    ]
    mappings[2].mappingType = .removeEntityMappingType
    mappings[3].mappingType = .addEntityMappingType
    let mapping = NSMappingModel()
    mapping.entityMappings = mappings
    let manager = manager(old, new)
    let log = PolicyLog()
    manager.userInfo = ["log": log]
    try manager.migrateStore(
      from: folder.store("old"), type: kind.type, mapping: mapping, to: folder.store("new"), type: kind.type)
    #expect(
      log.lines == [
        "BToB begin", "BToB create B1", "BToB endInstanceCreation",
        "AToA begin", "AToA create A1", "AToA endInstanceCreation",
        "CTo begin", "CTo endInstanceCreation", "ToD begin", "ToD endInstanceCreation",
        "BToB relate B1", "BToB endRelationshipCreation", "AToA relate A1", "AToA endRelationshipCreation",
        "CTo endRelationshipCreation", "ToD endRelationshipCreation",
        "BToB validate", "BToB end", "AToA validate", "AToA end", "CTo validate", "CTo end", "ToD validate", "ToD end",
      ])
    #expect(log.policies == 4)
    #expect(log.current == log.lines.map { String($0.split(separator: " ")[0]) })
    #expect(log.progress == log.progress.sorted())
    #expect(manager.migrationProgress == 1)
  }

  @Test(
    "A policy may evaluate the mapping's expressions itself, with the variables that it gives",
    arguments: ManagerStore.allCases)
  func ownEvaluation(_ kind: ManagerStore) throws {
    try ManagerStack.fill(kind, ManagerLibrary.old(), folder.store("old"), ManagerLibrary.fill)
    try manager(ManagerLibrary.old(), ManagerLibrary.new()).migrateStore(
      from: folder.store("old"), type: kind.type, mapping: ManagerLibrary.mapping(policy: EvaluatingPolicy.self),
      to: folder.store("new"), type: kind.type)
    try ManagerStack.read(kind, ManagerLibrary.new(), folder.store("new")) { try ManagerLibrary.check($0) }
  }

  @Test(
    "A transformable that can't be read is migrated as the data that it is", arguments: ManagerStore.allCases,
    [false, true])
  func unreadable(_ kind: ManagerStore, byPolicy: Bool) throws {
    let transformer = Breaking()
    let name = NSValueTransformerName("migrated \(kind) \(byPolicy)")
    ValueTransformer.setValueTransformer(transformer, forName: name)
    defer { ValueTransformer.setValueTransformer(nil, forName: name) }
    func model(_ others: String...) -> NSManagedObjectModel {
      let colour = Models.attribute("colour", .transformableAttributeType)
      colour.valueTransformerName = name.rawValue
      return Models.model(.init("A", [colour] + (["name"] + others).map { Models.attribute($0) }))
    }
    try ManagerStack.fill(kind, model(), folder.store("old")) { context in
      context.make("A", ["name": "a", "colour": "red"])
      context.make("A", ["name": "b"])
    }
    let mapping = ManagerMappings.model(
      ManagerMappings.map(
        "A", "A", ["name": "$source.name", "colour": "$source.colour"],
        policy: byPolicy ? NSEntityMigrationPolicy.self : nil))
    transformer.isBroken = true
    try manager(model(), model("note")).migrateStore(
      from: folder.store("old"), type: kind.type, mapping: mapping, to: folder.store("new"), type: kind.type)
    transformer.isBroken = false
    let colours = try ManagerStack.read(kind, model("note"), folder.store("new")) { context in
      try context.all("A", by: "name").map { $0.value(forKey: "colour") as? String }
    }
    #expect(colours == ["red", nil])
  }

  @Test(
    "What a program changes in an inferred mapping is carried out, and the new rows are validated",
    arguments: ManagerStore.allCases, [false, true])
  func changedInference(_ kind: ManagerStore, areInUse: Bool) throws {
    func model(_ isNew: Bool, rule: String? = nil) -> NSManagedObjectModel {
      let title = Models.attribute("title")
      if let rule { title.setValidationPredicates([NSPredicate(format: rule)], withValidationWarnings: ["rule"]) }
      let model = Models.model(.init("Book", [title] + (isNew ? [Models.attribute("note")] : [])))
      if areInUse { _ = NSPersistentStoreCoordinator(managedObjectModel: model) }
      return model
    }
    try ManagerStack.fill(kind, model(false), folder.store("old")) { $0.make("Book", ["title": "one"]) }
    func migrate(_ new: NSManagedObjectModel, to name: String, _ change: (NSEntityMapping) -> Void) throws -> [String] {
      let manager = manager(model(false), new)
      let log = PolicyLog()
      manager.userInfo = ["log": log]
      let mapping = try NSMappingModel.inferredMappingModel(
        forSourceModel: manager.sourceModel, destinationModel: manager.destinationModel)
      change(try #require(mapping.entityMappingsByName["IEM_Transform_Book"]))
      try manager.migrateStore(
        from: folder.store("old"), type: kind.type, mapping: mapping, to: folder.store(name), type: kind.type)
      return log.lines
    }
    let lines = try migrate(model(true), to: "policy") {
      $0.mappingType = .customEntityMappingType
      $0.entityMigrationPolicyClassName = NSStringFromClass(LoggingPolicy.self)
    }
    #expect(lines.contains("IEM_Transform_Book create one"))
    func upper(_ mapping: NSEntityMapping) {
      mapping.attributeMappings?.first { $0.name == "title" }?.valueExpression =
        NSExpression(format: "uppercase:($source.title)")
    }
    _ = try migrate(model(true), to: "expression", upper)
    try ManagerStack.read(kind, model(true), folder.store("expression")) { context in
      let books = try context.all("Book", by: "title")
      #expect(books.map { $0.text("title") } == ["ONE"])
    }
    let broken = managerError { _ = try migrate(model(true, rule: "SELF == 'one'"), to: "invalid", upper) }
    #expect(broken?.localizedDescription.contains("rule") == true)
  }

  @Test(
    "A policy may save changes of the source where its options say that it is not read-only",
    arguments: ManagerStore.allCases)
  func writableSource(_ kind: ManagerStore) throws {
    let old = Models.model(.init("Note", [Models.attribute("name"), Models.attribute("text")]))
    let new = Models.model(
      .init("Note", [Models.attribute("name"), Models.attribute("text"), Models.attribute("more")]))
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      for name in ["a", "b", "c"] { context.make("Note", ["name": name, "text": "text of \(name)"]) }
    }
    func migrate(_ options: [AnyHashable: Any]?, to name: String) throws {
      let mapping = ManagerMappings.model(
        ManagerMappings.map(
          "Note", "Note", ["name": "$source.name", "text": "$source.text"], policy: MovingPolicy.self))
      try manager(old, new).migrateStore(
        from: folder.store("old"), type: kind.type, options: options, mapping: mapping, to: folder.store(name),
        type: kind.type)
    }
    func texts(_ model: NSManagedObjectModel, _ name: String) throws -> [String] {
      try ManagerStack.read(kind, model, folder.store(name)) { context throws -> [String] in
        try context.all("Note", by: "name").map { $0.text("text") ?? "nil" }
      }
    }
    for options in [nil, [NSReadOnlyPersistentStoreOption: true]] as [[AnyHashable: Any]?] {
      #expect(managerError { try migrate(options, to: "refused") }?.code == NSEntityMigrationPolicyError)
    }
    #expect(try texts(old, "old") == ["text of a", "text of b", "text of c"])
    try migrate([NSReadOnlyPersistentStoreOption: false], to: "new")
    #expect(try texts(new, "new") == ["text of a", "text of b", "text of c"])
    #expect(try texts(old, "old") == ["nil", "nil", "nil"])
  }

  @Test(
    "What earlier mappings have made is among the destination context's registered objects",
    arguments: ManagerStore.allCases)
  func registered(_ kind: ManagerStore) throws {
    let old = Models.model(.init("Note", [Models.attribute("text"), Models.attribute("tag")]))
    let new = Models.model(
      .init("Note", [Models.attribute("text"), Models.toOne("label", "Label", back: "notes")]),
      .init("Label", unique: [["name"]], [Models.attribute("name"), Models.toMany("notes", "Note", back: "label")]))
    let count = 1_200
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      for number in 0..<count { context.make("Note", ["text": "\(number)", "tag": "tag \(number % 3)"]) }
    }
    let labels = ManagerMappings.map("Note", "Label", policy: LabelPolicy.self)
    labels.name = "NoteToLabel"
    let notes = ManagerMappings.map("Note", "Note", ["text": "$source.text"], policy: LabelPolicy.self)
    let manager = manager(old, new)
    try manager.migrateStore(
      from: folder.store("old"), type: kind.type, mapping: ManagerMappings.model(labels, notes),
      to: folder.store("new"), type: kind.type)
    try ManagerStack.read(kind, new, folder.store("new")) { context in
      let labels = try context.all("Label", by: "name")
      #expect(labels.map { $0.text("name") } == ["tag 0", "tag 1", "tag 2"])
      #expect(labels.map { ($0.value(forKey: "notes") as? NSSet)?.count } == [400, 400, 400])
      #expect(try context.number(of: "Note") == count)
    }
  }

  @Test(
    "An error of any method ends the migration with 134170, and the new store goes", arguments: ManagerStore.allCases)
  func failing(_ kind: ManagerStore) throws {
    try ManagerStack.fill(kind, ManagerLibrary.old(), folder.store("old"), ManagerLibrary.fill)
    for (index, method) in LoggingPolicy.methods.enumerated() {
      let manager = manager(ManagerLibrary.old(), ManagerLibrary.new())
      manager.userInfo = ["log": PolicyLog(failing: method)]
      let error = managerError {
        try manager.migrateStore(
          from: folder.store("old"), type: kind.type, mapping: ManagerLibrary.mapping(policy: LoggingPolicy.self),
          to: folder.store("new"), type: kind.type)
      }
      #expect(error?.code == NSEntityMigrationPolicyError, "\(method)")
      #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == "policy", "\(method)")
      let words = error?.localizedDescription ?? ""
      #expect(words.contains("LoggingPolicy") && words.contains("BookToBook"), "\(words)")
      #expect(words.contains(LoggingPolicy.signatures[index]), "\(words)")
      #expect(try folder.names == ["old"], "\(method)")
    }
    try ManagerStack.read(kind, ManagerLibrary.old(), folder.store("old")) {
      let found = try $0.number(of: "Book")
      #expect(found == 4)
    }
  }

  @Test("A migration is called off by a policy, with its error", arguments: ManagerStore.allCases)
  func cancelling(_ kind: ManagerStore) throws {
    try ManagerStack.fill(kind, ManagerLibrary.old(), folder.store("old"), ManagerLibrary.fill)
    for method in LoggingPolicy.methods {
      let manager = manager(ManagerLibrary.old(), ManagerLibrary.new())
      let log = PolicyLog()
      log.cancelsAt = method
      manager.userInfo = ["log": log]
      let error = managerError {
        try manager.migrateStore(
          from: folder.store("old"), type: kind.type, mapping: ManagerLibrary.mapping(policy: LoggingPolicy.self),
          to: folder.store("new"), type: kind.type)
      }
      #expect(error?.domain == "cancelled", "\(method)")
      #expect(
        log.lines.last?.hasSuffix(method) == true || log.lines.last?.contains(" \(method) ") == true, "\(log.lines)")
      #expect(try folder.names == ["old"], "\(method)")
    }
  }

  @Test("Cancelling the progress ends the migration with 134120")
  func cancellingProgress() throws {
    try ManagerStack.fill(.sqlite, ManagerLibrary.old(), folder.store("old"), ManagerLibrary.fill)
    let manager = manager(ManagerLibrary.old(), ManagerLibrary.new())
    let log = PolicyLog()
    log.cancelsProgressAt = "create"
    manager.userInfo = ["log": log]
    let error = managerError {
      try manager.migrateStore(
        from: folder.store("old"), type: .sqlite, mapping: ManagerLibrary.mapping(policy: LoggingPolicy.self),
        to: folder.store("new"), type: .sqlite)
    }
    #expect(error?.code == NSMigrationCancelledError)
    #expect(try folder.names == ["old"])
    // The manager may be used again.
    manager.userInfo = ["log": PolicyLog()]
    try manager.migrateStore(
      from: folder.store("old"), type: .sqlite, mapping: ManagerLibrary.mapping(policy: LoggingPolicy.self),
      to: folder.store("new"), type: .sqlite)
    #expect(manager.migrationProgress == 1)
  }

  @Test("A migration reports to the thread's current progress")
  func parentProgress() throws {
    try ManagerStack.fill(.sqlite, ManagerLibrary.old(), folder.store("old"), ManagerLibrary.fill)
    let parent = Progress(totalUnitCount: 10)
    parent.becomeCurrent(withPendingUnitCount: 10)
    try manager(ManagerLibrary.old(), ManagerLibrary.new()).migrateStore(
      from: folder.store("old"), type: .sqlite, mapping: ManagerLibrary.mapping(), to: folder.store("new"),
      type: .sqlite)
    parent.resignCurrent()
    #expect(parent.fractionCompleted == 1)
  }

  @Test(
    "Objects of both contexts are plain, whatever the models name; so is what a policy makes",
    arguments: ManagerStore.allCases)
  func plainObjects(_ kind: ManagerStore) throws {
    let (old, new) = (ManagerLibrary.old(), ManagerLibrary.new())
    for model in [old, new] {
      for entity in model.entities { entity.managedObjectClassName = "MigrationTests.PolicyBook" }
    }
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      let book = context.make("Novel", ["title": "T", "author": context.make("Author", ["name": "A"])])
      #expect(book is PolicyBook)
    }
    let manager = manager(old, new)
    let log = PolicyLog()
    manager.userInfo = ["log": log]
    try manager.migrateStore(
      from: folder.store("old"), type: kind.type, mapping: ManagerLibrary.mapping(policy: LoggingPolicy.self),
      to: folder.store("new"), type: kind.type)
    #expect(log.classes == ["NSManagedObject"])
    try ManagerStack.read(kind, new, folder.store("new")) {
      let books = try $0.all("Book", by: "title")
      #expect(books[0] is PolicyBook)
    }
  }

  @Test("One source object becomes several, found again by their mapping", arguments: ManagerStore.allCases)
  func splitting(_ kind: ManagerStore) throws {
    let old = Models.model(
      .init("Person", [Models.attribute("name"), Models.attribute("street"), Models.attribute("city")]))
    let new = Models.model(
      .init(
        "Person", [Models.attribute("name"), Models.toOne("address", "Address", back: "people", isOptional: false)]),
      .init(
        "Address",
        [Models.attribute("street"), Models.attribute("city"), Models.toMany("people", "Person", back: "address")]))
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      for number in 0..<1500 {
        context.make("Person", ["name": "\(number)", "street": "S\(number % 7)", "city": "C\(number % 3)"])
      }
    }
    let mapping = ManagerMappings.model(
      ManagerMappings.map("Person", "Person", ["name": "$source.name"], policy: AddressPolicy.self))
    try manager(old, new).migrateStore(
      from: folder.store("old"), type: kind.type, mapping: mapping, to: folder.store("new"), type: kind.type)
    try ManagerStack.read(kind, new, folder.store("new")) { context in
      try expect(context, 1500, "Person")
      let addresses = try context.all("Address", by: "street")
      #expect(addresses.count == 21)
      for address in addresses {
        let people = (address.value(forKey: "people") as? NSSet)?.allObjects as? [NSManagedObject] ?? []
        #expect(people.count == 71 || people.count == 72)
        for person in people {
          let number = Int(person.text("name") ?? "") ?? -1
          #expect(address.text("street") == "S\(number % 7)" && address.text("city") == "C\(number % 3)")
        }
      }
    }
  }

  @Test("Two entities become one, with the relationships of both", arguments: ManagerStore.allCases)
  func merging(_ kind: ManagerStore) throws {
    let old = Models.model(
      .init(
        "Owner",
        [
          Models.attribute("name"), Models.toMany("cats", "Cat", back: "owner"),
          Models.toMany("dogs", "Dog", back: "owner"),
        ]),
      .init("Cat", [Models.attribute("name"), Models.toOne("owner", "Owner", back: "cats")]),
      .init("Dog", [Models.attribute("name"), Models.toOne("owner", "Owner", back: "dogs")]))
    let new = Models.model(
      .init("Owner", [Models.attribute("name"), Models.toMany("pets", "Pet", back: "owner")]),
      .init(
        "Pet",
        [
          Models.attribute("name"), Models.attribute("kind", isOptional: false),
          Models.toOne("owner", "Owner", back: "pets", isOptional: false),
        ]))
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      for name in ["Ada", "Bo"] {
        let owner = context.make("Owner", ["name": name])
        context.make("Cat", ["name": "\(name)'s cat", "owner": owner])
        context.make("Dog", ["name": "\(name)'s dog", "owner": owner])
      }
    }
    let owner = ["owner": ManagerMappings.made(by: "OwnerToOwner", of: "owner")]
    let mapping = ManagerMappings.model(
      ManagerMappings.map("Cat", "Pet", ["name": "$source.name", "kind": "'cat'"], relationships: owner),
      ManagerMappings.map("Dog", "Pet", ["name": "$source.name", "kind": "'dog'"], relationships: owner),
      ManagerMappings.map("Owner", "Owner", ["name": "$source.name"]))
    try manager(old, new).migrateStore(
      from: folder.store("old"), type: kind.type, mapping: mapping, to: folder.store("new"), type: kind.type)
    try ManagerStack.read(kind, new, folder.store("new")) { context in
      for owner in try context.all("Owner", by: "name") {
        let name = owner.text("name") ?? ""
        #expect(owner.texts("pets", "name") == ["\(name)'s cat", "\(name)'s dog"])
        #expect(owner.texts("pets", "kind") == ["cat", "dog"])
      }
    }
  }

  @Test("A value moves to the other end of a relationship", arguments: ManagerStore.allCases)
  func denormalising(_ kind: ManagerStore) throws {
    let old = ManagerLibrary.old()
    let new = Models.model(
      .init("Book", [Models.attribute("title"), Models.attribute("authorName"), Models.attribute("tagNames")]))
    try ManagerStack.fill(kind, old, folder.store("old"), ManagerLibrary.fill)
    let values = ["title": "$source.title", "authorName": "$source.author.name"]
    let mapping = ManagerMappings.model(
      ManagerMappings.map("Book", "Book", values, policy: TagNamesPolicy.self),
      ManagerMappings.map("Novel", "Book", values, policy: TagNamesPolicy.self))
    try manager(old, new).migrateStore(
      from: folder.store("old"), type: kind.type, mapping: mapping, to: folder.store("new"), type: kind.type)
    try ManagerStack.read(kind, new, folder.store("new")) { context in
      let books = try context.all("Book", by: "title")
      #expect(books.compactMap { $0.text("authorName") } == ["Ada", "Bo", "Ada", "Bo"])
      #expect(books.compactMap { $0.text("tagNames") } == ["red", "blue,red", "red", "blue,red"])
    }
  }

  @Test("Associations lead both ways, in any number, until they are reset", arguments: ManagerStore.allCases)
  func associations(_ kind: ManagerStore) throws {
    let old = Models.model(.init("Part", [Models.attribute("name")]))
    let new = Models.model(
      .init("Whole", [Models.attribute("name")]), .init("Piece", [Models.attribute("name")]))
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      for number in 0..<1200 { context.make("Part", ["name": "\(number)"]) }
    }
    let mapping = ManagerMappings.model(
      ManagerMappings.map("Part", "Whole", policy: WholePolicy.self),
      ManagerMappings.map("Part", "Piece", ["name": "$source.name"], policy: CheckingPolicy.self))
    let manager = manager(old, new)
    let log = PolicyLog()
    manager.userInfo = ["log": log]
    try manager.migrateStore(
      from: folder.store("old"), type: kind.type, mapping: mapping, to: folder.store("new"), type: kind.type)
    #expect(log.lines == ["checked"])
    try ManagerStack.read(kind, new, folder.store("new")) { context in
      try expect(context, 10, "Whole")
      try expect(context, 1200, "Piece")
    }
  }

  @Test("What a policy deletes or changes between batches is what is saved", arguments: ManagerStore.allCases)
  func deleting(_ kind: ManagerStore) throws {
    let old = Models.model(.init("Part", [Models.attribute("name")]))
    let new = Models.model(.init("Part", [Models.attribute("name"), Models.attribute("note", isOptional: false)]))
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      for number in 0..<1200 { context.make("Part", ["name": "\(number)"]) }
    }
    let mapping = ManagerMappings.model(
      ManagerMappings.map("Part", "Part", ["name": "$source.name"], policy: DeletingPolicy.self))
    try manager(old, new).migrateStore(
      from: folder.store("old"), type: kind.type, mapping: mapping, to: folder.store("new"), type: kind.type)
    try ManagerStack.read(kind, new, folder.store("new")) { context in
      try expect(context, 1199, "Part")
      #expect(try context.all("Part", by: "name").allSatisfy { $0.text("note") == "kept" })
    }
  }
}

/// Makes nothing of data while it is broken.
private final class Breaking: ValueTransformer, @unchecked Sendable {
  var isBroken = false

  override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { Data($0.utf8) } }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    isBroken ? nil : (value as? Data).map { String(decoding: $0, as: UTF8.self) }
  }
}
