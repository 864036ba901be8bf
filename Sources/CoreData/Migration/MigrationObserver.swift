import Foundation

/// An observer that is told when a manager's progress changes, on the thread that migrates.
protocol MigrationObserver: ObserverAtWork {
  func willChange()
  func didChange()
}

/// The observer of a Swift key path to the progress.
final class ProgressObserver<Manager: NSMigrationManager>: MigrationObserver {
  typealias Change = NSKeyValueObservedChange<Float>

  private weak var manager: Manager?
  private let state: MigrationState
  private let keyPath: KeyPath<Manager, Float>
  private let options: NSKeyValueObservingOptions
  private let handler: (Manager, Change) -> Void
  private var former: Float?

  init(
    _ manager: Manager, _ keyPath: KeyPath<Manager, Float>, options: NSKeyValueObservingOptions,
    handler: @escaping (Manager, Change) -> Void
  ) {
    self.manager = manager
    state = manager.state
    self.keyPath = keyPath
    self.options = options
    self.handler = handler
  }

  func begin() {
    state.add(self)
    if options.contains(.initial) { call(new: options.contains(.new) ? value : nil) }
  }

  func end() { state.remove(self) }

  func willChange() {
    former = options.contains(.old) ? value : nil
    if options.contains(.prior) { call(old: former, isPrior: true) }
  }

  func didChange() {
    call(new: options.contains(.new) ? value : nil, old: former)
    former = nil
  }

  private var value: Float? { manager?[keyPath: keyPath] }

  private func call(new: Float? = nil, old: Float? = nil, isPrior: Bool = false) {
    guard let manager, state.observers.contains(where: { $0 === self }) else { return }
    handler(manager, Change(kind: .setting, newValue: new, oldValue: old, indexes: nil, isPrior: isPrior))
  }
}

nonisolated extension NSMigrationManager: _KeyValueCodingAndObserving {}

extension _KeyValueCodingAndObserving where Self: NSMigrationManager {
  /// Calls a handler whenever a migration has come further. Of a manager's properties only the progress can be
  /// observed.
  ///
  /// - Parameters:
  ///   - keyPath: `\.migrationProgress`.
  ///   - options: what the handler is told besides, and whether it is called at once and before changes as well.
  ///   - changeHandler: called on the thread that migrates.
  /// - Returns: the observation, which ends when you let go of it.
  public func observe(
    _ keyPath: KeyPath<Self, Float>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Float>) -> Void
  ) -> NSKeyValueObservation {
    let observer = ProgressObserver(self, keyPath, options: options, handler: changeHandler)
    observer.begin()
    return NSKeyValueObservation(observer)
  }
}

extension NSMigrationManager {
  /// The migration has come further.
  final func advance(to fraction: Double) {
    if fraction <= state.fraction { return }
    willChangeValue(forKey: "migrationProgress")
    state.advance(to: fraction)
    didChangeValue(forKey: "migrationProgress")
  }
}
