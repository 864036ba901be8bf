/// The code that `@Model` generates.
extension ModelDeclaration {
  /// The attribute that makes a property use the model's storage; empty for any other declaration.
  package static func memberAttribute(for source: String) -> String {
    // If the declaration can't be read, the expansion of the class reports that once.
    guard let property = try? PropertyDeclaration.reading(source), property.isPersistent, property.problem == nil,
      property.attribute("_PersistedProperty") == nil,
      property.attribute("_TransformablePersistedProperty") == nil
    else { return "" }
    return property.isTransformable ? "@_TransformablePersistedProperty" : "@_PersistedProperty"
  }

  /// The members that the macro adds to the class.
  package var members: String {
    """
    @exclusivity(unchecked)
    private var _$backingData: any SwiftData.BackingData<\(name)> = \(name).createBackingData()

    \(isSubclass ? inheritedMembers : rootMembers)\(isFinal ? "" : "\n\n" + keyPathsForSubclasses)

    private let _$observationRegistrar = SwiftData._ModelObservers()

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

  /// A model without a model superclass stores the values of itself and of its subclasses.
  private var rootMembers: String {
    """
    \(isFinal ? access : overridableAccess)var persistentBackingData: any SwiftData.BackingData<\(name)> {
      get { _$backingData }
      set { _$backingData = newValue }
    }

    \(access)\(isFinal ? "" : "final ")var _storageReference: SwiftData._StorageReference? {
      SwiftData._StorageReference(_$backingData)
    }

    \(isFinal ? "\(access)static" : "\(overridableAccess)class") var schemaMetadata: \
    [SwiftData.Schema.PropertyMetadata] {
      \(metadataBody())
    }

    \(access)\(isFinal ? "" : "required ")init(backingData: any SwiftData.BackingData<\(name)>) {
      \(markers())
      self.persistentBackingData = backingData
    }

    private init(_ markers: _SwiftDataNoType) {
      \(markers(each: "markers"))
    }

    \(access)static func _modelForRow() -> SwiftData._ModelForRow? {
      \(isFinal ? "" : "if self != \(name).self { return nil }\n  ")let model = \(name)(_SwiftDataNoType())
      return SwiftData._ModelForRow(\(beginsWithValues ? "droppingValuesOf: " : "")model, model._$backingData)
    }

    \(isFinal ? access : overridableAccess)nonisolated var _observationRegistrars: [Observation.ObservationRegistrar?] {
      [_$observationRegistrar.registrar]
    }\(isFinal ? "" : "\n\n\(access)typealias _SwiftDataRoot = \(name)")
    """
  }

  /// A subclass has storage of its own until its superclass is initialized. Then the two are joined.
  private var inheritedMembers: String {
    let overriding = isFinal ? access : overridableAccess
    return """
      \(overriding)override var persistentBackingData: any SwiftData.BackingData<_SwiftDataRoot> {
        get { SwiftData._joinedBackingData(_$backingData, super.persistentBackingData) }
        set { super.persistentBackingData = newValue }
      }

      \(overriding)override class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
        \(metadataBody(
          behind: """
            SwiftData.Schema.PropertyMetadata._inherited(
                super.schemaMetadata, keyPaths: super._schemaKeyPaths(of: \(name).self)) + 
            """))
      }

      \(access)required init(backingData: any SwiftData.BackingData<_SwiftDataRoot>) {
        \(markers())
        super.init(backingData: backingData)\
      \(beginsWithValues ? "\n  _ = SwiftData._joinedBackingData(_$backingData, backingData)" : "")
      }

      \(overriding)nonisolated override var _observationRegistrars: [Observation.ObservationRegistrar?] {
        super._observationRegistrars + [_$observationRegistrar.registrar]
      }
      """
  }

  /// Each subclass has its own key path for the same property.
  private var keyPathsForSubclasses: String {
    let own = "[\(properties.map { "\\_M.\($0.spelledName)" }.joined(separator: ", "))]"
    return """
      \(overridableAccess)class func _schemaKeyPaths<_M: \(name)>(of model: _M.Type) -> [AnyKeyPath] {
        \(isSubclass ? "super._schemaKeyPaths(of: model) + \(own)" : own)
      }
      """
  }

  /// Whether the accessors have the storage keep values as soon as an object is made. For an object that stands for a
  /// row they have to go: a subclass's own storage drops them when it is joined with that of the row.
  private var beginsWithValues: Bool { properties.contains(where: \.beginsWithValue) }

  private func markers(each value: String = "_SwiftDataNoType()") -> String {
    properties.map { "_\($0.name) = \(value)" }.joined(separator: "\n  ")
  }

  /// An expression. If the compiler has to decide whether some of the macros apply, or which attributes a property has,
  /// statements.
  private func metadataBody(behind inherited: String = "") -> String {
    func list(_ elements: [String]) -> String { "[\n    \(elements.joined(separator: ",\n    "))\n  ]" }
    let plain = properties.prefix { $0.kinds.allSatisfy { $0.condition == nil } }
    let listed = plain.map { propertyMetadata($0, $0.kinds.first) }
    guard plain.count < properties.count || macros.contains(where: { $0.condition != nil }) else {
      return inherited + list(listed + macros.map(metadata))
    }
    let ofMacros = macros.map { macro in
      let statement = append(metadata(macro))
      return macro.condition.map { "#if \($0)\n  \(statement)\n  #endif" } ?? statement
    }
    let statements = properties.dropFirst(plain.count).map(appending) + ofMacros
    return """
      var _metadata: [SwiftData.Schema.PropertyMetadata] = \(inherited)\(list(listed))
        \(statements.joined(separator: "\n  "))
        return _metadata
      """
  }

  private func append(_ metadata: String) -> String { "_metadata.append(\(metadata))" }

  /// Statements for a property, with a branch for each condition.
  private func appending(_ property: PropertyDeclaration) -> String {
    let conditional = property.kinds.prefix { $0.condition != nil }
    let otherwise = append(propertyMetadata(property, property.kinds.dropFirst(conditional.count).first))
    guard !conditional.isEmpty else { return otherwise }
    let branches = conditional.enumerated().flatMap { place, kind in
      ["\(place == 0 ? "#if" : "#elseif") \(kind.condition ?? "")", append(propertyMetadata(property, kind))]
    }
    return (branches + ["#else", otherwise, "#endif"]).joined(separator: "\n  ")
  }

  private func propertyMetadata(_ property: PropertyDeclaration, _ kind: AttributeUse?) -> String {
    let metadata = kind.map { "SwiftData.Schema.\($0.name)(\($0.arguments ?? ""))" } ?? "nil"
    return """
      SwiftData.Schema.PropertyMetadata(name: "\(property.name)", keypath: \\\(name).\(property.spelledName), \
      defaultValue: \(property.statedDefault), metadata: \(metadata))
      """
  }

  private func metadata(_ macro: DeclarationReader.MacroUse) -> String {
    """
    SwiftData.Schema.PropertyMetadata(name: "", keypath: \\\(name).self, defaultValue: nil, \
    metadata: SwiftData.Schema.\(macro.name)<\(name)>(\(macro.arguments)))
    """
  }

  /// Extensions for the missing conformances.
  ///
  /// - Parameter wanted: the conformances that the compiler asks for.
  package func conformances(of type: String, wanted: String) -> String {
    var extensions: [String] = []
    if wanted.contains("PersistentModel") {
      extensions.append("nonisolated extension \(type): SwiftData.PersistentModel {\n}")
    }
    if wanted.contains("Observable") { extensions.append("nonisolated extension \(type): Observation.Observable {\n}") }
    return extensions.joined(separator: "\n\n")
  }
}

extension PropertyDeclaration {
  /// The expression of the initial value, converted to the declared type; `nil` if there is none.
  fileprivate var statedDefault: String {
    guard let initialValue else { return "nil" }
    guard var type else { return initialValue }
    if type.hasSuffix("!") { type = type.dropLast() + "?" }
    return "(\(initialValue)) as \(type)"
  }

  /// The accessors of a persistent property, with their braces.
  package func accessors(isTransformable: Bool) -> String {
    let kind = isTransformable ? "TransformableValue" : "Value"
    return """
      {
        @storageRestrictions(accesses: _$backingData, initializes: _\(name))
        init(initialValue) {
          _$backingData._keep(initialValue, forKey: \\.\(spelledName))
          _\(name) = _SwiftDataNoType()
        }
        get {
          self.get\(kind)(forKey: _$observationRegistrar.access(self, keyPath: \\.\(spelledName)))
        }
        set {
          _$observationRegistrar.withMutation(of: self, keyPath: \\.\(spelledName)) {
            self.set\(kind)(forKey: \\.\(spelledName), to: newValue)
          }
        }
      }
      """
  }

  /// The stored property that definite initialization sees instead of the value.
  package var marker: String { "private var _\(name): _SwiftDataNoType" }
}
