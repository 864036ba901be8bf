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
    #expect(output.files[0].text.contains("\") dynamic final func _get_state() -> State {"))
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
}
