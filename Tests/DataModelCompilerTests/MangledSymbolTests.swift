import DataModelCompiler
import Foundation
import Testing

/// The canary: real declarations of every form go through the compiler, and what it leaves undefined must be
/// exactly what is generated. Another compiler version may mangle otherwise; then this says so.
@Suite("Symbols of managed declarations", .serialized)
struct MangledSymbolTests {
  static let types = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt16", "Bool", "Double", "Float", "String",
    "Character", "TimeInterval", "CGFloat", "Date", "UUID", "URL", "Data", "Decimal", "Locale", "IndexSet",
    "Int32?", "Date?", "UUID!", "URL?", "Data?", "Decimal?", "String?", "Date??", "Foundation.Date?",
    "Swift.Int", "NSNumber?", "NSDecimalNumber?", "NSString?", "NSDate?", "NSData?", "NSUUID?", "NSURL?",
    "NSSet?", "NSOrderedSet?", "NSArray?", "NSDictionary?", "NSObject?", "NSAttributedString?", "Any?",
    "AnyObject?", "[String]", "[String]?", "[[String]]", "[Date]", "[Child]", "[String: Any]?",
    "[String: Int]", "[String: String]", "[Date: Date]", "[Child: Child]", "[Date: Data]",
    "[String: [Child]]",
    "Array<String>", "Optional<Date>", "Set<Child>", "Set<Child>?", "Set<BookStore>?", "Set<BookStores>",
    "Set<NSManagedObject>", "Dictionary<String, Child>", "Child", "Child?", "BookStore?", "Store?",
    "Status", "Status?", "Box", "Nested?", "BookStore.Nested?", "Inner.Deep?", "App.Child?", "Shape?",
    "Foreign?", "Tint", "Paint.Tint", "Frame.Edge", "Base?", "NSManagedObject?", "NSManagedObjectID?",
    "Alias?", "Mode", "(Int, String)", "(Date, Date)", "(String, String)", "[Int?]", "[Date?]?",
    "[AnyHashable: Any]?", "AnyHashable?", "NSCoding?", "(any NSSecureCoding)?", "any NSCopying", "NSObjectProtocol?",
    "Error?", "any Swift.Error", "NSPredicate?", "NSCompoundPredicate", "NSRange", "NSPoint?", "Foundation.NSRange?",
    "AttributedString?", "Notification.Name", "NSNotification.Name?", "Foundation.Notification.Name?",
    "Measurement<UnitLength>", "Measurement<UnitLength>?", "Measurement<Unit>?", "Range<Int>", "ClosedRange<Date>?",
    "NSDateComponents?", "NSRegularExpression?", "Genre?", "Corner", "Größe?",
  ]

  static let names = [
    "bookStoreName", "bookStoreBook", "bookStores", "store", "stores", "a2", "url", "URLString", "appBook",
    "book_store", "_book", "Store", "theStoreOfTheBookStore", "BookStore2", "x1BookY", "in", "aB", "ABC",
    "abcDEFghi",
    "größe", "名前", "straßenName", "élan", "naïve", "größe2", "α1",
  ]

  static var source: String {
    var text = """
      import CoreData
      import Paint
      enum Status: Int16 { case x }
      struct Box {}
      protocol Shape {}
      typealias Alias = Box
      class Child: NSManagedObject {}
      class Store: NSManagedObject { @NSManaged var stores: NSSet? }
      class BookStores: NSManagedObject {}
      struct Größe {}
      class Shelf: Rack {
        enum Genre { case novel }
        @NSManaged var label, place: String?
        @NSManaged var width, height: Int32, depth: Int64
      }
      class BookStore: Shelf {
        @NSManaged override var label: String?
        @NSManaged override var depth: Int64
        enum Mode: Int { case on }
        class Nested: NSManagedObject { @NSManaged var inner: Nested?; @NSManaged var innerBook: String }
        @NSManaged private var hidden: String?
        @NSManaged fileprivate var half: Child?
        @NSManaged public private(set) var limited: Int32
        @NSManaged private var primitiveTitle: String?
        @NSManaged private var primitiveKids: NSMutableSet
        @NSManaged fileprivate var primitiveOrder: NSMutableOrderedSet?
        func touch() {
          hidden = nil; half = nil; limited = 1
          primitiveTitle = primitiveTitle; primitiveKids = primitiveKids; primitiveOrder = primitiveOrder
        }

      """
    for (index, type) in types.enumerated() { text += "  @NSManaged var t\(index)x: \(type)\n" }
    for name in names { text += "  @NSManaged var \(name == "in" ? "`in`" : name): String?\n" }
    text += """
      }
      extension BookStore { enum Inner { class Deep: NSManagedObject {} } }
      internal extension Child { @NSManaged var inExtension: Date? }
      fileprivate extension Child { @NSManaged var quiet: Date? }
      extension Base { @NSManaged var status: Status; @NSManaged var child: Child? }
      extension Base { @NSManaged var base: Base? }
      extension BookStore {
        @NSManaged func addToKids(_ value: Child)
        @NSManaged func addToKids(_ values: NSSet)
        @NSManaged func addToKids(_ values: NSOrderedSet)
        @NSManaged func addToKids(_ values: Set<Child>)
        @NSManaged func addToBookStores(_ value: BookStore)
        @NSManaged func removeFromKids(_ value: Child)
        @NSManaged func insertIntoKids(_ value: Child, at idx: Int)
        @NSManaged func removeFromKids(at idx: Int)
        @NSManaged func insertIntoKids(_ values: [Child], at indexes: NSIndexSet)
        @NSManaged func removeFromKids(at indexes: NSIndexSet)
        @NSManaged func replaceKids(at idx: Int, with value: Child)
        @NSManaged func replaceKids(at indexes: NSIndexSet, with values: [Child])
        @NSManaged func addKidsObject(_ value: Child)
        @NSManaged func removeKidsObject(_ value: Child)
        @NSManaged func addKids(_ values: NSSet)
        @NSManaged func removeKids(_ values: Set<Child>)
        @NSManaged func addPrimitiveKidsObject(_ value: Child)
        @NSManaged func insertObject(_ value: Child, inKidsAtIndex idx: Int)
        @NSManaged func insertKids(_ values: [Child], at indexes: IndexSet)
        @NSManaged func removeObjectFromKidsAtIndex(_ idx: Int)
        @NSManaged func removeKids(at indexes: IndexSet)
        @NSManaged func replaceObject(inKidsAt idx: Int, with value: Child)
        @NSManaged func replaceKidsAtIndexes(_ indexes: NSIndexSet, withKids values: [Child])
      }
      private class Quiet: NSManagedObject {
        class Nested: NSManagedObject { @NSManaged var outer: Quiet?; @NSManaged var nested: Nested? }
        @NSManaged var text: String?
        @NSManaged private var inner: Int32
        @NSManaged var other: Quiet?
        @NSManaged var others: Set<Quiet>
        @NSManaged var store: BookStore?
        @NSManaged var neighbor: Neighbor?
        @NSManaged var neighbors: Set<Neighbor>
        @NSManaged func addToOthers(_ value: Quiet)
        func touch() { inner = 1; inner += 1; others.insert(self); addToOthers(self); store = nil }
      }
      private class Neighbor: NSManagedObject {}
      fileprivate func visit(_ quiet: Quiet) {
        quiet.neighbor = quiet.neighbor; quiet.neighbors = quiet.neighbors
      }
      private extension Quiet { @NSManaged var more: [Quiet] }
      fileprivate class Quieter: Quiet { @NSManaged var textOfQuiet: String? }
      enum Space { fileprivate final class Star: NSManagedObject { @NSManaged var name: String } }
      func useQuiet() -> String {
        let (quiet, star) = (Quieter(), Space.Star())
        quiet.text = "still"; quiet.other = quiet; quiet.more = [quiet]; quiet.textOfQuiet = quiet.text
        quiet.others = []
        quiet.touch()
        star.name = quiet.others.contains(quiet.more[0]) ? "one" : "none"
        return (quiet.other?.quieterText() ?? "-") + star.name
      }
      extension Quiet { fileprivate func quieterText() -> String? { (self as? Quieter)?.textOfQuiet } }
      fileprivate func use(_ nested: Quiet.Nested) { nested.outer = nested.outer; nested.nested = nested.nested }
      func use(_ store: BookStore, _ child: Child, _ base: Base) {
        store.addToKids(child); store.addToKids(NSSet()); store.addToKids(NSOrderedSet())
        store.addToKids(Set<Child>()); store.addToBookStores(store); store.removeFromKids(child)
        store.insertIntoKids(child, at: 1); store.removeFromKids(at: 2)
        store.insertIntoKids([child], at: NSIndexSet()); store.removeFromKids(at: NSIndexSet())
        store.replaceKids(at: 1, with: child); store.replaceKids(at: NSIndexSet(), with: [child])
        store.addKidsObject(child); store.removeKidsObject(child); store.addKids(NSSet())
        store.removeKids(Set<Child>()); store.addPrimitiveKidsObject(child)
        store.insertObject(child, inKidsAtIndex: 1); store.insertKids([child], at: IndexSet())
        store.removeObjectFromKidsAtIndex(1); store.removeKids(at: IndexSet())
        store.replaceObject(inKidsAt: 1, with: child); store.replaceKidsAtIndexes(NSIndexSet(), withKids: [child])
        child.inExtension = child.inExtension; child.quiet = child.quiet
        base.status = base.status; base.child = base.child; base.base = base.base
      }
      """
    return text
  }

  static func generate(_ source: String) -> DataModelCompiler.Output {
    var compiler = DataModelCompiler(module: "App")
    compiler.dependencies = [("Paint", [.init(path: "Paint.swift", text: Toolchain.paint)])]
    return compiler.compile(models: [], sources: [.init(path: "some/where/Book.swift", text: source)])
  }

  @Test("What the compiler leaves undefined is exactly what is generated")
  func canary() throws {
    let toolchain = try Toolchain()
    try toolchain.makeModules()
    try toolchain.write(Self.source, to: "Book.swift")
    let compiled = try toolchain.run(
      "swiftc", "-I.", "-module-name", "App", "-parse-as-library", "-c", "Book.swift", "-o", "Book.o")
    try #require(compiled.status == 0, "\(compiled.output)")
    let undefined = try toolchain.run("nm", "-u", "Book.o").output
      .split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
    let expected = Set(
      undefined.filter { symbol in
        (symbol.hasPrefix("$s3App") || symbol.hasPrefix("$s5Paint4BaseC3AppE"))
          && (symbol.hasSuffix("vg") || symbol.hasSuffix("vs") || symbol.hasSuffix("F"))
      })
    let output = Self.generate(Self.source)
    #expect(output.problems.isEmpty)
    let generated = Set(
      output.files[0].text.split(separator: "\"").map(String.init).filter { $0.hasPrefix("$s") })
    #expect(expected.subtracting(generated).sorted() == [], "undefined, not generated")
    #expect(generated.subtracting(expected).sorted() == [], "generated, not undefined")
    #expect(expected.count > 200)
  }

  @Test("A version of Swift whose symbols were not compared gets a warning, one with which they were none")
  func untestedVersion() throws {
    let toolchain = try Toolchain()
    try toolchain.makeModules()
    let source = "import CoreData\nclass Book: NSManagedObject { @NSManaged var title: String? }"
    try toolchain.write(source, to: "Book.swift")
    func compiled(_ compiler: DataModelCompiler) throws -> String {
      let output = compiler.compile(models: [], sources: [.init(path: "Book.swift", text: source)])
      try toolchain.write(output.files[0].text, to: "Generated.swift")
      let result = try toolchain.run(
        "swiftc", "-I.", "-module-name", "App", "-parse-as-library", "-typecheck", "Book.swift", "Generated.swift")
      try #require(result.status == 0, "\(result.output)")
      return result.output
    }
    var compiler = DataModelCompiler(module: "App")
    #expect(try compiled(compiler) == "")
    compiler.untestedSwift = "6.2"
    let sentence = "warning: The accessors of @NSManaged properties have not been tested with Swift 6.2 or newer."
    #expect(try compiled(compiler).contains(sentence))
  }

  @Test("A program with generated accessors links and runs", arguments: ["-Onone", "-O"])
  func links(optimisation: String) throws {
    let toolchain = try Toolchain()
    try toolchain.makeModules()
    let main = """
      import CoreData
      @main enum Program {
        static func main() {
          let store = BookStore()
          store.bookStoreName = "x"
          store.t3x = 4
          store.t3x += 1
          store.addToKids(Child())
          store.addToKids(NSSet())
          store.removeFromKids(at: 3)
          store.touch()
          print(store.bookStoreName ?? "-", store.t3x, store.limited)
          print(useQuiet())
        }
      }
      """
    let source = Self.source
    try toolchain.write(source, to: "Book.swift")
    try toolchain.write(main, to: "Program.swift")
    try toolchain.write(Self.generate(source).files[0].text, to: "Generated.swift")
    var arguments = ["-I.", optimisation, "-module-name", "App", "-parse-as-library"]
    if optimisation == "-O" { arguments.append("-wmo") }
    let process =
      arguments + [
        "Book.swift", "Program.swift", "Generated.swift", "CoreData.o", "Paint.o", "-o", "program",
      ]
    let linked = try toolchain.run("sh", "-c", "swiftc \(process.joined(separator: " "))")
    try #require(linked.status == 0, "\(linked.output)")
    let ran = try toolchain.run("./program")
    #expect(ran.output == "add kids\nadds kids\nremove at 3 kids\nx 5 1\nadd others\nstillone\n")
  }
}
