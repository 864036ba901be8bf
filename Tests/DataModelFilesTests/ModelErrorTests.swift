import DataModelFiles
import Foundation
import Testing

@Suite("What is wrong in a source model")
struct ModelErrorTests {
  /// Reads a model whose entities are `body`; returns the problems, or none.
  static func problems(_ body: String) -> [DataModelProblem] {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model>\n\(body)\n</model>\n"
    do {
      return try SourceModelReader.model(contents: Array(text.utf8), name: "M", file: "contents").warnings
    } catch {
      return (error as? InvalidDataModel)?.problems ?? []
    }
  }

  @Test(
    "Each fault is named with its line, entity and property",
    arguments: [
      (
        "<entity name='A'>\n<relationship name='b' destinationEntity='B'/></entity>",
        "contents:4: error: A.b: unknown destination entity \"B\""
      ),
      (
        "<entity name='A'>\n<relationship name='b' destinationEntity='B' inverseName='a'/></entity>"
          + "<entity name='B'><relationship name='a' destinationEntity='A'/></entity>",
        "contents:4: warning: A.b: the inverse is not mutual: B.a has nothing for its inverse"
      ),
      (
        "<entity name='A'>\n<relationship name='b' destinationEntity='B' inverseName='c'/></entity>"
          + "<entity name='B'/>",
        "contents:4: error: A.b: the inverse \"c\" is not a relationship of B"
      ),
      ("<entity name='A' parentEntity='P'/>", "contents:3: error: A: unknown parent entity \"P\""),
      (
        "<entity name='A' parentEntity='A'/>",
        "contents:3: error: A: the entity is its own ancestor (parent \"A\")"
      ),
      ("<entity name='A'/>\n<entity name='A'/>", "contents:4: error: A: two entities have this name"),
      (
        "<entity name='A'><attribute name='x' attributeType='String'/>"
          + "\n<attribute name='x' attributeType='String'/></entity>",
        "contents:4: error: A.x: two properties have this name"
      ),
      (
        "<entity name='A'>\n<attribute name='x' attributeType='Text'/></entity>",
        "contents:4: error: A.x: unknown attributeType \"Text\" (known: Integer 16, Integer 32, Integer 64, "
          + "Decimal, Double, Float, String, Boolean, Date, Binary, UUID, URI, Transformable, Object ID, "
          + "Composite)"
      ),
      (
        "<entity name='A'>\n<attribute name='x' attributeType='Integer 16' defaultValueString='70000'/>"
          + "</entity>",
        "contents:4: warning: A.x: defaultValueString=\"70000\" is ignored: it is not a value of type Integer 16"
      ),
      (
        "<entity name='A'>\n<attribute name='x' attributeType='Boolean' defaultValueString='maybe'/>"
          + "</entity>",
        "contents:4: warning: A.x: defaultValueString=\"maybe\" is ignored: it is not a value of type Boolean"
      ),
      (
        "<entity name='A'>\n<attribute name='x' attributeType='String' minValueString='few'/></entity>",
        "contents:4: warning: A.x: minValueString=\"few\" is ignored: it can't limit values of type String"
      ),
      (
        "<entity name='A'>\n<attribute name='x' attributeType='Integer 16' maxValueString='1e300'/></entity>",
        "contents:4: warning: A.x: maxValueString=\"1e300\" is ignored: it can't limit values of type Integer 16"
      ),
      (
        "<entity name='A'>\n<attribute name='x' attributeType='Binary' defaultValueString='0'/></entity>",
        "contents:4: warning: A.x: defaultValueString=\"0\" is ignored: Binary attributes don't take it"
      ),
      (
        "<entity name='A'>\n<relationship name='b' destinationEntity='A' maxCount='many'/></entity>",
        "contents:4: error: A.b: maxCount=\"many\" is not a whole number"
      ),
      (
        "<entity name='A'>\n<relationship name='b' destinationEntity='A' deletionRule='Drop'/></entity>",
        "contents:4: error: A.b: unknown deletionRule \"Drop\" (known: Nullify, Cascade, Deny, No Action)"
      ),
      (
        "<entity name='A'>\n<attribute name='x' optional='maybe' attributeType='String'/></entity>",
        "contents:4: error: A.x: optional=\"maybe\" is neither YES nor NO"
      ),
      (
        "<entity name='A'>\n<attribute name='1x' attributeType='String'/></entity>",
        "contents:4: error: A.1x: a property's name must begin with a letter"
      ),
      (
        "<entity name='A'>\n<attribute name='description' attributeType='String'/></entity>",
        "contents:4: error: A.description: the name is taken: NSManagedObject has a member of this name"
      ),
      (
        "<entity name='A'>\n<attribute name='x' attributeType='Transformable' customClassName='Shop.'/></entity>",
        "contents:4: warning: A.x: customClassName=\"Shop.\" is ignored: it names a module, but no class in it"
      ),
      (
        "<entity name='A' representedClassName='.'/>",
        "contents:3: warning: A: representedClassName=\".\" is ignored: it names a module, but no class in it"
      ),
      (
        "<entity name='A'><uniquenessConstraints><uniquenessConstraint><constraint value='x'/>"
          + "</uniquenessConstraint></uniquenessConstraints></entity>",
        "contents:3: error: A: a uniqueness constraint names the unknown attribute \"x\""
      ),
      (
        "<entity name='A'><fetchIndex name='i'><fetchIndexElement property='x' order='ascending'/></fetchIndex>"
          + "</entity>",
        "contents:3: error: A: the index \"i\" names the unknown property \"x\""
      ),
      (
        "<entity name='A'><fetchIndex name='i'><fetchIndexElement expression='length:(' order='ascending'/>"
          + "</fetchIndex></entity>",
        "contents:3: warning: A: the index \"i\" is ignored: its expression \"length:(\" can't be read"
      ),
      (
        "<entity name='A'/><fetchRequest name='all' entity='B'/>",
        "contents:3: error: fetch request \"all\": unknown entity \"B\""
      ),
      (
        "<entity name='A'>\n<attribute name='x'/></entity>",
        "contents:4: error: A.x: the attribute has no attributeType (only a transient one may)"
      ),
      (
        "<entity name='A'></model>",
        "contents:3: error: </model> found where <entity> of line 3 is to be closed"
      ),
      ("<entity name='A' name='B'/>", "contents:3: error: entity@name is given twice"),
      ("<entity name='&nbsp;'/>", "contents:3: error: unknown entity \"&nbsp;\""),
    ])
  func errors(body: String, expected: String) {
    #expect(Self.problems(body).map(\.description).first == expected)
  }

  @Test(
    "A name that is more than a name is refused, since generated code and files would have it",
    arguments: [
      (
        "<entity name='Book { init() { system() } }'/>",
        "contents:3: error: Book { init() { system() } }: an entity's name cannot hold \" \""
      ),
      ("<entity name='A&#10;B'/>", "contents:3: error: A⏎B: an entity's name cannot hold \"⏎\""),
      ("<entity name='A&#x9B;2J'/>", "contents:3: error: A\\u{9B}2J: an entity's name cannot hold \"\\u{9B}\""),
      ("<entity name='1'/>", "contents:3: error: 1: an entity's name must begin with a letter"),
      (
        "<entity name='A' representedClassName='../../A'/>",
        "contents:3: error: A: representedClassName=\"../../A\" is not the name of a class"
      ),
      (
        "<entity name='A' representedClassName='.A: B {}; let x'/>",
        "contents:3: error: A: representedClassName=\".A: B {}; let x\" is not the name of a class"
      ),
      (
        "<entity name='A'>\n<attribute name='x*/y' attributeType='String'/></entity>",
        "contents:4: error: A.x*/y: a property's name cannot hold \"*\""
      ),
      // This letter and what follows it are one character.
      (
        "<entity name='A'>\n<attribute name='x\u{D4E}{' attributeType='String'/></entity>",
        "contents:4: error: A.x\u{D4E}{: a property's name cannot hold \"{\""
      ),
      (
        "<entity name='A'>\n<attribute name='x' attributeType='Transformable' customClassName='B { get {} }'/></entity>",
        "contents:4: error: A.x: customClassName=\"B { get {} }\" is not a type"
      ),
    ])
  func hostileNames(body: String, expected: String) {
    #expect(Self.problems(body).map(\.description) == [expected])
  }

  @Test("Names of all scripts, of other modules and of nested classes are taken, and types of several words")
  func names() {
    for name in ["Größe", "本", "نام\u{200C}کتاب", "Book_2"] {
      #expect(Self.problems("<entity name='\(name)' representedClassName='\(name)'/>").isEmpty, "\(name)")
    }
    for name in [".Book", "Shop.Book", "_Book", "Shop.Shelf.Book"] {
      #expect(Self.problems("<entity name='A' representedClassName='\(name)'/>").isEmpty, "\(name)")
    }
    for type in ["[String]", ".Photo", "[String: Set<Int>]", "NSObject &amp; NSCoding", "(any NSCoding)?"] {
      let attribute = "<attribute name='x' attributeType='Transformable' customClassName='\(type)'/>"
      #expect(Self.problems("<entity name='A'>\(attribute)</entity>").isEmpty, "\(type)")
    }
  }

  @Test("Unknown elements and attributes only warn")
  func warnings() {
    let problems = Self.problems("<entity name='A' colour='red'>\n<method name='m'/></entity>")
    #expect(
      problems.map(\.description) == [
        "contents:3: warning: A: <entity> has the unknown attribute colour, which is ignored",
        "contents:4: warning: A: <entity> holds the unknown element <method>, which is ignored",
      ])
  }

  @Test("Two faults are both reported")
  func all() {
    let problems = Self.problems("<entity name='A' parentEntity='P'/><entity name='B' parentEntity='Q'/>")
    #expect(problems.count == 2)
  }

  @Test("Entities, character references, CDATA and comments are understood")
  func markup() throws {
    let text = """
      <!DOCTYPE model [<!ENTITY a "b">]>
      <model><!-- a <comment> -->
      <entity name="A"><userInfo><entry key="a&amp;b" value="&#x41;&#66;&lt;&quot;"/></userInfo></entity>
      <![CDATA[ <ignored/> ]]></model>
      """
    let model = try SourceModelReader.model(contents: Array(text.utf8), name: "M", file: "contents").model
    #expect(model.entities[0].userInfo == ["a&b": "AB<\""])
  }
}
