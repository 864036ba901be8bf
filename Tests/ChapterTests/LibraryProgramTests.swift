import Foundation
import StoreFileReader
import TestFiles
import Testing

@Suite("Chapter 6: the program", .serialized)
struct LibraryProgramTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = TemporaryFolder()
    url = folder.url.appendingPathComponent("Library.sqlite")
  }

  private func run(_ arguments: String...) throws -> ProgramRunner.Outcome {
    try ProgramRunner.run("LibraryCatalog", arguments, store: folder.url)
  }

  private func books() throws -> Int { try StoreFileReader(contentsOf: url).rowCount(of: "ZBOOK") }

  @Test("Import, import again, list, search, show, stats and export agree on the file")
  func journey() throws {
    let first = try run("import")
    #expect(first.exitCode == 0, "\(first.errors)")
    #expect(try first.number(after: "added") == books())
    let second = try run("import")
    #expect(second.number(after: "added") == 0)
    #expect(try second.number(after: "already there") == books())

    let list = try run("list", "--limit", "3")
    #expect(try list.output.contains("3 of \(books()) books"))
    let search = try run("search", "austen", "emma")
    #expect(search.output.contains("Jane Austen") && search.output.contains("1 of 1 book"))
    let stats = try run("stats")
    #expect(try stats.number(after: folder.url.path) == books(), "\(stats.output)")
    let export = try run("export")
    let list2 = try JSONSerialization.jsonObject(with: Data(export.output.utf8)) as? [[String: Any]]
    #expect(try list2?.count == books())
    let isbn = try #require(list2?.first?["isbn"] as? String)
    let show = try run("show", isbn)
    #expect(show.output.contains(isbn))
    #expect(try run("show", "9780000000002").exitCode == 1)
  }

  @Test("The same commands read a JSON file")
  func json() throws {
    let catalog = LibraryCatalogTests.shipped.path
    let imported = try run("import", catalog)
    #expect(imported.exitCode == 0)
    for arguments in [["list", "--sort", "author"], ["search", "tolkien"], ["stats"]] {
      let store = try ProgramRunner.run("LibraryCatalog", arguments, store: folder.url)
      let json = try ProgramRunner.run("LibraryCatalog", arguments + ["--json", catalog])
      #expect(store.output == "Store folder: \(folder.url.path)\n" + json.output)
    }
  }

  @Test(
    "A condition that can't be read, or asks for what books lack, ends with an error that helps",
    arguments: [
      ("title == ", "at character 10: expected a value, found the end.\n    title ==\u{20}\n             ^\n"),
      (
        "publisher == 1",
        "keypath publisher not found in entity Book: there is no \"publisher\". A book has: authorLine,"
      ),
      ("title == $name", "the variable $name has no value"),
      ("title MATCHES '(['", "the regular expression can't be read"),
      ("title == %@", "no argument is left for \"%@\""),
    ])
  func condition(text: String, error: String) throws {
    #expect(try run("import").exitCode == 0)
    for source in [[], ["--json", LibraryCatalogTests.shipped.path]] {
      let outcome = try ProgramRunner.run(
        "LibraryCatalog", ["search", "--where", text] + source, store: source.isEmpty ? folder.url : nil)
      #expect(outcome.exitCode == 1)
      #expect(outcome.errors.hasPrefix("Error: ") && outcome.errors.contains(error), "\(outcome.errors)")
    }
  }

  @Test("The tour gets the same list out of the file and out of the library")
  func tour() throws {
    let outcome = try run("tour", "--word", "dickens", "--batch", "50")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let lists = outcome.output.components(separatedBy: "dickens, from ").dropFirst()
      .map { $0.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2).prefix(4) }
    #expect(lists.count == 2 && lists[0] == lists[1])
    #expect(try books() == 357)
  }

  @Test("A search without words and without a condition is refused")
  func emptySearch() throws {
    let outcome = try run("search")
    #expect(outcome.exitCode == 64 && outcome.errors.contains("--where"))
  }

  @Test("Reading a library that is not there is an error, and makes none")
  func missingLibrary() throws {
    let outcome = try run("list")
    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains(url.path))
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test("A strict import with a bad record fails, names it, and makes no library")
  func strict() throws {
    let file = try folder.file("mixed.json", LibraryCatalogTests.mixed)
    let outcome = try run("import", file.path, "--strict")
    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("\(file.path), record 2 (line 3)"))
    #expect(outcome.errors.contains("Nothing was imported."))
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test("A lenient import with bad records goes on, and counts them")
  func lenient() throws {
    let file = try folder.file("mixed.json", LibraryCatalogTests.mixed)
    let outcome = try run("import", file.path)
    #expect(outcome.exitCode == 0)
    #expect(outcome.number(after: "bad") == 3)
    #expect(outcome.errors.split(separator: "\n").count == 3)
    #expect(try books() == 2)
  }

  @Test("An import of nothing but bad records fails; an empty one and one of known books do not")
  func allBad() throws {
    let bad = try folder.file("bad.json", #"[{"author": "A"}, {"title": 5}]"#)
    let outcome = try run("import", bad.path)
    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.hasSuffix("Error: All 2 records are bad; nothing was imported.\n"), "\(outcome.errors)")
    #expect(try run("import", try folder.file("none.json", "[]").path).exitCode == 0)
    let good = try folder.file("good.json", #"[{"title": "A"}]"#)
    #expect(try run("import", good.path).exitCode == 0)
    #expect(try run("import", good.path).exitCode == 0)
  }

  @Test("What a terminal would act upon is written out, in every list, in errors, and in an export")
  func escapes() throws {
    let title = "Red \u{1B}[31m\u{9B}2J\u{202E}end\u{7}"
    let json = String(
      decoding: try JSONEncoder().encode([["title": title], ["title": "B", "year": title]]), as: UTF8.self)
    let imported = try run("import", try folder.file("a.json", json).path)
    let outcomes = [
      imported, try run("list"), try run("show", try books() == 1 ? "red 31m2jend||?" : ""), try run("export"),
    ]
    for outcome in outcomes {
      for text in [outcome.output, outcome.errors] {
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || 0x7F...0x9F ~= $0.value }, "\(text)")
      }
    }
    #expect(outcomes[0].errors.contains(#"\u{1B}[31m"#))
    #expect(outcomes[1].output.contains(#"Red \u{1B}[31m\u{9B}2J\u{202E}end\u{7}"#))
    let exported = try JSONSerialization.jsonObject(with: Data(outcomes[3].output.utf8)) as? [[String: Any]]
    #expect(exported?.first?["title"] as? String == title)
  }

  @Test("An export by a link leaves the link, and one to a device leaves the device")
  func exportThroughLink() throws {
    #expect(try run("import").exitCode == 0)
    let file = try folder.file("books.json", "old")
    let link = folder.url.appendingPathComponent("link.json")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    #expect(try run("export", "--output", link.path).exitCode == 0)
    #expect(try link.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true)
    #expect(try Data(contentsOf: file).first == UInt8(ascii: "["))
    let device = try ProgramRunner.run("LibraryCatalog", ["generate", "--count", "3", "--output", "/dev/null"])
    #expect(device.exitCode == 0)
    var status = stat()
    lstat("/dev/null", &status)
    #expect(status.st_mode & S_IFMT == S_IFCHR)
    let refused = try run("export", "--output", folder.url.path + "/none/a.json")
    #expect(refused.exitCode == 1)
    #expect(refused.errors.hasSuffix("/none/a.json cannot be written: no such file or directory.\n"))
  }

  @Test("A file that is missing, a folder, or no JSON ends with one sentence that names it")
  func badFiles() throws {
    let text = try folder.file("text.json", "hello")
    for path in [folder.url.path + "/none.json", folder.url.path, text.path] {
      let outcome = try run("import", path)
      #expect(outcome.exitCode == 1)
      #expect(outcome.errors.contains(path))
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    }
  }

  @Test("Memory stays flat: ten times the catalogue needs little more")
  func memory() throws {
    func peak(_ count: Int) throws -> Int {
      let catalog = folder.url.appendingPathComponent("\(count).json").path
      let generated = try ProgramRunner.run(
        "LibraryCatalog", ["generate", "--count", "\(count)", "--output", catalog])
      #expect(generated.exitCode == 0)
      let outcome = try run("import", catalog, "--fresh", "--memory")
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
      #expect(try books() == count)
      let digits = outcome.errors.split(separator: " ").compactMap { Int($0) }
      return try #require(digits.first)
    }
    let small = try peak(5_000)
    let large = try peak(50_000)
    // A single import of all at once would hold 45,000 more books, at more than 1 KiB each.
    #expect(large - small < 15_000, "\(small) KiB for 5,000 books, \(large) KiB for 50,000")
  }

  @Test(
    "Catalogues of other people can be imported",
    .enabled(if: ProcessInfo.processInfo.environment["COREDATA_CORPUS"] != nil, "COREDATA_CORPUS is not set"),
    arguments: [
      ("zygmuntz__goodbooks-10k/books.derived.json", 10_000),
      ("rlskoeser__shxco-missingdata-specreading/data/source_data/SCoData_books_v1.2_2022-01.json", 6_020),
    ])
  func corpus(path: String, records: Int) throws {
    let corpus = try #require(ProcessInfo.processInfo.environment["COREDATA_CORPUS"])
    let first = try run("import", "\(corpus)/catalogs/\(path)")
    #expect(first.exitCode == 0, "\(first.errors)")
    #expect(first.number(after: "read") == records)
    let added = try #require(first.number(after: "added"))
    let bad = try #require(first.number(after: "bad"))
    let there = try #require(first.number(after: "already there"))
    #expect(added + there + bad == records)
    #expect(added > records * 95 / 100)
    #expect(bad == first.errors.split(separator: "\n").count)
    #expect(try books() == added)
    let second = try run("import", "\(corpus)/catalogs/\(path)")
    #expect(second.number(after: "added") == 0)
    #expect(try books() == added)
  }
}
