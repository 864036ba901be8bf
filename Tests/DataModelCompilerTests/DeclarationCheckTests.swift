import DataModelCompiler
import DataModelFiles
import Testing

@Suite("Declarations held against the model")
struct DeclarationCheckTests {
  static let contents = """
    <model sourceLanguage="Swift">
      <entity name="Book" representedClassName=".Book" parentEntity="Thing">
        <attribute name="pages" attributeType="Integer 16"/>
        <attribute name="price" attributeType="Decimal"/>
        <attribute name="title" attributeType="String"/>
        <attribute name="read" attributeType="Date"/>
        <relationship name="author" maxCount="1" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
      </entity>
      <entity name="Author" representedClassName="Author">
        <attribute name="name" attributeType="String"/>
        <attribute name="initial" transient="YES" attributeType="String"/>
        <relationship name="books" toMany="YES" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
      </entity>
      <entity name="Thing" representedClassName="Thing" isAbstract="YES">
        <attribute name="created" attributeType="Date"/>
      </entity>
    </model>
    """

  static func output(_ source: String, later: String? = nil) throws -> DataModelCompiler.Output {
    func model(_ text: String, _ name: String) throws -> DataModel {
      try SourceModelReader.model(contents: Array(text.utf8), name: name, file: "contents").model
    }
    var versions = [try model(contents, "One")]
    if let later { versions.append(try model(later, "Two")) }
    let package = DataModelPackage(
      name: "Library", versions: versions, currentVersionName: later == nil ? "One" : "Two")
    return DataModelCompiler(module: "App").compile(
      models: [package], sources: [.init(path: "Book.swift", text: source)])
  }

  static func problems(_ source: String, later: String? = nil) throws -> [String] {
    try output(source, later: later).problems.map(\.description)
  }

  @Test("A property that the class's entity does not have is an error, with file, line and what is near")
  func missing() throws {
    #expect(
      try Self.problems("class Book: NSManagedObject {\n  @NSManaged var titel: String?\n}") == [
        "Book.swift:2:18: error: @NSManaged titel: the entity Book of Library has no property \"titel\". "
          + "Did you mean title?"
      ])
    #expect(
      try Self.problems("class Author: NSManagedObject {\n  @NSManaged func addToNovels(_ book: Author)\n}") == [
        "Book.swift:2:19: error: @NSManaged addToNovels: the entity Author of Library has no property \"novels\". "
          + "It has books, initial, name"
      ])
  }

  @Test("What fits, is inherited, is primitive, or belongs to a class that no model names, is no problem")
  func fitting() throws {
    let source = """
      class Thing: NSManagedObject { @NSManaged var created: Date?; @NSManaged var title: String? }
      enum Rank: Int16 { case one }
      typealias Count = Int16
      class Book: Thing {
        @NSManaged private var primitiveTitle: String?
        @NSManaged var pages: Count
        @NSManaged var price: NSNumber?
        @NSManaged var read: TimeInterval
        @NSManaged var author: Author?
      }
      class Author: NSManagedObject {
        @NSManaged var books: Set<Book>
        @NSManaged var name: String!
        @NSManaged func addToBooks(_ book: Book)
      }
      extension Book { @NSManaged var rankless: Int }
      class Stranger: NSManagedObject { @NSManaged var anything: Int }
      """
    #expect(try Self.problems(source).map { $0.contains("rankless") } == [true])
    let enumeration = "enum Rank: Int16 { case one }; class Book: NSManagedObject { @NSManaged var pages: Rank }"
    #expect(try Self.problems(enumeration).isEmpty)
  }

  @Test("A type that can't hold the model's value is a warning")
  func types() throws {
    func problem(_ declaration: String, of owner: String = "Book") throws -> String? {
      let text = """
        class Author: NSManagedObject {}
        class Book: NSManagedObject {}
        extension \(owner) {
        @NSManaged var \(declaration)
        }
        """
      let problems = try Self.output(text).problems
      #expect(problems.count <= 1 && problems.allSatisfy { !$0.isError && $0.line == 4 })
      return problems.first?.message
    }
    #expect(
      try problem("pages: String?")
        == "@NSManaged pages: declared as String?, but the model has an attribute of type Integer 16")
    #expect(try problem("price: Double")?.hasSuffix("an attribute of type Decimal") == true)
    #expect(try problem("title: Int")?.hasSuffix("an attribute of type String") == true)
    #expect(try problem("read: String")?.hasSuffix("an attribute of type Date") == true)
    #expect(try problem("author: Set<Author>")?.hasSuffix("the model has a to-one relationship to Author") == true)
    #expect(try problem("author: Book?")?.hasSuffix("to-one relationship to Author, whose class is Author") == true)
    #expect(try problem("books: [Book]", of: "Author")?.hasSuffix("to-many relationship to Book") == true)
    #expect(try problem("books: NSOrderedSet", of: "Author")?.contains("without an order") == true)
    #expect(try problem("author: NSManagedObject?") == nil)
  }

  @Test("A property that only an older version has is a warning")
  func older() throws {
    let later = Self.contents.replacing("<attribute name=\"title\" attributeType=\"String\"/>", with: "")
    #expect(
      try Self.problems("class Book: NSManagedObject { @NSManaged var title: String? }", later: later) == [
        "Book.swift:1:46: warning: @NSManaged title: only the version One of Library has Book.title; "
          + "the current version does not"
      ])
  }

  @Test("A class's own accessor of a transient attribute is written down; a private one is a warning")
  func ownAccessors() throws {
    let open = try Self.output("class Author: NSManagedObject { var initial: String? { nil } }")
    #expect(open.files.last?.text.contains("enum ManagedAccessorsOfAuthor: _ManagedAccessors {") == true)
    #expect(open.problems.isEmpty)
    let hidden = try Self.output("class Author: NSManagedObject { private var initial: String? { nil } }")
    #expect(hidden.files.last?.text.contains("ManagedAccessorsOfAuthor") == false)
    #expect(hidden.problems.map(\.isError) == [false])
  }

  @Test("A property with a getter outside the model is written down, unless its getter waits or throws")
  func computed() throws {
    func isWritten(_ property: String) throws -> Bool {
      let output = try Self.output("class Author: NSManagedObject { \(property) }")
      #expect(output.problems.isEmpty, "\(property)")
      return output.files.last?.text.contains("if key == \"full\" { return object.full as Any? }") == true
    }
    for property in [
      "var full: String { \"\" }", "var full: [Int: String]? { get { nil } set {} }", "lazy var full = make()",
      "override var full: String { didSetUp() }", "public internal(set) var full: String { get { \"\" } set {} }",
      "@objc var full: String { \"\" }", "@MainActor var full: String { \"\" }",
    ] {
      #expect(try isWritten(property), "\(property)")
    }
    for property in [
      "var full = \"\"", "var full: String = \"\" { didSet {} }", "var full: String { willSet {} }", "let full = 1",
      "private var full: String { \"\" }", "static var full: String { \"\" }", "class var full: String { \"\" }",
      "var full: String { get throws { \"\" } }", "var full: String { get async { \"\" } }",
      "@nonobjc var full: String { \"\" }", "@available(*, unavailable) var full: String { \"\" }",
      "@Library var full: String { \"\" }",
    ] {
      #expect(try !isWritten(property), "\(property)")
    }
  }

  @Test("One in a branch of an #if is named under its condition, and so is a validation method")
  func computedUnderConditions() throws {
    let output = try Self.output(
      """
      class Author: NSManagedObject {
        var full: String { "" }
        #if LIBRARY
        var initial: String? { nil }
        func validateInitial(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
        #else
        @NSManaged var initial: String?
        #endif
      }
      """)
    let text = try #require(output.files.last?.text)
    let name = "#if (LIBRARY)\n    names.append(\"initial\")\n#endif\n    return names\n"
    #expect(text.contains("    names.append(contentsOf: [\"full\"] as [String])\n" + name))
    #expect(text.contains("    names.append(contentsOf: [] as [String])\n" + name))
  }

  @Test("So it is in extensions and in subclasses of another module's class, but not in other classes")
  func computedElsewhere() throws {
    func text(_ source: String) throws -> String { try Self.output(source).files.last?.text ?? "" }
    let full = "var full: String { \"\" }"
    let plain = "class Author: NSManagedObject {}"
    #expect(try text("\(plain)\nextension Author { \(full) }").contains("object.full"))
    #expect(try !text("\(plain)\nprivate extension Author { \(full) }").contains("object.full"))
    #expect(try !text("\(plain)\n@Library extension Author { \(full) }").contains("object.full"))
    #expect(try !text("\(plain)\nclass Reader: NSObject { \(full) }").contains("object.full"))
    #expect(try !text("\(plain)\nclass A: B { \(full) }\nclass B: A { \(full) }").contains("object.full"))
    let conditional = try text("#if LIBRARY\nclass Author: NSManagedObject { \(full) }\n#endif")
    #expect(conditional.contains("#if (LIBRARY)\nnonisolated enum ManagedAccessorsOfAuthor"))
    // A class without any has an empty enumeration, so that nothing is looked for in vain.
    let both = try text("\(plain)\nclass Book: NSManagedObject { \(full) }")
    #expect(both.contains("nonisolated enum ManagedAccessorsOfAuthor: _ManagedAccessors {\n}"))
    #expect(try !text(plain).contains("ManagedAccessorsOf"))

    var compiler = DataModelCompiler(module: "App")
    compiler.dependencies = [("Paint", [.init(path: "Base.swift", text: "open class Base: NSManagedObject {}")])]
    let file = DataModelCompiler.SourceFile(path: "Book.swift", text: "import Paint\nclass Book: Base { \(full) }")
    #expect(compiler.compile(models: [], sources: [file]).files.last?.text.contains("object.full") == true)
  }

  @Test(
    "Nothing is written for properties that generated code can't ask for, because of their class or what is around it")
  func unreachableClasses() throws {
    let full = "var full: String { \"\" }"
    for source in [
      "@Library class Book: NSManagedObject { \(full) }",
      "@available(*, deprecated) class Book: NSManagedObject { \(full) }",
      "@Library class Base: NSManagedObject {}; class Book: Base { \(full) }",
      "@Library class Book: NSManagedObject {}; extension Book { \(full) }",
      "struct Box<T> { class Book: NSManagedObject { \(full) } }",
      "private enum Names {}; extension Names { class Book: NSManagedObject { \(full) } }",
    ] {
      let file = DataModelCompiler.SourceFile(path: "Book.swift", text: source)
      let output = DataModelCompiler(module: "App").compile(models: [], sources: [file])
      #expect(output.files.last?.text.contains("object.full") != true, "\(source)")
    }
  }

  @Test("What a class says that its properties depend on is written down, by a method or a property of the class")
  func dependencies() throws {
    func output(_ member: String) throws -> (text: String, problems: [SourceProblem]) {
      let output = try Self.output("class Author: NSManagedObject { \(member) }")
      return (output.files.last?.text ?? "", output.problems)
    }
    for member in [
      "class func keyPathsForValuesAffectingFullName() -> Set<String> { [] }",
      "@objc static func keyPathsForValuesAffectingFullName() -> Set<String> { [] }",
      "@objc class var keyPathsForValuesAffectingFullName: Set<String> { [] }",
    ] {
      let call = "Author.keyPathsForValuesAffectingFullName" + (member.contains("func") ? "()" : "")
      let written = "    if key == \"fullName\" || key == \"FullName\" { return \(call) }\n"
      #expect(try output(member).text.contains(written), "\(member)")
    }
    for member in [
      "func keyPathsForValuesAffectingFullName() -> Set<String> { [] }",
      "class func keyPathsForValuesAffectingFullName() -> [String] { [] }",
      "class func keyPathsForValuesAffecting() -> Set<String> { [] }",
      "override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }",
    ] {
      #expect(try !output(member).text.contains("affecting"), "\(member)")
    }
    let hidden = try output("private class func keyPathsForValuesAffectingFullName() -> Set<String> { [] }")
    #expect(!hidden.text.contains("affecting") && hidden.problems.map(\.isError) == [false])
  }

  @Test("A class's own validation method is written down; a private one is a warning, and others are none")
  func validators() throws {
    func output(_ method: String) throws -> (text: String, problems: [SourceProblem]) {
      let output = try Self.output("class Author: NSManagedObject { \(method) }")
      return (output.files.last?.text ?? "", output.problems)
    }
    let value = "(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>)"
    let open = try output("func validateInitial\(value) throws {}")
    #expect(open.text.contains("if key == \"initial\" { return try object.validateInitial(value) }"))
    #expect(open.text.contains("note(\"App\", hasOwnAccessors: true)"))
    #expect(open.problems.isEmpty)
    let hidden = try output("private func validateInitial\(value) throws {}")
    #expect(!hidden.text.contains("ManagedAccessorsOfAuthor") && !hidden.text.contains("hasOwnAccessors"))
    #expect(
      hidden.problems.map(\.message) == [
        "Author.validateInitial is private, so validation doesn't find it. Make it internal"
      ])
    for other in [
      "func validateInitial\(value) {}", "func validate\(value) throws {}",
      "func validateInitial(_ value: String) throws {}",
      "static func validateInitial\(value) throws {}", "func validated\(value) throws {}",
    ] {
      let none = try output(other)
      #expect(!none.text.contains("ManagedAccessorsOfAuthor") && none.problems.isEmpty, "\(other)")
    }
  }
}
