/// An attribute as it is written: `@Attribute(.unique)` is `Attribute` with `.unique`.
package struct AttributeUse: Hashable, Sendable {
  /// Without the module in front of it.
  package var name: String
  /// What stands between the parentheses; nil without them.
  package var arguments: String?
  package var offset: Int
}

/// A `var` or `let` of a class, as it is written.
package struct PropertyDeclaration: Hashable, Sendable {
  /// Without backquotes.
  package var name: String
  /// As it is written, backquotes included.
  package var spelledName: String
  package var type: String?
  package var initialValue: String?
  package var attributes: [AttributeUse] = []
  package var modifiers: [String] = []
  /// Whether there are accessors other than `willSet` and `didSet`.
  package var isComputed = false
  /// Whether it shares its `var` with others: `var a = 0, b = 0`.
  package var isOneOfSeveral = false
  /// Whether it stands between `#if` and `#endif`.
  package var isConditional = false
  package var offset: Int

  package func attribute(_ name: String) -> AttributeUse? { attributes.first { $0.name == name } }

  /// Whether the class, and not each object, has it, or its value is made on demand.
  private var isOfOtherKind: Bool { modifiers.contains { ["static", "class", "lazy"].contains($0) } }
  /// Whether each object has a place in memory for it.
  private var isStored: Bool { !isOfOtherKind && !isComputed }
  package var isTransient: Bool { isStored && attribute("Transient") != nil }
  /// Whether its value is kept in a store.
  package var isPersistent: Bool { isStored && attribute("Transient") == nil }
  /// Whether `.transformable` is among the options of its attribute.
  package var isTransformable: Bool { attribute("Attribute")?.arguments?.contains(".transformable") == true }
  private var isOptional: Bool {
    guard let type else { return false }
    return type.hasSuffix("?") || type.hasSuffix("!") || type.hasPrefix("Optional<")
  }

  /// What stands in the way of keeping it.
  var problem: SourceProblem? {
    if isTransient {
      if initialValue != nil || isOptional { return nil }
      return SourceProblem(
        "@Transient property '\(name)' needs an initial value: objects that are read from a store have no other.",
        at: offset)
    }
    guard isPersistent else { return nil }
    if isConditional {
      return SourceProblem(
        "@Model cannot read the persistent property '\(name)' between #if and #endif: declare it outside, or mark it "
          + "@Transient.", at: offset)
    }
    if isOneOfSeveral {
      return SourceProblem(
        "@Model needs a declaration of its own for each persistent property: take '\(name)' apart from the others.",
        at: offset)
    }
    if let modifier = modifiers.first(where: { $0 == "weak" || $0 == "unowned" }) {
      return SourceProblem(
        "The \(modifier) property '\(name)' cannot be persistent: a relationship is a plain property, or mark it "
          + "@Transient.", at: offset)
    }
    if attribute("Attribute") != nil, let relationship = attribute("Relationship") {
      return SourceProblem("'\(name)' cannot be both @Attribute and @Relationship.", at: relationship.offset)
    }
    return nil
  }
}
