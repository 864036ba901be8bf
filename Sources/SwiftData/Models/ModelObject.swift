import CoreData

/// The managed object behind a model in a context.
///
/// A struct all of whose parts are nil is a value, though none of its columns has one: Core Data would miss it.
@usableFromInline
final class ModelObject: NSManagedObject {
  /// The storage of the object's model, while there is a model. The storage sets it to nil when it goes away.
  unowned(unsafe) final var storage: ModelStorage?

  /// A merge, an undo or a rollback has changed the object.
  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { storage?.noteSnapshot(flags) }

  override func validateForInsert() throws { try passingEmptyStructs { try super.validateForInsert() } }
  override func validateForUpdate() throws { try passingEmptyStructs { try super.validateForUpdate() } }

  private func passingEmptyStructs(_ validate: () throws -> Void) throws {
    do {
      try validate()
    } catch let error as NSError {
      let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
      let kept = details.filter { !isOfEmptyStruct($0) }
      if kept.isEmpty { return }
      if kept.count == details.count { throw error }
      if kept.count == 1 { throw kept[0] }
      var userInfo = error.userInfo
      userInfo[NSDetailedErrorsKey] = kept
      throw NSError(domain: error.domain, code: error.code, userInfo: userInfo)
    }
  }

  private func isOfEmptyStruct(_ error: NSError) -> Bool {
    guard error.domain == NSCocoaErrorDomain, error.code == NSValidationMissingMandatoryPropertyError,
      let key = error.userInfo[NSValidationKeyErrorKey] as? String
    else { return false }
    let path = key.split(separator: ".").map(String.init)
    guard let first = path.first else { return false }
    var element = entity.attributesByName[first]
    for name in path.dropFirst() {
      element = (element as? NSCompositeAttributeDescription)?.elements.first { $0.name == name }
    }
    return element is NSCompositeAttributeDescription
  }
}
