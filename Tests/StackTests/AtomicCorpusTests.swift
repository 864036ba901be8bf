import Testing

@testable import CoreData

/// Atomic stores that Apple's framework wrote: mapping models' sources are XML stores, Paw's documents binary ones.
private let samples: [URL] = {
  guard let folder = ProcessInfo.processInfo.environment["COREDATA_CORPUS"] else { return [] }
  let files = FileManager.default.enumerator(at: URL(fileURLWithPath: folder), includingPropertiesForKeys: nil)
  return (files?.compactMap { $0 as? URL } ?? []).filter {
    $0.lastPathComponent == "xcmapping.xml" || $0.pathExtension == "paw"
  }.sorted { $0.path < $1.path }
}()

@Suite(
  "Atomic stores that Apple's framework wrote", .enabled(if: !samples.isEmpty, "COREDATA_CORPUS names no samples."))
struct AtomicCorpusTests {
  /// Opens a copy without its model's versions, changes and saves it, and reads it again.
  private func roundTrip(_ kind: StoreKind, _ sample: URL, _ model: () throws -> NSManagedObjectModel) throws {
    let url = kind.newURL()
    try FileManager.default.copyItem(at: sample, to: url)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    let options = [NSIgnorePersistentStoreVersioningOption: true]
    let stack = try Stack(kind, model(), at: url, options: options)
    func dump(_ stack: Stack) throws -> [String] {
      try stack.model.entities.filter { $0.superentity == nil }.flatMap { entity in
        try stack.context.all(entity.name!).map { object in
          let values = object.entity.propertiesByName.keys.sorted().map { key -> String in
            switch object[key] {
            case let other as NSManagedObject: other.objectID.uriRepresentation().path
            case let set as NSSet: "\(set.map { ($0 as! NSManagedObject).objectID.uriRepresentation().path }.sorted())"
            case let value: "\(value ?? "nil")"
            }
          }
          return object.objectID.uriRepresentation().absoluteString + " \(values)"
        }
      }
    }
    let before = try stack.context.performAndWait {
      let before = try dump(stack)
      stack.coordinator.setMetadata(stack.store.metadata.merging(["Mine": 1]) { $1 }, for: stack.store)
      // There and back again: the file is written twice.
      let entities = stack.model.entities.filter { $0.superentity == nil }
      let some = try #require(
        try entities.flatMap { try stack.context.all($0.name!) }.first { object in
          object.entity.attributesByName.keys.contains { object[$0] != nil }
        })
      let key = try #require(some.entity.attributesByName.keys.sorted().first { some[$0] != nil })
      let value = some[key]
      for value in [nil, value] {
        some[key] = value
        try stack.context.save()
      }
      return before
    }
    #expect(before.count > 0)
    let again = try Stack(kind, model(), at: url, options: options)
    #expect(again.store.identifier == stack.store.identifier)
    #expect(again.store.metadata["Mine"] as? Int == 1)
    #expect(try again.context.performAndWait { try dump(again) } == before)
  }

  @Test(
    "A binary store's model can't be inferred: its attributes have no names",
    arguments: samples.filter { $0.pathExtension == "paw" })
  func noModel(_ sample: URL) {
    #expect(
      failure { _ = try NSManagedObjectModel(storedIn: sample) }?.localizedDescription.contains("binary store") == true)
  }

  @Test(
    "XML stores are read with a model inferred from them, and written",
    arguments: samples.filter { $0.pathExtension == "xml" })
  func xml(_ sample: URL) throws {
    let document = XMLStoreDocument(bytes: [UInt8](try Data(contentsOf: sample)))
    let model = try document.inferredModel()
    let entity = try #require(model.entitiesByName["XDDevMappingModel"])
    #expect(entity.attributesByName["sourcemodelpath"]?.attributeType == .stringAttributeType)
    #expect(entity.attributesByName["sourcemodeldata"]?.attributeType == .binaryDataAttributeType)
    #expect(entity.relationshipsByName["entitymappings"]?.destinationEntity?.name == "XDDevEntityMapping")
    #expect(entity.relationshipsByName["entitymappings"]?.isToMany == true)
    try roundTrip(.xml, sample) { try document.inferredModel() }
    // And without any option, as stores of the other type.
    let stored = try NSManagedObjectModel(storedIn: sample)
    #expect(stored.storeOrigin == .inferred)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: stored)
    let store = try coordinator.addPersistentStore(
      type: .xml, at: sample, options: [NSReadOnlyPersistentStoreOption: true])
    #expect(store.metadata[NSStoreTypeKey] as? String == NSXMLStoreType)
  }

  /// What the documents show of the model: names of attributes that are always nil are invented.
  private func paw() -> NSManagedObjectModel {
    func texts(_ names: String...) -> [NSAttributeDescription] { names.map { attribute($0) } }
    func number(_ name: String) -> NSAttributeDescription { attribute(name, .integer64AttributeType) }
    let item = entity("LMRequestTreeItem", texts("name", "nothing", "uuid") + [number("order")])
    let request = entity(
      "LMRequest",
      texts("method", "s", "url") + ["a", "n", "o", "p", "q"].map(number))
    let group = entity("LMRequestGroup", [])
    item.subentities = [request, group]
    let cookies = entity("LMCookieJar", texts("name", "uuid") + [number("order")])
    let info = entity("LMDocumentInfo", texts("a", "b", "c", "d", "e", "f", "g", "i", "j") + [number("h")])
    let value = entity("LMEnvironmentVariableValue", texts("uuid", "value"))
    let variable = entity("LMEnvironmentVariable", texts("name", "uuid") + [number("order")])
    let environment = entity("LMEnvironment", texts("name", "uuid") + [number("order")])
    let domain = entity("LMEnvironmentDomain", texts("name", "uuid") + [number("order")])
    let pair = entity("LMKeyValue", texts("name", "uuid", "value") + ["enabled", "mode", "order"].map(number))
    join(relate(item, "parent", .one, to: group), relate(group, "children", .many, to: item))
    relate(item, "zzz", .one, to: item)
    join(relate(request, "urlParameters", .many, to: pair), relate(pair, "requestForUrlParameters", .one, to: request))
    for name in ["headers", "more", "other", "zzzz"] { relate(request, name, .many, to: pair) }
    relate(pair, "requestForHeaders", .one, to: request)
    join(relate(variable, "values", .many, to: value), relate(value, "variable", .one, to: variable))
    join(relate(environment, "variablesValues", .many, to: value), relate(value, "environment", .one, to: environment))
    join(relate(domain, "environments", .many, to: environment), relate(environment, "domain", .one, to: domain))
    join(relate(domain, "variables", .many, to: variable), relate(variable, "domain", .one, to: domain))
    return model([item, request, group, cookies, info, value, variable, environment, domain, pair])
  }

  @Test(
    "Binary stores are read with a model of their shape, and written",
    arguments: samples.filter { $0.pathExtension == "paw" })
  func binary(_ sample: URL) throws {
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSBinaryStoreType, at: sample)
    #expect((metadata[NSStoreModelVersionHashesKey] as? [String: Data])?.count == 11)
    #expect(metadata[NSStoreModelVersionIdentifiersKey] as? [String] == ["LMDocumentVersion7"])
    try roundTrip(.binary, sample) { paw() }
  }
}
