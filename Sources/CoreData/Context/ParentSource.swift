/// The parent context as the source of a child.
///
/// A child's committed state is what its parent's objects hold now, unsaved changes included. Every question runs on
/// the parent's queue and is answered with values: neither context sees the other's objects.
final class ParentSource: ContextSource {
  let parent: NSManagedObjectContext
  /// How many of the parent's `formerKeys` the child knows.
  private var knownKeyCount = 0
  /// The objects with temporary keys among the stored members of their relationships.
  private var holders: Set<MemberHolder> = []

  init(_ parent: NSManagedObjectContext) { self.parent = parent }

  func didAttach(_ context: NSManagedObjectContext, to coordinator: NSPersistentStoreCoordinator) {
    parent.children.add(context)
    beginKeys(of: context)
    parent.contextQueue.expectQuestions()
  }

  func sibling(of context: NSManagedObjectContext) -> NSManagedObjectContext {
    let sibling = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    sibling.parent = parent
    return sibling
  }

  // Asking.

  /// Asks the parent, and learns at the same time which of its objects got permanent ids since the last question.
  func ask<Answer>(
    for context: NSManagedObjectContext, _ question: (NSManagedObjectContext) throws -> Answer
  ) rethrows -> Answer {
    var news: KeyNews?
    let answer = try parent.runAnswering {
      parent.source.learnKeys(for: parent)
      let answer = try question(parent)
      news = parent.keyNews(after: knownKeyCount)
      return answer
    }
    if let news {
      knownKeyCount = news.count
      let renamed = context.take(news)
      if !renamed.isEmpty { renameMembers(renamed, in: context) }
    }
    return answer
  }

  private func question(_ object: NSManagedObject) -> ParentReference {
    ParentReference(object.reference, object.owner.storeIdentity(object.store))
  }

  /// The store of an object that is new in the parent is known once the parent has been asked for the object.
  private func takeAnswer(
    _ answer: ParentRow?, for object: NSManagedObject, _ context: NSManagedObjectContext
  ) throws -> RowSnapshot? {
    guard let answer else { return nil }
    let row = try matching(answer.row, object)
    if object.store == NSManagedObject.noStore { object.store = context.owner.number(of: answer.store) }
    return row
  }

  // Keys.

  /// Temporary ids stay temporary until the root saves.
  var keepsTemporaryKeys: Bool { true }

  func learnKeys(for context: NSManagedObjectContext) -> Bool {
    ask(for: context) { _ in }
    return true
  }

  /// The child has no objects, or no longer any, so it knows none by another key than the parent.
  func beginKeys(of context: NSManagedObjectContext) {
    knownKeyCount = context.formerKeys.begin(with: parent.formerKeys)
  }

  func noteTemporaryMembers(of plan: SavePlan) {
    plan.inserted.objects.forEachHeld(noteIfHolder)
    plan.updated.objects.forEachHeld(noteIfHolder)
    plan.unchanged.forEach(noteIfHolder)
  }

  private func noteIfHolder(_ object: NSManagedObject) {
    if object.hasTemporaryMembers { holders.insert(MemberHolder(object)) }
  }

  /// Only the objects that may name a renamed one are looked at, since a context may have many others.
  private func renameMembers(_ renamed: [RowReference: RowReference], in context: NSManagedObjectContext) {
    // They name the members that they have lost, whether or not the others were read.
    for object in context.ledger.changedObjects + context.ledger.deletedObjects { object.renameMembers(renamed) }
    let former = holders
    holders = []
    for holder in former {
      guard let object = holder.object(in: context) else { continue }
      object.renameMembers(renamed)
      noteIfHolder(object)
    }
  }

  func obtainPermanentKeys(for objects: [NSManagedObject], in context: NSManagedObjectContext) throws {
    let known = objects.map { ParentReference($0.reference, nil) }
    try ask(for: context) { parent in try parent.obtainPermanentIDs(for: known.map(parent.object(for:))) }
  }

  // Rows.

  /// The current values of the parent's object; nil if it is gone or deleted there.
  func row(of object: NSManagedObject, for context: NSManagedObjectContext) throws -> RowSnapshot? {
    let question = question(object)
    return try takeAnswer(ask(for: context) { try $0.answerRow(of: question) }, for: object, context)
  }

  func newestRow(of object: NSManagedObject, for context: NSManagedObjectContext) throws -> RowSnapshot? {
    try row(of: object, for: context)
  }

  func cachedRow(of object: NSManagedObject, for context: NSManagedObjectContext) -> RowSnapshot? { nil }

  /// This takes one question to the parent.
  func readRows(of objects: [NSManagedObject], for context: NSManagedObjectContext) throws {
    let questions = objects.map(question)
    let answers = try ask(for: context) { parent in try parent.answerRows(of: questions) }
    for (object, answer) in zip(objects, answers) { object.row = try takeAnswer(answer, for: object, context) }
  }

  /// This takes one question, too.
  func objectsWithoutRows(
    among objects: [NSManagedObject], for context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    let questions = objects.map(question)
    let answers = try ask(for: context) { parent in try parent.answerRows(of: questions) }
    return zip(objects, answers).filter { $0.1 == nil }.map { $0.0 }
  }

  /// The members that the parent's object has now.
  func members(
    of property: LayoutProperty, in object: NSManagedObject, for context: NSManagedObjectContext
  ) throws -> ContiguousArray<RowReference> {
    let question = question(object)
    let members = try ask(for: context) { try $0.answerMembers(of: property, in: question) }
    if members.contains(where: { $0.key < 0 }) { holders.insert(MemberHolder(object)) }
    return members
  }

  func readMembers(
    _ key: String, of objects: [NSManagedObject], for context: NSManagedObjectContext
  ) -> [NSManagedObject] { [] }

  // Fetches.

  func generation(for context: NSManagedObjectContext) throws -> QueryGeneration? {
    try parent.runAnswering { try parent.source.generation(for: parent) }
  }

  /// The parent's results, its unsaved changes included.
  func objects(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    let stores = options.stores
    let found = try ask(for: context) { try $0.answerFetch(description, stores: stores) }
    return found.map { context.owner.object(for: $0, refreshing: options.refreshing) }
  }

  func candidates(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    try objects(description, options, for: context)
  }

  func isSpread(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) -> Bool { false }

  func ids(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) -> [NSManagedObjectID]? { nil }

  func count(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> Int {
    let stores = options.stores
    return try ask(for: context) { try $0.answerCount(description, stores: stores) }
  }

  func translatesFetches(for context: NSManagedObjectContext) -> Bool { false }

  func answersAnywhere(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) -> Bool { false }
}

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
      misuse("The context \(parent.label) cannot be a parent: it has no queue on which its children could ask it.")
    }
    source = ParentSource(parent)
    persistentStoreCoordinator = coordinator
  }

  /// Takes over permanent ids that the parent's objects got, and returns what they replace.
  fileprivate func take(_ news: KeyNews) -> [RowReference: RowReference] {
    var renamed: [RowReference: RowReference] = [:]
    for (key, reference, identity) in news.keys where formerKeys[key] == nil {
      let store = owner.number(of: identity)
      let former = RowReference(entity: Int(reference.entity), key: key)
      if let object = owner.registered(former, store: store), !object.state.contains(.inserted),
        owner.registered(reference, store: store) == nil
      {
        object.store = store
        owner.rekey(object, to: reference.key)
      }
      formerKeys.add(key, reference, store: identity)
      renamed[former] = reference
    }
    return renamed
  }

  /// Forgets what became of temporary ids. Nothing that is left may name one.
  func forgetKeys() {
    formerKeys.removeAll()
    source.beginKeys(of: self)
  }
}

extension NSManagedObject {
  fileprivate final var hasTemporaryMembers: Bool { memberStates.contains { $0?.hasTemporaryMembers == true } }

  fileprivate final func renameMembers(_ renamed: [RowReference: RowReference]) {
    for state in memberStates { state?.rename(renamed) }
  }
}

/// An object whose relationships have members with temporary keys. It may be gone when it is looked for.
private struct MemberHolder: Hashable {
  private let reference: RowReference
  private let store: UInt16

  init(_ object: NSManagedObject) { (reference, store) = (object.reference, object.store) }

  func object(in context: NSManagedObjectContext) -> NSManagedObject? {
    context.registered(reference, store: store)
  }
}
