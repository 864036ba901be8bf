import DataModelCompiler
import DataModelFiles

@testable import CoreData

/// What a program and the build do with a model that was read.
enum ModelUse {
  static func use(_ values: DataModel) throws {
    _ = values.versionChecksum()
    // What we write we read.
    let archive = CompiledModelFiles.mom(values)
    _ = try? CompiledModelFiles.model(mom: archive, name: values.name, file: "Again.mom")

    let package = DataModelPackage(name: "Model", versions: [values], currentVersionName: values.name)
    let output = DataModelCompiler(module: "App").compile(models: [package], sources: [])
    _ = output.files.reduce(0) { $0 + $1.text.utf8.count }

    let model = try NSManagedObjectModel(values: values, url: Fixture.url)
    let coordinator = try NSPersistentStoreCoordinator(checking: model)
    let url = Scratch.url("Model.sqlite")
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(url.path + suffix) }
    defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
    let type = model.entities.count > 30 ? NSInMemoryStoreType : NSSQLiteStoreType
    let options = type == NSSQLiteStoreType ? Fixture.options : [:]
    try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
    try fill(Fixture.context(coordinator), model)
    _ = try? NSMappingModel.inferredMappingModel(forSourceModel: Fixture.model, destinationModel: model)
    _ = try? NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: Fixture.model)
  }

  private static func fill(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel) throws {
    try context.performAndWait {
      for entity in model.entities where !entity.isAbstract {
        let object = NSManagedObject(entity: entity, insertInto: context)
        for key in entity.attributesByName.keys { _ = object.value(forKey: key).map { "\($0)".utf8.count } }
        _ = try? object.validateForInsert()
      }
      try context.save()
      for entity in model.entities {
        guard let name = entity.name else { continue }
        let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: name))
        _ = objects.map { $0.description.utf8.count }
      }
      for (name, _) in model.fetchRequestTemplatesByName {
        guard let request = model.fetchRequestTemplate(forName: name) else { continue }
        _ = request.predicate?.predicateFormat.utf8.count
        guard request.predicate.map({ !$0.predicateFormat.contains("$") }) ?? true else { continue }
        _ = try? context.count(for: request)
      }
    }
  }
}
