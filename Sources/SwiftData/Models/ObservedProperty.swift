import Observation

/// Tells those who observe a property that it has changed without having been set: by a merge, an undo or a rollback,
/// or because the other end of a relationship was set.
///
/// What a program sets, the accessors tell of.
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
    // A class that no macro has written into keeps its registrar to itself.
    guard registrars.indices.contains(level) else { return }
    // `Root` is the model's class, or one that it inherits from.
    registrars[level].withMutation(of: unsafeDowncast(model, to: Root.self), keyPath: keyPath) {}
  }
}

/// - Parameters:
///   - keyPath: the property, of the class that declares it: its accessors have that key path.
///   - levelsBelow: how many classes the model's own is below that one.
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
