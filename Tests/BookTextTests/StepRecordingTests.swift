import BookText
import Foundation
import StepFrames
import Testing

@Suite("Recordings in the text")
struct StepRecordingTests {
  static let page = "Chapters/01-Keeping/README.md"
  static let file = "Chapters/01-Keeping/steps-keep.transcript"

  static func frame(_ caption: String, _ objects: [StepFrame.Object], rows: [[String]] = []) -> String {
    let frame = StepFrame(
      caption: caption, contexts: [.init(name: "context", objects: objects)],
      tables: [.init(name: "ZTHING", columns: ["Z_PK", "ZNAME"], rows: rows)])
    return String(decoding: try! JSONEncoder().encode(frame), as: UTF8.self)
  }

  static func thing(_ name: String, row: Int? = nil, _ state: StepFrame.Object.State) -> StepFrame.Object {
    StepFrame.Object(entity: "Thing", name: name, row: row, state: state, values: [.init(key: "name", text: name)])
  }

  /// A thing is made, saved and renamed.
  static let lines = [
    "$ swift run Keep --store /tmp/strata/Keep --steps keep",
    "CoreData: sql: CREATE TABLE ZTHING ( Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR )",
    #"{"recording":"A thing is kept"}"#,
    frame("You make `it`.", [thing("Cup", .inserted)]),
    "CoreData: sql: BEGIN EXCLUSIVE",
    "CoreData: sql: UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?",
    "CoreData: sql: COMMIT",
    "CoreData: sql: BEGIN EXCLUSIVE",
    "CoreData: sql: INSERT INTO ZTHING(Z_PK, ZNAME) VALUES(?, ?)",
    "CoreData: details: SQLite bind[0] = Z_PK = 1",
    #"CoreData: details: SQLite bind[1] = ZNAME = string("Ann's \"cup\"?")"#,
    "CoreData: sql: COMMIT",
    frame("You save.", [thing("Cup", row: 1, .clean)], rows: [["1", "Cup"]]),
    frame("You rename it.", [thing("Mug", row: 1, .updated)], rows: [["1", "Cup"]]),
  ]

  static let text = """
    1. You make it.
         Thing "Cup", new
         ZTHING: no rows
    2. You save.
         Thing "Cup": new → saved as row 1
         INSERT INTO ZTHING(Z_PK, ZNAME) VALUES(1, 'Ann''s "cup"?')
         ZTHING: a new row, Z_PK 1, ZNAME Cup
    3. You rename it.
         Thing "Mug": name Cup → Mug
    """

  /// A sound book whose page shows `lines` as a recording. Nothing is run.
  private func book(_ lines: [String] = Self.lines, block: String = "```steps transcript=steps-keep\n\(text)\n```")
    throws -> SmallBook
  {
    let book = try SmallBook()
    try book.write(Self.file, lines.joined(separator: "\n") + "\n")
    try book.write(Self.page, try book.read(Self.page) + "\n\(block)\n")
    return book
  }

  private func problems(_ book: SmallBook) throws -> [String] {
    BookCheck(book: try Book(root: book.root)).run(programs: nil).problems.map(\.description)
  }

  @Test("What ran before the recording is left out, and each frame has the statements since the one before")
  func statements() throws {
    let recording = try StepRecording(Transcript(path: Self.file, text: Self.lines.joined(separator: "\n")))
    #expect(recording.title == "A thing is kept")
    #expect(recording.steps.map(\.statements.count) == [0, 6, 0])
    #expect(recording.steps.map(\.line) == [4, 13, 14])
    let (essential, others) = recording.steps[1].statements.essential
    #expect(
      essential.map(\.text) == [
        "BEGIN EXCLUSIVE", "INSERT INTO ZTHING(Z_PK, ZNAME) VALUES(1, 'Ann''s \"cup\"?')", "COMMIT",
      ])
    #expect(others.map(\.kind) == [.keys] && others.map(\.count) == [3])
  }

  @Test("Values of which some were not printed stay question marks")
  func partly() throws {
    let lines = Self.lines.filter { !$0.contains("bind[1]") }
    let recording = try StepRecording(Transcript(path: Self.file, text: lines.joined(separator: "\n")))
    #expect(recording.steps[1].statements[4].text == "INSERT INTO ZTHING(Z_PK, ZNAME) VALUES(?, ?)")
  }

  @Test("Weaving writes captions with what changed below them, and a woven text is sound")
  func weaving() throws {
    let book = try book(block: "```steps transcript=steps-keep\n```")
    let outcome = try Weaver(book: Book(root: book.root)).weave()
    #expect(outcome.problems.isEmpty && outcome.changed == [Self.page])
    #expect(try book.read(Self.page).contains("```steps transcript=steps-keep\n\(Self.text)\n```"))
    #expect(try problems(book) == [])
  }

  @Test("Relationships are no other when their destination has got a name or a row")
  func destinations() throws {
    func object(_ text: String, _ destination: String) -> StepFrame.Object {
      let value = StepFrame.Value(key: "owner", text: text, destinations: [destination])
      return StepFrame.Object(entity: "Thing", name: "Cup", row: 1, state: .clean, values: [value])
    }
    func lines(_ old: StepFrame.Object, _ new: StepFrame.Object) throws -> [String] {
      let lines = Self.lines.prefix(3) + [Self.frame("One.", [old]), Self.frame("Two.", [new])]
      return try StepRecording(Transcript(path: Self.file, text: lines.joined(separator: "\n"))).changes(of: 1)
    }
    #expect(try lines(object("row 7", "Owner/7"), object("Ann", "Owner/7")) == ["nothing else changes"])
    #expect(try lines(object("Ann", "Owner/new Ann"), object("Ann", "Owner/7")) == ["nothing else changes"])
    #expect(try lines(object("Ann", "Owner/7"), object("Ben", "Owner/8")) == ["Thing \"Cup\": owner Ann → Ben"])
  }

  @Test("A changed word of the shown steps is found, at its line")
  func changedText() throws {
    let book = try book()
    #expect(try problems(book) == [])
    try book.plant("You write.", for: "You save.", in: Self.page)
    #expect(try problems(book) == ["\(Self.page):41: the source has \"2. You save.\" here; `book weave` writes it"])
  }

  @Test(
    "A recording that can't be shown is named with its line and what to do",
    arguments: [
      (3, "", ":4: this frame stands before its recording; StepRecorder prints both"),
      (4, #"{"caption":"#, ":4: this is not a frame; `book check --bless` records it again"),
      (
        4, #"{"caption":"It.","contexts":[],"tables":[{"columns":["Z_PK"],"name":"ZTHING","rows":[["1","Cup"]]}]}"#,
        ":4: a row of this frame has not a value for each column; `book check --bless` records it again"
      ),
      (
        4, #"{"caption":"It.","contexts":[]}"#,
        ":4: this frame has no \"tables\"; `book check --bless` records it again"
      ),
      (4, frame(" ", []), ":4: this frame has no caption; say in frame(_:) what the program has just done"),
      (14, #"{"recording":"Another"}"#, ":14: a second recording begins here; record each in a transcript of its own"),
    ])
  func mistakes(line: Int, text: String, problem: String) throws {
    var lines = Self.lines
    lines[line - 1] = text
    #expect(try problems(try book(lines)).contains { $0 == Self.file + problem })
  }

  @Test("A recording without frames, a block without a recording and a recording without a block are found")
  func missing() throws {
    #expect(
      try problems(try book(Array(Self.lines.prefix(3)))).contains(
        "\(Self.file):1: there are no frames in this transcript; its program makes them with StepRecorder"))
    #expect(
      try problems(try book(block: "```steps\n```")).contains(
        "\(Self.page):37: a block of steps names its recording: steps transcript=NAME"))
    #expect(
      try problems(try book(block: "```steps transcript=none\n```")).contains(
        "\(Self.page):37: there is no Chapters/01-Keeping/none.transcript"))
    #expect(
      try problems(try book(block: "")) == [
        "\(Self.file):1: no text shows this recording; put a block ```steps transcript=steps-keep where its idea is"
      ])
  }
}
