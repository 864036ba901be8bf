import CoreData

/// How a note feels; kept as a number.
enum Mood: Int16, CaseIterable {
  case plain, happy, sad
}

public class Note: NSManagedObject {
  override public func awakeFromInsert() {
    super.awakeFromInsert()
    setPrimitiveValue(UUID(), forKey: "id")
    setPrimitiveValue(Date(), forKey: "createdAt")
  }

  override public func awakeFromFetch() {
    super.awakeFromFetch()
    fetchedTimes += 1
  }

  override public func willSave() {
    super.willSave()
    if !isDeleted, changedValues()["updatedAt"] == nil {
      setPrimitiveValue(Date(), forKey: "updatedAt")
    }
  }

  override public func prepareForDeletion() {
    super.prepareForDeletion()
    attachments?.forEach { ($0 as? Attachment)?.fileName = "gone" }
  }

  override public func validateForInsert() throws {
    try super.validateForInsert()
    try validateTitle()
  }

  override public func validateForUpdate() throws {
    try super.validateForUpdate()
    try validateTitle()
  }

  private func validateTitle() throws {
    guard let title = title, title != "forbidden" else {
      throw NSError(
        domain: NSCocoaErrorDomain, code: NSManagedObjectValidationError,
        userInfo: [
          NSLocalizedDescriptionKey: "A note may not be called so.", NSValidationObjectErrorKey: self,
          NSValidationKeyErrorKey: "title",
        ])
    }
  }

  /// Not in the model.
  var fetchedTimes = 0

  var mood: Mood {
    get {
      willAccessValue(forKey: "moodValue")
      defer { didAccessValue(forKey: "moodValue") }
      return Mood(rawValue: (primitiveValue(forKey: "moodValue") as? NSNumber)?.int16Value ?? 0) ?? .plain
    }
    set {
      willChangeValue(forKey: "moodValue")
      setPrimitiveValue(NSNumber(value: newValue.rawValue), forKey: "moodValue")
      didChangeValue(forKey: "moodValue")
    }
  }
}
