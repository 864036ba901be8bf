import Foundation

extension NSAttributeDescription {
  /// The data that a store keeps for a value of this transformable attribute.
  ///
  /// A transformer of one's own makes data of the value. The unarchiving ones (no name, the built-in names,
  /// descendants of `NSSecureUnarchiveFromDataTransformer`) are used in reverse.
  /// Throws when there is no such transformer or it gives no data.
  final func storedData(ofTransformable value: Any) throws -> Data {
    let transformer = try transformer(for: value)
    let result =
      transformer.unarchives
      ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
    guard let data = result as? Data else {
      throw failure(value, "the result is \(Failure.words(for: result)), not data")
    }
    return data
  }

  /// The value that was stored as `data`; nil when the transformer makes nil of it.
  ///
  /// - Parameter store: of the file that the data are from, for errors.
  package final func value(ofTransformable data: Data, store: URL? = nil) throws -> Any? {
    do {
      return try unarchivedValue(ofTransformable: data)
    } catch let refusal as UnarchivedObject.Refusal {
      throw Failure.archiveUnreadable(subject(nil), store: store, what: refusal.what).nsError
    }
  }

  /// The same; throws an `UnarchivedObject.Refusal` where the data are an archive that can't or must not be read.
  final func unarchivedValue(ofTransformable data: Data) throws -> Any? {
    let transformer = try transformer(for: data)
    guard transformer.unarchives else { return transformer.reverseTransformedValue(data) }
    if let value = transformer.transformedValue(data) { return value }
    // A transformer can't say why there is none.
    let allowed = (Swift.type(of: transformer) as? NSSecureUnarchiveFromDataTransformer.Type)?.allowedTopLevelClasses
    _ = try UnarchivedObject.read(data, of: allowed)
    return nil
  }

  private func transformer(for value: Any) throws -> ValueTransformer {
    guard let name = storedValueTransformerName, !name.isEmpty else {
      return ValueTransformer.registered(forName: "NSKeyedUnarchiveFromData")!
    }
    if let known = ValueTransformer.registered(forName: name) { return known }
    // A class known in Objective-C by its plain name is `Module.Name` here: try the entity's own module.
    if let className = owningEntity?.storedManagedObjectClassName, let dot = className.lastIndex(of: "."),
      let known = ValueTransformer.registered(forName: "\(className[..<dot]).\(name)")
    {
      return known
    }
    throw failure(value, "no transformer is registered under that name, and no class has it")
  }

  private func failure(_ value: Any, _ what: String) -> NSError {
    Failure.valueNotArchivable(subject(value), transformer: storedValueTransformerName, what: what).nsError
  }

  private func subject(_ value: Any?) -> Failure.Subject {
    Failure.Subject(entity: owningEntity?.storedName ?? "(no entity)", property: storedName, value: value)
  }
}

extension ValueTransformer {
  /// Whether the transformer makes objects of data, so that storing uses it in reverse.
  fileprivate var unarchives: Bool {
    self is NSSecureUnarchiveFromDataTransformer || self is KeyedUnarchiveFromDataTransformer
  }
}
