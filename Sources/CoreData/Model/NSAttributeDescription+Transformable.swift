import Foundation

extension NSAttributeDescription {
  /// The data that a store keeps for a value of this transformable attribute.
  ///
  /// A transformer of your own makes data of the value. Unarchiving transformers (no name, a built-in name, or a
  /// subclass of `NSSecureUnarchiveFromDataTransformer`) are used in reverse. Throws if there is no such transformer,
  /// or if it returns no data.
  package final func storedData(ofTransformable value: Any) throws -> Data {
    let transformer = try transformer(for: value)
    let result =
      transformer.unarchives
      ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
    guard let data = result as? Data else {
      throw failure(value, "the result is \(Failure.words(for: result)), not data")
    }
    return data
  }

  /// The value that was stored as `data`; nil if the transformer returns nil.
  ///
  /// - Parameter store: the file that the data comes from, for errors.
  package final func value(ofTransformable data: Data, store: URL? = nil) throws -> Any? {
    do {
      return try unarchivedValue(ofTransformable: data)
    } catch let refusal as UnarchivedObject.Refusal {
      throw Failure.archiveUnreadable(subject(nil), store: store, what: refusal.what).nsError
    }
  }

  /// The value that was stored as `data`. Throws an `UnarchivedObject.Refusal` if the data is an archive that can't or
  /// must not be read.
  final func unarchivedValue(ofTransformable data: Data) throws -> Any? {
    let transformer = try transformer(for: data)
    guard transformer.unarchives else { return transformer.reverseTransformedValue(data) }
    if let value = transformer.transformedValue(data) { return value }
    // A transformer can't give the reason for returning nil.
    let allowed = (Swift.type(of: transformer) as? NSSecureUnarchiveFromDataTransformer.Type)?.allowedTopLevelClasses
    _ = try UnarchivedObject.read(data, of: allowed)
    return nil
  }

  private func transformer(for value: Any) throws -> ValueTransformer {
    guard let name = storedValueTransformerName, !name.isEmpty else {
      return ValueTransformer.registered(forName: "NSKeyedUnarchiveFromData")!
    }
    if let known = ValueTransformer.registered(forName: name) { return known }
    // A class that Objective-C knows by its plain name is `Module.Name` here, so try the entity's own module.
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
