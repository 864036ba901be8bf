import CoreData
import Foundation
import PostgreSQLStore
import PostgreSQLTestServer
import Testing

@Suite("Search paths that lead to a PostgreSQL store", hasServer)
struct SearchPathTests {
  private func model() -> NSManagedObjectModel {
    let model = libraryModel()
    let plain = NSDerivedAttributeDescription()
    (plain.name, plain.attributeType, plain.isOptional) = ("plainName", .stringAttributeType, true)
    plain.derivationExpression = NSExpression(format: "canonical:(name)")
    model.entitiesByName["Author"]?.properties.append(plain)
    return model
  }

  /// Inserts an author by SQL, with the search path that a program has by default.
  private func insert(_ name: String, key: Int, _ schema: String) throws {
    _ = try TestServer.required.rows(
      "INSERT INTO \(schema).zauthor (z_pk, z_ent, z_opt, zname) "
        + "SELECT \(key), z_ent, 1, '\(name)' FROM \(schema).z_primarykey WHERE z_name = 'Author'")
  }

  private func plainNames(_ shelf: Shelf) throws -> [String] {
    try shelf.context.performAndWait {
      shelf.context.reset()
      return try shelf.context.all("Author", "name ==[c] 'ÄNN'", sort: "plainName").map {
        $0.value(forKey: "plainName") as? String ?? ""
      }
    }
  }

  @Test("A program with another search path that writes by SQL has values derived as the store has them")
  func otherPath() throws {
    let schema = "Other \"path"
    let shelf = try Shelf(model(), at: TestServer.required.url(schema: schema))
    try insert("Änn", key: 500_000, "\"Other \"\"path\"")
    #expect(try plainNames(shelf) == ["ann"])
  }

  @Test("A store that an earlier version made gets triggers that know no search path when it is opened to write it")
  func olderTriggers() throws {
    let schema = "oldertriggers"
    let shelf = try Shelf(model(), at: TestServer.required.url(schema: schema))
    _ = try TestServer.required.rows(
      "CREATE OR REPLACE FUNCTION \(schema).\"Z_DA_ZAUTHOR_Author_plainName_SOURCE_INSERT\"() RETURNS trigger "
        + "LANGUAGE plpgsql AS 'BEGIN UPDATE ZAUTHOR SET ZNAME = ZNAME; RETURN NULL; END'")
    _ = try TestServer.required.rows("DROP FUNCTION \(schema).NSCoreDataVersion()")
    #expect(throws: (any Error).self) { try insert("Änn", key: 500_000, schema) }
    _ = try shelf.elsewhere()
    try insert("Änn", key: 500_000, schema)
    #expect(try plainNames(shelf) == ["ann"])
  }

  @Test("A store whose schema has got another name is opened under it, and its functions find each other there")
  func renamed() throws {
    let url = TestServer.required.url(schema: "renamed_before")
    try {
      let shelf = try Shelf(model(), at: url)
      try shelf.context.performAndWait {
        shelf.context.new("Author", ["name": "änn"])
        try shelf.context.save()
      }
    }()
    _ = try TestServer.required.rows("ALTER SCHEMA renamed_before RENAME TO \"Renamed\"")
    let shelf = try Shelf(model(), at: TestServer.required.url(schema: "Renamed"))
    try insert("Änn", key: 500_000, "\"Renamed\"")
    #expect(try plainNames(shelf) == ["ann", "ann"])
  }

  @Test("A store in the first schema of a path is not taken for one in the second, which has tables of the same names")
  func secondSchema() throws {
    let server = TestServer.required
    let outer = try Shelf(libraryModel(), at: server.url(schema: "path_outer"), options: tracked)
    try outer.context.performAndWait {
      outer.context.new("Author", ["name": "Ann"])
      try outer.context.save()
    }
    _ = try server.rows("CREATE SCHEMA path_inner")
    let path = "-c%20search_path%3Dpath_inner%2Cpath_outer"
    let url = try #require(URL(string: "postgresql:///postgres?host=\(server.folder)&user=strata&options=\(path)"))
    #expect(throws: NSError.self) {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSPostgreSQLStoreType, at: url)
    }
    let inner = try Shelf(libraryModel(), at: url, options: tracked)
    try inner.context.performAndWait {
      #expect(try inner.context.all("Author").isEmpty)
      #expect(try inner.context.history(after: nil).isEmpty)
      inner.context.new("Author", ["name": "Bob"])
      try inner.context.save()
      #expect(try inner.context.history(after: nil).count == 1)
    }
    let uuids = try [inner, outer].map { try $0.store.metadata[NSStoreUUIDKey] as? String }
    #expect(uuids[0] != uuids[1])
    try outer.context.performAndWait {
      outer.context.reset()
      #expect(try outer.context.all("Author").map { $0.value(forKey: "name") as? String } == ["Ann"])
      #expect(try outer.context.history(after: nil).count == 1)
    }
  }
}
