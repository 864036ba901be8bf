import Foundation

/// The Swift compiler at work on sources in a folder of its own, removed at the end.
final class Toolchain {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
  }

  /// Runs a tool in the folder; what it prints, errors included.
  @discardableResult
  func run(_ tool: String, _ arguments: String...) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [tool] + arguments
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }

  /// A module named CoreData with as much of the stack as accessors call, and a module with foreign types.
  func makeModules() throws {
    try write(Self.coreData, to: "CoreData.swift")
    try write(Self.paint, to: "Paint.swift")
    for module in ["CoreData", "Paint"] {
      let made = try run(
        "swiftc", "-I.", "-emit-module", "-emit-module-path", "\(module).swiftmodule", "-module-name", module,
        "-parse-as-library", "-c", "\(module).swift", "-o", "\(module).o")
      guard made.status == 0 else { throw ToolchainFailure(output: made.output) }
    }
  }

  static let paint = """
    import CoreData
    public final class Foreign: NSObject {}
    public enum Tint: Int { case red }
    public struct Frame { public enum Edge { case top } }
    open class Base: NSManagedObject {}
    open class Rack: NSManagedObject { public enum Corner { case left } }
    """

  private static let coreData = """
    @_exported import Foundation
    public struct ManagedKey: Sendable {
      let name: StaticString
      public init(_ name: StaticString) { self.name = name }
    }
    public enum _ManagedModules {
      public static func note(_ name: StaticString, hasOwnAccessors: Bool = false) {}
    }
    public protocol _ManagedAccessors {
      static var keys: [String] { get }
      static func value(of object: NSManagedObject, forKey key: String) -> Any?
    }
    extension _ManagedAccessors {
      public static var keys: [String] { [] }
      public static func value(of object: NSManagedObject, forKey key: String) -> Any? { nil }
    }
    open class NSManagedObject: NSObject {
      public func primitiveKey(_ key: ManagedKey, of property: ManagedKey) -> ManagedKey { property }
      public func setPrimitiveManagedValue<T>(
        _ value: T, _ key: ManagedKey, of property: ManagedKey, _ write: (T, ManagedKey) -> Void
      ) { write(value, property) }
      public func primitiveMembers(_ key: ManagedKey) -> NSMutableSet { NSMutableSet() }
      public func primitiveOrderedMembers(_ key: ManagedKey) -> NSMutableOrderedSet { NSMutableOrderedSet() }
      private var values: [String: Any] = [:]
      public func managedValue<T>(_ key: ManagedKey) -> T {
        if let value = values["\\(key.name)"] as? T { return value }
        return (nil as Any?) as! T
      }
      public func setManagedValue<T>(_ value: T, _ key: ManagedKey) { values["\\(key.name)"] = value }
      public func addManagedMember(_ member: NSManagedObject, _ key: ManagedKey) { print("add", key.name) }
      public func removeManagedMember(_ member: NSManagedObject, _ key: ManagedKey) {}
      public func addManagedMembers(_ members: NSSet, _ key: ManagedKey) { print("adds", key.name) }
      public func addManagedMembers(_ members: NSOrderedSet, _ key: ManagedKey) {}
      public func addManagedMembers<T>(_ members: Set<T>, _ key: ManagedKey) {}
      public func removeManagedMembers(_ members: NSSet, _ key: ManagedKey) {}
      public func removeManagedMembers(_ members: NSOrderedSet, _ key: ManagedKey) {}
      public func removeManagedMembers<T>(_ members: Set<T>, _ key: ManagedKey) {}
      public func insertManagedMember(_ member: NSManagedObject, at: Int, _ key: ManagedKey) {}
      public func removeManagedMember(at: Int, _ key: ManagedKey) { print("remove at", at, key.name) }
      public func insertManagedMembers(_ members: [NSManagedObject], at: NSIndexSet, _ key: ManagedKey) {}
      public func removeManagedMembers(at: NSIndexSet, _ key: ManagedKey) {}
      public func replaceManagedMember(at: Int, with: NSManagedObject, _ key: ManagedKey) {}
      public func replaceManagedMembers(at: NSIndexSet, with: [NSManagedObject], _ key: ManagedKey) {}
    }
    public final class NSManagedObjectID: NSObject {}
    public final class NSFetchRequest<T>: NSObject {
      public convenience init(entityName: String) { self.init() }
    }
    """
}

struct ToolchainFailure: Error {
  var output: String
}
