import BookText
import Foundation

/// A book of one chapter in a folder of its own, sound as it stands; tests plant what they want to see found.
final class SmallBook {
  let root: URL

  static let source = """
    import Foundation

    /// Keeps things.
    public final class Keeper {
      private var things: [String] = []

      //> keep
      /// Takes one more.
      public func keep(_ thing: String, twice: Bool = false) {
        things.append(thing)
        //> twice
        if twice { things.append(thing) }
        //< twice
      }
      //< keep
    }

    """

  static let page = """
    # 1. Keeping

    A keeper keeps. See [how](#how-it-keeps) or [the contents](../README.md).

    ```console command
    $ swift run Keep --store /tmp/strata/Keep --fresh
    ```

    ## How it keeps

    ```swift file=Chapters/01-Keeping/Keeper.swift region=keep
    // Keeper.swift, in class Keeper
    /// Takes one more.
    public func keep(_ thing: String, twice: Bool = false) {
      things.append(thing)
      if twice { things.append(thing) }
    }
    ```

    ```swift file=Chapters/01-Keeping/Keeper.swift region=twice before=1
    // Keeper.swift, in func Keeper.keep(_:twice:)
    things.append(thing)
    if twice { things.append(thing) }
    ```

    ```console transcript=run
    kept: 2
    …
    the file is /tmp/strata/Keep/kept
    ```

    ```sql transcript=run
    INSERT INTO ZTHING(Z_PK, ZNAME)
      VALUES(?, ?)
    ```

    """

  static let transcript = """
    $ swift run Keep --store /tmp/strata/Keep --fresh
    kept: 2
    CoreData: sql: INSERT INTO ZTHING(Z_PK, ZNAME) VALUES(?, ?)
    CoreData: annotation: sql execution time: …s
    the file is /tmp/strata/Keep/kept

    """

  /// Prints what the transcript has, with the folder that it is given and a duration of its own.
  static let program = """
    #!/bin/sh
    echo "kept: 2"
    echo "CoreData: sql: INSERT INTO ZTHING(Z_PK, ZNAME) VALUES(?, ?)" >&2
    echo "CoreData: annotation: sql execution time: 0.0042s" >&2
    echo "the file is $2/kept"

    """

  init() throws {
    root = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-small-book-\(UUID().uuidString)", isDirectory: true)
    try write("Chapters/README.md", "# Contents\n\n1. [Keeping](01-Keeping/README.md)\n")
    try write("Chapters/01-Keeping/README.md", Self.page)
    try write("Chapters/01-Keeping/Keeper.swift", Self.source)
    try write("Chapters/01-Keeping/run.transcript", Self.transcript)
    try write("programs/Keep", Self.program)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: root.appendingPathComponent("programs/Keep").path)
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  func write(_ path: String, _ text: String) throws {
    let url = root.appendingPathComponent(path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func read(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Replaces the first occurrence, which has to be there.
  func plant(_ new: String, for old: String, in path: String) throws {
    let text = try read(path)
    guard let range = text.range(of: old) else { throw BookProblem(file: path, "has no \"\(old)\"") }
    try write(path, text.replacingCharacters(in: range, with: new))
  }

  func check(runsPrograms: Bool = true) throws -> BookCheck.Result {
    let runner = TranscriptRunner(programs: root.appendingPathComponent("programs"), root: root)
    return BookCheck(book: try Book(root: root)).run(programs: runsPrograms ? runner : nil)
  }

  /// What the check says, a line for each problem.
  func problems() throws -> [String] { try check().problems.map(\.description) }
}
