import Foundation
import Testing

@testable import BookPages

@Suite("Serving the pages") struct BookServerTests {
  @Test func `Files of the folder are served, and nothing outside of it`() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let pages = folder.appendingPathComponent("book").resolvingSymlinksInPath()
    let handler = PagesHandler(folder: pages, watch: RequestWatch())
    #expect(handler.file(for: "/")?.lastPathComponent == "index.html")
    #expect(handler.file(for: "/index.html")?.lastPathComponent == "index.html")
    #expect(handler.file(for: "/gone.html") == nil)
    #expect(handler.file(for: "/source") == nil)
    for path in ["/../secret.txt", "/source/../../secret.txt", "/%2e%2e/secret.txt", "/..%2Fsecret.txt", "/link.txt"] {
      #expect(handler.file(for: path) == nil, "\(path)")
    }
  }

  @Test func `A folder without pages is refused`() async {
    let server = BookServer(folder: URL(fileURLWithPath: "/nowhere"))
    await #expect(throws: PagesProblem.self) { try await server.run() }
  }

  @Test(.timeLimit(.minutes(10))) func `It ends when nobody asks for a while`() async throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try await BookServer(folder: folder.appendingPathComponent("book"), port: 0, idleMinutes: 0.005).run()
  }

  private static func folder() throws -> URL {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appendingPathComponent("server-\(UUID().uuidString)")
    let pages = folder.appendingPathComponent("book")
    try files.createDirectory(at: pages.appendingPathComponent("source"), withIntermediateDirectories: true)
    try Data("<p>".utf8).write(to: pages.appendingPathComponent("index.html"))
    try Data("secret".utf8).write(to: folder.appendingPathComponent("secret.txt"))
    try files.createSymbolicLink(
      at: pages.appendingPathComponent("link.txt"), withDestinationURL: folder.appendingPathComponent("secret.txt"))
    return folder
  }
}
