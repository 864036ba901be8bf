import CoreData
import Foundation
import Synchronization

/// What is known of a model class: entity name, properties, constraints and indexes. Made once for each class, never
/// freed.
final class ModelType: Sendable {
  let name: String
  let type: any PersistentModel.Type
  /// The identity of `type`, to compare with.
  let modelClass: ObjectIdentifier
  /// The class that stores the values of its objects.
  let storageClass: ObjectIdentifier
  /// The model that the class inherits from.
  let supertype: ModelType?
  /// The supertype's properties first, then its own.
  nonisolated(unsafe) let properties: [ModelProperty]
  /// Lists of property names.
  private let ownUniquenessConstraints: [[String]]
  let indices: [(names: [String], isRTree: Bool)]
  nonisolated(unsafe) private let positions: [AnyKeyPath: Int]
  /// Positions by the address of a key path. The literal in an accessor is one object for the program's life, so its
  /// address identifies it. `keptLiterals` keeps them alive, because the address of a freed key path could become
  /// another's.
  private let literals = AddressTable()
  /// The keys of simple properties in managed objects, by the properties' positions. Never freed, because types never
  /// are.
  nonisolated(unsafe) private let managedKeys: UnsafeMutableBufferPointer<ManagedKey?>
  /// By the same, for what a model keeps before it has a managed object: its place in the block, and what sets it.
  /// Never freed either.
  nonisolated(unsafe) let places: UnsafeMutablePointer<Int>
  nonisolated(unsafe) let accesses: UnsafeMutablePointer<Unmanaged<AnyPropertyAccess>>
  /// The positions whose values own memory.
  nonisolated(unsafe) let owners: UnsafeMutableBufferPointer<Int>
  /// The positions of relationships.
  let relationships: [Int]
  let count: Int
  let blockSize: Int
  let blockAlignment: Int
  /// Not a `Mutex`, which the thread sanitizer doesn't know.
  private let lock = NSLock()
  /// Under `lock`.
  nonisolated(unsafe) private var keptLiterals: [AnyKeyPath] = []

  private init<Model: PersistentModel>(_ model: Model.Type) {
    type = model
    modelClass = ObjectIdentifier(model)
    storageClass = ObjectIdentifier(DefaultBackingData<Model>.self)
    let name = String(describing: model)
    self.name = name
    let supertype = (_getSuperclass(model) as? any PersistentModel.Type).map(ModelType.of)
    self.supertype = supertype
    let metadata = Model.schemaMetadata
    if let supertype, metadata.count(where: \.isInherited) != supertype.properties.count {
      misuse(.notMarked(name, supertype))
    }
    let properties = metadata.filter { !$0.name.isEmpty }.map { ModelProperty($0, of: name) }
    self.properties = properties
    managedKeys = .allocate(capacity: properties.count)
    _ = managedKeys.initialize(from: properties.map(\.managedKey))
    places = .allocate(capacity: properties.count)
    accesses = .allocate(capacity: properties.count)
    let owners = properties.indices.filter { properties[$0].access.ownsMemory }
    self.owners = .allocate(capacity: owners.count)
    _ = self.owners.initialize(from: owners)
    relationships = properties.indices.filter { properties[$0].isRelationship }
    count = properties.count
    // One byte each says whether there is a value.
    var (end, widest) = (properties.count, 1)
    for (position, access) in properties.map(\.access).enumerated() {
      let place = (end + access.alignment - 1) / access.alignment * access.alignment
      (places + position).initialize(to: place)
      (accesses + position).initialize(to: .passUnretained(access))
      end = place + access.size
      widest = max(widest, access.alignment)
    }
    (blockSize, blockAlignment) = (end, widest)
    var positions: [AnyKeyPath: Int] = [:]
    for (position, property) in properties.enumerated() {
      for keyPath in property.keyPaths { positions[keyPath] = position }
    }
    self.positions = positions
    func names(_ keyPaths: [AnyKeyPath]) -> [String] {
      keyPaths.map { keyPath in
        if let position = positions[keyPath] { return properties[position].name }
        guard let property = ModelKeyPaths.property(at: keyPath, among: properties) else {
          misuse(.noProperty(keyPath, name, properties))
        }
        return property.name
      }
    }
    let unique = properties.dropFirst(supertype?.properties.count ?? 0).filter(\.isUnique)
    for property in unique where property.isToMany { warn(.uniqueArray(name, property)) }
    let uniqueNames = unique.filter { !$0.isToMany }.map { [$0.name] }
    ownUniquenessConstraints =
      uniqueNames
      + metadata.compactMap { ($0.metadata as? any UniquenessConstraints)?.keyPaths }.flatMap { $0.map(names) }
    for property in properties where ownUniquenessConstraints.joined().contains(property.name) {
      if case .composite(let shape) = property.kind, shape.alwaysHasNil { misuse(.neverUnique(name, property)) }
    }
    indices = metadata.compactMap { $0.metadata as? any PropertyIndexes }
      .flatMap { zip($0.keyPaths.map(names), $0.areRTrees).map { ($0, $1) } }
  }

  /// Only of one that was made twice at the same time, on two threads. See `make(_:)`.
  deinit {
    managedKeys.deinitialize().deallocate()
    places.deallocate()
    accesses.deallocate()
    owners.deallocate()
  }

  private static let known = Mutex<[ObjectIdentifier: ModelType]>([:])
  /// Types by the address of their class. Neither is ever freed.
  private static let addresses = AddressTable()

  static func of(_ model: any PersistentModel.Type) -> ModelType {
    let address = UInt(bitPattern: ObjectIdentifier(model))
    if let found = addresses[address], let type = UnsafeRawPointer(bitPattern: found) {
      return Unmanaged<ModelType>.fromOpaque(type).takeUnretainedValue()
    }
    let made = make(model)
    addresses.insert(address, Int(bitPattern: Unmanaged.passUnretained(made).toOpaque()))
    return made
  }

  private static func make(_ model: any PersistentModel.Type) -> ModelType {
    if let found = known.withLock({ $0[ObjectIdentifier(model)] }) { return found }
    // Initial values are expressions of the program and may create models, so they are not evaluated under the lock.
    let made = ModelType(model)
    return known.withLock {
      if let found = $0[ObjectIdentifier(model)] { return found }
      $0[ObjectIdentifier(model)] = made
      return made
    }
  }

  /// The properties that the class itself declares.
  var ownProperties: ArraySlice<ModelProperty> { properties.dropFirst(supertype?.properties.count ?? 0) }

  /// Lists of property names. If `all` is true, those of the superclasses are included.
  func uniquenessConstraints(all: Bool) -> [[String]] {
    (all ? supertype?.uniquenessConstraints(all: true) ?? [] : []) + ownUniquenessConstraints
  }

  /// Whether objects of this class are objects of the other one too.
  func inherits(from other: ModelType) -> Bool { self === other || supertype?.inherits(from: other) ?? false }

  /// The class that declares a property: this one, or one above it.
  func declarer(of property: ModelProperty) -> ModelType {
    guard let supertype, !ownProperties.contains(where: { $0 === property }) else { return self }
    return supertype.property(named: property.name).map(supertype.declarer) ?? self
  }

  func property(named name: String) -> ModelProperty? { properties.first { $0.name == name } }

  /// The property with a key path of one step.
  func property(at keyPath: AnyKeyPath) -> ModelProperty? { positions[keyPath].map { properties[$0] } }

  /// The property that `inverse:` names, by `\Stay.trip` or by `\Stay.trip?`.
  func property(statedAs keyPath: AnyKeyPath) -> ModelProperty? {
    if let property = property(at: keyPath) { return property }
    guard let root = Swift.type(of: keyPath).rootType as? any PersistentModel.Type, inherits(from: ModelType.of(root))
    else { return nil }
    return ModelKeyPaths.property(at: keyPath, among: properties)
  }

  // Inlined by force for `modelread`; see CONTRIBUTING.md.
  /// The key of a simple property in managed objects; nil if the key path is another kind of property's, or was never
  /// used before.
  @inline(__always)
  func managedKey(of keyPath: AnyKeyPath) -> ManagedKey? {
    literals[UInt(bitPattern: Unmanaged.passUnretained(keyPath).toOpaque())].flatMap { managedKeys[$0] }
  }

  func position(of keyPath: AnyKeyPath) -> Int {
    let address = UInt(bitPattern: Unmanaged.passUnretained(keyPath).toOpaque())
    if let position = literals[address] { return position }
    guard let position = positions[keyPath] else { misuse(.noProperty(keyPath, name, properties)) }
    lock.lock()
    defer { lock.unlock() }
    // A program that makes new key paths each time would fill the table.
    if keptLiterals.count < 1000 {
      keptLiterals.append(keyPath)
      literals.insert(address, position)
    }
    return position
  }
}

extension MisuseReport {
  fileprivate static func notMarked(_ name: String, _ supertype: ModelType) -> MisuseReport {
    MisuseReport(
      "\(name) inherits from the model \(supertype.name), but is no model itself.",
      facts: [("Class", name)], how: "Only a class with @Model has an entity of its own.",
      remedy: "Write @Model in front of the class, or leave it out of the schema.")
  }

  fileprivate static func uniqueArray(_ name: String, _ property: ModelProperty) -> MisuseReport {
    MisuseReport(
      "\(name).\(property.name) gets no uniqueness constraint.", facts: [("Declared as", "\(property.declaredType)")],
      how: "It has the option `.unique`, and is an array of models. These are in rows of their own, and a constraint "
        + "compares what is in one row.",
      remedy: "Leave the option out, or make a property of these models unique.")
  }

  fileprivate static func neverUnique(_ name: String, _ property: ModelProperty) -> MisuseReport {
    MisuseReport(
      "\(name).\(property.name) cannot be unique.", facts: [("Declared as", "\(property.declaredType)")],
      how: "An enumeration without raw values has a column for each case, and all but one are nil. Rows with nil in a "
        + "column of a constraint are never equal.",
      remedy: "Give the enumeration raw values, or make another property unique.")
  }

  fileprivate static func noProperty(
    _ keyPath: AnyKeyPath, _ entity: String, _ properties: [ModelProperty]
  ) -> MisuseReport {
    MisuseReport(
      "A key path leads to no persistent property of \(entity).",
      facts: [("Key path", "\(keyPath)"), ("Properties", properties.map(\.name).joined(separator: ", "))],
      how: "The property is computed or @Transient, or the key path has several steps.",
      remedy: "Name a stored property of the class itself.")
  }
}
