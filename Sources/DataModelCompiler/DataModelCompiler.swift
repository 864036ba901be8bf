import DataModelFiles

/// Compiles the data models and the managed declarations of a module. It takes and returns values, and touches no
/// files.
public struct DataModelCompiler {
  /// A file of Swift source.
  public struct SourceFile: Sendable {
    public var path: String
    public var text: String

    public init(path: String, text: String) {
      self.path = path
      self.text = text
    }

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
  }

  public struct Output: Sendable {
    /// Generated Swift files; names are unique in the module.
    public var files: [(name: String, text: String)] = []
    /// The models, with the class names for their compiled form.
    public var models: [DataModelPackage] = []
    public var problems: [SourceProblem] = []
  }

  /// The name of the Swift module that is compiled.
  public var module: String
  /// The source files of other modules whose types the entity classes use.
  public var dependencies: [(module: String, files: [SourceFile])] = []
  /// The first version of Swift for which nobody has compared the symbols of accessors. From this version on, the
  /// compiler warns about the generated file.
  package var untestedSwift = "6.4"

  public init(module: String) { self.module = module }

  /// The name of the file with a model's generated classes.
  public static func classesFileName(model: String) -> String {
    "\(model)+CoreDataModel.generated.swift"
  }

  /// The name of the file with the accessors of all managed declarations of a module.
  public static func accessorsFileName(module: String) -> String {
    "\(module)+ManagedAccessors.generated.swift"
  }

  /// - Parameters:
  ///   - models: the models. Classes are generated from the current version of each.
  ///   - sources: all Swift files of the module.
  public func compile(models: [DataModelPackage], sources: [SourceFile]) -> Output {
    var output = Output()
    var scanned = sources.map { SwiftSourceScanner.scan($0.text, fileName: $0.name, path: $0.path) }
    output.problems = models.flatMap { DuplicateCheck(package: $0, module: module).problems(in: scanned) }
    for package in models {
      let name = Self.classesFileName(model: package.name)
      let text = classes(of: package.currentVersion, identifiable: Set(scanned.flatMap(\.identifiableTypes)))
      output.files.append((name, text))
      scanned.append(SwiftSourceScanner.scan(text, fileName: name, path: name))
    }
    let others = dependencies.map { dependency in
      (
        dependency.module,
        dependency.files.map { SwiftSourceScanner.scan($0.text, fileName: $0.name, path: $0.path) }
      )
    }
    let types = TypeIndex(module: module, sources: scanned, dependencies: others)
    let check = DeclarationCheck(models: models, types: types)
    let accessors = AccessorWriter.write(
      scanned, types: types, transients: check.transients, relationships: check.relationships,
      untestedSwift: untestedSwift)
    output.files.append((Self.accessorsFileName(module: module), accessors.text))
    output.problems += scanned.flatMap(\.problems) + check.problems(in: scanned) + accessors.problems
    output.models = models.map { package in
      var package = package
      package.versions = package.versions.map { withCompiledClassNames($0, types: types) }
      return package
    }
    return output
  }

  /// The Swift files that Xcode would generate for a model's entities, in the order of the entities. `codeGeneration`
  /// overrides the setting of the entities. For Manual/None you get the files of Class Definition, to start from.
  public func generatedFiles(
    of model: DataModel, codeGeneration: DataModel.CodeGeneration? = nil
  ) -> [(entity: String, name: String, text: String)] {
    let generator = ClassGenerator(model: model, module: module)
    return model.entities.flatMap { entity in
      var changed = entity
      if let codeGeneration { changed.codeGeneration = codeGeneration }
      return generator.files(for: changed).map { (entity.name, $0.name, $0.text) }
    }
  }

  /// The generated classes of a model in one text. Each keeps the heading that it has in a file of its own in Xcode.
  private func classes(of model: DataModel, identifiable: Set<[String]>) -> String {
    let generator = ClassGenerator(model: model, module: module, identifiable: identifiable)
    let files = model.entities.flatMap { generator.files(for: $0) }
    if files.isEmpty { return "// The model generates no classes.\n" }
    return files.map(\.text).joined(separator: "\n")
  }

  private func withCompiledClassNames(_ model: DataModel, types: TypeIndex) -> DataModel {
    var model = model
    for index in model.entities.indices {
      model.entities[index].className = ClassName.compiled(
        model.entities[index].className, module: module,
        isOwn: { types.ownType($0.split(separator: ".").map(String.init)) != nil })
      nameClasses(of: &model.entities[index].attributes, types)
    }
    for index in model.composites.indices { nameClasses(of: &model.composites[index].attributes, types) }
    return model
  }

  private func nameClasses(of attributes: inout [DataModel.Attribute], _ types: TypeIndex) {
    for index in attributes.indices {
      attributes[index].customClassName = ClassName.compiled(
        attributes[index].customClassName, module: module, isOwn: { types.ownType([$0]) != nil })
    }
  }
}
