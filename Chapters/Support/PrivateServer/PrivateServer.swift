import Foundation

/// A PostgreSQL server of this program's own, without a port: it listens at a socket in a private folder.
///
/// A shell starts it, ends it and removes the folder as soon as this process is gone, however that ends. As root the
/// shell runs as another user, since the server refuses root. Tests and chapters share it.
public final class PrivateServer: @unchecked Sendable {
  // `@unchecked Sendable`: `process` and `input` are only touched under `lock`.

  public let folder: String
  private let lock = NSLock()
  private var process: Process?
  private var input: FileHandle?
  private let programs: String
  private let settings: String
  /// The folder of the server that this one is a replica of; empty for none.
  private let source: String

  /// Why there is no server, in a sentence that says what to install if that is the reason.
  public struct NoServer: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
  }

  /// - Parameters:
  ///   - isDurable: whether commits wait for the disk.
  ///   - source: the server to copy, and to follow as its streaming replica.
  ///   - logsStatements: whether `log` has all statements.
  public init(isDurable: Bool = false, replicaOf source: PrivateServer? = nil, logsStatements: Bool = false) throws {
    guard
      let programs = Self.places.first(where: {
        FileManager.default.isExecutableFile(atPath: "\($0)/initdb")
          && FileManager.default.isExecutableFile(atPath: "\($0)/postgres")
      })
    else { throw NoServer(description: "there is no initdb; install the package postgresql") }
    self.programs = programs
    settings =
      (isDurable ? "" : "-c fsync=off -c full_page_writes=off") + (logsStatements ? " -c log_statement=all" : "")
    self.source = source?.folder ?? ""
    // The socket's path has at most 107 bytes.
    var template = Array("/tmp/pgXXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw NoServer(description: "no folder could be made in /tmp") }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    try start()
  }

  deinit { stop() }

  /// Where the server's programs may be, the newest version first; `STRATA_POSTGRESQL` names another folder.
  private static var places: [String] {
    if let folder = ProcessInfo.processInfo.environment["STRATA_POSTGRESQL"] { return [folder] }
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    return versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
      + ["/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"]
  }

  /// The output of a statement that `psql` runs, without Core Data.
  public func rows(_ sql: String) throws -> [[String]] {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "\(programs)/psql")
    process.arguments = ["-X", "-A", "-t", "-F", "\t", "-h", folder, "-U", "strata", "-d", "postgres", "-c", sql]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw NoServer(description: "psql could not run: \(sql)") }
    return text.split(separator: "\n").map { $0.components(separatedBy: "\t") }
  }

  /// The URL of a new store, in a schema of its own, which is made when the store is opened.
  public func newStoreURL() -> URL {
    let schema = "s" + UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    return url(schema: schema)
  }

  public func url(schema: String, user: String = "strata", database: String = "postgres", more: String = "") -> URL {
    let encoded = schema.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? schema
    return URL(string: "postgresql:///\(database)?host=\(folder)&user=\(user)&schema=\(encoded)\(more)")!
  }

  /// Starts the server, or starts it again, and returns once it answers.
  public func start() throws {
    let script = """
      cd "$1" || exit 1
      exec 2>shell.log
      if [ ! -d data ] && [ -n "$4" ]; then
        "$2/pg_basebackup" -D data -h "$4" -U strata -R -X stream -c fast --no-sync >initdb.log 2>&1 || exit 1
      elif [ ! -d data ]; then
        "$2/initdb" -D data -U strata -A trust -E UTF8 --locale=C.UTF-8 --no-sync >initdb.log 2>&1 || exit 1
        sed -i '1i local all visitor scram-sha-256' data/pg_hba.conf || exit 1
      fi
      "$2/pg_ctl" -D data -w -t 300 -l server.log -o "-k $1 -c listen_addresses= -c max_connections=200 $3" start \
        >pg_ctl.log 2>&1 || { "$2/pg_ctl" -D data -m immediate stop >>pg_ctl.log 2>&1; exit 1; }
      echo ready
      read -r how
      "$2/pg_ctl" -D data -w -t 300 -m "${how:-immediate}" stop >pg_ctl.log 2>&1 ||
        "$2/pg_ctl" -D data -w -t 300 -m immediate stop >>pg_ctl.log 2>&1
      [ -n "$how" ] || rm -rf "$1"
      """
    let process = Process()
    let arguments = try unprivileged(["/bin/sh", "-c", script, "sh", folder, programs, settings, source])
    chmod(folder, 0o755)
    let (input, output) = (Pipe(), Pipe())
    // Whatever else this process starts would hold the pipe open, and the shell would wait for it.
    for end in [input.fileHandleForWriting, output.fileHandleForReading] {
      _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    process.executableURL = URL(fileURLWithPath: arguments[0])
    process.arguments = Array(arguments.dropFirst())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    // The server itself must not hold the pipe that says when this process has ended.
    guard String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "ready\n" else {
      process.waitUntilExit()
      let log = ["initdb.log", "pg_ctl.log", "server.log"].compactMap {
        try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
      }
      throw NoServer(description: log.joined(separator: "\n"))
    }
    lock.withLock { (self.process, self.input) = (process, input.fileHandleForWriting) }
  }

  /// A command as the server's user may run it: neither the server nor what stands before it runs as root. The folder
  /// becomes that user's.
  public func unprivileged(_ command: [String]) throws -> [String] {
    guard geteuid() == 0 else { return command }
    guard let entry = getpwnam("postgres") ?? getpwnam("nobody") else {
      throw NoServer(description: "the server refuses root, and there is no user postgres or nobody")
    }
    let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
    chown(folder, user, group)
    return ["/usr/bin/setpriv", "--reuid", "\(user)", "--regid", "\(group)", "--clear-groups"] + command
  }

  /// What the server has written to its log.
  public var log: String { (try? String(contentsOfFile: "\(folder)/server.log", encoding: .utf8)) ?? "" }

  /// Stops the server and keeps its data, so that it can be started again.
  ///
  /// - Parameter mode: `fast`, or `immediate`, which has the effect of a power failure.
  public func halt(_ mode: String = "immediate") { end("\(mode)\n") }

  /// Kills the server as `kill -9` does, and starts it again.
  public func killAndStart() throws {
    let file = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
    guard let number = file.split(separator: "\n").first.flatMap({ Int32($0) }), number > 1 else {
      throw NoServer(description: "postmaster.pid has no number")
    }
    kill(number, SIGKILL)
    // The shell finds no server, and goes.
    end("immediate\n")
    // Its processes end a moment later, and none is started while one of them has the shared memory.
    for attempt in 1... {
      do { return try start() } catch let error as NoServer {
        if attempt == 50 { throw error }
        Thread.sleep(forTimeInterval: 0.2)
      }
    }
  }

  /// Stops the server for good.
  public func stop() { end("\n") }

  private func end(_ word: String) {
    let (process, input) = lock.withLock {
      defer { (self.process, self.input) = (nil, nil) }
      return (self.process, self.input)
    }
    guard let process, let input else { return }
    try? input.write(contentsOf: Data(word.utf8))
    try? input.close()
    process.waitUntilExit()
  }
}
