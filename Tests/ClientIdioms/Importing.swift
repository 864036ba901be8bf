import CoreData
import Foundation

/// Sets an object's properties from a dictionary that a server sent, by what the model says of each key: the shape that
/// most importers written in the days of key-value coding have.
struct DictionaryImporter {
  let context: NSManagedObjectContext

  @discardableResult
  func insert(_ dictionary: [String: Any], into entityName: String) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entityName, into: context)
    fill(object, from: dictionary)
    return object
  }

  func fill(_ object: NSManagedObject, from dictionary: [String: Any]) {
    for (name, attribute) in object.entity.attributesByName where !attribute.isTransient {
      guard let raw = dictionary[name] else { continue }
      if raw is NSNull {
        if attribute.isOptional { object.setValue(nil, forKey: name) }
        continue
      }
      object.setValue(converted(raw, attribute), forKey: name)
    }
    for (name, relationship) in object.entity.relationshipsByName where relationship.isToMany {
      guard let children = dictionary[name] as? [[String: Any]], let destination = relationship.destinationEntity?.name
      else { continue }
      let members = object.mutableSetValue(forKey: name)
      for child in children { members.add(insert(child, into: destination)) }
    }
  }

  private func converted(_ raw: Any, _ attribute: NSAttributeDescription) -> Any? {
    switch attribute.attributeType {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      if let text = raw as? String { return Int(text) }
      return raw as? NSNumber ?? raw as? Int
    case .doubleAttributeType:
      return (raw as? Double) ?? (raw as? Int).map(Double.init) ?? Double("\(raw)")
    case .dateAttributeType:
      return (raw as? Double).map { Date(timeIntervalSince1970: $0) }
    case .stringAttributeType:
      return "\(raw)"
    default:
      return raw
    }
  }
}
