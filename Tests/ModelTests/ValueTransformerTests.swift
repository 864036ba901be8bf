import Testing

@testable import CoreData

final class Reversing: ValueTransformer, @unchecked Sendable {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data($0.utf8.reversed()) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(decoding: $0.reversed(), as: UTF8.self) }
  }
}

final class StringsOnly: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
  override class var allowedTopLevelClasses: [AnyClass] { [NSString.self] }
}

@Suite("Value transformers")
struct ValueTransformerTests {
  @Test("A registered transformer is found by its name, and is the very one")
  func registry() {
    let name = NSValueTransformerName("registry test")
    let transformer = Reversing()
    #expect(ValueTransformer(forName: name) == nil)
    ValueTransformer.setValueTransformer(transformer, forName: name)
    #expect(ValueTransformer(forName: name) === transformer)
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer(forName: name) == nil)
  }

  @Test("A transformer that is not registered is made from the class of that name")
  func byClassName() {
    let name = NSStringFromClass(Reversing.self)
    let made = ValueTransformer(forName: NSValueTransformerName(name))
    #expect(made is Reversing)
    #expect(ValueTransformer(forName: NSValueTransformerName(name)) === made)
  }

  @Test(
    "Secure unarchiving gives back what was archived, by its name and by that of its class",
    arguments: ["NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer"])
  func secureRoundTrip(_ name: String) throws {
    #expect(NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue == "NSSecureUnarchiveFromData")
    let transformer = try #require(ValueTransformer(forName: NSValueTransformerName(name)))
    let data = try #require(transformer.reverseTransformedValue(["a", "b"]) as? Data)
    #expect(transformer.transformedValue(data) as? [String] == ["a", "b"])
    #expect(transformer.transformedValue(Data([1, 2, 3])) == nil)
    #expect(transformer.transformedValue(nil) == nil)
  }

  @Test("Secure unarchiving gives nothing of a class that is not allowed")
  func classNotAllowed() throws {
    let standard = NSSecureUnarchiveFromDataTransformer()
    let dates = try #require(standard.reverseTransformedValue([Date()]) as? Data)
    #expect(standard.transformedValue(dates) != nil)
    #expect(StringsOnly().transformedValue(dates) == nil)
  }

  @Test("An object that can't be archived gives no data")
  func notArchivable() {
    let standard = NSSecureUnarchiveFromDataTransformer()
    #expect(standard.reverseTransformedValue(NSObject()) == nil)
    let keyed = ValueTransformer(forName: .keyedUnarchiveFromDataTransformerName)
    #expect(keyed?.reverseTransformedValue(NSObject()) == nil)
  }

  private func archive(_ object: Any) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }

  @Test("Lists and dictionaries are read from archives by the classes of their elements")
  func collections() throws {
    let texts = try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: NSString.self, from: archive(["a", "b"]))
    #expect(texts as? [String] == ["a", "b"])
    let url = try #require(URL(string: "https://example.org"))
    let links = try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: NSURL.self, from: archive([url]))
    #expect(links as? [URL] == [url])
    let mixed = try NSKeyedUnarchiver.unarchivedArrayOfObjects(
      ofClasses: [NSString.self, NSNumber.self], from: archive(["a", 1] as [Any]))
    #expect(mixed?.count == 2 && mixed?[0] as? String == "a" && mixed?[1] as? Int == 1)
    let pages = try NSKeyedUnarchiver.unarchivedDictionary(
      ofKeyClass: NSString.self, objectClass: NSNumber.self, from: archive(["Solaris": 204]))
    #expect(pages as? [String: Int] == ["Solaris": 204])
    let facts = try NSKeyedUnarchiver.unarchivedDictionary(
      keysOfClasses: [NSString.self], objectsOfClasses: [NSNumber.self, NSURL.self],
      from: archive(["pages": 204, "link": url] as [String: Any]))
    #expect(facts?.count == 2 && facts?["pages"] as? Int == 204 && facts?["link"] as? URL == url)
  }

  @Test("An archive of anything else than the list or dictionary that is asked for is an error, and not the end")
  func otherArchives() throws {
    let texts = NSString.self
    let others: [Any] = ["a", [["a"]], [1], [Date()], ["a": 1]]
    for other in others {
      #expect(throws: CocoaError.self) {
        try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: texts, from: archive(other))
      }
      #expect(throws: CocoaError.self) {
        try NSKeyedUnarchiver.unarchivedDictionary(ofKeyClass: texts, objectClass: texts, from: archive(other))
      }
      #expect(throws: CocoaError.self) {
        try NSKeyedUnarchiver.unarchivedDictionary(
          keysOfClasses: [texts], objectsOfClasses: [texts], from: archive(other))
      }
    }
    let error = #expect(throws: CocoaError.self) {
      try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClasses: [texts], from: Data([1, 2]))
    }
    #expect(error?.code == .coderReadCorrupt)
  }

  @Test("The built-in transformers of truth and absence")
  func builtIn() throws {
    let negate = try #require(ValueTransformer(forName: .negateBooleanTransformerName))
    #expect(negate.transformedValue(true) as? Bool == false)
    let isNil = try #require(ValueTransformer(forName: .isNilTransformerName))
    #expect(isNil.transformedValue(nil) as? Bool == true)
    #expect(isNil.transformedValue("x") as? Bool == false)
  }

  @Test(
    "A transformable value survives storing, whichever transformer",
    arguments: [nil, "", "NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData", "Reversing"])
  func stored(transformerName: String?) throws {
    let tags = attribute("tags", .transformableAttributeType)
    tags.valueTransformerName = transformerName
    let note = entity("Note", [tags])
    // A plain class name is looked for in the module of the entity's class.
    note.managedObjectClassName = NSStringFromClass(Reversing.self).replacingOccurrences(
      of: "Reversing", with: "Note")
    let data = try tags.storedData(ofTransformable: "swift")
    #expect(try tags.value(ofTransformable: data) as? String == "swift")
    if transformerName == "Reversing" { #expect(data == Data("tfiws".utf8)) }
  }

  @Test("A missing transformer is an error that names the attribute and the transformer")
  func missing() {
    let tags = attribute("tags", .transformableAttributeType)
    tags.valueTransformerName = "NoSuchTransformer"
    let note = entity("Note", [tags])
    let error = #expect(throws: NSError.self) { try tags.storedData(ofTransformable: "x") }
    #expect(error?.localizedDescription.contains("tags of Note") == true)
    #expect(error?.localizedDescription.contains("NoSuchTransformer") == true)
    withExtendedLifetime(note) {}
  }
}
