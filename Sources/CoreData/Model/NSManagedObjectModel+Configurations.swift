import Foundation

extension NSManagedObjectModel {
  /// The configuration name of a store that was added without a configuration, as in Apple's framework.
  static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

  /// The default configuration's name in Xcode's model editor.
  private static let editorsDefaultName = "Default"

  /// A configuration's name; nil for the default configuration, which has all entities. Programs also name that one as
  /// the editor does, which is no name in the model; a configuration of that name comes first.
  final func configuration(unlessDefault name: String?) -> String? {
    if name == Self.defaultConfigurationName { return nil }
    return name == Self.editorsDefaultName && storedConfigurations[Self.editorsDefaultName] == nil ? nil : name
  }

  /// The names of the configurations, in order. In a model that was read from a file they include that of the default
  /// configuration, which has all entities, `PF_DEFAULT_CONFIGURATION_NAME`, as in Apple's framework.
  public var configurations: [String] {
    let named = namedConfigurations
    if !listsDefaultConfiguration || named.contains(Self.defaultConfigurationName) { return named }
    return (named + [Self.defaultConfigurationName]).sorted()
  }

  /// The names of the configurations that a file or a program has made.
  final var namedConfigurations: [String] { storedConfigurations.keys.sorted() }

  /// The entities of a configuration; all entities without a name, or for that of the default configuration, which is
  /// also `Default`, as in Xcode's editor. Returns nil if the model has no such configuration.
  ///
  /// An entity that is listed without any of its subentities brings all of them along.
  public func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
    guard let configuration = self.configuration(unlessDefault: configuration) else { return storedEntities }
    if let frozen { return frozen.configurations[configuration] }
    return storedConfigurations[configuration].map(withHeirs)
  }

  final func withHeirs(_ members: [NSEntityDescription]) -> [NSEntityDescription] {
    if members.allSatisfy(\.storedSubentities.isEmpty) { return members }
    var alone = Set(members.map(ObjectIdentifier.init))
    for member in members { alone.subtract(member.ancestors.map(ObjectIdentifier.init)) }
    return members
      + storedEntities.filter { entity in entity.ancestors.contains { alone.contains(ObjectIdentifier($0)) } }
  }

  /// Makes a configuration, or replaces its entities, which have to be in the model.
  public func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
    willMutate("setEntities(_:forConfigurationName:)")
    for entity in entities where entity.owningModel !== self {
      misuse(.configurationOfStrangers(entity, configuration: configuration))
    }
    storedConfigurations[configuration] = entities
  }

  /// The entities in the order in which stores number them, the first being 1: the roots by name, each
  /// followed by its sub-entities by name, depth first.
  ///
  /// If the configuration has only a part of a hierarchy, the entities keep the order of the whole.
  final func entitiesInStoreOrder(forConfigurationName configuration: String? = nil) -> [NSEntityDescription]? {
    guard let members = entities(forConfigurationName: configuration) else { return nil }
    let roots = storedEntities.filter { $0.storedSuperentity == nil }
    let all = roots.sorted(by: NSEntityDescription.inNameOrder).flatMap(\.withDescendants)
    guard members.count < all.count else { return all }
    let identities = Set(members.map(ObjectIdentifier.init))
    return all.filter { identities.contains(ObjectIdentifier($0)) }
  }

  /// `entitiesInStoreOrder(forConfigurationName:)` for all entities.
  final var entitiesInStoreOrder: [NSEntityDescription] {
    frozen?.entitiesInStoreOrder ?? entitiesInStoreOrder(forConfigurationName: nil) ?? []
  }
}
