import DataModelFiles

/// Writes the Swift code of entity classes. It looks like the code of Xcode's generator, without `@objc`, which needs
/// Objective-C. The classes are on no actor, even in a module whose declarations are on the main actor by default,
/// because contexts of all queues use them.
struct ClassGenerator {
  let model: DataModel
  let module: String
  /// The types that the module's sources say are `Identifiable`.
  var identifiable: Set<[String]> = []

  /// The files of one entity, by name: class and properties for Class Definition, properties alone for
  /// Category/Extension, none for Manual/None and for entities without a class of their own.
  func files(for entity: DataModel.Entity) -> [(name: String, text: String)] {
    guard entity.codeGeneration != .manual, let className = ClassName.own(entity.className, module: module)
    else { return [] }
    let written = quoteKeywords(inPath: className)
    var files = [(name: "\(className)+CoreDataProperties.swift", text: properties(of: entity, written))]
    if entity.codeGeneration == .classDefinition {
      files.insert(("\(className)+CoreDataClass.swift", declaration(of: entity, written)), at: 0)
    }
    return files.map { ($0.name, heading($0.name) + $0.text) }
  }

  private func heading(_ name: String) -> String {
    """
    //
    //  \(name)
    //
    //  This file was automatically generated and should not be edited.
    //

    import Foundation
    import CoreData


    """
  }

  private func declaration(of entity: DataModel.Entity, _ className: String) -> String {
    """
    nonisolated public class \(className): \(entity.parentName.map(self.className(ofEntity:)) ?? "NSManagedObject") {

    }

    """
  }

  private func properties(of entity: DataModel.Entity, _ className: String) -> String {
    var text = """
      nonisolated extension \(className) {

          @nonobjc public class func fetchRequest() -> NSFetchRequest<\(className)> {
              return NSFetchRequest<\(className)>(entityName: "\(entity.name)")
          }


      """
    for attribute in entity.attributes.sorted(by: { $0.name < $1.name }) {
      text += property(attribute.name, type(of: attribute))
    }
    for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) {
      text += property(relationship.name, type(of: relationship))
    }
    text += "\n}\n"
    for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) where relationship.isToMany {
      text += accessors(for: relationship, className)
    }
    if !model.lineage(of: entity).dropFirst().contains(where: isIdentifiable) {
      text += "\nnonisolated extension \(className) : Identifiable {\n\n}\n"
    }
    return text
  }

  /// Whether an ancestor's class conforms to `Identifiable`: because it is generated, or because the sources say so.
  private func isIdentifiable(_ entity: DataModel.Entity) -> Bool {
    guard let name = ClassName.own(entity.className, module: module) else { return false }
    if entity.codeGeneration != .manual { return true }
    return identifiable.contains(name.split(separator: ".").map(String.init))
  }

  private func property(_ name: String, _ type: String) -> String {
    "    @NSManaged public var \(quoteIfKeyword(name)): \(type)\n"
  }

  private func type(of attribute: DataModel.Attribute) -> String {
    if attribute.usesScalarValue, let scalar = attribute.type.scalarName { return scalar }
    if let name = attribute.type.swiftName { return name + "?" }
    guard let name = attribute.customClassName else { return "NSObject?" }
    return (name.hasPrefix(".") ? String(name.dropFirst()) : name) + "?"
  }

  private func type(of relationship: DataModel.Relationship) -> String {
    if !relationship.isToMany { return className(ofEntity: relationship.destinationName) + "?" }
    return relationship.isOrdered ? "NSOrderedSet?" : "NSSet?"
  }

  private func className(ofEntity name: String) -> String {
    guard let name = model.entity(named: name).flatMap({ ClassName.own($0.className, module: module) }) else {
      return "NSManagedObject"
    }
    return quoteKeywords(inPath: name)
  }

  private func accessors(for relationship: DataModel.Relationship, _ className: String) -> String {
    let name = AccessorName.capitalized(relationship.name)
    let member = self.className(ofEntity: relationship.destinationName)
    var functions: [String] = []
    if relationship.isOrdered {
      functions += [
        "insertInto\(name)(_ value: \(member), at idx: Int)",
        "removeFrom\(name)(at idx: Int)",
        "insertInto\(name)(_ values: [\(member)], at indexes: NSIndexSet)",
        "removeFrom\(name)(at indexes: NSIndexSet)",
        "replace\(name)(at idx: Int, with value: \(member))",
        "replace\(name)(at indexes: NSIndexSet, with values: [\(member)])",
      ]
    }
    let collection = relationship.isOrdered ? "NSOrderedSet" : "NSSet"
    functions += [
      "addTo\(name)(_ value: \(member))",
      "removeFrom\(name)(_ value: \(member))",
      "addTo\(name)(_ values: \(collection))",
      "removeFrom\(name)(_ values: \(collection))",
    ]
    var text = "\n// MARK: Generated accessors for \(relationship.name)\nnonisolated extension \(className) {\n\n"
    for function in functions { text += "    @NSManaged public func \(function)\n\n" }
    return text + "}\n"
  }
}

/// How models name classes: `Book`; `.Book`, of the module that is compiled; `Module.Book`.
enum ClassName {
  /// The class's name within its own module; nil for NSManagedObject itself.
  static func own(_ name: String?, module: String) -> String? {
    guard let name, !name.isEmpty, name != "NSManagedObject" else { return nil }
    if name.hasPrefix(".") { return String(name.dropFirst()) }
    if name.hasPrefix(module + ".") { return String(name.dropFirst(module.count + 1)) }
    return name
  }

  /// The name for the compiled model: `Module.Book` for a class of this module, others as they are.
  static func compiled(_ name: String?, module: String, isOwn: (String) -> Bool) -> String? {
    guard let name, let own = own(name, module: module) else { return nil }
    if name.hasPrefix(".") || isOwn(own) { return "\(module).\(own)" }
    return name
  }
}
