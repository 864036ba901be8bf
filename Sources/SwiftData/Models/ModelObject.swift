import CoreData

/// The managed object behind a model in a context.
///
/// A struct all of whose parts are nil is a value, though none of its columns has one: Core Data would miss it. So is a
/// struct whose Codable conformance leaves a stored property out.
@usableFromInline
final class ModelObject: NSManagedObject {
  /// The storage of the object's model, while there is a model. The storage sets it to nil when it goes away.
  unowned(unsafe) final var storage: ModelStorage?

  /// A merge, an undo or a rollback has changed the object.
  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
    if let storage { return storage.noteSnapshot(flags) }
    // Without a model there is no other code that notes what is undone.
    if flags.isOfUndo { managedObjectContext?.modelContext?.saveSoon() }
  }

  override func validateForInsert() throws { try passingStructs { try super.validateForInsert() } }
  override func validateForUpdate() throws { try passingStructs { try super.validateForUpdate() } }

  private func passingStructs(_ validate: () throws -> Void) throws {
    do {
      try validate()
    } catch let error as NSError {
      let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
      let kept = details.filter { !isOfStruct($0) }
      if kept.isEmpty { return }
      if kept.count == details.count { throw error }
      if kept.count == 1 { throw kept[0] }
      var userInfo = error.userInfo
      userInfo[NSDetailedErrorsKey] = kept
      throw NSError(domain: error.domain, code: error.code, userInfo: userInfo)
    }
  }

  private func isOfStruct(_ error: NSError) -> Bool {
    guard error.domain == NSCocoaErrorDomain, error.code == NSValidationMissingMandatoryPropertyError,
      let key = error.userInfo[NSValidationKeyErrorKey] as? String
    else { return false }
    let path = key.split(separator: ".")
    return path.first.flatMap { entity.attributesByName[String($0)] } is NSCompositeAttributeDescription
  }
}
