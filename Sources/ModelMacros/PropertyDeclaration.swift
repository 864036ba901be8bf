/// An attribute in source code: `@Attribute(.unique)` has the name `Attribute` and the arguments `.unique`.
package struct AttributeUse: Hashable, Sendable {
  /// The name without a module in front of it.
  package var name: String
  /// The text between the parentheses; nil without parentheses.
  package var arguments: String?
  package var offset: Int
  /// The condition of the `#if` around it, or what remains of it behind `#else`; nil outside of any, and where the
  /// condition is that SwiftData can be imported.
  package var condition: String?

  /// Whether it is an `@Attribute` with the option `.transformable`.
  var isTransformable: Bool { name == "Attribute" && arguments?.contains(".transformable") == true }
}

/// A `var` or `let` of a class, read from its source.
package struct PropertyDeclaration: Hashable, Sendable {
  /// The name without backquotes.
  package var name: String
  /// The name as written, with backquotes.
  package var spelledName: String
  package var type: String?
  package var initialValue: String?
  package var attributes: [AttributeUse] = []
  package var modifiers: [String] = []
  /// Whether it has other accessors than `willSet` and `didSet`.
  package var isComputed = false
  /// Whether several properties share its `var`: `var a = 0, b = 0`.
  package var isOneOfSeveral = false
  /// Whether it is between `#if` and `#endif`.
  package var isConditional = false
  package var offset: Int

  package func attribute(_ name: String) -> AttributeUse? { attributes.first { $0.name == name } }

  /// Whether it belongs to the class and not to each object, or is lazy.
  private var isOfOtherKind: Bool { modifiers.contains { ["static", "class", "lazy"].contains($0) } }
  /// Whether each object stores a value for it.
  private var isStored: Bool { !isOfOtherKind && !isComputed }
  package var isTransient: Bool { isStored && attribute("Transient") != nil }
  /// Whether its value is saved in a store.
  package var isPersistent: Bool { isStored && attribute("Transient") == nil }
  /// Whether its `@Attribute` has the option `.transformable`.
  package var isTransformable: Bool { attributes.contains(where: \.isTransformable) }
  /// Its `@Attribute` or `@Relationship`. If conditions decide which one applies, all of them; the first one without a
  /// condition is the last.
  var kinds: [AttributeUse] {
    let all = attributes.filter { $0.name == "Attribute" || $0.name == "Relationship" }
    let last = all.firstIndex { $0.condition == nil }
    return last.map { Array(all[...$0]) } ?? all
  }
  /// Whether each new object begins with a value, the nil of an optional type included.
  var beginsWithValue: Bool { initialValue != nil || isOptional }
  private var isOptional: Bool {
    guard let type else { return false }
    return type.hasSuffix("?") || type.hasSuffix("!") || type.hasPrefix("Optional<")
  }

  /// The reason why it can't be persistent, or transient; nil if it can.
  var problem: SourceProblem? {
    if isStored, let use = attributes.first(where: { $0.name == "Transient" && $0.condition != nil }) {
      return SourceProblem(
        "@Model has to know whether '\(name)' is persistent: take its @Transient out of #if and #endif.",
        at: use.offset)
    }
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
    if let attribute = self.attribute("Attribute"), let relationship = self.attribute("Relationship"),
      attribute.condition == nil || relationship.condition == nil
    {
      return SourceProblem("'\(name)' cannot be both @Attribute and @Relationship.", at: relationship.offset)
    }
    if let use = attributes.first(where: { $0.isTransformable && $0.condition != nil }) {
      return SourceProblem(
        "@Model has to know whether a transformer stores '\(name)': take its @Attribute out of #if and #endif.",
        at: use.offset)
    }
    return nil
  }
}
