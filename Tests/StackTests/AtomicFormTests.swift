import Testing

@testable import CoreData

@Suite("The forms of atomic stores")
struct AtomicFormTests {
  @Test("An XML store's document, to the letter")
  func document() throws {
    let author = entity("Author", [attribute("penName")])
    let book = entity("Book", [attribute("Title"), attribute("pages", .integer32AttributeType), attribute("odd")])
    join(relate(author, "books", .many, to: book), relate(book, "author", .one, to: author))
    try withStack(.xml, model([author, book])) { stack, context in
      let author = context.new("Author", ["penName": "A & B"])
      context.new("Book", ["Title": "a<b\r", "pages": 12, "author": author, "odd": "\u{1}"])
      try context.save()
      let text = try String(contentsOf: stack.url, encoding: .utf8)
      #expect(
        text.hasPrefix(
          """
          <?xml version="1.0"?>
          <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

          <database>
              <databaseInfo>
                  <version>134481920</version>
                  <UUID>\(stack.store.identifier!)</UUID>
                  <nextObjectID>103</nextObjectID>
                  <metadata>
                      <plist version="1.0">
                          <dict>

          """))
      let objects = try #require(text.range(of: "    <object")).lowerBound
      let sorted = text[objects...].contains("<object type=\"AUTHOR\" id=\"z102\">") ? (102, 103) : (103, 102)
      let one = """
            <object type="AUTHOR" id="z\(sorted.0)">
                <attribute name="penname" type="string">A \\u2600 B</attribute>
                <relationship name="books" type="0/0" destination="BOOK" idrefs="z\(sorted.1)"></relationship>
            </object>

        """
      let other = """
            <object type="BOOK" id="z\(sorted.1)">
                <attribute name="title" type="string">a\\u3c00b&#13;</attribute>
                <attribute name="odd" type="string" encoding="base64">AQ==</attribute>
                <attribute name="pages" type="int32">12</attribute>
                <relationship name="author" type="1/1" destination="AUTHOR" idrefs="z\(sorted.0)"></relationship>
            </object>

        """
      #expect(text[objects...] == (sorted.0 == 102 ? one + other : other + one) + "</database>")
    }
  }

  /// A document with these objects, opened.
  private func reading(
    _ objects: String, head: String = "<?xml version='1.0' standalone='yes'?>",
    _ body: (NSManagedObjectContext) throws -> Void = { _ in }
  ) throws {
    let url = StoreKind.xml.newURL()
    try """
    \(head)
    <!-- a comment -->
    <database>
    \(objects)
    <databaseInfo><nextObjectID>7</nextObjectID><UUID>U</UUID><other/>
    <metadata><!-- none --><plist version="1.0"><dict/></plist></metadata><version> </version></databaseInfo>
    </database>
    """.replacingOccurrences(of: "<version> </version>", with: "").write(to: url, atomically: true, encoding: .utf8)
    let stack = try Stack(
      .xml, library(), at: url,
      options: [NSIgnorePersistentStoreVersioningOption: true, NSReadOnlyPersistentStoreOption: true])
    try stack.context.performAndWait { try body(stack.context) }
  }

  @Test("A last key that leaves none for a new object is an error that names it, and the file stays as it is")
  func noKeyLeft() throws {
    let url = StoreKind.xml.newURL()
    try """
    <?xml version='1.0' standalone='yes'?>
    <database><databaseInfo><nextObjectID>\(Int64.max)</nextObjectID><UUID>U</UUID>
    <metadata><plist version="1.0"><dict/></plist></metadata></databaseInfo></database>
    """.write(to: url, atomically: true, encoding: .utf8)
    let stack = try Stack(.xml, library(), at: url, options: [NSIgnorePersistentStoreVersioningOption: true])
    let text = try String(contentsOf: url, encoding: .utf8)
    stack.context.performAndWait {
      stack.context.new("Book", ["title": "A"])
      let error = failure { try stack.context.save() }
      #expect(error?.localizedDescription.contains("\(Int64.max)") == true)
    }
    #expect(try String(contentsOf: url, encoding: .utf8) == text)
  }

  @Test("Comments, white space, CDATA, references, any order, any case and missing idrefs are read")
  func variations() throws {
    try reading(
      """
      <object id = 'z3'   type="Novel" >
        <relationship name="author" type="1/1" destination="AUTHOR" idrefs=" z2 "/>
        <relationship name="TAGS" type="0/0" destination="TAG"></relationship>
        <attribute type="string" name="title"><!-- first -->A <![CDATA[<b>]]>&#x43;&amp;&quot;</attribute>
        <attribute name="pages"> </attribute>
      </object>
      <object type="AUTHOR" id="z2"><relationship name="books" idrefs="z3"/><attribute name="name"/></object>
      """.replacingOccurrences(of: "<attribute name=\"pages\"> </attribute>", with: "")
    ) { context in
      let novel = try context.only("Novel")
      #expect(novel.string("title") == "A <b>C&\"")
      #expect(novel.object("author")?.string("name") == "")
      #expect(novel.objects("tags").isEmpty)
    }
  }

  @Test(
    "A store without metadata, from before models had versions, fits no model, and opens with versioning ignored",
    arguments: ["<metadata></metadata>", "<metadata/>", "<metadata>\r\n\t </metadata>", ""])
  func noMetadata(_ metadata: String) throws {
    let (folder, model) = (StoreFolder(), library())
    let url = folder.file("T")
    func write() throws {
      try """
      <?xml version="1.0" standalone="yes"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
      <database><databaseInfo><version>134481920</version><UUID>F1A4A2D8-8C4B-4C5E-9D0F-6B6E0A0E2C11</UUID>
      <nextObjectID>102</nextObjectID>\(metadata)</databaseInfo>
      <object type="TAG" id="z102"><attribute name="name" type="string">old</attribute></object>
      </database>
      """.write(to: url, atomically: true, encoding: .utf8)
    }
    func found() throws -> [String: Any] {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSXMLStoreType, at: url)
    }
    try write()
    #expect(
      try found() as? [String: String] == [
        NSStoreTypeKey: NSXMLStoreType, NSStoreUUIDKey: "F1A4A2D8-8C4B-4C5E-9D0F-6B6E0A0E2C11",
      ])
    #expect(try !model.isConfiguration(withName: nil, compatibleWithStoreMetadata: found()))
    let refused = failure { try folder.open(.xml, "T", model) { _, _ in } }
    #expect(refused?.code == NSPersistentStoreIncompatibleVersionHashError)
    let ignoring = [NSIgnorePersistentStoreVersioningOption: true]
    try folder.open(.xml, "T", model, options: ignoring) { _, context in
      #expect(try context.strings("Tag", "name") == ["old"])
      context.new("Tag", ["name": "new"])
      try context.save()
    }
    #expect(try found()[NSStoreModelVersionHashesKey] != nil)
    try folder.open(.xml, "T", model) { _, context throws in
      #expect(try context.strings("Tag", "name") == ["new", "old"])
    }
    // Metadata can be given to a file that is not open as well.
    try write()
    try NSPersistentStoreCoordinator.setMetadata(["Mine": 1], type: .xml, at: url)
    #expect(try found()["Mine"] as? Int == 1)
  }

  @Test(
    "Metadata that are neither nothing nor a property list are refused with the line",
    arguments: ["x", "<plist/>", "<plist version=\"1.0\"><array/></plist>"])
  func brokenMetadata(_ content: String) throws {
    let folder = StoreFolder()
    try """
    <?xml version="1.0"?>
    <database><databaseInfo><UUID>U</UUID>
    <metadata>\(content)</metadata></databaseInfo></database>
    """.write(to: folder.file("T"), atomically: true, encoding: .utf8)
    let error = failure { try folder.open(.xml, "T", library()) { _, _ in } }
    #expect(error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
    let words = error?.localizedDescription ?? ""
    #expect(words.contains("line 3, the metadata") && words.contains("is not a property list"), "\(words)")
  }

  /// A tag whose name is this piece of a document.
  private func tag(_ name: String) -> String {
    "<object type=\"TAG\" id=\"z2\"><attribute name=\"name\" type=\"string\">\(name)</attribute></object>"
  }

  @Test(
    "A backslash, u and four digits are a UTF-16 unit of swapped bytes, as in the XML stores of Apple's framework",
    arguments: [
      (
        #"\u3c00note xml:space="preserve"\u3e00these are"# + "\n\n" + #"notes… for R\u2600D\u3c00/note\u3e00"#,
        "<note xml:space=\"preserve\">these are\n\nnotes… for R&D</note>"
      ),
      (#"\u3dd8\u00de, \ud83d, \uE900, \u2026"#, "😀, \u{3DD8}, é, \u{2620}"),
      (#"\u3c00\u3c00\u2600\u2600"#, "<<&&"),
      // Texts that were written without such numbers, and texts that are decoded once, not twice.
      (#"&lt;b&gt; R&amp;D <![CDATA[<i>]]>"#, "<b> R&D <i>"),
      (#"\u2600lt; \u5c00u2600 &#92;u2600"#, #"&lt; \u2600 &"#),
    ])
  func numbers(_ written: String, _ text: String) throws {
    try reading(tag(written)) { context throws in #expect(try context.only("Tag").string("name") == text) }
  }

  @Test(
    "A backslash that begins no such number, and half of a surrogate pair alone, stay as they are",
    arguments: [
      #"\"#, #"\u"#, #"\u3c0"#, #"\u3c0g"#, #"\u3c-1"#, #"\U2600"#, #"\\"#, #"C:\new\"#, #"\u3dd8"#, #"\u00de"#,
      #"\u3dd8\u3dd8"#, #"\u00de\u3dd8"#, #"\u3dd8\u"#, #"\u3dd8\u00d"#, #"\u２６００"#,
    ])
  func backslashes(_ text: String) throws {
    try reading(tag(text)) { context throws in #expect(try context.only("Tag").string("name") == text) }
    try reading(tag(text + #"\u2600"#)) { context throws in
      #expect(try context.only("Tag").string("name") == text + "&")
    }
  }

  @Test("Texts with markup, backslashes and what looks like a number come back, and the file has &, < and > by number")
  func written() throws {
    let folder = StoreFolder()
    let model = model([entity("Page", [attribute("text"), attribute("link", .URIAttributeType)])])
    let link = URL(string: "https://example.com/?a=b&c=%5Cu2600")!
    let texts = [
      #"R&D <b>\u2600</b> C:\new 😀"#, #"\"#, #"\\u2600\u"#, "\"a\"\n\tb\r\n", "&lt;", "]]>", "", "\u{1}<\\u2600",
    ]
    try folder.open(.xml, "T", model) { _, context in
      for text in texts { context.new("Page", ["text": text, "link": link]) }
      try context.save()
    }
    let file = try String(contentsOf: folder.file("T"), encoding: .utf8)
    #expect(file.contains(#">R\u2600D \u3c00b\u3e00\u5c00u2600\u3c00/b\u3e00 C:\u5c00new 😀</attribute>"#))
    #expect(file.contains(#" type="uri">https://example.com/?a=b\u2600c=%5Cu2600</attribute>"#))
    #expect(!file.contains("&amp;") && !file.contains("&lt;"))
    try folder.open(.xml, "T", model) { _, context throws in
      #expect(try context.strings("Page", "text") == texts.sorted())
      #expect(try context.all("Page").allSatisfy { $0["link"] as? URL == link })
    }
  }

  @Test("A text in the metadata has XML's references, and what looks like a number stays there")
  func metadataTexts() throws {
    let (folder, model) = (StoreFolder(), library())
    let text = #"R&D <b>\u2600</b>"#
    try folder.open(.xml, "T", model) { store, context in
      store.metadata["Mine"] = text
      context.new("Tag", ["name": text])
      try context.save()
    }
    let file = try String(contentsOf: folder.file("T"), encoding: .utf8)
    #expect(file.contains(#"<string>R&amp;D &lt;b&gt;\u2600&lt;/b&gt;</string>"#))
    try folder.open(.xml, "T", model) { store, context throws in
      #expect(store.metadata["Mine"] as? String == text)
      #expect(try context.strings("Tag", "name") == [text])
    }
  }

  @Test(
    "What is wrong is said with the line, the entity, the property and the value",
    arguments: [
      ("<object type=\"NONSENSE\" id=\"z2\"></object>", "line 4, the object z2 is of NONSENSE, which is not an entity"),
      (
        "<object type=\"TAG\" id=\"z2\"/>\n<object type=\"TAG\" id=\"z2\"/>",
        "line 5, there are two objects of the number 2"
      ),
      ("<object type=\"TAG\" id=\"q\"/>", "line 4, an object of TAG has no id"),
      (
        "<object type=\"TAG\" id=\"z2\">\n<attribute name=\"nam\">x</attribute></object>",
        "nam of the object z2 of Tag is not a stored property"
      ),
      (
        "<object type=\"BOOK\" id=\"z2\">\n<attribute name=\"pages\" type=\"int32\">12x</attribute></object>",
        "line 5, pages of the object z2 of Book is \"12x\", which is not a value of type int32"
      ),
      (
        "<object type=\"BOOK\" id=\"z2\"><attribute name=\"pages\" type=\"int32\">3000000000</attribute></object>",
        "is \"3000000000\", which is not a value of type int32"
      ),
      (
        "<object type=\"BOOK\" id=\"z2\"><attribute name=\"pages\" type=\"date\">1</attribute></object>",
        "is of type date, not int32"
      ),
      (
        "<object type=\"TAG\" id=\"z2\"><attribute name=\"name\">a</attribute><attribute name=\"name\">b</attribute></object>",
        "name of the object z2 of Tag is given twice"
      ),
      ("<object type=\"AUTHOR\" id=\"z2\"><attribute name=\"books\">b</attribute></object>", "is a relationship, but"),
      ("<object type=\"TAG\" id=\"z2\"><relationship name=\"name\"/></object>", "is an attribute, but"),
      (
        "<object type=\"TAG\" id=\"z2\"/><object type=\"BOOK\" id=\"z3\"><relationship name=\"author\" idrefs=\"z2\"/></object>",
        "Book.author of the object 3 leads to the object 2, which is a Tag"
      ),
      (
        "<object type=\"AUTHOR\" id=\"z2\"/><object type=\"BOOK\" id=\"z3\"><relationship name=\"author\" idrefs=\"z2\"/></object>",
        "don't agree"
      ),
      (
        "<object type=\"BOOK\" id=\"z3\"><relationship name=\"author\" idrefs=\"z2 z4\"/></object>",
        "is a to-one relationship, but has 2 destinations"
      ),
      (
        "<object type=\"TAG\" id=\"z2\"><attribute name=\"name\">a</object>",
        "</object> found where <attribute> of line"
      ),
      (
        "<object type=\"TAG\" id=\"z2\"><attribute name=\"name\">&nbsp;</attribute></object>",
        "unknown entity \"&nbsp;\""
      ),
      ("<thing/>", "<thing> in a database"),
    ])
  func mistakes(_ objects: String, _ words: String) throws {
    let error = try #require(failure { try reading(objects) })
    #expect(error.code == CocoaError.Code.fileReadCorruptFile.rawValue)
    #expect(error.localizedDescription.contains(words), "\(error.localizedDescription)")
  }

  @Test("A reference to an object that is not there, as a rule of no action leaves it, is nil")
  func dangling() throws {
    try reading("<object type=\"BOOK\" id=\"z3\"><relationship name=\"author\" idrefs=\"z2\"/></object>") {
      context throws in
      #expect(try context.only("Book").object("author") == nil)
    }
  }

  @Test("Names that differ only in case cannot be in one XML store, but in a binary one")
  func ambiguous() throws {
    let models = [
      { model([entity("Tag", [attribute("name"), attribute("NAME")])]) },
      { model([entity("Tag", [attribute("name")]), entity("TAG", [attribute("name")])]) },
    ]
    for model in models {
      let error = try #require(failure { _ = try Stack(.xml, model()) })
      #expect(error.code == NSPersistentStoreIncompatibleSchemaError)
      #expect(error.localizedDescription.contains("differ only in case"))
      try withStack(.binary, model()) { _, context in
        context.new("Tag")
        try context.save()
      }
    }
  }

  @Test("A binary store is a header of 64 bytes and two keyed archives")
  func container() throws {
    try withStack(.binary) { stack, context in
      context.new("Tag", ["name": "ä"])
      try context.save()
      let bytes = [UInt8](try Data(contentsOf: stack.url))
      #expect(bytes.starts(with: "CoreData".utf8))
      #expect(Array(bytes[8..<16]) == [0, 0, 0, 1, 8, 4, 8, 0])
      let header = try BinaryStoreHeader(bytes)
      #expect(header.rows.lowerBound == 64)
      #expect(header.rows.upperBound == header.metadata.lowerBound)
      #expect(header.metadata.upperBound == bytes.count)
      #expect(header.lastKey == 1)
      for (range, name) in [(header.rows, "mapData"), (header.metadata, "metadata")] {
        let list = try PropertyListSerialization.propertyList(from: Data(bytes[range]), format: nil)
        let archive = try #require(list as? [String: Any])
        #expect(archive["$archiver"] as? String == "NSKeyedArchiver")
        #expect((archive["$top"] as? [String: Any])?.keys.map { $0 } == [name])
      }
      let metadata = Data(bytes[header.metadata])
      let unarchiver = try NSKeyedUnarchiver(forReadingFrom: metadata)
      unarchiver.requiresSecureCoding = false
      let found = unarchiver.decodeObject(forKey: "metadata") as? [String: Any]
      #expect(found?[NSStoreUUIDKey] as? String == stack.store.identifier)
    }
  }

  @Test(
    "A binary store whose objects all share one long class, or the long list of a relationship's members, is refused",
    arguments: [true, false])
  func shared(_ isClass: Bool) throws {
    let (count, length) = (3000, 30_000)
    func uid(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }
    func list(_ name: String, _ items: [String]) -> String { "<key>\(name)</key><array>\(items.joined())</array>" }
    let fields = isClass ? (0..<length).map { "<key>\($0)</key><true/>" }.joined() : ""
    let members = isClass ? [] : Array(repeating: "<integer>1</integer>", count: length)
    let shared = [
      "<string>Tag</string>", "<dict><key>$class</key>\(uid(3))<key>NS.string</key><string>a</string></dict>",
      "<dict>\(fields)<key>$classname</key><string>NSString</string></dict>",
      "<dict>\(list("NS.objects", [uid(2), uid(0)]))</dict>", "<dict>\(list("NS.objects", members))</dict>",
      "<string>tags</string>", "<dict>\(list("NS.keys", [uid(6)]))\(list("NS.objects", [uid(5)]))</dict>",
    ]
    let nodes = (1...count).map { key in
      "<dict><key>NSEntityName</key>\(uid(1))<key>NSPrimaryKey64</key><integer>\(key)</integer>"
        + "<key>NSAttributeValues</key>\(uid(4))<key>NSRelatedNodes</key>\(uid(7))</dict>"
    }
    let keys = (1...count).map { "<integer>\($0)</integer>" }
    let map = "<dict>\(list("NS.keys", keys))\(list("NS.objects", (1...count).map { uid($0 + 8) }))</dict>"
    let text =
      "<plist version=\"1.0\"><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key>"
      + "<integer>100000</integer><key>$top</key><dict><key>mapData</key>\(uid(8))</dict>"
      + list("$objects", ["<string>$null</string>"] + shared + [map] + nodes) + "</dict></plist>"
    let rows = try PropertyListSerialization.data(
      fromPropertyList: PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil), format: .binary,
      options: 0)

    let tag = entity("Tag", [attribute("name")])
    let tags = relate(tag, "tags", .many, to: tag)
    tags.inverseRelationship = tags
    let (model, folder) = (model([tag]), StoreFolder())
    try folder.open(.binary, "T", model) { _, context in
      context.new("Tag")
      try context.save()
    }
    let bytes = [UInt8](try Data(contentsOf: folder.file("T")))
    let old = try BinaryStoreHeader(bytes)
    let end = BinaryStoreHeader.size + rows.count
    let head = BinaryStoreHeader(
      metadata: end..<end + old.metadata.count, rows: BinaryStoreHeader.size..<end, lastKey: Int64(count))
    try Data(head.bytes + rows + bytes[old.metadata]).write(to: folder.file("T"))
    let error = failure { try folder.open(.binary, "T", model) { _, _ in } }
    #expect(error?.localizedDescription.contains("the same long list again and again") == true, "\(error as Any)")
  }
}
