extension Schema {
  /// Properties whose values, alone or combined, are unique.
  public final class Unique<T: PersistentModel>: UniquenessConstraints {
    /// The constraints, each a list of properties.
    public let constraints: [[PartialKeyPath<T>]]
    /// Makes the constraints of `#Unique`.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }
    var keyPaths: [[AnyKeyPath]] { constraints }
  }

  /// Properties that the store indexes.
  public final class Index<T: PersistentModel>: PropertyIndexes {
    /// An index and its kind.
    public enum Types<Model: PersistentModel> {
      /// An ordered index of the properties' values.
      case binary([PartialKeyPath<Model>])
      /// An index of ranges. Stores in files don't support it, so a container with such an index throws when it opens.
      case rtree([PartialKeyPath<Model>])
    }

    /// The indexes, each a list of properties.
    public let indices: [[PartialKeyPath<T>]]
    let areRTrees: [Bool]

    /// Makes the binary indexes of `#Index`.
    public init(_ indices: [PartialKeyPath<T>]...) {
      self.indices = indices
      areRTrees = indices.map { _ in false }
    }

    /// Makes the indexes of `#Index` with their kinds.
    public init(_ indices: Types<T>...) {
      self.indices = indices.map { index in
        switch index {
        case .binary(let properties), .rtree(let properties): properties
        }
      }
      areRTrees = indices.map { index in if case .rtree = index { true } else { false } }
    }

    var keyPaths: [[AnyKeyPath]] { indices }
  }
}

protocol UniquenessConstraints { var keyPaths: [[AnyKeyPath]] { get } }

protocol PropertyIndexes {
  var keyPaths: [[AnyKeyPath]] { get }
  /// For each index, whether it is an index of ranges.
  var areRTrees: [Bool] { get }
}
