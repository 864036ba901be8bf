internal import CPostgreSQL
internal import CoreData
import Foundation

/// The address of a store: a URL in libpq's form, with one parameter of this package.
///
///     postgresql://mary@db.example.com/library?sslmode=verify-full&schema=catalogue
///
/// `schema` names the database schema that has the store's tables; without it, the server's `search_path` decides.
/// Everything else is libpq's: hosts, ports, TLS, time-outs, a password file or service.
///
/// Only this type holds the password: errors, logs and `NSPersistentStore.url` have `shown`, and libpq's words are
/// `redacted`.
struct StoreAddress {
  let schema: String?
  /// The URL without a password.
  let shown: URL
  private let information: String
  private let secrets: [String]
  /// The settings of a new session: those of the URL or of `PGOPTIONS`, then the search path. A connection pooler that
  /// can't keep a search path per session refuses it here; a `SET` would change another program's session.
  private let sessionOptions: String?
  /// How many seconds a new connection may take, if the URL does not say.
  private let connectTimeout: Int
  /// How many milliseconds a server may leave what was sent without a sign that it has come, if the URL does not say.
  private let userTimeout: Int
  /// The shortest of such times, in seconds: what a network loses is sent again after a second or more.
  private static let shortestUserTimeout: TimeInterval = 5

  /// - Parameters:
  ///   - givenSchema: the schema where the URL names none.
  ///   - patience: how long a program waits for a server that went away, in seconds.
  init(_ url: URL, givenSchema: String? = nil, connectTimeout: Int = 10, patience: TimeInterval = 30) {
    self.connectTimeout = connectTimeout
    userTimeout = StoreSettings.milliseconds(max(patience, StoreAddress.shortestUserTimeout))
    shown = url.withoutPassword
    secrets = url.passwords
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else {
      (schema, information, sessionOptions) = (givenSchema, url.absoluteString, nil)
      return
    }
    let items = parts.queryItems ?? []
    schema = items.last { $0.name == "schema" }?.value ?? givenSchema
    let ownOptions = items.last { $0.name == "options" }?.value ?? ProcessInfo.processInfo.environment["PGOPTIONS"]
    sessionOptions = schema.map { schema in
      [ownOptions, "-c search_path=" + StoreAddress.escaped(SQLName.identifier(schema))].compactMap { $0 }
        .joined(separator: " ")
    }
    let others = items.filter { $0.name != "schema" }
    parts.queryItems = others.isEmpty ? nil : others
    information = parts.string ?? url.absoluteString
  }

  /// A message of libpq, without what it quotes of the URL if that has the password: it quotes what it can't read.
  func redacted(_ message: String) -> String {
    message.components(separatedBy: "\"").enumerated().map { number, part in
      number % 2 == 1 && secrets.contains { part.contains($0) } ? "…" : part
    }.joined(separator: "\"")
  }

  /// Returns the URL with another schema.
  static func url(_ url: URL, schema: String) -> URL {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return url }
    parts.queryItems =
      (parts.queryItems ?? []).filter { $0.name != "schema" } + [URLQueryItem(name: "schema", value: schema)]
    return parts.url ?? url
  }

  static func isAddress(_ url: URL) -> Bool { ["postgresql", "postgres"].contains(url.scheme) }

  /// Returns a new connection, whose status says whether it failed. Throws if libpq is not installed.
  func connect() throws -> OpaquePointer {
    if let problem = cpq_load() {
      throw StoreFailure.missingLibrary(
        "PostgreSQL's client library, libpq,", package: "libpq5", String(cString: problem))
    }
    // Words before `dbname` are defaults, which the URL can override; words after it override the URL.
    // A connection that only the server, or the network, has given up is noticed after half a minute.
    let words = [
      "fallback_application_name": "Strata", "connect_timeout": "\(connectTimeout)", "keepalives_idle": "15",
      "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "\(userTimeout)",
    ]
    let names = Array(words.keys) + ["dbname", "client_encoding"] + (sessionOptions == nil ? [] : ["options"])
    let values = Array(words.values) + [information, "UTF8"] + [sessionOptions].compactMap { $0 }
    return withStrings(names) { names in
      withStrings(values) { values in PQconnectdbParams(names, values, 1) }
    }
  }

  /// Returns a value with its blanks and backslashes escaped: a blank would end the option.
  private static func escaped(_ value: String) -> String {
    value.map { $0.isWhitespace || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
  }

  private func withStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    let copies = texts.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { body($0.baseAddress!) }
  }
}
