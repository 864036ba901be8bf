import Foundation

/// PgBouncer before a server, in its mode that gives each transaction another connection; it has one only, so that
/// whatever a session leaves behind meets the next one.
///
/// A shell starts it, and ends it as soon as this process is gone.
public final class Pooler {
  private let server: PrivateServer
  private let process = Process()
  private let input = Pipe()

  /// Where PgBouncer is; nil where it is not installed.
  public static let program: String? = ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
    .map { "\($0)/pgbouncer" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  /// - Parameter ignoring: Startup parameters that it drops in silence; it refuses those that it does not know.
  public init(to server: PrivateServer, ignoring: String = "extra_float_digits") throws {
    guard let program = Self.program else { throw PrivateServer.NoServer(description: "install pgbouncer") }
    self.server = server
    let settings = """
      [databases]
      postgres = host=\(server.folder) port=5432 user=strata
      [pgbouncer]
      listen_addr =
      listen_port = 6432
      unix_socket_dir = \(server.folder)
      auth_type = any
      pool_mode = transaction
      default_pool_size = 1
      ignore_startup_parameters = \(ignoring)
      """
    let file = "\(server.folder)/pooler.ini"
    try Data(settings.utf8).write(to: URL(fileURLWithPath: file))
    // No gentler signal: the thread that starts this may block them, and what it starts inherits that.
    let script = #""$1" -q "$2" >"$3/pooler.log" 2>&1 & read -r end; kill -9 $!; rm -f "$3/.s.PGSQL.6432""#
    let arguments = try server.unprivileged(["/bin/sh", "-c", script, "sh", program, file, server.folder])
    process.executableURL = URL(fileURLWithPath: arguments[0])
    process.arguments = Array(arguments.dropFirst())
    process.standardInput = input
    _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    try process.run()
    let deadline = Date(timeIntervalSinceNow: 20)
    while !FileManager.default.fileExists(atPath: "\(server.folder)/.s.PGSQL.6432") {
      guard Date() < deadline else {
        let log = try? String(contentsOfFile: "\(server.folder)/pooler.log", encoding: .utf8)
        throw PrivateServer.NoServer(description: "pgbouncer does not start: \(log ?? "")")
      }
      Thread.sleep(forTimeInterval: 0.02)
    }
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// - Parameter schema: Named in the URL; nil for where the role's search path leads.
  public func url(schema: String? = nil) -> URL {
    let more = schema.map { "&schema=\($0)" } ?? ""
    return URL(string: "postgresql:///postgres?host=\(server.folder)&port=6432&user=strata\(more)")!
  }
}
