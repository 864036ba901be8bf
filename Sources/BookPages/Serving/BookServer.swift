import FlyingFox
import FlyingSocks
import Foundation

/// Serves a built book to browsers on this machine, until it hasn't been requested for a while.
public struct BookServer: Sendable {
  private let folder: URL
  private let port: UInt16
  private let idleTime: TimeInterval

  /// - Parameters:
  ///   - folder: the folder that `BookBuilder` built.
  ///   - port: a port on the loopback interface, which no other machine can reach.
  ///   - idleMinutes: how long it waits for another request before it ends.
  public init(folder: URL, port: UInt16 = 8000, idleMinutes: Double = 30) {
    self.folder = folder.standardizedFileURL.resolvingSymlinksInPath()
    self.port = port
    idleTime = idleMinutes * 60
  }

  /// Serves until the idle time is over or the task is cancelled.
  ///
  /// - Throws: `PagesProblem` if the folder has no pages; an error of the system if the port is taken.
  public func run() async throws {
    guard FileManager.default.fileExists(atPath: folder.appendingPathComponent("index.html").path) else {
      throw PagesProblem("There are no pages in \(folder.path). Build them first: swift run book build")
    }
    let watch = RequestWatch()
    let handler = PagesHandler(folder: folder, watch: watch)
    let server = HTTPServer(
      address: try sockaddr_in.inet(ip4: "127.0.0.1", port: port), logger: .disabled, handler: handler)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      group.addTask { [idleTime] in
        while await watch.idle < idleTime {
          try await Task.sleep(for: .seconds(min(1, idleTime)))
        }
        await server.stop()
      }
      try await group.next()
      group.cancelAll()
      await server.stop()
    }
  }
}

/// Records the time of the last request.
actor RequestWatch {
  private var last = ContinuousClock.now

  func note() { last = .now }

  /// The seconds since the last request.
  var idle: TimeInterval {
    let time = ContinuousClock.now - last
    return TimeInterval(time.components.seconds) + TimeInterval(time.components.attoseconds) / 1e18
  }
}

/// Serves the files of a folder, and nothing outside of it.
struct PagesHandler: HTTPHandler {
  let folder: URL
  let watch: RequestWatch

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    await watch.note()
    guard let file = file(for: request.path) else { return HTTPResponse(statusCode: .notFound) }
    return try await FileHTTPHandler(path: file, contentType: Self.contentType(of: file)).handleRequest(request)
  }

  /// - Parameter path: the path in the request, which may contain percent escapes.
  func file(for path: String) -> URL? {
    let path = path.removingPercentEncoding ?? path
    let name = path.split(separator: "/").joined(separator: "/")
    let url = folder.appendingPathComponent(name.isEmpty ? "index.html" : name).standardizedFileURL
      .resolvingSymlinksInPath()
    var isFolder: ObjCBool = false
    guard url.path.hasPrefix(folder.path + "/"),
      FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue
    else { return nil }
    return url
  }

  private static func contentType(of file: URL) -> String {
    switch file.pathExtension {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    default: "application/octet-stream"
    }
  }
}
