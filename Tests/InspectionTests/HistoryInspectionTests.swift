import Foundation
import Inspection
import TestFiles
import Testing

@Suite("Looking into a store's history")
struct HistoryInspectionTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("Library.sqlite") }

  /// The tables as Apple's framework makes them; the stored properties of Author are books, name.
  private func makeHistory() throws {
    try Library.make(at: url)
    try run(
      """
      CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
        ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR,
        ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB);
      CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
        ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB);
      INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'importer'), (2, 16003, NULL, 'app');
      INSERT INTO ATRANSACTION(Z_PK, ZAUTHORTS, ZPROCESSIDTS, ZTIMESTAMP) VALUES (1, 1, 2, 0), (2, NULL, 2, 60.5);
      INSERT INTO ATRANSACTION(Z_PK, ZTIMESTAMP, ZAUTHOR) VALUES (4, 86400, 'an older file');
      INSERT INTO ACHANGE VALUES (1, 16001, NULL, 0, 1, 1, 1, NULL, NULL), (2, 16001, NULL, 0, 1, 2, 1, NULL, NULL),
        (3, 16001, NULL, 1, 1, 1, 2, x'40', NULL), (4, 16001, NULL, 1, 1, 2, 2, x'C0', NULL),
        (5, 16001, NULL, 2, 99, 7, 4, NULL, 'left');
      """, in: url)
  }

  @Test("The report counts transactions and changes by kind, and names authors, first and last")
  func report() throws {
    try makeHistory()
    let text = try StoreReport(open(url)).text
    #expect(
      text.contains(
        """
        History
          transactions  3
          changes       5: 2 inserted, 2 updated, 1 deleted
          first         2001-01-01T00:00:00Z
          last          2001-01-02T00:00:00Z
          authors       an older file, importer
          contexts      none
          processes     app
        """), "\(text)")
    #expect(!text.contains("does not explain"))
  }

  @Test("Transactions are listed with their changes, the changed properties and the tombstones")
  func transactions() throws {
    try makeHistory()
    let file = try open(url)
    #expect(
      try TransactionList(file, limit: nil).text == """
        Transaction 1  2001-01-01T00:00:00Z, author importer, process app
          inserted  Author/p1
          inserted  Author/p2
        Transaction 2  2001-01-01T00:01:00.5Z, process app
          updated  Author/p1  name
          updated  Author/p2  books, name
        Transaction 4  2001-01-02T00:00:00Z, author an older file
          deleted  Z_ENT 99/p7  tombstone0 = "left"

        """)
    let last = try TransactionList(file, limit: 1)
    #expect(last.text.hasPrefix("Transaction 4"))
    #expect(last.text.hasSuffix("2 earlier transactions left out; --limit shows more.\n"))
    let json = last.json
    #expect(json["leftOut"] == .integer(2))
    #expect(
      json["transactions"]?.array.first?["changes"]?.array.first?["tombstone"]?["tombstone0"]
        == .string("left"))
  }

  @Test("A store without history says so")
  func none() throws {
    try Library.make(at: url)
    #expect(
      failure { _ = try TransactionList(open(url), limit: nil) }?.sentence
        == "The store \(url.path) keeps no history.")
  }

  @Test("A history that has an author's name twice under one number is listed all the same")
  func numberTwice() throws {
    try makeHistory()
    try run(
      """
      CREATE TABLE KEPT AS SELECT * FROM ATRANSACTIONSTRING;
      DROP TABLE ATRANSACTIONSTRING;
      ALTER TABLE KEPT RENAME TO ATRANSACTIONSTRING;
      INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'another');
      """, in: url)
    let text = try TransactionList(open(url), limit: nil).text
    #expect(text.contains("author importer") && text.contains("author another"), "\(text)")
    #expect(text.components(separatedBy: "inserted  Author/p1").count == 2, "\(text)")
  }
}
