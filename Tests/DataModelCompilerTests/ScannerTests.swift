import DataModelCompiler
import Testing

@Suite("Scanning Swift sources")
struct ScannerTests {
  static func compile(_ text: String, path: String = "Sources/App/Book.swift") -> DataModelCompiler.Output {
    DataModelCompiler(module: "App").compile(models: [], sources: [.init(path: path, text: text)])
  }

  static func getters(_ text: String) -> [String] {
    compile(text).files[0].text.split(separator: "\"").map(String.init)
      .filter { $0.hasPrefix("$s") && $0.hasSuffix("vg") }
  }

  @Test("Comments, strings, closures and function bodies hide nothing and add nothing")
  func noise() {
    let text = #"""
      import CoreData
      /* a /* nested */ comment: class Fake { @NSManaged var a: Int } */
      let text = "class Fake { @NSManaged var b: Int } \(["}", ")"].map { "\($0)" }.joined())"
      let raw = ##"a "# quote { "##
      let long = """
        class Fake { @NSManaged var c: Int } "
        """
      class Book: NSManagedObject {
        var computed: Int { get { 1 } set { _ = "}" } }
        lazy var closure: () -> Void = { class Local { var x = 1 } }
        func run() { if true { print("{") } }
        @objc(title) @NSManaged
        public var title: String? // }
        subscript(index: Int) -> Int { index }
        class var shared: Int { 1 }
        @NSManaged var count: Int
      }
      """#
    #expect(Self.getters(text) == ["$s3App4BookC5titleSSSgvg", "$s3App4BookC5countSivg"])
  }

  @Test("Branches that are not for this platform are skipped, undecided ones are guarded")
  func conditions() {
    let text = """
      #if canImport(ObjectiveC)
      @objc(Book) class Book: NSManagedObject {
      #else
      class Book: NSManagedObject {
      #endif
        #if os(macOS)
        @NSManaged var a: Int
        #elseif DEBUG
        @NSManaged var b: Int
        #else
        @NSManaged var c: Int
        #endif
      }
      """
    let output = Self.compile(text).files[0].text
    #expect(Self.getters(text) == ["$s3App4BookC1bSivg", "$s3App4BookC1cSivg"])
    #expect(output.contains("#if (!(os(macOS))) && (DEBUG)\n"))
    #expect(output.contains("#if (!(os(macOS))) && (!(DEBUG))\n"))
  }

  @Test("A type that cannot be mapped warns with its place")
  func unknownType() {
    let output = Self.compile("class Book: NSManagedObject {\n  @NSManaged var image: UIImage?\n}")
    #expect(
      output.problems.map(\.description) == [
        "Sources/App/Book.swift:2:18: warning: @NSManaged image gets no accessor, and linking will fail: "
          + "the type UIImage is not declared in these sources"
      ])
  }

  @Test("A type that other files cannot see is refused with the mend, unless it is the class of managed objects")
  func privateTypes() {
    let output = Self.compile(
      """
      private enum State: Int16 { case new }
      private typealias Title = String
      private class Book: NSManagedObject { @NSManaged var title: Title?; @NSManaged var state: State }
      """)
    #expect(output.files[0].text.contains("func _get_title_0() -> String? {"))
    #expect(output.problems.count == 1)
    #expect(
      output.problems.first?.message.hasSuffix("generated code is in another file; make it internal") == true)
  }

  @Test("Accessors of internal types are not public")
  func internalTypes() {
    let output = Self.compile(
      "enum State: Int { case a }\npublic class Book: NSManagedObject { @NSManaged var state: State }")
    #expect(output.files[0].text.contains("\") dynamic final func _get_state_Book() -> State {"))
  }

  @Test("A target without managed declarations gets an empty file")
  func nothing() {
    let output = Self.compile("struct A {}")
    #expect(output.files[0].name == "App+ManagedAccessors.generated.swift")
    #expect(!output.files[0].text.contains("import"))
  }

  @Test("Strings that nest without end in interpolations are passed over")
  func strings() {
    #expect(Self.getters("let a = \"" + String(repeating: "\\(\"", count: 20_000)).isEmpty)
  }

  @Test(
    "Types and conditions that nest without end are passed over, and what follows is found",
    arguments: [
      "#if " + String(repeating: "!", count: 20_001) + "os(macOS)",
      "typealias A = " + String(repeating: "[", count: 20_000) + "Int" + String(repeating: "]", count: 20_000),
      "typealias A = Int" + String(repeating: "?", count: 20_000),
      "class A: NSManagedObject { @NSManaged private var a: Int" + String(repeating: "?", count: 60) + " }",
      "typealias A = " + String(repeating: "Int -> ", count: 20_000) + "Int",
    ])
  func depth(_ text: String) {
    let getters = Self.getters(text + "\n\nclass Book: NSManagedObject { @NSManaged var count: Int }")
    #expect(getters.last == "$s3App4BookC5countSivg")
  }

  @Test(
    "Regular expressions between bare slashes are passed over, and divisions are none",
    arguments: [
      #"let scheme = /^https?:\/\//"#, #"func a() { _ = text.matches(of: /\{/) }"#,
      #"var b: Bool { !/}"/.isEmpty }"#, #"func c() { return /[(]{/ }"#, #"let d = [/{/, /"/]"#,
      #"let half = x/2; func e() { print("}/") }"#, #"func f() -> Int { total!/2 + (y)/3 }"#,
      #"func g() { list.reduce(1, /) ; do { print(4/2) } }"#, "func h() -> Int { 8 / 2 } // 4 /",
      #"let i = isOn ? /}/ : /{/"#, "func j() { let k = a[0]/b; if c { d = e/f } }",
    ])
  func regularExpressions(_ member: String) {
    let text = "class Book: NSManagedObject {\n  \(member)\n  @NSManaged var count: Int\n}\nstruct Other {}"
    #expect(Self.getters(text) == ["$s3App4BookC5countSivg"])
    #expect(Self.compile(text).problems.isEmpty)
  }

  @Test("A file whose braces don't close is reported")
  func unclosed() {
    for text in [
      "class Book: NSManagedObject {\n  func a() { {\n  }\n  @NSManaged var count: Int\n}\n",
      "class Book: NSManagedObject {\n  @NSManaged var count: Int\n",
    ] {
      #expect(
        Self.compile(text).problems.map(\.message).first?.hasPrefix("the braces of this file don't close") == true)
    }
  }
}
