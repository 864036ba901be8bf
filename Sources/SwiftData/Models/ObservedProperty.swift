import Observation

/// Tells observers of a property about changes that didn't go through its setter: a merge, an undo, a rollback, or a
/// change at the other end of a relationship.
///
/// The property's accessors report changes that the program makes.
class AnyObservedProperty {
  func tellObservers(of model: any PersistentModel) { preconditionFailure() }
}

private final class ObservedProperty<Root: PersistentModel, Value>: AnyObservedProperty {
  private let keyPath: KeyPath<Root, Value>
  private let levelsBelow: Int

  init(_ keyPath: KeyPath<Root, Value>, levelsBelow: Int) {
    self.keyPath = keyPath
    self.levelsBelow = levelsBelow
  }

  override func tellObservers(of model: any PersistentModel) {
    let registrars = model._observationRegistrars
    let level = registrars.count - 1 - levelsBelow
    // A class without the macro doesn't show its registrar.
    guard registrars.indices.contains(level) else { return }
    // `Root` is the model's class, or one that it inherits from.
    registrars[level]?.withMutation(of: unsafeDowncast(model, to: Root.self), keyPath: keyPath) {}
  }
}

/// - Parameters:
///   - keyPath: the property's key path in the class that declares it, which is the one that its accessors use.
///   - levelsBelow: how many levels the model's class is below the declaring class.
func makeObservedProperty(_ keyPath: AnyKeyPath, levelsBelow: Int) -> AnyObservedProperty {
  func open<Root: PersistentModel>(_: Root.Type) -> AnyObservedProperty {
    func open<Value>(_: Value.Type) -> AnyObservedProperty {
      // Both types are the key path's own.
      ObservedProperty(unsafeDowncast(keyPath, to: KeyPath<Root, Value>.self), levelsBelow: levelsBelow)
    }
    return _openExistential(type(of: keyPath).valueType, do: open)
  }
  guard let root = type(of: keyPath).rootType as? any PersistentModel.Type else {
    preconditionFailure("The key paths of a model's metadata lead from the model.")
  }
  return open(root)
}
