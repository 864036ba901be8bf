/// Runs the requests of fetched properties.
extension NSManagedObjectContext {
  /// Runs a fetched property's request for one object, with this context's unsaved changes.
  func fetch(_ property: LayoutProperty, for source: NSManagedObject) -> NSArray {
    let description = unsafeDowncast(property.description, to: NSFetchedPropertyDescription.self)
    guard let request = description.fetchRequest?.twin else { misuse(.withoutRequest(property, source)) }
    do {
      request.predicate = try request.predicate.map { .make(try $0.node.bound(to: source, description)) }
      return NSArray(array: try fetch(request).map { $0 as Any })
    } catch {
      misuse(.unfetchable(property, source: source, predicate: request.predicate, error: error))
    }
  }
}

extension PredicateNode {
  /// Replaces `$FETCH_SOURCE` by an object, `$FETCHED_PROPERTY` by a description, and paths that begin at them by
  /// values.
  fileprivate func bound(
    to source: NSManagedObject, _ description: NSFetchedPropertyDescription
  ) throws -> PredicateNode {
    let subjects: [String: PredicateValue] = [
      "FETCH_SOURCE": .subject(source), "FETCHED_PROPERTY": .subject(DescriptionSubject(description)),
    ]
    return try replacing { node in
      switch node {
      case .variable(let name): return subjects[name].map { .constant($0.fixed) }
      case .nested(.variable(let name), let path):
        guard let subject = subjects[name] else { return nil }
        return .constant(try CompiledKeyPath(path).value(from: subject).fixed)
      default: return nil
      }
    }
  }
}

/// The parts of a fetched property's description that a predicate may ask about.
private struct DescriptionSubject: PredicateSubject {
  let description: NSPropertyDescription

  init(_ description: NSPropertyDescription) { self.description = description }

  func predicateValue(for key: PredicateKey) throws -> PredicateValue {
    switch key.name {
    case "name": return .constant(.string(description.name))
    case "userInfo": return PredicateValue(any: description.userInfo)
    case "renamingIdentifier": return PredicateValue(any: description.renamingIdentifier)
    case "versionHashModifier": return PredicateValue(any: description.versionHashModifier)
    case "entity":
      return PredicateValue(
        any: ["name": description.entity.name as Any, "userInfo": description.entity.userInfo as Any])
    default:
      throw Failure.unknownKeyPath(
        keyPath: key.name, entity: "the description of \(description.name)", missing: key.name)
    }
  }

  var predicateIdentity: AnyHashable? { AnyHashable(ObjectIdentifier(description)) }
  var predicateObject: Any { description }
}

extension MisuseReport {
  fileprivate static func withoutRequest(_ property: LayoutProperty, _ source: NSManagedObject) -> MisuseReport {
    MisuseReport(
      "The fetched property \(source.layout.name).\(property.name) has no fetch request.",
      facts: [("Object", "\(source.objectID)")], how: "",
      remedy: "Set `fetchRequest` of its NSFetchedPropertyDescription before the model is used.")
  }

  fileprivate static func unfetchable(
    _ property: LayoutProperty, source: NSManagedObject, predicate: NSPredicate?, error: any Error
  ) -> MisuseReport {
    MisuseReport(
      "The fetched property \(source.layout.name).\(property.name) can't be read: \(Failure.words(of: error))",
      facts: [
        ("Object", "\(source.objectID)"), ("Predicate", predicate.map { "\($0)" } ?? "none"),
      ],
      how: "Its request is executed when the property is first read.",
      remedy: "Correct the request in the model.")
  }
}
