import Observation

/// Makes a class a model: its stored properties are saved in a store, one row for each object.
///
///     @Model final class Book {
///       @Attribute(.unique) var isbn: String
///       var title: String
///       var author: Author?
///       init(isbn: String, title: String) { … }
///     }
///
/// Every stored property that isn't `@Transient` is persistent. A class may inherit from another model. It then has
/// that model's properties too, and a fetch of the parent class finds objects of both.
@attached(
  member, conformances: Observable, PersistentModel, names: named(_$backingData),
  named(persistentBackingData), named(schemaMetadata), named(init), named(_$observationRegistrar),
  named(_SwiftDataNoType), named(access), named(withMutation), named(_SwiftDataRoot), named(_schemaKeyPaths),
  named(_observationRegistrars), named(_storageReference), named(_modelForRow))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "PersistentModelMacro")

/// Sets options for a persistent property, its name in an earlier version, or a text that changes its version hash.
///
///     @Attribute(.unique, originalName: "number") var isbn: String
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// Describes a relationship: what happens to the destination when the object is deleted, how many models it may lead
/// to, and which property of the destination leads back.
///
///     @Relationship(deleteRule: .cascade, inverse: \Chapter.book) var chapters: [Chapter] = []
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
  inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// Excludes a stored property from the store. The property needs an initial value.
@attached(peer)
public macro Transient() = #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// Declares properties whose values, alone or combined, are unique: `#Unique<Book>([\.isbn], [\.shelf, \.number])`.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// Declares properties that the store indexes: `#Index<Book>([\.title], [\.shelf, \.number])`.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// Declares indexes with their kinds: `#Index<Book>(.binary([\.title]), .binary([\.shelf, \.number]))`.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// Gives an actor a context of its own, and runs it on that context's queue.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "SwiftDataMacros", type: "ModelActorMacro")

/// The accessors of a persistent property. ``Model()`` adds it.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _PersistedProperty() = #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")

/// The accessors of a persistent property with a value transformer. ``Model()`` adds it.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _TransformablePersistedProperty() =
  #externalMacro(module: "SwiftDataMacros", type: "TransformablePersistedPropertyMacro")
