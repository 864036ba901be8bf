/// What `@Model` writes.
extension ModelDeclaration {
  /// The attribute that makes a property read and write through the model's storage; empty for any other declaration.
  package static func memberAttribute(for source: String) -> String {
    // What cannot be read is told of by the class itself, once.
    guard let property = try? PropertyDeclaration.reading(source), property.isPersistent, property.problem == nil,
      property.attribute("_PersistedProperty") == nil,
      property.attribute("_TransformablePersistedProperty") == nil
    else { return "" }
    return property.isTransformable ? "@_TransformablePersistedProperty" : "@_PersistedProperty"
  }

  /// The members that a model has beside its author's.
  package var members: String {
    """
    private var _$backingData: any SwiftData.BackingData<\(name)> = \(name).createBackingData()

    \(access)var persistentBackingData: any SwiftData.BackingData<\(name)> {
      get { _$backingData }
      set { _$backingData = newValue }
    }

    \(access)static var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
      [
        \(metadata.joined(separator: ",\n    "))
      ]
    }

    \(access)\(isFinal ? "" : "required ")init(backingData: any SwiftData.BackingData<\(name)>) {
      \(properties.map { "_\($0.name) = _SwiftDataNoType()" }.joined(separator: "\n  "))
      self.persistentBackingData = backingData
    }

    private let _$observationRegistrar = Observation.ObservationRegistrar()

    internal nonisolated func access<_M>(keyPath: KeyPath<\(name), _M>) {
      _$observationRegistrar.access(self, keyPath: keyPath)
    }

    internal nonisolated func withMutation<_M, _R>(
      keyPath: KeyPath<\(name), _M>, _ mutation: () throws -> _R
    ) rethrows -> _R {
      try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
    }

    struct _SwiftDataNoType {
    }
    """
  }

  private var metadata: [String] {
    properties.map { property in
      let kind = property.attributes.first { $0.name == "Attribute" || $0.name == "Relationship" }
      let metadata = kind.map { "SwiftData.Schema.\($0.name)(\($0.arguments ?? ""))" } ?? "nil"
      return """
        SwiftData.Schema.PropertyMetadata(name: "\(property.name)", keypath: \\\(name).\(property.spelledName), \
        defaultValue: \(property.statedDefault), metadata: \(metadata))
        """
    }
      + macros.map { macro in
        """
        SwiftData.Schema.PropertyMetadata(name: "", keypath: \\\(name).self, defaultValue: nil, \
        metadata: SwiftData.Schema.\(macro.name)<\(name)>(\(macro.arguments)))
        """
      }
  }

  /// The conformances that are still missing.
  ///
  /// - Parameter wanted: those that the compiler asks for.
  package func conformances(of type: String, wanted: String) throws -> String {
    guard wanted.contains("PersistentModel") || inherited.contains("PersistentModel") else {
      throw SourceProblem(
        "'\(name)' inherits from another model, and inheritance of models is not supported: give it a relationship to "
          + "the other model, or the other model's properties.", at: 0)
    }
    var extensions: [String] = []
    if wanted.contains("PersistentModel") { extensions.append("extension \(type): SwiftData.PersistentModel {\n}") }
    if wanted.contains("Observable") { extensions.append("extension \(type): Observation.Observable {\n}") }
    return extensions.joined(separator: "\n\n")
  }
}

extension PropertyDeclaration {
  /// The initial value's expression, in the declared type; `nil` without one.
  fileprivate var statedDefault: String {
    guard let initialValue else { return "nil" }
    guard var type else { return initialValue }
    if type.hasSuffix("!") { type = type.dropLast() + "?" }
    return "(\(initialValue)) as \(type)"
  }

  /// The accessors of a persistent property, in braces.
  package func accessors(isTransformable: Bool) -> String {
    let kind = isTransformable ? "TransformableValue" : "Value"
    return """
      {
        @storageRestrictions(accesses: _$backingData, initializes: _\(name))
        init(initialValue) {
          _$backingData.set\(kind)(forKey: \\.\(spelledName), to: initialValue)
          _\(name) = _SwiftDataNoType()
        }
        get {
          _$observationRegistrar.access(self, keyPath: \\.\(spelledName))
          return self.get\(kind)(forKey: \\.\(spelledName))
        }
        set {
          _$observationRegistrar.withMutation(of: self, keyPath: \\.\(spelledName)) {
            self.set\(kind)(forKey: \\.\(spelledName), to: newValue)
          }
        }
      }
      """
  }

  /// What definite initialization sees in place of the value.
  package var marker: String { "private var _\(name): _SwiftDataNoType" }
}
