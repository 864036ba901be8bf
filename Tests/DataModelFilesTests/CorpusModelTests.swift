import DataModelFiles
import Foundation
import TestFiles
import Testing

@Suite("Models of public projects", .enabled(if: Corpus.root != nil, "COREDATA_CORPUS is not set"))
struct CorpusModelTests {
  @Test("Every source model reads")
  func everyModel() {
    var read = 0
    for url in Corpus.files(in: "models", extension: "xcdatamodel") {
      do {
        let (model, warnings) = try SourceModelReader.model(at: url)
        for warning in warnings { print(warning) }
        // What is read is written and read back without loss of what a compiled model can hold.
        let mom = CompiledModelFiles.mom(model)
        let back = try CompiledModelFiles.model(mom: mom, name: model.name, file: url.path).model
        #expect(back.entityVersionHashes() == model.entityVersionHashes(), "\(url.path)")
        #expect(back.compiledForm == model.compiledForm, "\(url.path)")
        read += 1
      } catch {
        Issue.record("\(error)")
      }
    }
    print("models read: \(read)")
    #expect(read > 100)
  }

  @Test("Every package reads and has a current version")
  func everyPackage() {
    var read = 0
    for url in Corpus.files(in: "models", extension: "xcdatamodeld") {
      do {
        let package = try SourceModelReader.package(at: url)
        #expect(package.versions.contains(package.currentVersion))
        read += 1
      } catch let error as InvalidDataModel where Self.isEmptyPackage(url) {
        #expect(error.description.contains("holds no .xcdatamodel"))
      } catch {
        Issue.record("\(url.path): \(error)")
      }
    }
    print("packages read: \(read)")
    #expect(read > 50)
  }

  /// Some packages of the corpus came without their versions.
  static func isEmptyPackage(_ url: URL) -> Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    return !names.contains { $0.hasSuffix(".xcdatamodel") }
  }

  @Test("Every compiled model reads, and its hashes are those of its VersionInfo.plist")
  func everyCompiledModel() throws {
    var read = 0
    var compared = 0
    for url in Corpus.files(in: "compiled", extension: "mom") {
      let (model, warnings) = try CompiledModelFiles.model(at: url)
      for warning in warnings { print(warning) }
      #expect(!model.entities.isEmpty)
      read += 1
      let info = url.deletingLastPathComponent().appendingPathComponent("VersionInfo.plist")
      guard let data = FileManager.default.contents(atPath: info.path) else { continue }
      let plist = try #require(
        PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
      let versions = try #require(plist["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
      let computed = model.entityVersionHashes()
      for (entity, hash) in try #require(versions[model.name]) {
        #expect(computed[entity].map { Data($0) } == hash, "\(url.path) \(entity)")
        compared += 1
      }
    }
    print("compiled models read: \(read), entity hashes compared: \(compared)")
    #expect(read > 10)
  }

  @Test("A compiled model and its source say the same")
  func compiledAndSource() throws {
    let root = try #require(Corpus.root)
    var pairs: Set<[String]> = []
    for row in try Corpus.rows(of: "hashes.csv") where row["pairing"]?.hasPrefix("versioninfo+mom") == true {
      guard let source = row["source_model"], let compiled = row["compiled_model"], !source.isEmpty,
        !compiled.isEmpty
      else { continue }
      pairs.insert([source, compiled])
    }
    for pair in pairs {
      let folder = root.appendingPathComponent(pair[0]).deletingLastPathComponent()
      let source = try SourceModelReader.model(at: folder).model
      let compiled = try CompiledModelFiles.model(at: root.appendingPathComponent(pair[1])).model
      #expect(compiled.compiledForm == source.compiledForm, "\(pair[1])")
    }
    print("compiled models compared with their source: \(pairs.count)")
    #expect(!pairs.isEmpty)
  }

  @Test("Every known entity hash follows from its source model")
  func hashes() throws {
    let root = try #require(Corpus.root)
    var hashes: [String: [String: [UInt8]]] = [:]
    var reproduced = 0
    for row in try Corpus.rows(of: "hashes.csv") where row["entity_unambiguous"] == "Y" {
      guard let path = row["source_model"], !path.isEmpty, let entity = row["entity"] else { continue }
      if hashes[path] == nil {
        let url = root.appendingPathComponent(path).deletingLastPathComponent()
        hashes[path] = try SourceModelReader.model(at: url).model.entityVersionHashes()
      }
      let computed = hashes[path]?[entity].map(hex)
      #expect(computed == row["hash_hex"], "\(path) \(entity)")
      if computed == row["hash_hex"] { reproduced += 1 }
    }
    print("entity hashes reproduced from source models: \(reproduced)")
    #expect(reproduced > 200)
  }
}

extension DataModel {
  /// A predicate's text as it comes back from its archived objects.
  static func compiledPredicate(_ format: String) -> String {
    var model = DataModel(name: "")
    model.entities = [Entity(name: "E")]
    model.fetchRequestTemplates = [FetchRequestTemplate(name: "t", entityName: "E", predicateFormat: format)]
    let back = try? CompiledModelFiles.model(mom: CompiledModelFiles.mom(model), name: "", file: "").model
    return back?.fetchRequestTemplates.first?.predicateFormat ?? ""
  }

  /// The model without what a compiled one does not hold, in the order of a compiled one.
  var compiledForm: DataModel {
    var model = self
    model.tools = ToolInformation()
    model.sourceLanguage = .objectiveC
    model.isUsedWithCloudKit = false
    model.isUsedWithSwiftData = false
    model.entities = entities.map { entity in
      var entity = entity
      entity.codeGeneration = .manual
      entity.isSyncable = false
      // Newer versions of Xcode rename the index of an indexed attribute when they save.
      entity.fetchIndexes = entity.compiledFetchIndexes.map { index in
        var index = index
        index.name = index.elements.compactMap(\.propertyName).joined(separator: ",")
        return index
      }.sorted { $0.name < $1.name }
      entity.renamingIdentifier = entity.renamingIdentifier == entity.name ? nil : entity.renamingIdentifier
      entity.attributes = entity.attributes.map(\.compiledForm).sorted { $0.name < $1.name }
      entity.relationships = entity.relationships.map { relationship in
        var relationship = relationship
        relationship.isSyncable = false
        relationship.inverseEntityName = relationship.inverseName.map { _ in relationship.destinationName }
        return relationship
      }.sorted { $0.name < $1.name }
      entity.fetchedProperties = entity.fetchedProperties.map { property in
        var property = property
        property.isSyncable = false
        property.request.predicateFormat = property.request.predicateFormat.map(DataModel.compiledPredicate)
        return property
      }.sorted { $0.name < $1.name }
      return entity
    }.sorted { $0.name < $1.name }
    model.configurations = configurations.map {
      Configuration(name: $0.name, entityNames: $0.entityNames)
    }.sorted { $0.name < $1.name }
    model.fetchRequestTemplates = fetchRequestTemplates.map { template in
      var template = template
      template.predicateFormat = template.predicateFormat.map(DataModel.compiledPredicate)
      return template
    }.sorted { $0.name < $1.name }
    // A compiled model has the elements in each attribute, and no names of types.
    model.composites = []
    for entity in model.entities.indices {
      for place in model.entities[entity].attributes.indices {
        var attribute = model.entities[entity].attributes[place]
        model.addCompiledComposite(of: &attribute, in: model.entities[entity].name, from: self)
        model.entities[entity].attributes[place] = attribute
      }
    }
    model.composites.sort { $0.name < $1.name }
    return model
  }

  private mutating func addCompiledComposite(of attribute: inout Attribute, in owner: String, from source: DataModel) {
    guard let type = source.composites.first(where: { $0.name == attribute.compositeName }) else { return }
    let path = "\(owner).\(attribute.name)"
    attribute.compositeName = path
    var elements = type.attributes.map(\.compiledForm)
    for place in elements.indices { addCompiledComposite(of: &elements[place], in: path, from: source) }
    composites.append(CompositeType(name: path, attributes: elements))
  }
}

extension DataModel.Attribute {
  var compiledForm: Self {
    var attribute = self
    attribute.isSyncable = false
    // Told by the entity's fetch indexes too, and kept as a flag by some versions of Xcode only.
    attribute.isIndexed = false
    attribute.usesScalarValue = false
    if attribute.type == .undefined { attribute.customClassName = nil }
    return attribute
  }
}
