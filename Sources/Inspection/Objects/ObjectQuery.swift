import CoreData
import DataModelFiles
import Foundation

/// Describes the objects to read from a store, as a command line does.
public struct ObjectQuery {
  public var entity: String
  /// The format of a predicate.
  public var condition: String?
  /// Keys or key paths, separated by commas. A minus in front of one sorts in descending order.
  public var order: String?
  /// The greatest number of objects; nil for all.
  public var limit: Int?

  public init(entity: String, condition: String? = nil, order: String? = nil, limit: Int? = nil) {
    self.entity = entity
    self.condition = condition
    self.order = order
    self.limit = limit
  }

  func description(in model: NSManagedObjectModel, of url: URL) throws -> NSEntityDescription {
    if let found = model.entitiesByName[entity] { return found }
    let names = model.entities.compactMap(\.name).sorted()
    throw InspectionFailure(
      "The store \(url.inWords) has no entity \(entity); it has \(names.joined(separator: ", ")).", isOfQuestion: true)
  }

  func request(_ description: NSEntityDescription) throws -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>()
    request.entity = description
    if let condition {
      do { request.predicate = try NSPredicate.parsing(condition) } catch {
        throw failure(error, in: condition, description)
      }
    }
    request.sortDescriptors = try sortKeys(description)
    return request
  }

  private func sortKeys(_ description: NSEntityDescription) throws -> [NSSortDescriptor] {
    try (order ?? "").split(separator: ",").map { part in
      let text = part.trimmingCharacters(in: .whitespaces)
      let isDown = text.hasPrefix("-")
      let key = isDown ? String(text.dropFirst()) : text
      try check(path: key, of: description)
      return NSSortDescriptor(key: key, ascending: !isDown)
    }
  }

  /// Throws unless the path leads over to-one relationships to an attribute that can be sorted.
  private func check(path: String, of description: NSEntityDescription) throws {
    var entity = description
    let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for (place, key) in keys.enumerated() {
      let isLast = place == keys.count - 1
      if isLast, let attribute = entity.attributesByName[key] {
        if [.binaryDataAttributeType, .transformableAttributeType].contains(attribute.attributeType) {
          throw InspectionFailure(
            "--sort \(path): \(entity.name ?? "-").\(key) has no order to sort by.", isOfQuestion: true)
        }
        return
      }
      if let relationship = entity.relationshipsByName[key], !relationship.isToMany, !isLast,
        let destination = relationship.destinationEntity
      {
        entity = destination
        continue
      }
      let names = entity.attributesByName.keys.sorted().joined(separator: ", ")
      let one = entity.relationshipsByName.values.filter { !$0.isToMany }.map(\.name).sorted()
      throw InspectionFailure(
        "--sort \(path): \(entity.name ?? "-") has no attribute \(key)\(isLast ? "" : " and no such to-one"); "
          + "it has \(names.isEmpty ? "none" : names)"
          + (one.isEmpty ? "." : ", and the to-one relationships \(one.joined(separator: ", "))."),
        isOfQuestion: true)
    }
  }

  /// Makes an error that shows the place in the condition, if it can be found.
  func failure(_ error: any Error, in condition: String, _ description: NSEntityDescription)
    -> InspectionFailure
  {
    let lines = reason(error).split(separator: "\n", omittingEmptySubsequences: false)
    // The error of an unreadable format shows the place in its last two lines. The format may have several itself.
    if lines.count > 2, lines.last?.hasSuffix("^") == true {
      return InspectionFailure(
        "--where: \(lines.dropLast(2).joined(separator: "\n").inOneLine)",
        picture: lines.suffix(2).joined(separator: "\n"), isOfQuestion: true)
    }
    var sentence = lines.joined(separator: "\n").inOneLine
    guard let key = missingKey(sentence), let place = place(of: key, in: condition) else {
      return InspectionFailure("--where: \(sentence)", isOfQuestion: true)
    }
    if !sentence.contains(" It has ") {
      let names = description.propertiesByName.keys.sorted().joined(separator: ", ")
      sentence += " \(description.name ?? "-") has: \(names)."
    }
    let line = condition.inOneLine
    let blanks = String(repeating: " ", count: String(line.prefix(place)).columns)
    return InspectionFailure(
      "--where: \(sentence)", picture: "    \(line)\n    \(blanks)^", isOfQuestion: true)
  }

  /// The key in a sentence that ends with `there is no "KEY".`
  private func missingKey(_ sentence: String) -> String? {
    guard let start = sentence.range(of: "there is no \"") else { return nil }
    let key = sentence[start.upperBound...].prefix { $0 != "\"" }
    return key.isEmpty ? nil : String(key)
  }

  /// The position of a whole word outside of quotes.
  private func place(of word: String, in text: String) -> Int? {
    let characters = Array(text)
    let wanted = Array(word)
    func isPart(_ character: Character) -> Bool {
      character.isLetter || character.isNumber || character == "_"
    }
    var quote: Character?
    for place in characters.indices {
      let character = characters[place]
      if let open = quote {
        if character == open { quote = nil }
        continue
      }
      if character == "\"" || character == "'" {
        quote = character
        continue
      }
      guard characters[place...].starts(with: wanted), place == 0 || !isPart(characters[place - 1]) else {
        continue
      }
      let end = place + wanted.count
      if end == characters.count || !isPart(characters[end]) { return place }
    }
    return nil
  }
}
