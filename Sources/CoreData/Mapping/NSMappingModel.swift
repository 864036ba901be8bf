import Foundation

/// How the objects of one version of a model become those of another.
///
/// Inferred from the two models, read from a compiled file (`.cdm`), or built in code. Not to be changed while a
/// migration uses it.
nonisolated open class NSMappingModel: NSObject {
  /// What the mapping was inferred from, as long as nobody has changed it.
  final var inferredDelta: ModelDelta?
  /// Whether the mappings are those that were inferred.
  final var isInferred = false

  private var mappings: [NSEntityMapping] = []

  /// A mapping model without mappings.
  public override init() { super.init() }

  /// In the order in which a migration goes through them.
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

  /// Of the mappings' names alone, so that it costs little.
  open override var hash: Int { mappings.map(\.name).hashValue }

  /// The mappings by their names; of equal names the first.
  open var entityMappingsByName: [String: NSEntityMapping] {
    Dictionary(mappings.compactMap { mapping in mapping.name.map { ($0, mapping) } }) { first, _ in first }
  }
}
