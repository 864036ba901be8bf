import Foundation

/// Describes how a migration makes the objects of one version of a model from those of another.
///
/// It is inferred from the two models, read from a compiled file (`.cdm`), or built in code. Don't change it while a
/// migration uses it.
nonisolated open class NSMappingModel: NSObject {
  /// The delta that the mapping was inferred from, if its models were in use by then and keep their entities.
  final var inferredDelta: ModelDelta?
  /// Whether the mappings are those that were inferred. What each of them says may have been changed since.
  final var isInferred = false

  private var mappings: [NSEntityMapping] = []

  /// A mapping model without mappings.
  public override init() { super.init() }

  /// The mappings, in the order in which a migration runs them.
  open var entityMappings: [NSEntityMapping]! {
    get { mappings }
    set {
      mappings = newValue ?? []
      inferredDelta = nil
      isInferred = false
    }
  }

  /// Whether the other mapping model has equal mappings in the same order.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSMappingModel else { return false }
    return self === other || mappings == other.mappings
  }

  /// A hash of the mappings' names only, which is quick.
  open override var hash: Int { mappings.map(\.name).hashValue }

  /// The mappings by their names. Among equal names the first counts.
  open var entityMappingsByName: [String: NSEntityMapping] {
    Dictionary(mappings.compactMap { mapping in mapping.name.map { ($0, mapping) } }) { first, _ in first }
  }
}
