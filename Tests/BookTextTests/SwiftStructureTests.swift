import BookText
import Foundation
import Testing

@Suite("The structure of Swift files")
struct SwiftStructureTests {
  private func outline(_ source: String) -> [String] {
    SwiftStructure(source).declarations.map { "\($0.lines.lowerBound)-\($0.lines.upperBound) \($0.label)" }
  }

  @Test("Types, members and what they are in")
  func members() {
    let source = """
      import Foundation
      @objc(Thing)
      public final class Thing: NSObject, Sendable {
        @NSManaged public var name: String?
        private(set) lazy var parts: [Int] = {
          var list = [1]
          list.append(2)
          return list
        }()
        static let text = \"\"\"
          func not() {}
          \"\"\"
        class func make<Value: Hashable>(
          _ value: Value, with more: (Int, String) -> Void = { _, _ in }
        ) throws -> Thing
        where Value: Sendable {
          if true { return Thing() }
        }
        required init?(coder: Int) { nil }
        subscript(key: String) -> Int { 1 }
        struct Inner {
          case none
          static func == (a: Inner, b: Inner) -> Bool { true }
        }
        deinit {}
      }
      extension Thing.Inner: CustomStringConvertible {
        var description: String { "}" }
      }
      """
    #expect(
      outline(source) == [
        "1-1 import Foundation",
        "2-26 class Thing",
        "4-4 var Thing.name",
        "5-9 var Thing.parts",
        "10-12 let Thing.text",
        "13-18 func Thing.make(_:with:)",
        "19-19 init Thing.init(coder:)",
        "20-20 subscript Thing.subscript(key:)",
        "21-24 struct Thing.Inner",
        "22-22 case Thing.Inner.none",
        "23-23 func Thing.Inner.==(a:b:)",
        "25-25 deinit Thing.deinit",
        "27-29 extension Thing.Inner",
        "28-28 var Thing.Inner.description",
      ])
  }

  @Test("Conditions, continued lines and accessors")
  func continued() {
    let source = """
      enum Kind {
        case one, two
        #if os(Linux)
          static let system = "Linux"
        #else
          static let system = "other"
        #endif
        var next: Kind {
          get { .two }
          set {}
        }
        let long =
          1
          + 2
        func chain() -> [Int] { [1]
          .map { $0 } }
        indirect case deep(Kind)
      }
      """
    #expect(
      outline(source) == [
        "1-18 enum Kind", "2-2 case Kind.one", "4-4 let Kind.system", "6-6 let Kind.system", "8-11 var Kind.next",
        "12-14 let Kind.long", "15-16 func Kind.chain()", "17-17 case Kind.deep",
      ])
  }

  @Test("Braces in strings and regular expressions are none")
  func literals() {
    let source = """
      struct Reader {
        let sign = #/[{(]/#
        let text = #"a "quoted" { brace"#
        func read() {}
      }
      """
    #expect(
      outline(source) == [
        "1-5 struct Reader", "2-2 let Reader.sign", "3-3 let Reader.text", "4-4 func Reader.read()",
      ])
  }

  @Test("Each file of the project ends where its structure ends")
  func project() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources")
    let files = try #require(FileManager.default.enumerator(atPath: root.path)).compactMap { $0 as? String }
      .filter { $0.hasSuffix(".swift") }
    #expect(files.count > 100)
    for file in files {
      let source = try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
      let lines = source.components(separatedBy: "\n")
      for declaration in SwiftStructure(source).declarations
      where ["class", "struct", "enum", "extension", "protocol"].contains(declaration.kind) {
        let last = lines[declaration.lines.upperBound - 1]
        let indent = lines[declaration.lines.lowerBound - 1].prefix { $0 == " " }
        #expect(
          last.contains("}") && (last.hasPrefix(indent + "}") || last.hasSuffix("{}") || declaration.lines.count == 1),
          "\(file): \(declaration.label) ends with \(last)")
      }
    }
  }

  @Test(
    "A file that ends in the middle of a declaration has what was read until there",
    arguments: ["@", "var", "@a.", "let a: (", "func"])
  func cut(_ end: String) {
    #expect(outline("let a = 1\n" + end).first == "1-1 let a")
  }

  @Test("Types that nest deeper than a hundred are passed over, and what follows is found")
  func depth() {
    let source = String(repeating: "struct A {", count: 20_000) + String(repeating: "}", count: 20_000) + "\nlet b = 1"
    #expect(SwiftStructure(source).declarations.last?.label == "let b")
  }
}
