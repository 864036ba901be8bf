import Testing

@testable import CoreData

@Suite("Errors")
struct ErrorTests {
  @Test("The constants and the Swift names are the same codes")
  func codes() {
    #expect(NSManagedObjectValidationError == 1550)
    #expect(CocoaError.Code.managedObjectValidation.rawValue == 1550)
    #expect(CocoaError.managedObjectMerge.rawValue == NSManagedObjectMergeError)
    #expect(CocoaError.Code.persistentStoreIncompatibleVersionHash.rawValue == 134100)
    #expect(CocoaError.Code.sqlite.rawValue == 134180)
  }

  @Test("A validation error names object, key and value, and CocoaError reads them")
  func validation() throws {
    let subject = Failure.Subject(object: "object", entity: "Book", property: "title", value: "x")
    let failure = Failure.valueOutOfLimits(subject, code: NSValidationStringTooShortError, limit: "2")
    let error = try #require(failure.nsError as Error as? CocoaError)
    #expect(error.code == .validationStringTooShort)
    #expect(error.validationKey == "title")
    #expect(error.validationObject as? String == "object")
    #expect(error.validationValue as? String == "x")
    #expect(failure.nsError.localizedDescription == "title of Book is shorter than its minimum of 2: \"x\".")
  }

  @Test("A nil value is not in the error")
  func missingValue() {
    let error = Failure.missingMandatoryValue(.init(entity: "Book", property: "title")).nsError
    #expect(error.code == NSValidationMissingMandatoryPropertyError)
    #expect(error.userInfo[NSValidationValueErrorKey] == nil)
    #expect(error.userInfo[NSValidationObjectErrorKey] == nil)
    #expect(error.localizedDescription == "title is a required value of Book.")
  }

  @Test("Several validation errors are listed under one")
  func several() throws {
    let one = Failure.missingMandatoryValue(.init(entity: "Book", property: "title")).nsError
    let error = Failure.multipleValidationErrors([one, one]).nsError
    #expect(error.code == NSValidationMultipleErrorsError)
    #expect((error.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 2)
  }

  @Test("A store of another model is an error with the entities that differ and the store's metadata")
  func incompatibleModel() {
    let difference = Failure.Difference(
      stored: ["A": Data([1]), "B": Data([1]), "C": Data([1])],
      model: ["B": Data([2]), "C": Data([1]), "D": Data([1])])
    #expect(difference.added == ["D"])
    #expect(difference.removed == ["A"])
    #expect(difference.changed == ["B"])
    let error = Failure.incompatibleModel(
      url: URL(fileURLWithPath: "/s.sqlite"), metadata: ["NSStoreType": "SQLite"], difference: difference
    ).nsError
    #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
    #expect(error.localizedDescription.contains("the store lacks D; the model lacks A; B changed"))
    #expect((error.userInfo["metadata"] as? [String: Any])?["NSStoreType"] as? String == "SQLite")
    #expect(error.userInfo[NSFilePathErrorKey] as? String == "/s.sqlite")
  }

  @Test("SQLite's own error is under the Cocoa error")
  func sqlite() throws {
    let error = Failure.sqlite(
      code: 19, extendedCode: 2067, message: "UNIQUE constraint failed", sql: "INSERT", url: nil
    ).nsError
    #expect(error.code == NSSQLiteError)
    #expect(error.userInfo[NSSQLiteErrorDomain] as? Int == 19)
    let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(underlying.domain == NSSQLiteErrorDomain)
    #expect(underlying.code == 2067)
  }

  @Test("A file that is no database is a corrupt file")
  func notADatabase() {
    let error = Failure.notADatabase(url: URL(fileURLWithPath: "/x")).nsError
    #expect(error.code == 259)
    #expect(error.userInfo[NSSQLiteErrorDomain] as? Int == 26)
  }

  @Test("A misuse report has four parts, its data in a column")
  func misuseReport() {
    let report = MisuseReport(
      "Context \"library\" was used off its queue.",
      facts: [("Call", "save()"), ("Queue", "private queue of \"library\"")],
      how: "Objects belong to the queue of the context that made them.",
      remedy: "Wrap the call in `context.perform { ... }`.")
    #expect(
      report.text == """
        Context "library" was used off its queue.
          Call:  save()
          Queue: private queue of "library"
        Objects belong to the queue of the context that made them. Wrap the call in
        `context.perform { ... }`.
        """)
  }
}
