import ModelMacros
import Testing

@Suite("What a model's declaration says")
struct DeclarationReaderTests {
  private func property(_ source: String) throws -> PropertyDeclaration {
    try #require(try PropertyDeclaration.reading(source))
  }

  private func names(_ body: String) throws -> [String] {
    try ModelDeclaration("@Model final class Note {\n\(body)\n}").properties.map(\.name)
  }

  private func problem(_ source: String) -> String? {
    do {
      _ = try ModelDeclaration(source)
      return nil
    } catch {
      return (error as? SourceProblem)?.message
    }
  }

  @Test("A property's type and initial value are read as they stand")
  func typesAndValues() throws {
    let cases: [(source: String, type: String?, value: String?)] = [
      ("var text: String", "String", nil),
      ("public private(set) var stars = 0 // four", nil, "0"),
      ("var stars: Int = 0 /* { */", "Int", "0"),
      ("var map: [String: [Int]] = [:]", "[String: [Int]]", "[:]"),
      ("var pair: Dictionary<String, Int>? = nil", "Dictionary<String, Int>?", "nil"),
      ("var call: (Int) -> Void = { _ in }", "(Int) -> Void", "{ _ in }"),
      ("var made: Set<Int> = {\n  [1, 2]\n}()", "Set<Int>", "{\n  [1, 2]\n}()"),
      ("var text = \"a } // b\\(x {\"c\"})\"", nil, "\"a } // b\\(x {\"c\"})\""),
      ("var text = \"\"\"\n  }\n  \"\"\"", nil, "\"\"\"\n  }\n  \"\"\""),
      ("var a = first\n  .second\n  ?? third", nil, "first\n  .second\n  ?? third"),
      ("var a = x < y ? 1 : 2", nil, "x < y ? 1 : 2"),
      ("var a = Set<Pair<Int, Int>>()", nil, "Set<Pair<Int, Int>>()"),
      ("var a: Int { didSet { print(a) } }", "Int", nil),
      ("var a = 3 { willSet { print(a) } }", nil, "3"),
      ("var a: Int = 3 { @available(*, deprecated) didSet { } }", "Int", "3"),
      ("var a: Int = 3 { @Module.Some<Int>(x: (1, 2)) @inlinable willSet { } }", "Int", "3"),
      ("var a: some P = f()", "some P", "f()"),
      ("var a: Int! = 3", "Int!", "3"),
      ("var a: Module.Kind = .one", "Module.Kind", ".one"),
    ]
    for item in cases {
      let read = try property(item.source)
      #expect(read.type == item.type && read.initialValue == item.value, "\(item.source): \(read)")
      #expect(read.isPersistent, "\(item.source)")
    }
  }

  @Test("Stored properties of objects are persistent, others not")
  func persistent() throws {
    let body = """
      static let shared = 1
      class var kind: Int { 3 }
      lazy var late = make()
      @Transient var open = false
      @SwiftData.Transient var shut: Bool?
      var computed: Int { 1 }
      var getter: Int { get { 1 } set { } }
      var own: Int {
        @storageRestrictions(initializes: _text, accesses: _$backingData)
        init(initialValue) { }
        get { 1 }
      }
      let id = UUID()
      var text: String
      @Attribute(.unique, originalName: "x") var a: Int
      private(set) var b: Int? {
        didSet { }
      }
      var `default`: Int
      """
    #expect(try names(body) == ["id", "text", "a", "b", "default"])
  }

  @Test("A value that ends in a member's name ends there, whatever word the name is")
  func memberNames() throws {
    for word in ["as", "is", "in", "try", "await", "any", "some", "else", "if", "switch", "where", "throws", "async"] {
      let body = "var kind = Kind.\(word)\nvar other: Kind = .\(word)\nvar count = 0"
      #expect(try names(body) == ["kind", "other", "count"], "\(word)")
      #expect(try property("var kind = Kind.\(word)\nvar count = 0").initialValue == "Kind.\(word)", "\(word)")
    }
    #expect(try property("var a = x as\n  Int").initialValue == "x as\n  Int")
  }

  private func metadata(_ body: String) throws -> String {
    try ModelDeclaration("@Model final class Note {\n\(body)\nvar text = \"\"\n}").members
  }

  @Test("Attributes and modifiers may precede a constraint, an index, and any other macro")
  func macrosWithAttributes() throws {
    let text = try metadata(
      """
      @available(iOS 18, macOS 15, *) #Index<Note>([\\.text])
      @available(iOS 18, *)
      public #Unique<Note>([\\.text])
      @MainActor #other(3) { var no = 0 }
      nonisolated #SwiftData::Index<Note>([\\.text, \\.text])
      @SwiftData::Transient var open = false
      """)
    #expect(text.contains(#"Schema.Index<Note>([\.text])"#) && text.contains(#"Schema.Unique<Note>([\.text])"#))
    #expect(text.contains(#"Schema.Index<Note>([\.text, \.text])"#) && !text.contains("_open"))
  }

  @Test("Constraints and indexes between #if and #endif keep their condition")
  func conditionalMacros() throws {
    let text = try metadata(
      """
      #Index<Note>([\\.always])
      #if os(iOS) // there only
      #Unique<Note>([\\.first])
      #elseif DEBUG
      #Unique<Note>([\\.second])
      #if A || B
      #Index<Note>([\\.third])
      #endif
      #else
      #Unique<Note>([\\.fourth])
      #endif
      #if C
      func f() { }
      #endif
      """)
    func condition(_ name: String) -> Substring? {
      let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
      return lines.firstIndex { $0.contains("([\\.\(name)])") }.flatMap {
        lines[$0 - 1].hasPrefix("#if") && lines[$0 + 1] == "#endif" ? lines[$0 - 1] : nil
      }
    }
    #expect(text.contains(#"([\.always])"#) && condition("always") == nil)
    #expect(condition("first") == "#if (os(iOS))")
    #expect(condition("second") == "#if !(os(iOS)) && (DEBUG)")
    #expect(condition("third") == "#if !(os(iOS)) && (DEBUG) && (A || B)")
    #expect(condition("fourth") == "#if !(os(iOS)) && !(DEBUG)")
    let unconditional = try metadata("#Index<Note>([\\.text])\n#if C\nfunc f() { }\n#endif")
    #expect(!unconditional.contains("#if"))
  }

  @Test("Attributes between #if and #endif are read with the declaration behind them, be it the class or a member")
  func conditionalAttributes() throws {
    let model = try ModelDeclaration(
      """
      #if canImport(SwiftData) // not everywhere
      @Model
      #elseif DEBUG
      @Checked(1) @Other
      #endif
      @available(macOS 15, *)
      public final class Note {
        #if os(iOS)
        @Attribute(.externalStorage)
        #endif
        var data: Data?
        @MainActor
        #if canImport(ObjectiveC)
        @objc
        #if DEBUG
        @inlinable
        #endif
        #endif
        func f() { }
        #if DEBUG
        @objc func g() { }
        #endif
        #if A
        @MainActor
        #endif
        #Index<Note>([\\.text])
        var text = ""
      }
      """)
    #expect(model.name == "Note" && model.isFinal && model.properties.map(\.name) == ["data", "text"])
    #expect(model.members.contains(#"Schema.Index<Note>([\.text])"#))
    let source = "\n  #if os(iOS)\n  @Attribute(.externalStorage)\n  #endif\n  public var data: Data?"
    let data = try property(source)
    #expect(data.marker == "private var _data: _SwiftDataNoType")
    #expect(data.accessors(isTransformable: false).contains("initializes: _data"))
    #expect(ModelDeclaration.memberAttribute(for: source) == "@_PersistedProperty")
    #expect(ModelDeclaration.memberAttribute(for: "#if A\n@objc\n#endif\nfunc f() { }") == "")
    let actor = try ModelActorDeclaration("#if canImport(SwiftData)\n@ModelActor\n#endif\npublic actor A { }")
    #expect(actor.members.contains("modelExecutor"))
  }

  @Test("An @Attribute or @Relationship between #if and #endif counts if its condition holds")
  func conditionalKinds() throws {
    let text = try ModelDeclaration(
      """
      @Model final class Note {
        var first = 0
        #if os(iOS)
        @Attribute(.unique)
        #elseif DEBUG
        @Attribute(originalName: "old")
        #endif
        var second: Int
        #if A
        @Attribute(.ephemeral)
        #endif
        @Attribute
        var third: Int
        var fourth = 4
        #Index<Note>([\\.first])
      }
      """
    ).members
    func appended(_ name: String, default value: String = "nil", _ metadata: String) -> String {
      #"_metadata.append(SwiftData.Schema.PropertyMetadata(name: "\#(name)", keypath: \Note.\#(name), "#
        + "defaultValue: \(value), metadata: \(metadata)))"
    }
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
    let start = try #require(lines.firstIndex { $0.hasPrefix("var _metadata") })
    let found = lines[start...].prefix { $0 != "return _metadata" }.map(String.init)
    let index = #"PropertyMetadata(name: "", keypath: \Note.self, defaultValue: nil, metadata: SwiftData.Schema.Index"#
    let expected = [
      "var _metadata: [SwiftData.Schema.PropertyMetadata] = [",
      #"SwiftData.Schema.PropertyMetadata(name: "first", keypath: \Note.first, defaultValue: 0, metadata: nil)"#,
      "]",
      "#if (os(iOS))",
      appended("second", "SwiftData.Schema.Attribute(.unique)"),
      "#elseif !(os(iOS)) && (DEBUG)",
      appended("second", #"SwiftData.Schema.Attribute(originalName: "old")"#),
      "#else",
      appended("second", "nil"),
      "#endif",
      "#if (A)",
      appended("third", "SwiftData.Schema.Attribute(.ephemeral)"),
      "#else",
      appended("third", "SwiftData.Schema.Attribute()"),
      "#endif",
      appended("fourth", default: "4", "nil"),
      #"_metadata.append(SwiftData.Schema.\#(index)<Note>([\.first])))"#,
    ]
    #expect(found == expected)
  }

  @Test("Where SwiftData can be imported, which is wherever the macro runs, an attribute needs no condition")
  func givenCondition() throws {
    func members(_ condition: (String) -> String) throws -> String {
      try ModelDeclaration(
        """
        \(condition("@Model"))
        final class Note {
          \(condition("@Attribute(.unique)"))
          var a: Int
          \(condition("@Transient"))
          var b = 0
          \(condition("@Attribute(.transformable(by: X.self))"))
          var c: C?
        }
        """
      ).members
    }
    let plain = try members { $0 }
    for other in ["", "#else\n@Transient\n", "#elseif A\n@Attribute(.ephemeral)\n#else\n@Relationship\n"] {
      let conditional = try members { "#if canImport( SwiftData )\n\($0)\n\(other)#endif" }
      #expect(conditional == plain, "\(other)")
    }
    let transformable = "#if canImport(SwiftData)\n@Attribute(.transformable(by: X.self))\n#endif\nvar c: C?"
    #expect(ModelDeclaration.memberAttribute(for: transformable) == "@_TransformablePersistedProperty")
  }

  @Test("What else stands in a class is passed over")
  func others() throws {
    let body = """
      #Index<Note>([\\.a])
      typealias Text = String
      enum Kind: String, Codable { case one, two; var x: Int { 1 } }
      struct Inner { var y = 0 }
      class Other { var z = 0 }
      class func make() -> Int { 3 }
      init<T>(a: T = f({ $0 })) where T: P { self.a = 1 }
      deinit { print("}") }
      subscript(i: Int) -> Int { i }
      @discardableResult func f(_ x: () -> Void = { }) async throws -> [Int] { [] }
      #if DEBUG
      func g() { }
      #endif
      static func == (a: Note, b: Note) -> Bool { a === b }
      var a: Int
      """
    #expect(try names(body) == ["a"])
  }

  @Test("What cannot be read is a problem with a sentence")
  func problems() {
    #expect(problem("@Model struct A { }")?.contains("'A' is no class") == true)
    #expect(problem("@Model class A<T> { }")?.contains("generic class 'A'") == true)
    #expect(problem("@Model class A { var a = 0, b = 1 }")?.contains("take 'a' apart") == true)
    #expect(problem("@Model class A { var (a, b) = (0, 1) }")?.contains("pattern") == true)
    #expect(problem("@Model class A { weak var a: B? }")?.contains("weak property 'a'") == true)
    #expect(problem("@Model class A { @Transient var a: Int }")?.contains("needs an initial value") == true)
    #expect(problem("@Model class A {\n#if X\nvar a = 0\n#endif\n}")?.contains("between #if and #endif") == true)
    #expect(problem("@Model class A { @Attribute @Relationship var a: B? }")?.contains("cannot be both") == true)
    #expect(problem("@Model class A { var a: }")?.contains("A type was expected") == true)
    #expect(problem("@Model class A { var a = }")?.contains("A value was expected") == true)
    #expect(problem("@Model class A { 3 }")?.contains("A declaration was expected") == true)
    #expect(problem("@Model class A { var a = [1 }") != nil)
    #expect(problem("@Model class A { var a: Int") == nil)
    func conditional(_ attribute: String) -> String? { problem("@Model class A {\n#if X\n\(attribute) var a: B?\n}") }
    #expect(conditional("@Transient\n#endif\n")?.contains("take its @Transient out of #if and #endif") == true)
    #expect(conditional("@Attribute(.transformable(by: T.self))\n#endif\n")?.contains("whether a transformer") == true)
    #expect(conditional("@Attribute\n#endif\n@Relationship")?.contains("cannot be both") == true)
    #expect(conditional("@Attribute\n#else\n@Relationship\n#endif\n") == nil)
    #expect(conditional("@Attribute\n")?.contains("between #if and #endif") == true)
    #expect(conditional("@objc\n#endif\n@Transient") == nil)
    #expect(problem("@Model class A {\n#if X\n@Attribute\n#endif\n}")?.contains("A declaration was expected") == true)
  }

  @Test("A problem stands where the declaration does")
  func places() throws {
    let source = "@Model class A {\n  // é\n  weak var a: B?\n}"
    do {
      _ = try ModelDeclaration(source)
      Issue.record("It was read.")
    } catch let problem as SourceProblem {
      #expect(String(decoding: Array(source.utf8)[problem.offset...].prefix(1), as: UTF8.self) == "a")
      #expect(Array(source.utf8)[..<problem.offset].count == source.utf8.count - "a: B?\n}".utf8.count)
    }
  }

  @Test("A model's members are as visible as it is, and repeat its properties and their attributes")
  func members() throws {
    let model = try ModelDeclaration(
      """
      @Model public class Note {
        #Unique<Note>([\\.text])
        @Attribute(.unique) var text: String
        @Relationship(deleteRule: .cascade, inverse: \\Line.note) var lines: [Line] = []
        var `default` = 3
      }
      """)
    let members = model.members
    #expect(members.contains("public required init(backingData: any SwiftData.BackingData<Note>)"))
    #expect(
      members.contains(
        #"name: "text", keypath: \Note.text, defaultValue: nil, metadata: SwiftData.Schema.Attribute(.unique))"#))
    #expect(
      members.contains(
        #"defaultValue: ([]) as [Line], metadata: SwiftData.Schema.Relationship(deleteRule: .cascade, inverse: \Line.note))"#
      ))
    #expect(members.contains(#"name: "default", keypath: \Note.`default`, defaultValue: 3, metadata: nil)"#))
    #expect(members.contains(#"metadata: SwiftData.Schema.Unique<Note>([\.text]))"#))
    #expect(members.contains("_default = _SwiftDataNoType()"))
  }

  @Test("A class that other models may inherit from, and one that inherits, override each other's members")
  func inheritance() throws {
    let base = try ModelDeclaration("@Model open class Book { var a = 0 }").members
    #expect(base.contains("open class var schemaMetadata") && base.contains("public typealias _SwiftDataRoot = Book"))
    #expect(base.contains("_schemaKeyPaths<_M: Book>") && base.contains("[\\_M.a]"))
    let middle = try ModelDeclaration("@Model class Novel: Book { var b = 0 }", isSubclass: true).members
    #expect(middle.contains("override class var schemaMetadata") && !middle.contains("typealias"))
    #expect(middle.contains("super._schemaKeyPaths(of: model) + [\\_M.b]"))
    let last = try ModelDeclaration("@Model final class Short: Novel { var c = 0 }", isSubclass: true).members
    #expect(last.contains("super.init(backingData: backingData)") && !last.contains("<_M: Short>"))
    let alone = try ModelDeclaration("@Model final class Note { var c = 0 }").members
    #expect(alone.contains("public static var schemaMetadata") && !alone.contains("_SwiftDataRoot"))
    #expect(try ModelDeclaration("@Model class A: B { }").conformances(of: "A", wanted: "") == "")
  }

  @Test("Only the protocol of that name states the conformance, with or without its module")
  func statedConformance() throws {
    func states(_ list: String) throws -> Bool { try ModelDeclaration("@Model class A: \(list) { }").statesConformance }
    for list in ["PersistentModel", "B, SwiftData.PersistentModel", "SwiftData::PersistentModel, B"] {
      let isStated = try states(list)
      #expect(isStated, "\(list)")
    }
    for list in ["B, SyncedPersistentModel", "PersistentModelBase", "Other.PersistentModel", "Box<PersistentModel>"] {
      let isStated = try states(list)
      #expect(!isStated, "\(list)")
    }
  }

  @Test("An object that stands for a row drops the values that its properties begin with, if any does")
  func initialValues() throws {
    func members(_ property: String, isSubclass: Bool) throws -> String {
      try ModelDeclaration("@Model class A: B { \(property) }", isSubclass: isSubclass).members
    }
    for (property, begins) in [("var a: Int", false), ("var a = 0", true), ("var a: Int?", true)] {
      let root = try members(property, isSubclass: false)
      #expect(root.contains("return SwiftData._ModelForRow(\(begins ? "droppingValuesOf: " : "")model, model."))
      let subclass = try members(property, isSubclass: true)
      let joins = subclass.contains(
        "super.init(backingData: backingData)\n  _ = SwiftData._joinedBackingData(_$backingData, backingData)\n}")
      #expect(joins == begins, "\(property)")
    }
  }

  @Test("Members that a transformer makes data of have accessors of their own")
  func transformable() {
    #expect(
      ModelDeclaration.memberAttribute(for: "@Attribute(.transformable(by: X.self)) var a: A?")
        == "@_TransformablePersistedProperty")
    #expect(ModelDeclaration.memberAttribute(for: "var a: A?") == "@_PersistedProperty")
    #expect(ModelDeclaration.memberAttribute(for: "func f() { }") == "")
    #expect(ModelDeclaration.memberAttribute(for: "@Transient var a: A?") == "")
  }

  @Test("Only an actor becomes a model actor")
  func actors() throws {
    #expect(throws: SourceProblem.self) { try ModelActorDeclaration("@ModelActor class A { }") }
    let members = try ModelActorDeclaration("@ModelActor public actor A { }").members
    #expect(members.contains("public nonisolated let modelExecutor: any SwiftData.ModelExecutor"))
  }
}
