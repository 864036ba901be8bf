/// The name of a modelled property, interned once per process.
///
/// Generated accessors keep one of these in a global and pass it to `NSManagedObject.managedValue(_:)`; an entity finds
/// the property's place in a row by its number instead of by hashing a string.
public struct ManagedKey: Sendable, Hashable {
  /// The key's number: small, dense, stable for the life of the process.
  let number: Int

  /// The key of a name, the same number for the same name. Any thread.
  public init(_ name: StaticString) {
    number = KeyRegistry.shared.number(of: name.description)
  }

  /// The key of a name that is only known at run time.
  package init(name: String) {
    number = KeyRegistry.shared.number(of: name)
  }

  /// The property's name.
  public var name: String { KeyRegistry.shared.name(of: number) }
}

/// Numbers for property names. Any thread; all state is under `lock`.
final class KeyRegistry: @unchecked Sendable {
  // `@unchecked Sendable`: both tables are only touched under `lock`.
  static let shared = KeyRegistry()

  private let lock = NSLock()
  private var numbers: [String: Int] = [:]
  private var names: [String] = []

  func number(of name: String) -> Int {
    lock.lock()
    defer { lock.unlock() }
    if let number = numbers[name] { return number }
    let number = names.count
    numbers[name] = number
    names.append(name)
    return number
  }

  func name(of number: Int) -> String {
    lock.lock()
    defer { lock.unlock() }
    return names[number]
  }

  var count: Int {
    lock.lock()
    defer { lock.unlock() }
    return names.count
  }
}
