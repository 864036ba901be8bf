import Foundation

/// What Foundation's compounds say of themselves. Its class prints each of them as FALSEPREDICATE, finds all of them
/// equal, and its initializers can't be replaced. So its methods are: in the class's own table stand these.
enum CompoundWords {
  /// Done when this module makes its first predicate, as compounds are made of those. Does nothing if the table is not
  /// what `ClassMetadata` says.
  static let setUp: Void = {
    let foreign = ClassMetadata(NSCompoundPredicate.self)
    let changed: [AnyClass] = [WithFormat.self, WithDescription.self, WithEquality.self, WithHash.self]
    for type in changed {
      foreign.takeMethod(overriddenBy: type, butNotBy: Plain.self)
    }
  }()

  // Objects of these classes are never made: `self` is one of Foundation's class.

  private final class Plain: NSCompoundPredicate {}

  private final class WithFormat: NSCompoundPredicate {
    override var predicateFormat: String { CompoundWords.format(self) }
  }

  private final class WithDescription: NSCompoundPredicate {
    override var description: String { CompoundWords.format(self) }
  }

  private final class WithEquality: NSCompoundPredicate {
    override func isEqual(_ object: Any?) -> Bool { CompoundWords.isEqual(self, object) }
  }

  private final class WithHash: NSCompoundPredicate {
    override var hash: Int { CompoundWords.hash(self) }
  }

  // Not inlined, so that nothing of a subclass is taken for granted of `self`.

  @inline(never)
  private static func format(_ compound: NSPredicate) -> String {
    guard let node = try? compound.node else { return "FALSEPREDICATE" }
    return PredicatePrinter.print(node, style: .description)
  }

  @inline(never)
  private static func isEqual(_ compound: NSPredicate, _ object: Any?) -> Bool { compound.isEqualPredicate(object) }

  @inline(never)
  private static func hash(_ compound: NSPredicate) -> Int { (try? compound.node)?.hashValue ?? 0 }
}
