import Foundation

/// How the objects of one version of a model become those of another.
///
/// Inferred from the two models, read from a compiled file (`.cdm`), or built in code. Not to be changed while a
/// migration uses it.
nonisolated open class NSMappingModel: NSObject {
  /// What the mapping was inferred from, as long as nobody has changed it.
  final var inferredDelta: ModelDelta?

  private var mappings: [NSEntityMapping] = []

  /// A mapping model without mappings.
  public override init() { super.init() }

  /// In the order in which a migration goes through them.
  open var entityMappings: [NSEntityMapping]! {
    get { mappings }
    set {
      mappings = newValue ?? []
      inferredDelta = nil
    }
  }

  /// The mappings by their names; of equal names the first.
  open var entityMappingsByName: [String: NSEntityMapping] {
    Dictionary(mappings.compactMap { mapping in mapping.name.map { ($0, mapping) } }) { first, _ in first }
  }
}
