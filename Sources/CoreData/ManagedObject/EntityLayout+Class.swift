internal import CSwiftRuntime

extension EntityLayout {
  /// The class of this entity's objects, by the name in the model. Found once.
  ///
  /// A name without a module is looked up in the modules whose classes the program has used, then in those that were
  /// compiled with the plugin, then in the program's own. If the class can't be found, objects are `NSManagedObject`,
  /// as in Apple's framework, and a warning says so once.
  var objectClass: NSManagedObject.Type {
    if let found = UnsafeRawPointer(bitPattern: classWord.value) {
      return unsafeBitCast(found, to: NSManagedObject.Type.self)
    }
    // A model that is kept in a file names classes of the program that wrote it.
    let found =
      entity.unnamedObjectClass as? NSManagedObject.Type
      ?? EntityClasses.findClass(
        entity.managedObjectClassName ?? "NSManagedObject", entity: name, isExpected: model.model.storeOrigin == nil)
    classWord.value = UInt(bitPattern: unsafeBitCast(found, to: UnsafeRawPointer.self))
    return found
  }

  /// Makes all objects `NSManagedObject`, whatever class the model names. Called before the first object is made.
  func makesPlainObjects() {
    classWord.value = UInt(
      bitPattern: unsafeBitCast(NSManagedObject.self as NSManagedObject.Type, to: UnsafeRawPointer.self))
  }
}

/// The place where generated code registers the modules that it is compiled into.
public enum _ManagedModules {
  /// Registers a module that has classes of managed objects. Generated code calls it while the program is loaded.
  ///
  /// - Parameter hasOwnAccessors: whether there are types that conform to `_ManagedAccessors`.
  public static func note(_ name: StaticString, hasOwnAccessors: Bool = false) {
    name.withUTF8Buffer {
      let name = UnsafeRawPointer($0.baseAddress!).assumingMemoryBound(to: CChar.self)
      core_data_note_module(name, hasOwnAccessors)
    }
  }
}

/// Entity classes by the names that models use.
enum EntityClasses {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var modules: [String] = []
  private nonisolated(unsafe) static var notedClasses: Set<ObjectIdentifier> = []
  private nonisolated(unsafe) static var reported: Set<String> = []

  /// Remembers the module of a class that the program used, for names without one.
  static func note(_ type: NSManagedObject.Type) {
    lock.lock()
    defer { lock.unlock() }
    guard notedClasses.insert(ObjectIdentifier(type)).inserted else { return }
    let parts = _typeName(type).split(separator: ".")
    guard parts.count > 1, parts[0] != "CoreData" else { return }
    if !modules.contains(String(parts[0])) { modules.append(String(parts[0])) }
  }

  /// `NSClassFromString` costs milliseconds at its first call; a class that is not nested has a simple mangling.
  static func anyClass(named name: String) -> AnyClass? {
    if let found = ClassNames.namedClass(name) { return found }
    let parts = name.split(separator: ".")
    if parts.count == 2, let found = TypeNames.type(parts[1], .class, in: parts[0]) as? AnyClass { return found }
    // With more parts Foundation prints a warning and finds nothing.
    return parts.count > 2 ? nil : NSClassFromString(name)
  }

  /// The modules that the plugin compiled accessors for.
  private static var noted: [String] {
    var modules: [String] = []
    while let name = core_data_noted_module(modules.count) { modules.append(String(cString: name)) }
    return modules
  }

  /// Whether a module may have types that conform to `_ManagedAccessors`: so it said, or it said nothing, as one that
  /// was compiled with Swift 6.2. Looking for a type that isn't there costs the runtime a walk over all that there are.
  static func mayHaveOwnAccessors(_ module: some StringProtocol) -> Bool {
    noted.firstIndex(of: String(module)).map(core_data_module_has_own_accessors) ?? true
  }

  /// The full names that a name in a model may stand for.
  static func candidates(_ name: String) -> [String] {
    let plain = name.hasPrefix(".") ? String(name.dropFirst()) : name
    if plain.contains(".") { return [plain] }
    let known = lock.withLock { modules }
    return (known + noted.filter { !known.contains($0) }).map { "\($0).\(plain)" } + [
      "\(ProcessInfo.processInfo.processName).\(plain)"
    ]
  }

  static func findClass(_ name: String, entity: String, isExpected: Bool) -> NSManagedObject.Type {
    if name == "NSManagedObject" || name.isEmpty { return NSManagedObject.self }
    for candidate in candidates(name) {
      if let found = anyClass(named: candidate) as? NSManagedObject.Type { return found }
    }
    guard isExpected else { return NSManagedObject.self }
    lock.lock()
    let isNew = reported.insert(name).inserted
    lock.unlock()
    if isNew {
      warn(
        MisuseReport(
          "The class \"\(name)\" of the entity \(entity) was not found; its objects are plain NSManagedObject.",
          how: "The program has no class of that name, or the model does not name its module.",
          remedy: "Name it \"Module.Class\" in the model, or let the model compiler do it."))
    }
    return NSManagedObject.self
  }
}
