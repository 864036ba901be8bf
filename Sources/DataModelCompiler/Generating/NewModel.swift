/// The text of a new model, made from entities typed on a command line: each is a name followed by its properties.
///
///     Book title:String pages:Int16 author:Author?
///     Author name:String books:[Book]
///
/// A type is written as in Swift, and `?` means that the value may be missing. The name of an entity makes a
/// to-one relationship; in brackets, a to-many. Two relationships that lead from one entity to another and back are
/// each other's inverse. If there are several, `books:[Book]/author` names the inverse.
public struct NewModel {
  /// An error in the typed words.
  public struct Fault: Error, CustomStringConvertible {
    public var description: String
  }

  private struct Relationship {
    var name: String
    var destination: String
    var isToMany: Bool
    var isOptional: Bool
    var inverse: String?
  }

  private struct Entity {
    var name: String
    var attributes: [String] = []
    var relationships: [Relationship] = []
    var names: Set<String> = []
  }

  private var entities: [Entity] = []

  /// - Parameter words: names of entities, each followed by `name:Type` for its properties.
  public init(_ words: [String]) throws {
    for word in words where !word.contains(":") {
      guard Self.isName(word), word.first?.isUppercase == true else {
        throw Fault(
          description: "\"\(word)\" can't be an entity's name: use a Swift name that begins with a capital")
      }
      if entities.contains(where: { $0.name == word }) { throw Fault(description: "the entity \(word) is given twice") }
      entities.append(Entity(name: word))
    }
    guard !entities.isEmpty else { throw Fault(description: "a model needs an entity: --entity Book title:String") }
    var current = -1
    for word in words {
      if !word.contains(":") {
        current += 1
      } else if current < 0 {
        throw Fault(description: "\(word) comes before the first entity")
      } else {
        try add(word, to: current)
      }
    }
    try connect()
  }

  private mutating func add(_ word: String, to index: Int) throws {
    let entity = entities[index].name
    let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, Self.isName(parts[0]), parts[0].first?.isLowercase == true else {
      throw Fault(description: "\(entity): \"\(word)\" is not name:Type with a small first letter")
    }
    let name = parts[0]
    guard entities[index].names.insert(name).inserted else {
      throw Fault(description: "\(entity) has two properties named \(name)")
    }
    let ends = parts[1].split(separator: "/", maxSplits: 1).map(String.init)
    var type = ends[0]
    let isOptional = type.hasSuffix("?")
    if isOptional { type.removeLast() }
    let isToMany = type.hasPrefix("[") && type.hasSuffix("]")
    if isToMany { type = String(type.dropFirst().dropLast()) }
    if entities.contains(where: { $0.name == type }) {
      entities[index].relationships.append(
        Relationship(
          name: name, destination: type, isToMany: isToMany, isOptional: isOptional || isToMany,
          inverse: ends.count > 1 ? ends[1] : nil))
      return
    }
    guard !isToMany, ends.count == 1, let fields = Self.attributeFields[type] else {
      throw Fault(
        description: "\(entity).\(name): \(parts[1]) is neither an entity of this model nor one of "
          + Self.attributeFields.keys.sorted().joined(separator: ", "))
    }
    let optional = isOptional ? " optional=\"YES\"" : ""
    // An optional number has no default. A required one keeps it, so that you don't have to set it before each save.
    let kept = isOptional ? Self.withoutDefault(fields) : fields
    entities[index].attributes.append("<attribute name=\"\(name)\"\(optional) \(kept)/>")
  }

  /// Finds the inverse of each relationship.
  private mutating func connect() throws {
    for index in entities.indices {
      for place in entities[index].relationships.indices {
        let relationship = entities[index].relationships[place]
        let back = entities.first { $0.name == relationship.destination }?.relationships.filter {
          $0.destination == entities[index].name
            && !(relationship.destination == entities[index].name && $0.name == relationship.name)
        }
        if let named = relationship.inverse {
          guard let back, back.contains(where: { $0.name == named }) else {
            throw Fault(
              description: "\(entities[index].name).\(relationship.name): \(relationship.destination) has no "
                + "relationship \(named) that leads back")
          }
        } else if let back, back.count == 1 {
          let others = entities[index].relationships.filter { $0.destination == relationship.destination }
          let isOnly = others.count == 1 || relationship.destination == entities[index].name && others.count == 2
          if isOnly || back[0].inverse == relationship.name {
            entities[index].relationships[place].inverse = back[0].name
          } else if back[0].inverse == nil {
            throw Fault(
              description: "several relationships lead from \(entities[index].name) to "
                + "\(relationship.destination): say which is the inverse of \(back[0].name), as in "
                + "\(relationship.name):\(relationship.destination)/\(back[0].name)")
          }
        }
      }
    }
    // If only one side names its inverse, that holds for the other side, too.
    for entity in entities {
      for relationship in entity.relationships {
        guard let inverse = relationship.inverse,
          let other = entities.firstIndex(where: { $0.name == relationship.destination }),
          let place = entities[other].relationships.firstIndex(where: { $0.name == inverse })
        else { continue }
        let said = entities[other].relationships[place].inverse
        guard said == nil || said == relationship.name else {
          throw Fault(
            description: "\(entity.name).\(relationship.name) and \(relationship.destination).\(said ?? "") both want "
              + "\(inverse) as their inverse")
        }
        entities[other].relationships[place].inverse = relationship.name
      }
    }
  }

  /// The file `contents`.
  public var contents: String {
    var text = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift" \
      userDefinedModelVersionIdentifier="">

      """
    for entity in entities {
      text += "    <entity name=\"\(entity.name)\" representedClassName=\"\(entity.name)\" syncable=\"YES\" "
      text += "codeGenerationType=\"class\">\n"
      for attribute in entity.attributes { text += "        \(attribute)\n" }
      for relationship in entity.relationships {
        text += "        <relationship name=\"\(relationship.name)\""
        if relationship.isOptional { text += " optional=\"YES\"" }
        text += relationship.isToMany ? " toMany=\"YES\"" : " maxCount=\"1\""
        text += " deletionRule=\"Nullify\" destinationEntity=\"\(relationship.destination)\""
        if let inverse = relationship.inverse {
          text += " inverseName=\"\(inverse)\" inverseEntity=\"\(relationship.destination)\""
        }
        text += "/>\n"
      }
      text += "    </entity>\n"
    }
    return text + "</model>\n"
  }

  /// The fields of an attribute without its default value.
  private static func withoutDefault(_ fields: String) -> String {
    fields.split(separator: " ").filter { !$0.hasPrefix("defaultValueString") }.joined(separator: " ")
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return text.utf8.allSatisfy {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0
        || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
    }
  }

  /// The types that can be typed, with what the editor writes for them.
  private static let attributeFields: [String: String] = [
    "String": #"attributeType="String""#,
    "Int16": #"attributeType="Integer 16" usesScalarValueType="YES" defaultValueString="0""#,
    "Int32": #"attributeType="Integer 32" usesScalarValueType="YES" defaultValueString="0""#,
    "Int64": #"attributeType="Integer 64" usesScalarValueType="YES" defaultValueString="0""#,
    "Double": #"attributeType="Double" usesScalarValueType="YES" defaultValueString="0""#,
    "Float": #"attributeType="Float" usesScalarValueType="YES" defaultValueString="0""#,
    "Bool": #"attributeType="Boolean" usesScalarValueType="YES" defaultValueString="NO""#,
    "Decimal": #"attributeType="Decimal" defaultValueString="0""#,
    "Date": #"attributeType="Date" usesScalarValueType="NO""#,
    "Data": #"attributeType="Binary""#,
    "UUID": #"attributeType="UUID" usesScalarValueType="NO""#,
    "URL": #"attributeType="URI""#,
  ]
}
