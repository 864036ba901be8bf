import Foundation

/// Reads the models that the editor archives inside its mapping models, as far as mappings and version hashes need
/// them.
///
/// They have the editor's own form. An entity or a property (an "owned attribute") has stereotypes. Each value that the
/// editor shows is the default value of a property of a stereotype:
///
/// | stereotype | of | values |
/// |---|---|---|
/// | `XD_PStereotype` | entities | `XD_PSK_…`, `XDPMUniquenessConstraints` |
/// | `XD_PPropStereotype` | all properties | `XD_PPSK_isOptional`, `…isTransient`, `…versionHashModifier` |
/// | `XD_PAtt_Stereotype` | attributes | `XD_PAttK_attributeType`, `…allowsExternalBinaryDataStorage` |
/// | `XD_PR_Stereotype` | relationships | `XD_PRK_destination`, `…inverseRelationship`, `…minCount`, `…maxCount` |
struct EditorModelReader {
  private let archive: KeyedArchive
  private let root: KeyedArchive.Object

  private typealias Fields = [String: KeyedArchive.Value]

  /// Nil if the bytes aren't such a model.
  init?(_ bytes: [UInt8]) {
    guard let archive = try? KeyedArchive(bytes), let root = archive.root, root.className == "XDPMModel" else {
      return nil
    }
    self.archive = archive
    self.root = root
  }

  /// The entities, ordered by name. The problems it throws name no file.
  func model(named name: String) throws -> DataModel {
    var model = DataModel(name: name)
    let package = root.object("_xd_rootPackage")
    model.entities = try (package?.objects("XDBucketForClassesstorage") ?? []).map(entity)
      .sorted { $0.name < $1.name }
    if archive.isExhausted {
      throw InvalidDataModel(file: "", message: "its lists repeat the same objects too often")
    }
    return model
  }

  private func entity(_ object: KeyedArchive.Object) throws -> DataModel.Entity {
    var entity = DataModel.Entity(name: try name(of: object, entity: nil))
    let values = fields(of: object, "XD_PStereotype")
    entity.isAbstract = values["XD_PSK_isAbstract"]?.boolean ?? object.flag("_isAbstract")
    entity.versionHashModifier = text(values["XD_PSK_versionHashModifier"])
    entity.parentName = object.objects("XDBucketForGeneralizationsstorage").first?.object("_general")?
      .string("_name")
    entity.uniquenessConstraints = (values["XDPMUniquenessConstraints"]?.elements ?? []).map { constraint in
      constraint.elements.compactMap { $0.string ?? $0.object?.string("_name") }
    }
    for property in object.objects("XDBucketForOwnedAttributesstorage") {
      let common = fields(of: property, "XD_PPropStereotype")
      let attribute = fields(of: property, "XD_PAtt_Stereotype")
      let relationship = fields(of: property, "XD_PR_Stereotype")
      if !attribute.isEmpty {
        entity.attributes.append(try self.attribute(property, common, attribute, of: entity.name))
      } else if !relationship.isEmpty {
        entity.relationships.append(try self.relationship(property, common, relationship, of: entity.name))
      }
    }
    return entity
  }

  private func attribute(
    _ object: KeyedArchive.Object, _ common: Fields, _ values: Fields, of entity: String
  ) throws -> DataModel.Attribute {
    let name = try name(of: object, entity: entity)
    let number = values["XD_PAttK_attributeType"]?.integer ?? 0
    guard let type = UInt32(exactly: number).flatMap(DataModel.AttributeType.init(rawValue:)) else {
      throw problem(entity, name, "unknown attribute type \(number)")
    }
    var attribute = DataModel.Attribute(name: name, type: type)
    attribute.isOptional = common["XD_PPSK_isOptional"]?.boolean ?? false
    attribute.isTransient = common["XD_PPSK_isTransient"]?.boolean ?? false
    attribute.versionHashModifier = text(common["XD_PPSK_versionHashModifier"])
    attribute.allowsExternalBinaryDataStorage =
      values["XD_PAttK_allowsExternalBinaryDataStorage"]?.boolean ?? false
    return attribute
  }

  private func relationship(
    _ object: KeyedArchive.Object, _ common: Fields, _ values: Fields, of entity: String
  ) throws -> DataModel.Relationship {
    let name = try name(of: object, entity: entity)
    guard let destination = values["XD_PRK_destination"]?.object?.string("_name") else {
      throw problem(entity, name, "the relationship has no destination entity")
    }
    var relationship = DataModel.Relationship(name: name, destinationName: destination)
    relationship.isOptional = common["XD_PPSK_isOptional"]?.boolean ?? false
    relationship.isTransient = common["XD_PPSK_isTransient"]?.boolean ?? false
    relationship.versionHashModifier = text(common["XD_PPSK_versionHashModifier"])
    relationship.isOrdered = values["XD_PRK_ordered"]?.boolean ?? false
    relationship.inverseName = values["XD_PRK_inverseRelationship"]?.object?.string("_name")
    relationship.minCount = values["XD_PRK_minCount"]?.integer ?? 0
    let isToMany = values["XD_PRK_isToMany"]?.boolean ?? false
    relationship.maxCount = isToMany ? values["XD_PRK_maxCount"]?.integer ?? 0 : 1
    return relationship
  }

  private func fields(of object: KeyedArchive.Object, _ name: String) -> Fields {
    let stereotypes = object.objects("XDBucketForStereotypesstorage")
    guard let stereotype = stereotypes.first(where: { $0.string("_name") == name }) else { return [:] }
    var fields: Fields = [:]
    for value in stereotype.objects("XDBucketForOwnedAttributesstorage") {
      guard let key = value.string("_name") else { continue }
      fields[key] = value["_default"]
    }
    return fields
  }

  private func text(_ value: KeyedArchive.Value?) -> String? {
    value?.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  private func name(of object: KeyedArchive.Object, entity: String?) throws -> String {
    guard let name = object.string("_name") else {
      throw problem(entity, nil, "\(entity == nil ? "an entity" : "a property") of the archived model has no name")
    }
    return name
  }

  private func problem(_ entity: String?, _ property: String?, _ message: String) -> InvalidDataModel {
    InvalidDataModel(problems: [
      DataModelProblem(.error, file: "", entity: entity, property: property, message: message)
    ])
  }
}
