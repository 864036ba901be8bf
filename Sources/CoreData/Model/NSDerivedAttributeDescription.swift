import Foundation

/// An attribute that the store computes from others when it saves; read-only for the program.
///
///     let bookCount = NSDerivedAttributeDescription()
///     bookCount.name = "bookCount"
///     bookCount.type = .integer64
///     bookCount.derivationExpression = NSExpression(format: "books.@count")
///     let newModel = model.copy() as! NSManagedObjectModel
///     newModel.entitiesByName["Author"]?.properties.append(bookCount)
///     let coordinator = NSPersistentStoreCoordinator(managedObjectModel: newModel)
///     try coordinator.addPersistentStore(type: .sqlite, at: url)
///     let context = NSManagedObjectContext(.mainQueue)
///     context.persistentStoreCoordinator = coordinator
///     let author = Author(context: context)
///     author.books = [Book(context: context), Book(context: context)]
///     try context.save()
///     print(author.value(forKey: "bookCount") ?? 0)  // 2
open class NSDerivedAttributeDescription: NSAttributeDescription {
  final var storedDerivationExpression: FoundationExpression?
  final var storedFilteringPredicate: NSPredicate?
  /// The derivation as the model file writes it, such as `articles.@count` or `canonical:(name)`. Kept beside the
  /// expression, because this room can't parse it.
  final var storedDerivationFormat: String?

  /// The expression that is computed.
  open var derivationExpression: FoundationExpression? {
    get { storedDerivationExpression }
    set {
      willRedefine("derivationExpression")
      storedDerivationExpression = newValue
      storedDerivationFormat = nil
    }
  }

  /// The objects that an aggregate includes; nil for all. A new SQLite store refuses a model that has one.
  open var filteringPredicate: NSPredicate? {
    get { storedFilteringPredicate }
    set {
      willRedefine("filteringPredicate")
      storedFilteringPredicate = newValue
    }
  }

  override var isReadOnly: Bool { true }

  override func hasSameDetails(as other: NSPropertyDescription) -> Bool {
    guard super.hasSameDetails(as: other), let other = other as? NSDerivedAttributeDescription else { return false }
    return storedDerivationFormat == other.storedDerivationFormat
      && ModelEquality.sameText(storedDerivationExpression, other.storedDerivationExpression)
      && ModelEquality.sameText(storedFilteringPredicate, other.storedFilteringPredicate)
  }

  override func blankCopy() -> NSPropertyDescription { NSDerivedAttributeDescription() }

  override func copyDefinition(to copy: NSPropertyDescription) {
    super.copyDefinition(to: copy)
    guard let copy = copy as? NSDerivedAttributeDescription else { return }
    copy.storedDerivationExpression = storedDerivationExpression
    copy.storedFilteringPredicate = storedFilteringPredicate
    copy.storedDerivationFormat = storedDerivationFormat
  }
}
