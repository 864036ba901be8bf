internal import DataModelFiles

extension NSManagedObject {
  /// ``managedObjectContext``.
  final var ownContext: NSManagedObjectContext? { (owner as? ContextOwner)?.context }
}

/// The entity of a class: there must be exactly one that names it among the loaded models.
extension NSManagedObject {
  /// ``entity()``. Without any, clients take the class's name for an entity that has none.
  static func entityOfLoadedModels() -> NSEntityDescription {
    let found = LoadedModels.entities(of: self)
    if found.isEmpty {
      warn(.noUniqueEntity(self, found))
      return NSEntityDescription()
    }
    guard found.count == 1 else { misuse(.noUniqueEntity(self, found)) }
    return found[0]
  }

  /// Whether a loaded model has the key as a property of this class.
  static func isModeled(_ key: String) -> Bool {
    LoadedModels.entities(of: self).contains { $0.propertiesByName[key] != nil }
  }

  /// The entity of an object that was made with neither an entity nor a context.
  static func entityWithoutContext() -> NSEntityDescription {
    let found = LoadedModels.entities(of: self)
    let entity = found.count == 1 ? found[0] : NoEntity.shared.entity
    warn(.noDesignatedInitializer(self, found.count == 1 ? entity : nil))
    return entity
  }

  /// The entity of this class in a context's model.
  class func entity(in context: NSManagedObjectContext) -> NSEntityDescription {
    guard let layouts = context.layouts else {
      misuse("\(self) was asked for an object in the context \(context.label), which has no coordinator.")
    }
    if let last = context.owner.lastEntity, last.objectClass == self { return last.entity }
    if let known = context.owner.entityOfClass[ObjectIdentifier(self)] {
      context.owner.lastEntity = (self, known)
      return known
    }
    EntityClasses.note(self)
    let found = layouts.layouts.filter { $0.objectClass == self }.map(\.entity)
    guard found.count == 1 else { misuse(.noUniqueEntity(self, found)) }
    context.owner.entityOfClass[ObjectIdentifier(self)] = found[0]
    return found[0]
  }

  /// ``fetchRequest()``.
  static func requestForClass() -> NSFetchRequest<any NSFetchRequestResult> {
    EntityClasses.note(self)
    let request = emptyRequest()
    request.entity = entity()
    return request
  }
}

extension NSEntityDescription {
  /// The entity with this name in a context's model.
  public class func entity(forEntityName entityName: String, in context: NSManagedObjectContext) -> NSEntityDescription?
  {
    context.layouts?.layout(named: entityName)?.entity
  }

  /// A new object of the entity with this name, inserted into a context.
  @discardableResult
  public class func insertNewObject(
    forEntityName entityName: String, into context: NSManagedObjectContext
  ) -> NSManagedObject {
    guard let layout = context.layouts?.layout(named: entityName) else {
      let names = context.layouts?.layouts.map(\.name).sorted() ?? []
      misuse(
        MisuseReport(
          "The model of the context \(context.label) has no entity \"\(entityName)\"."
            + Spelling.suggestion(for: entityName, among: names),
          facts: [("Entities", names.isEmpty ? "none" : names.joined(separator: ", "))],
          how: context.layouts == nil
            ? "The context has no coordinator, so it has no model."
            : "The name is misspelt, or another model was loaded.",
          remedy: "Compare the name with the model."))
    }
    return layout.objectClass.makeDynamically(of: layout.entity, in: context)
  }
}

/// The placeholder entity of objects that were made without one.
private final class NoEntity: @unchecked Sendable {
  // `@unchecked Sendable`: nothing changes the model after `init`.
  static let shared = NoEntity()
  let entity = NSEntityDescription()
  private let model = NSManagedObjectModel()

  private init() {
    entity.name = "(none)"
    model.entities = [entity]
  }
}

extension MisuseReport {
  fileprivate static func noDesignatedInitializer(
    _ type: NSManagedObject.Type, _ entity: NSEntityDescription?
  ) -> MisuseReport {
    MisuseReport(
      "Failed to call designated initializer on NSManagedObject class '\(type)'.",
      facts: [("Entity", entity?.name ?? "none")],
      how: "\(type)() makes an object without a context" + (entity == nil ? ", and without properties." : "."),
      remedy: "Use \(type)(context:), or init(entity:insertInto:).")
  }

  fileprivate static func noUniqueEntity(_ type: NSManagedObject.Type, _ found: [NSEntityDescription]) -> MisuseReport {
    MisuseReport(
      "Failed to find a unique match for an NSEntityDescription to the managed object subclass \(type).",
      facts: [("Entities of that class", found.isEmpty ? "none" : found.map { $0.name ?? "" }.joined(separator: ", "))],
      how: found.isEmpty
        ? "No coordinator's model names the class, or no model is loaded yet."
        : "Several entities of the loaded models name the class.",
      remedy: "Name the class in the model (managedObjectClassName \"\(NSStringFromClass(type))\"), or use "
        + "NSEntityDescription.insertNewObject(forEntityName:into:).")
  }
}
