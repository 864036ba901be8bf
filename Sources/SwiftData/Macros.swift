import Observation

/// Makes a class a model: what its stored properties hold is kept in a store, each object a row.
///
///     @Model final class Book {
///       @Attribute(.unique) var isbn: String
///       var title: String
///       var author: Author?
///       init(isbn: String, title: String) { … }
///     }
///
/// Every stored property that is not `@Transient` is persistent. A class may inherit from another model: it has that
/// one's properties too, and a fetch of that one finds both.
@attached(
  member, conformances: Observable, PersistentModel, names: named(_$backingData),
  named(persistentBackingData), named(schemaMetadata), named(init), named(_$observationRegistrar),
  named(_SwiftDataNoType), named(access), named(withMutation), named(_SwiftDataRoot), named(_schemaKeyPaths),
  named(_observationRegistrars))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "PersistentModelMacro")

/// How a property is kept: its options, the name it had in an earlier version, a text that makes its version another.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// How a property refers to another model, or to many: what becomes of them when the object is deleted, and which of
/// their properties leads back.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
  inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// A stored property that no store knows of. It needs an initial value.
@attached(peer)
public macro Transient() = #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// Properties of which no two objects have the same values: `#Unique<Book>([\.isbn], [\.shelf, \.number])`.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// Properties that the store keeps an index of: `#Index<Book>([\.title], [\.shelf, \.number])`.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// The same with each index's kind: `#Index<Book>(.binary([\.title]), .binary([\.shelf, \.number]))`.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// Gives an actor a context of its own, on whose queue it runs.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "SwiftDataMacros", type: "ModelActorMacro")

/// What ``Model()`` puts on each persistent property.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _PersistedProperty() = #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")

/// What ``Model()`` puts on each persistent property that a value transformer makes data of.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _TransformablePersistedProperty() =
  #externalMacro(module: "SwiftDataMacros", type: "TransformablePersistedPropertyMacro")
