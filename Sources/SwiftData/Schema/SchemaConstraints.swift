extension Schema {
  /// Properties of which no two objects have the same values.
  public final class Unique<T: PersistentModel>: UniquenessConstraints {
    /// Each a list of properties.
    public let constraints: [[PartialKeyPath<T>]]
    /// What `#Unique` says.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }
    var keyPaths: [[AnyKeyPath]] { constraints }
  }

  /// Properties that the store keeps an index of.
  public final class Index<T: PersistentModel>: PropertyIndexes {
    /// An index, by its kind.
    public enum Types<Model: PersistentModel> {
      /// By the order of the properties' values.
      case binary([PartialKeyPath<Model>])
      /// By ranges. No store in a file has such an index here: a container with it does not open.
      case rtree([PartialKeyPath<Model>])
    }

    /// Each a list of properties.
    public let indices: [[PartialKeyPath<T>]]
    let areRTrees: [Bool]

    /// What `#Index` says.
    public init(_ indices: [PartialKeyPath<T>]...) {
      self.indices = indices
      areRTrees = indices.map { _ in false }
    }

    /// What `#Index` says, each with its kind.
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
  /// Of each, whether it is one by ranges.
  var areRTrees: [Bool] { get }
}
