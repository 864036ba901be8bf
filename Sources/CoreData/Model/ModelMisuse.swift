import Foundation

/// The wording of misuses of a model that Apple's framework answers with an exception.
extension MisuseReport {
  static var archivedModel: MisuseReport {
    MisuseReport(
      "A model and its parts can't be read from an archive.",
      how: "init(coder:) was called, which is there for subclasses to compile.",
      remedy: "Read a model file, or build the model in code.")
  }

  static func immutableModel(_ model: NSManagedObjectModel, member: String) -> MisuseReport {
    immutable("NSManagedObjectModel.\(member)", of: model.description)
  }

  static func immutableEntity(_ entity: NSEntityDescription, member: String) -> MisuseReport {
    immutable("NSEntityDescription.\(member)", of: "entity \(entity.storedName ?? "(no name)")")
  }

  static func immutableProperty(_ property: NSPropertyDescription, member: String) -> MisuseReport {
    let place = "\(property.owningEntity?.storedName ?? "(no entity)").\(property.storedName)"
    return immutable("\(type(of: property)).\(member)", of: "property \(place)")
  }

  static func immutableIndex(_ index: NSFetchIndexDescription, member: String) -> MisuseReport {
    let place = "\(index.owningEntity?.storedName ?? "(no entity)").\(index.storedName)"
    return immutable("NSFetchIndexDescription.\(member)", of: "index \(place)")
  }

  private static func immutable(_ call: String, of what: String) -> MisuseReport {
    MisuseReport(
      "Can't modify an immutable model.",
      facts: [("Call", "setting \(call)"), ("Of", what)],
      how: "A model becomes immutable when a coordinator takes it, because stores, row layouts and version "
        + "hashes are derived from it once.",
      remedy: "Finish the model before you make the coordinator, or change a copy: "
        + "`model.copy() as! NSManagedObjectModel`.")
  }

  static func unusableModel(_ model: NSManagedObjectModel, error: NSError) -> MisuseReport {
    MisuseReport(
      error.localizedDescription, facts: [("Model", model.description)],
      how: "A coordinator checks the model that it is given.",
      remedy: "Correct the definition named above.")
  }

  static func entityWithoutModel(_ entity: NSEntityDescription) -> MisuseReport {
    MisuseReport(
      "The entity \(entity.storedName ?? "(no name)") is in no model.",
      facts: [("Call", "NSEntityDescription.managedObjectModel")],
      how: "It was never added to a model's `entities`, or its model is gone: an entity does not keep its "
        + "model alive.",
      remedy: "Keep the model for as long as its entities are used.")
  }

  static func propertyWithoutEntity(_ property: NSPropertyDescription) -> MisuseReport {
    MisuseReport(
      "The property \(property.storedName) is in no entity.",
      facts: [("Call", "\(type(of: property)).entity")],
      how: "It was never added to an entity's `properties`, or its entity is gone.",
      remedy: "Set `properties` of the entity first, and keep the model.")
  }

  static func propertyOfAnotherEntity(
    _ property: NSPropertyDescription, owner: NSEntityDescription, taker: NSEntityDescription
  ) -> MisuseReport {
    MisuseReport(
      "The property \(property.storedName) already belongs to another entity.",
      facts: [
        ("Call", "setting NSEntityDescription.properties of \(taker.storedName ?? "(no name)")"),
        ("Owner", owner.storedName ?? "(no name)"),
      ],
      how: "A description belongs to the one entity that declares it.",
      remedy:
        "Give each entity a copy (`property.copy()`), or declare the property in a common parent, whose "
        + "`subentities` are set before the children's `properties`.")
  }

  static func entityOfAnotherModel(_ entity: NSEntityDescription) -> MisuseReport {
    MisuseReport(
      "The entity \(entity.storedName ?? "(no name)") already belongs to another model.",
      facts: [("Call", "setting NSManagedObjectModel.entities")],
      how: "An entity belongs to one model.",
      remedy: "Copy the other model (`model.copy()`), or merge the models with `init(byMerging:)`.")
  }

  static func configurationOfStrangers(
    _ entity: NSEntityDescription, configuration: String
  ) -> MisuseReport {
    MisuseReport(
      "The entity \(entity.storedName ?? "(no name)") can't be in the configuration \(configuration): "
        + "it is not in the model.",
      facts: [("Call", "NSManagedObjectModel.setEntities(_:forConfigurationName:)")],
      how: "A configuration is a part of the model's entities.",
      remedy: "Add the entity to `entities` first.")
  }

  static func immutableRequest(of what: String, member: String) -> MisuseReport {
    MisuseReport(
      "Can't modify a named fetch request in an immutable model.",
      facts: [("Call", "setting NSFetchRequest.\(member)"), ("Of", what)],
      how: "A model becomes immutable when a coordinator takes it, and so do its requests.",
      remedy: "Change a copy: `request.copy()`, or what fetchRequestFromTemplate(withName:substitutionVariables:) "
        + "returns.")
  }

  static func templatesDisagree(name: String) -> MisuseReport {
    MisuseReport(
      "The models can't be merged: they have different fetch request templates named \(name).",
      facts: [("Call", "NSManagedObjectModel.init(byMerging:)")],
      how: "A template that occurs in several models must be the same request in all of them.",
      remedy: "Rename one of them. `NSManagedObjectModel.merging(_:)` throws this as an error instead.")
  }

  static func modelsDisagree(entity: String) -> MisuseReport {
    MisuseReport(
      "The models can't be merged: they define the entity \(entity) in different ways.",
      facts: [("Call", "NSManagedObjectModel.init(byMerging:)")],
      how: "An entity that occurs in several models must be the same in all of them. Two versions of one "
        + "model are the usual cause.",
      remedy: "Load one version only. `NSManagedObjectModel.merging(_:)` throws this as an error instead.")
  }
}
