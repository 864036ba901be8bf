import CoreData
import Foundation
import Testing

/// Attributes that group others: `address.city`, `address.place.latitude`.
@Suite("Composite attributes")
struct CompositeTests {
  private func attribute(_ name: String, _ type: NSAttributeType, _ isOptional: Bool = true)
    -> NSAttributeDescription
  {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = isOptional
    return attribute
  }

  private func composite(_ name: String, _ elements: [NSAttributeDescription])
    -> NSCompositeAttributeDescription
  {
    let composite = NSCompositeAttributeDescription()
    composite.name = name
    composite.elements = elements
    composite.isOptional = true
    return composite
  }

  /// People with two addresses, each with a place in it, and a boss.
  private func model() -> NSManagedObjectModel {
    func address(_ name: String) -> NSCompositeAttributeDescription {
      composite(
        name,
        [
          attribute("city", .stringAttributeType, false), attribute("street", .stringAttributeType),
          attribute("isOffice", .booleanAttributeType),
          composite(
            "place",
            [attribute("latitude", .doubleAttributeType), attribute("longitude", .doubleAttributeType)]),
        ])
    }
    let person = NSEntityDescription()
    person.name = "Person"
    let (boss, staff) = (NSRelationshipDescription(), NSRelationshipDescription())
    (boss.name, boss.maxCount, staff.name) = ("boss", 1, "staff")
    (boss.destinationEntity, staff.destinationEntity) = (person, person)
    (boss.inverseRelationship, staff.inverseRelationship) = (staff, boss)
    person.properties = [
      attribute("name", .stringAttributeType), address("home"), address("work"), boss, staff,
    ]
    let model = NSManagedObjectModel()
    model.entities = [person]
    return model
  }

  private let home: [String: Any] = [
    "city": "Bern", "isOffice": false, "place": ["latitude": 46.9, "longitude": 7.4],
  ]

  private func person(_ name: String, _ context: NSManagedObjectContext) -> NSManagedObject {
    let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
    person.setValue(name, forKey: "name")
    return person
  }

  private func fetched(
    _ format: String, _ arguments: [Any], _ context: NSManagedObjectContext, sort: String = "name"
  ) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.predicate = NSPredicate(format: format, argumentArray: arguments)
    request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: true)]
    return try context.fetch(request).map { $0.value(forKey: "name") as? String ?? "-" }
  }

  @Test(
    "The value is a dictionary of the elements that have one, and key paths lead to each",
    arguments: StoreKind.allCases)
  func values(_ kind: StoreKind) throws {
    try withStack(kind, model()) { (_, context) throws -> Void in
      let ann = person("Ann", context)
      #expect(ann.value(forKey: "home") == nil)
      ann.setValue(home, forKey: "home")
      try context.save()
      context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
      let again = try #require(try context.fetch(request).first)
      let read = try #require(again.value(forKey: "home") as? [String: Any])
      #expect(read as NSDictionary == home as NSDictionary)
      #expect(again.value(forKey: "work") == nil)
      #expect(again.value(forKeyPath: "home.city") as? String == "Bern")
      #expect(again.value(forKeyPath: "home.place.longitude") as? Double == 7.4)
      #expect(again.value(forKeyPath: "home.street") == nil)
      again.setValue("Basel", forKeyPath: "home.city")
      #expect((again.value(forKey: "home") as? [String: Any])?["city"] as? String == "Basel")
      #expect((again.changedValues()["home"] as? [String: Any])?["city"] as? String == "Basel")
      #expect(again.changedValues().count == 1)
      let committed = again.committedValues(forKeys: ["home", "work"])
      #expect((committed["home"] as? [String: Any])?["city"] as? String == "Bern")
      #expect(committed["work"] is NSNull)
      #expect(again.committedValues(forKeys: nil).keys.sorted() == ["boss", "home", "name", "staff", "work"])
      context.rollback()
      #expect(again.value(forKeyPath: "home.city") as? String == "Bern")
      again.setValue(nil, forKey: "home")
      try context.save()
      context.reset()
      #expect(try context.fetch(request).first?.value(forKey: "home") == nil)
    }
  }

  @Test(
    "Setting a dictionary sets every element; one without a value becomes nil", arguments: StoreKind.allCases)
  func replacing(_ kind: StoreKind) throws {
    try withStack(kind, model()) { (_, context) throws -> Void in
      let ann = person("Ann", context)
      ann.setValue(home, forKey: "home")
      try context.save()
      ann.setValue(["city": "Chur", "street": NSNull()], forKey: "home")
      try context.save()
      context.refreshAllObjects()
      #expect(ann.value(forKey: "home") as? NSDictionary == ["city": "Chur"] as NSDictionary)
      #expect(throws: NSError.self) { try ann.setValue(["town": "X"], checkedForKey: "home") }
      #expect(throws: NSError.self) { try ann.setValue(["city": 1], checkedForKey: "home") }
      #expect(throws: NSError.self) { try ann.setValue("Chur", checkedForKey: "home") }
      #expect(ann.value(forKeyPath: "home.city") as? String == "Chur")
    }
  }

  @Test(
    "Predicates and orders go by the elements' key paths, over relationships too",
    arguments: StoreKind.allCases)
  func predicates(_ kind: StoreKind) throws {
    try withStack(kind, model()) { (_, context) throws -> Void in
      let (ann, bob, cai) = (person("Ann", context), person("Bob", context), person("Cai", context))
      ann.setValue(home, forKey: "home")
      bob.setValue(["city": "Aarau", "isOffice": true, "place": ["latitude": 47.4]], forKey: "home")
      bob.setValue(["city": "Bern"], forKey: "work")
      bob.setValue(ann, forKey: "boss")
      cai.setValue(ann, forKey: "boss")
      func check(_ label: String) throws {
        #expect(try fetched("home.city == %@", ["Bern"], context) == ["Ann"], "\(label)")
        #expect(try fetched("work.city == %@", ["Bern"], context) == ["Bob"], "\(label)")
        #expect(try fetched("home.place.latitude > 47", [], context) == ["Bob"], "\(label)")
        #expect(try fetched("home.isOffice == YES", [], context) == ["Bob"], "\(label)")
        #expect(try fetched("boss.home.city BEGINSWITH %@", ["Be"], context) == ["Bob", "Cai"], "\(label)")
        #expect(try fetched("ANY staff.work.city == %@", ["Bern"], context) == ["Ann"], "\(label)")
        #expect(
          try fetched("SUBQUERY(staff, $s, $s.home.city == %@).@count == 1", ["Aarau"], context) == ["Ann"],
          "\(label)")
        #expect(try fetched("home == nil", [], context) == ["Cai"], "\(label)")
        #expect(try fetched("home != nil", [], context) == ["Ann", "Bob"], "\(label)")
        #expect(
          try fetched("TRUEPREDICATE", [], context, sort: "home.city") == ["Cai", "Bob", "Ann"], "\(label)")
      }
      try check("unsaved")
      try context.save()
      try check("saved")
      let predicate = NSPredicate(
        format: "home.place.latitude < 47 AND home.city == 'Bern' AND boss.home.city == nil")
      #expect([ann, bob, cai].map { predicate.evaluate(with: $0) } == [true, false, false])
    }
  }

  @Test("What an element has not is refused by name", arguments: StoreKind.allCases)
  func refusals(_ kind: StoreKind) throws {
    try withStack(kind, model()) { (_, context) throws -> Void in
      func text(_ format: String) -> String {
        do { _ = try fetched(format, [], context) } catch { return error.localizedDescription }
        return ""
      }
      #expect(text("home.town == 'X'").contains("town"))
      #expect(text("home == 'X'").contains("home"))
    }
  }

  @Test("Validation asks of elements what it asks of attributes, if their group has a value at all")
  func validation() throws {
    try withStack(.sqlite, model()) { (_, context) throws -> Void in
      let ann = person("Ann", context)
      try context.save()
      ann.setValue(["street": "Gasse"], forKey: "home")
      let failure = #expect(throws: NSError.self) { try context.save() }
      #expect(failure?.code == 1570)
      #expect(failure?.userInfo[NSValidationKeyErrorKey] as? String == "home.city")
      ann.setValue("Bern", forKeyPath: "home.city")
      try context.save()
    }
  }

  @Test("An expression of dictionaries may name an element, and an object", arguments: StoreKind.allCases)
  func expressions(_ kind: StoreKind) throws {
    try withStack(kind, model()) { (_, context) throws -> Void in
      let ann = person("Ann", context)
      ann.setValue(home, forKey: "home")
      person("Bob", context).setValue(ann, forKey: "boss")
      try context.save()
      func column(_ name: String, _ expression: NSExpression) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = expression
        return description
      }
      let request = NSFetchRequest<NSDictionary>(entityName: "Person")
      request.resultType = .dictionaryResultType
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      request.propertiesToFetch = [
        column("city", NSExpression(forKeyPath: "home.city")),
        column("annsStaff", NSExpression(format: "SUBQUERY(staff, $s, $s.boss == %@).@count", ann)),
      ]
      let found = try context.fetch(request)
      #expect(found.map { $0["city"] as? String } == ["Bern", nil])
      #expect(found.map { $0["annsStaff"] as? Int } == [1, 0])
    }
  }
}
