internal import CPostgreSQL
internal import CoreData
import Foundation

/// Where a store is: the URL that a program gives, in libpq's form, with one item of ours among its parameters.
///
///     postgresql://mary@db.example.com/library?sslmode=verify-full&schema=catalogue
///
/// `schema` is the database's schema that has the store's tables; without it they are where the server's `search_path`
/// leads. Everything else is libpq's: hosts, ports, TLS, time-outs, a password file or service.
///
/// The password is here and nowhere else: `shown` is what errors, logs and `NSPersistentStore.url` have.
struct StoreAddress {
  let schema: String?
  /// The URL without a password.
  let shown: URL
  private let information: String
  /// What the server sets as a session begins: the URL's own settings, or `PGOPTIONS`, and the search path. A pool of
  /// connections that can't keep a search path to its session refuses it here, where `SET` would change another's.
  private let sessionOptions: String?

  init(_ url: URL) {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else {
      (schema, shown, information, sessionOptions) = (nil, url, url.absoluteString, nil)
      return
    }
    let items = parts.queryItems ?? []
    schema = items.last { $0.name == "schema" }?.value
    let ownOptions = items.last { $0.name == "options" }?.value ?? ProcessInfo.processInfo.environment["PGOPTIONS"]
    sessionOptions = schema.map { schema in
      [ownOptions, "-c search_path=" + StoreAddress.escaped(SQLName.identifier(schema))].compactMap { $0 }
        .joined(separator: " ")
    }
    func set(_ items: [URLQueryItem]) { parts.queryItems = items.isEmpty ? nil : items }
    set(items.filter { $0.name != "schema" })
    information = parts.string ?? url.absoluteString
    set(items.filter { !["password", "sslpassword"].contains($0.name) })
    parts.password = nil
    shown = parts.url ?? URL(string: "postgresql:")!
  }

  static func isAddress(_ url: URL) -> Bool { ["postgresql", "postgres"].contains(url.scheme) }

  /// A connection, which may have failed: its status says so. Throws where libpq is not installed.
  func connect() throws -> OpaquePointer {
    if let problem = cpq_load() {
      throw StoreFailure.missingLibrary(
        "PostgreSQL's client library, libpq,", package: "libpq5", String(cString: problem))
    }
    // Later words have the last one against the URL, earlier ones are what it says nothing about.
    let words = ["fallback_application_name": "Strata", "connect_timeout": "10"]
    let names = Array(words.keys) + ["dbname", "client_encoding"] + (sessionOptions == nil ? [] : ["options"])
    let values = Array(words.values) + [information, "UTF8"] + [sessionOptions].compactMap { $0 }
    return withStrings(names) { names in
      withStrings(values) { values in PQconnectdbParams(names, values, 1) }
    }
  }

  /// A value as the list of options has it: a blank would end it.
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
