import Foundation
@_exported public import PrivateServer

/// The server of the tests, which is started when a test first asks.
public typealias TestServer = PrivateServer

extension PrivateServer {
  /// The server of this process; nil if none could be started, which is printed once.
  public static let shared: PrivateServer? = {
    do { return try PrivateServer() } catch {
      print("Skipped: no PostgreSQL server could be started: \(error)")
      return nil
    }
  }()

  /// The server, for suites that test nothing without one.
  public static var required: PrivateServer {
    guard let shared else { fatalError("These tests need a PostgreSQL server, and none could be started.") }
    return shared
  }

  /// Whether `Scripts/test-postgresql` runs the suites of the stack and of fetches, over a server in place of files.
  public static let hasAllStores = ProcessInfo.processInfo.environment["STRATA_STORE"] == "PostgreSQL"
}
