/// What a child context asks its parent for, instead of a coordinator: rows, members, fetches, and to take a save.
///
/// A child's committed state is what its parent's objects hold now, unsaved changes included. Every question runs on
/// the parent's queue and is answered with values: no object of one context is seen by the other.
extension NSManagedObjectContext {
  /// ``parent`` was set.
  func attach(to parent: NSManagedObjectContext) {
    guard owner == nil else {
      misuse(
        "The context \(label) cannot get a parent: it already has a coordinator or a parent, and its objects cannot "
          + "move.")
    }
    guard let coordinator = parent.persistentStoreCoordinator else {
      misuse(
        "The context \(parent.label) cannot be a parent: it has no coordinator. Set its persistentStoreCoordinator "
          + "first.")
    }
    if parent.concurrencyType.isConfined {
      fatalError("The context \(parent.label) cannot be a parent: it has no queue on which its children could ask it.")
    }
    persistentStoreCoordinator = coordinator
    parent.children.add(self)
    parent.contextQueue.expectQuestions()
  }

  /// Asks the parent, and learns on the way which of its objects got their permanent ids since the last time.
  func ask<Answer>(
    _ parent: NSManagedObjectContext, _ question: (NSManagedObjectContext) throws -> Answer
  ) rethrows -> Answer {
    var news: FormerKeys?
    let answer = try parent.runAnswering {
      parent.learnKeys()
      let answer = try question(parent)
      news = parent.formerKeys(beyond: learntKeys)
      return answer
    }
    if let news { take(news) }
    return answer
  }

  /// Looks whether objects that the parent had not saved have their permanent ids by now.
  func learnKeys() {
    if let parent { ask(parent) { _ in } }
  }

  /// The row of one object as the parent's object stands now; nil when it is gone or deleted there.
  func parentRow(of object: NSManagedObject, _ parent: NSManagedObjectContext) throws -> RowSnapshot? {
    let question = ParentReference(object.reference, owner.storeIdentity(object.store))
    return take(try ask(parent) { try $0.answerRow(of: question) }, for: object)
  }

  /// The store of an object that is new in the parent is known once the parent was asked for it.
  private func take(_ answer: ParentRow?, for object: NSManagedObject) -> RowSnapshot? {
    guard let answer else { return nil }
    if object.store == NSManagedObject.noStore { object.store = owner.number(of: answer.store) }
    return answer.row
  }

  /// The rows of many objects, with one visit to the parent.
  func readParentRows(of objects: [NSManagedObject], _ parent: NSManagedObjectContext) throws {
    let questions = objects.map { ParentReference($0.reference, owner.storeIdentity($0.store)) }
    let answers = try ask(parent) { parent in try parent.answerRows(of: questions) }
    for (object, answer) in zip(objects, answers) { object.row = take(answer, for: object) }
  }

  /// The members that the parent's object has now.
  func parentMembers(
    of property: LayoutProperty, in object: NSManagedObject, _ parent: NSManagedObjectContext
  ) throws -> ContiguousArray<RowReference> {
    let question = ParentReference(object.reference, owner.storeIdentity(object.store))
    return try ask(parent) { try $0.answerMembers(of: property, in: question) }
  }

  /// What the parent finds, its unsaved changes included, as objects of this context.
  func fetchFromParent(
    _ description: FetchDescription, _ options: FetchOptions, _ parent: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    let stores = options.stores
    let found = try ask(parent) { try $0.answerFetch(description, stores: stores) }
    return found.map { owner.object(for: $0, refreshing: options.refreshing) }
  }

  /// Takes over permanent ids that the parent's objects got.
  private func take(_ news: FormerKeys) {
    learntKeys = news.count
    var renamed: [RowReference: RowReference] = [:]
    for (key, (reference, identity)) in news.keys where formerKeys[key] == nil {
      let store = owner.number(of: identity)
      let former = RowReference(entity: Int(reference.entity), key: key)
      if let object = owner.registered(former, store: store), !object.state.contains(.inserted),
        owner.registered(reference, store: store) == nil
      {
        object.store = store
        owner.rekey(object, to: reference.key)
      }
      formerKeys[key] = (reference, store)
      renamed[former] = reference
    }
    if renamed.isEmpty { return }
    for object in owner.allObjects {
      for state in object.memberStates { state?.rename(renamed) }
    }
  }
}

/// How a child names an object to its parent: by key, and by the store that the key is of.
struct ParentReference {
  let reference: RowReference
  let store: StoreIdentity?

  init(_ reference: RowReference, _ store: StoreIdentity?) {
    self.reference = reference
    self.store = store
  }
}

/// A row that the parent has, and in which store.
struct ParentRow {
  let row: RowSnapshot
  let store: StoreIdentity
}

/// An object of the parent, as values. The row is nil where only the id was asked for.
struct ParentObject {
  let reference: RowReference
  let store: StoreIdentity
  let row: RowSnapshot?
}

/// The permanent ids of objects that once had temporary ones, for the contexts below.
struct FormerKeys {
  /// How many keys the context knew when it answered.
  let count: Int
  let keys: [Int64: (RowReference, StoreIdentity)]
}

/// The contexts below one. Any thread.
final class ChildList: @unchecked Sendable {
  // `@unchecked Sendable`: the list is only touched under `lock`.
  private let lock = NSLock()
  private var children = WeakList<NSManagedObjectContext>()

  func add(_ child: NSManagedObjectContext) { _ = lock.withLock { children.append(child) } }

  /// Those that are alive.
  var contexts: [NSManagedObjectContext] { lock.withLock { children.elements } }

  var isEmpty: Bool { contexts.isEmpty }
}
