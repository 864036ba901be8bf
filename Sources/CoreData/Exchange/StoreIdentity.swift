/// The store that an id belongs to. Outlives the store's removal, so that ids can still be printed and compared.
package final class StoreIdentity: @unchecked Sendable {
  // `@unchecked Sendable`: changes while its store is made and opened. After that it changes only while the store is
  // moved or removed, under the coordinator's `saving`, taken exclusively, and by `NSPersistentStore.identifier`, which
  // the client sets.

  /// The store's `NSStoreUUID`, upper case.
  package var uuid: String
  var store: NSPersistentStore? {
    get { reference.object }
    set {
      reference.object = newValue
      roles = Roles(
        rowStore: newValue as? any RowStore, valueStore: newValue as? any ValueStore,
        reader: newValue as? any RowReader)
    }
  }
  // Unchecked, here and below, as the counts of `fire` and `write1` ask for; see CONTRIBUTING.md.
  @exclusivity(unchecked) private var reference = LivingReference<NSPersistentStore>()
  @exclusivity(unchecked) private var roles = Roles()

  /// What the store is besides. Kept because a cast to a protocol costs more than reading a row; to be used only while
  /// `reference` has the store.
  private struct Roles {
    unowned(unsafe) var rowStore: (any RowStore)?
    unowned(unsafe) var valueStore: (any ValueStore)?
    unowned(unsafe) var reader: (any RowReader)?
  }

  /// The store as a `RowStore`, if it is one.
  var rowStore: (any RowStore)? { reference.object.flatMap { _ in roles.rowStore } }
  /// The store as a `ValueStore`, if it is one.
  var valueStore: (any ValueStore)? { reference.object.flatMap { _ in roles.valueStore } }
  /// The store as a `RowReader`, if it reads its newest state itself.
  var reader: (any RowReader)? { reference.object.flatMap { _ in roles.reader } }

  /// A store that the caller has, as a `RowStore`; nil if it is none, or if this is not its identity. The store need
  /// not be retained to see whether it lives.
  func rowStore(of store: NSPersistentStore) -> (any RowStore)? {
    reference.refers(to: store) ? roles.rowStore : nil
  }

  /// A store that the caller has, as a `ValueStore`; nil as for `rowStore(of:)`.
  func valueStore(of store: NSPersistentStore) -> (any ValueStore)? {
    reference.refers(to: store) ? roles.valueStore : nil
  }

  /// The text after the entity in a URI: "p7", unless the store has references of its own.
  var referenceText: @Sendable (Int64) -> String = { "p\($0)" }
  /// The key of an entity that such a text means; nil if it can't be one.
  var referenceKey: @Sendable (String, EntityLayout) -> Int64? = { text, _ in
    guard text.hasPrefix("p"), let key = Int64(text.dropFirst()), key > 0 else { return nil }
    return key
  }
  /// Whether the store takes managed objects in saves, an exception to invariant 7. Set with the store, and again by
  /// `takeForm(of:)`.
  @exclusivity(unchecked) var takesObjects = false
  /// Whether the store is read on behalf of a context, and has to know which objects contexts have. Set with the store,
  /// and again by `takeForm(of:)`.
  @exclusivity(unchecked) var asksContexts = false

  package init(uuid: String) { self.uuid = uuid }

  /// Whether a text from a file can be a store's UUID, which becomes a part of every object's URI.
  package static func canBeUUID(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 == 45 || 48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 }
  }

  /// Copies the form of ids and the kinds of the store from another one.
  func takeForm(of other: StoreIdentity) {
    referenceText = other.referenceText
    referenceKey = other.referenceKey
    takesObjects = other.takesObjects
    asksContexts = other.asksContexts
  }
}
