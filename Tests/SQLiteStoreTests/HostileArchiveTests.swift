import Foundation
import TestFiles
import Testing

@testable import CoreData

/// Archives in files, which Foundation's unarchiver would follow to the end of its stack.
@Suite("Hostile archives")
struct HostileArchiveTests {
  private let folder = TemporaryFolder()

  private static let archives: [(name: String, data: Data, words: String)] = [
    ("circle", HostileList.circularArchive, "in a circle"),
    ("depth", HostileList.nestedArchive(50_000), "nested more than 1000 deep"),
    ("doubling", HostileList.doublingArchive(60), "more than 10000000 values"),
    ("sets", HostileList.nestedArchive(40, classes: ["NSSet", "NSObject"]), "sets are nested more than 16 deep"),
    ("inline", HostileList.inlineArchive, "element is not a reference"),
    ("classless", HostileList.classlessArchive, "something that has no class"),
    ("plain list", Data(HostileList.doubling(60)), "not a keyed archive"),
    ("unreferenced class", HostileList.archiveOfInlineClass, "an object's class is not a reference"),
    ("nested references", HostileList.archiveOfReferenceLists, "something that has no class"),
    ("nil URL", HostileList.archiveOfNilURL, "the text of a URL is not text"),
    ("strange URL", HostileList.archiveOfStrangeURL, "the text of a URL is not text"),
    ("set as key", HostileList.archiveOfSetAsKey, "a key of a dictionary is a set with a list in it"),
    ("set as key and value", HostileList.archiveOfSetAsBoth, "a key of a dictionary is a set with a list in it"),
    ("bare set", HostileList.bareSetArchive(0xC), "a set that is no object"),
    ("bare ordered set", HostileList.bareSetArchive(0xB), "a set that is no object"),
    ("two classes", HostileList.archiveOfTwoClasses, "a key twice"),
    ("noise", Data([1, 2, 3]), "not a keyed archive"),
    ("no time", archive(of: .nan), "the time of a date is infinite, or not a number"),
    ("the end of time", archive(of: .infinity), "the time of a date is infinite, or not a number"),
  ]

  private static func archive(of time: TimeInterval) -> Data {
    let date = NSDate(timeIntervalSinceReferenceDate: time)
    // An archiver that can't write one makes no archive; the noise is refused with other words, so that the test fails.
    return (try? NSKeyedArchiver.archivedData(withRootObject: date, requiringSecureCoding: true)) ?? Data()
  }

  private func model(_ transformer: String?) -> NSManagedObjectModel {
    let tags = attribute("tags", .transformableAttributeType)
    tags.valueTransformerName = transformer
    let builder = ModelBuilder()
    builder.entity("Note", [tags, attribute("title", .stringAttributeType)])
    return builder.make()
  }

  @Test(
    "A hostile archive in a transformable attribute reads as nil, and the row stays of use",
    arguments: [nil, "NSSecureUnarchiveFromData"], archives.indices)
  func values(_ transformer: String?, _ index: Int) throws {
    let model = model(transformer)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let url = folder.file("\(index).sqlite")
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      try context.save()
      let archive = HostileArchiveTests.archives[index].data
      let connection = try Connection(path: url.path, options: Connection.Options())
      let statement = try Statement("UPDATE ZNOTE SET ZTAGS = ?", in: connection.database, isKept: false)
      try archive.withUnsafeBytes { bytes in
        statement.bind(blob: bytes, at: 1)
        try statement.run()
      }
      context.refresh(note, mergeChanges: false)
      #expect(note.value(forKey: "tags") == nil)
      note.setValue("still of use", forKey: "title")
      try context.save()
      #expect(try query("SELECT LENGTH(ZTAGS) FROM ZNOTE", at: url) == ["\(archive.count)"])
    }
  }

  @Test("Where an error can be thrown it names the property and what is wrong", arguments: archives.indices)
  func words(_ index: Int) throws {
    let note = try #require(model(nil).entitiesByName["Note"])
    let tags = try #require(note.attributesByName["tags"])
    let (_, data, words) = HostileArchiveTests.archives[index]
    let store = folder.file("S.sqlite")
    let error = #expect(throws: NSError.self) { try tags.value(ofTransformable: data, store: store) }
    let text = error?.localizedDescription ?? ""
    for part in ["tags of Note", store.path, words] { #expect(text.contains(part), "\(text)") }
    #expect(error?.userInfo[NSFilePathErrorKey] as? String == store.path)
  }

  @Test("Sets in arrays, in dictionaries and in sets, as Foundation writes them, are read and written again")
  func sets() throws {
    let tags = try #require(model(nil).entitiesByName["Note"]?.attributesByName["tags"])
    let numbers = NSSet(array: [NSNumber(value: 1), NSNumber(value: 2)])
    let value = NSArray(array: [
      numbers, NSSet(array: [NSNull(), numbers, NSArray(object: numbers)]),
      NSDictionary(object: numbers, forKey: "a" as NSString),
    ])
    let data = try tags.storedData(ofTransformable: value)
    for data in [data, try tags.storedData(ofTransformable: #require(try tags.value(ofTransformable: data)))] {
      let read = try #require(try tags.value(ofTransformable: data) as? NSArray)
      #expect(read.count == 3 && (read[0] as? NSSet)?.count == 2 && (read[1] as? NSSet)?.count == 3)
      #expect(((read[2] as? NSDictionary)?.object(forKey: "a") as? NSSet)?.count == 2)
    }
  }

  @Test("Sets that Foundation's archiver can't compare are refused when they are saved")
  func unarchivable() throws {
    let note = try #require(model("NSSecureUnarchiveFromData").entitiesByName["Note"])
    let tags = try #require(note.attributesByName["tags"])
    let withList = NSSet(array: [NSArray(object: "a"), "b"])
    let refused: [NSArray] = [
      [withList, withList], [withList, NSSet(array: ["c", "d"])], [NSSet(array: [withList, "e"])],
    ]
    for value in refused { #expect(throws: NSError.self) { try tags.storedData(ofTransformable: value) } }
    for value in [[withList], [withList, NSSet(array: ["c"])], [NSSet(array: [withList])]] as [NSArray] {
      _ = try tags.storedData(ofTransformable: value)
    }
  }

  @Test("Sets and dictionaries that Foundation can't compare are taken for changed when they are set again")
  func incomparable() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model("NSSecureUnarchiveFromData"))
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("S.sqlite"))
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let list = NSArray(array: ["a"])
    let values: [() -> NSObject] = [
      { NSSet(array: [list]) }, { NSDictionary(objects: [list], forKeys: [list], count: 1) },
      { NSArray(array: [NSSet(array: [NSDictionary(object: list, forKey: "a" as NSString)])]) },
    ]
    try context.performAndWait {
      for value in values {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue(value(), forKey: "tags")
        try context.save()
        context.refresh(note, mergeChanges: false)
        note.setValue(value(), forKey: "tags")
        #expect(note.hasPersistentChangedValues)
        try context.save()
      }
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      note.setValue(list, forKey: "tags")
      try context.save()
      context.refresh(note, mergeChanges: false)
      note.setValue(NSArray(array: ["a"]), forKey: "tags")
      #expect(!note.hasPersistentChangedValues)
    }
  }

  @Test("A dictionary with an object in it whose class refuses to make it is refused", arguments: 0..<4)
  func refusing(_ place: Int) throws {
    let note = try #require(model(nil).entitiesByName["Note"])
    let tags = try #require(note.attributesByName["tags"])
    let key: NSString = "a"
    let (fine, refused) = (ClassThatMayRefuse(refuses: false), ClassThatMayRefuse(refuses: true))
    let values: [NSDictionary] = [
      NSDictionary(objects: [refused, fine], forKeys: [key, "b" as NSString]),
      NSDictionary(
        object: NSDictionary(object: NSArray(object: NSDictionary(object: refused, forKey: key)), forKey: key),
        forKey: key),
      NSDictionary(object: ClassThatMayRefuse(refuses: false, NSDictionary(object: refused, forKey: key)), forKey: key),
      NSDictionary(object: ClassThatMayRefuse(refuses: false, NSDictionary(object: fine, forKey: key)), forKey: key),
    ]
    let data = try NSKeyedArchiver.archivedData(withRootObject: values[place], requiringSecureCoding: false)
    if place == 3 {
      let read = try #require(try tags.value(ofTransformable: data) as? NSDictionary)
      let holder = try #require(read.object(forKey: key) as? ClassThatMayRefuse)
      #expect((holder.content?.object(forKey: key) as? ClassThatMayRefuse)?.content == nil)
    } else {
      let store = folder.file("S.sqlite")
      let error = #expect(throws: NSError.self) { try tags.value(ofTransformable: data, store: store) }
      let text = error?.localizedDescription ?? ""
      #expect(text.contains("tags of Note") && text.hasSuffix(".") && !text.hasSuffix(".."), "\(text)")
    }
  }

  @Test("A class counts by what it is in the program, not by what the archive says that it descends from")
  func lies() throws {
    let tags = try #require(model("NSSecureUnarchiveFromData").entitiesByName["Note"]?.attributesByName["tags"])
    let error = #expect(throws: NSError.self) { try tags.value(ofTransformable: HostileList.lyingArchive) }
    #expect(error?.localizedDescription.contains("the class NSCalendar, which is not allowed") == true)
  }

  @Test("Archives that programs write are far below the limits", arguments: [nil, "NSSecureUnarchiveFromData"])
  func legal(_ transformer: String?) throws {
    let tags = try #require(model(transformer).entitiesByName["Note"]?.attributesByName["tags"])
    var value: NSArray = ["innermost"]
    // Foundation's archiver takes twice as long for each further level, so nobody writes many.
    for _ in 0..<8 { value = NSArray(object: value) }
    #expect(try tags.value(ofTransformable: HostileList.nestedArchive(900)) != nil)
    let data = try tags.storedData(ofTransformable: NSArray(object: value))
    #expect((try tags.value(ofTransformable: data) as? NSArray)?.count == 1)
    let sets = NSSet(array: [NSSet(array: [NSSet(array: [1, 2]), 3]), "a"])
    #expect(try tags.value(ofTransformable: tags.storedData(ofTransformable: sets)) as? NSSet == sets)
    let many = NSArray(array: (0..<20_000).map { "tag \($0)" })
    #expect((try tags.value(ofTransformable: tags.storedData(ofTransformable: many)) as? NSArray)?.count == 20_000)
  }

  @Test("An archive of a token has no containers in it")
  func token() throws {
    let token = NSPersistentHistoryToken(["5B2C9A31-6C4C-4E0B-9A3E-6F5C2F0F7B11": 7, "A": Int64.max])
    let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data) == token)
    #expect(String(decoding: data, as: UTF8.self).contains("5B2C9A31-6C4C-4E0B-9A3E-6F5C2F0F7B11=7"))
  }

  @Test(
    "A token comes back from an archive whatever a custom store's UUID is", arguments: ["db=main", "a,b=5", "ä%2C"])
  func tokens(_ uuid: String) throws {
    let token = NSPersistentHistoryToken([uuid: 7, "A": 1])
    let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data) == token)
  }
}

/// Some of its objects can be archived, but not be made again.
final class ClassThatMayRefuse: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let refuses: Bool
  let content: NSDictionary?

  init(refuses: Bool, _ content: NSDictionary? = nil) {
    self.refuses = refuses
    self.content = content
  }

  init?(coder: NSCoder) {
    if coder.decodeBool(forKey: "refuses") { return nil }
    refuses = false
    content = coder.decodeObject(forKey: "content") as? NSDictionary
  }

  func encode(with coder: NSCoder) {
    coder.encode(refuses, forKey: "refuses")
    coder.encode(content, forKey: "content")
  }
}
