extension EntityLayout {
  /// The class of this entity's objects, by the name in the model. Found once.
  ///
  /// A name without a module is looked for in the modules whose classes the program has used, then in the
  /// program's own; a class that cannot be found becomes `NSManagedObject`, as in Apple's framework, and is
  /// reported once.
  var objectClass: NSManagedObject.Type {
    if let found = UnsafeRawPointer(bitPattern: classWord.value) {
      return unsafeBitCast(found, to: NSManagedObject.Type.self)
    }
    // A model that came with a file names classes of the program that wrote it.
    let found = EntityClasses.find(
      entity.managedObjectClassName ?? "NSManagedObject", entity: name, isExpected: model.model.storeOrigin == nil)
    classWord.value = UInt(bitPattern: unsafeBitCast(found, to: UnsafeRawPointer.self))
    return found
  }
}

/// Entity classes by the names that models use.
enum EntityClasses {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var modules: [String] = []
  private nonisolated(unsafe) static var noted: Set<ObjectIdentifier> = []
  private nonisolated(unsafe) static var reported: Set<String> = []

  /// Remembers the module of a class that the program used, for names without one.
  static func note(_ type: NSManagedObject.Type) {
    lock.lock()
    defer { lock.unlock() }
    guard noted.insert(ObjectIdentifier(type)).inserted else { return }
    let parts = String(reflecting: type).split(separator: ".")
    guard parts.count > 1, parts[0] != "CoreData" else { return }
    if !modules.contains(String(parts[0])) { modules.append(String(parts[0])) }
  }

  /// `NSClassFromString` costs milliseconds at its first call; a class that is not nested has a simple mangling.
  private static func type(named name: String) -> NSManagedObject.Type? {
    let parts = name.split(separator: ".")
    if parts.count == 2 {
      let mangled = parts.map { "\($0.utf8.count)\($0)" }.joined() + "C"
      if let found = _typeByName(mangled) as? NSManagedObject.Type { return found }
    }
    // Foundation complains about more parts, and finds nothing.
    return parts.count > 2 ? nil : NSClassFromString(name) as? NSManagedObject.Type
  }

  static func find(_ name: String, entity: String, isExpected: Bool = true) -> NSManagedObject.Type {
    if name == "NSManagedObject" || name.isEmpty { return NSManagedObject.self }
    let plain = name.hasPrefix(".") ? String(name.dropFirst()) : name
    lock.lock()
    let known = modules
    lock.unlock()
    let program = ProcessInfo.processInfo.processName
    let candidates = plain.contains(".") ? [plain] : known.map { "\($0).\(plain)" } + ["\(program).\(plain)"]
    for candidate in candidates {
      if let found = type(named: candidate) { return found }
    }
    guard isExpected else { return NSManagedObject.self }
    lock.lock()
    let isNew = reported.insert(name).inserted
    lock.unlock()
    if isNew {
      warn(
        MisuseReport(
          "The class \"\(name)\" of the entity \(entity) was not found; its objects are plain NSManagedObject.",
          how: "No class of that name is in the program, or the model does not say in which module it is.",
          remedy: "Name it \"Module.Class\" in the model, or let the model compiler do it."))
    }
    return NSManagedObject.self
  }
}
