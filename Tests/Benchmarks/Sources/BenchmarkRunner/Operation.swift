/// What is measured: one operation, the variants that have it, and the store that it starts from.
struct Operation {
  enum Start {
    /// No store yet: the driver makes one.
    case nothing
    /// The common store, which is only read.
    case books
    /// The common store with an index on ISBN, which is only read.
    case indexedBooks
    /// A fresh copy of the common store, which is changed.
    case copyOfBooks
    /// No store yet, and what the driver makes holds no books.
    case otherStore
    /// No store yet: the driver makes one of volumes, tags and shelves.
    case noVolumes
    /// A fresh copy of the common store, whose tables are changed.
    case copyOfBooksToMigrate
    /// A fresh copy of the common store of volumes, tags and shelves, which is changed.
    case copyOfVolumes
  }

  let name: String
  /// What it does; `N` stands for the number of books.
  let summary: String
  let start: Start
  let variants: [Variant]
  /// Whether the operation is timed; else it reports other figures alone.
  var isTimed = true

  /// How C audits the stores that the variants leave behind; nil where they change none.
  var audit: String? {
    switch start {
    case .nothing, .copyOfBooks: "audit"
    case .noVolumes, .copyOfVolumes: "audittables"
    case .copyOfBooksToMigrate: "auditmigrated"
    case .books, .indexedBooks, .otherStore: nil
    }
  }

  /// Whether it is about relationships, and so about the store of volumes.
  var isOfVolumes: Bool { audit == "audittables" }

  /// What `--instructions` counts unless told: an instruction takes fifty times as long under valgrind.
  static let countedByDefault = ["insert", "fetch", "faults", "update", "delete"]

  static let all: [Operation] = [
    Operation(
      name: "insert", summary: "create, relate and save N books and N/10 authors", start: .nothing,
      variants: [.c, .statement, .hand, .codable, .strata]),
    Operation(
      name: "batchinsert", summary: "insert N books by a batch request whose handler fills in a dictionary",
      start: .nothing, variants: [.c, .statement, .hand, .strata]),
    Operation(
      name: "batchinsertobject", summary: "the same N books; the handler sets an object's properties",
      start: .nothing, variants: [.c, .strata]),
    Operation(
      name: "decode", summary: "read N books from a catalogue of JSON, without a store", start: .otherStore,
      variants: [.foundation, .strata]),
    Operation(
      name: "import", summary: "read N books and N/10 authors from a catalogue of JSON and save them", start: .nothing,
      variants: [.statement, .strata]),
    Operation(
      name: "fetch", summary: "fetch N books and read 7 properties of each", start: .books,
      variants: [.c, .index, .hand, .codable, .strata]),
    Operation(
      name: "reread", summary: "read 7 properties of N fetched books again", start: .books,
      variants: [.strata]),
    Operation(
      name: "rereadkey", summary: "the same through value(forKey:)", start: .books, variants: [.strata]),
    Operation(
      name: "faults", summary: "make N faults (C and GRDB: an array of keys)", start: .books,
      variants: [.c, .index, .strata]),
    Operation(
      name: "fetchids", summary: "fetch N object ids (C: an array of keys)", start: .books,
      variants: [.strata]),
    Operation(
      name: "fire", summary: "fire N faults one at a time (C and GRDB: look N keys up)", start: .books,
      variants: [.c, .index, .hand, .strata]),
    Operation(
      name: "batch", summary: "fire N faults a hundred at a time", start: .books, variants: [.c, .strata]),
    Operation(
      name: "update", summary: "change a tenth of the books, check versions, save", start: .copyOfBooks,
      variants: [.c, .changes, .hand, .codable, .strata]),
    Operation(
      name: "delete", summary: "delete a tenth of the books (Strata: by its rules), save",
      start: .copyOfBooks,
      variants: [.c, .rules, .hand, .strata]),
    Operation(
      name: "indexed", summary: "10,000 fetches by an indexed column", start: .indexedBooks,
      variants: [.c, .index, .hand, .pool, .strata]),
    Operation(
      name: "scan", summary: "10 fetches by a column without index", start: .books,
      variants: [.c, .hand, .strata]),
    Operation(
      name: "any", summary: "10 fetches of authors by ANY of their books, without index", start: .books,
      variants: [.c, .strata]),
    Operation(
      name: "group", summary: "count, sum and maximum of each writer's books", start: .books,
      variants: [.c, .strata]),
    Operation(
      name: "traverse", summary: "read the name of the writer of each of N fetched books", start: .books,
      variants: [.c, .index, .hand, .strata]),
    Operation(
      name: "prefetch", summary: "fetch N/10 authors with their N books, and read all of them", start: .books,
      variants: [.c, .index, .hand, .strata]),
    Operation(name: "parse", summary: "parse 1,000 typical predicates", start: .books, variants: [.strata]),
    Operation(
      name: "evaluate", summary: "evaluate a predicate of three parts on N books", start: .books,
      variants: [.strata]),
    Operation(
      name: "evaluateclosure", summary: "the same by a closure on N dictionaries", start: .books,
      variants: [.strata]),
    Operation(
      name: "write1", summary: "N/10 books, one a transaction, by a serialised writer", start: .nothing,
      variants: [.c, .pool, .strata]),
    Operation(
      name: "write10", summary: "N/10 books, ten a transaction", start: .nothing,
      variants: [.c, .pool, .strata]),
    Operation(
      name: "write100", summary: "N/10 books, a hundred a transaction", start: .nothing,
      variants: [.c, .pool, .strata]),
    Operation(
      name: "writebeside", summary: "N/10 books, one a transaction, while another thread reads", start: .nothing,
      variants: [.c, .pool, .strata]),
    Operation(
      name: "writefull", summary: "N/10 books, one a transaction that is on the disk at its end (synchronous FULL)",
      start: .nothing, variants: [.c, .pool, .strata]),
    Operation(
      name: "writegroup",
      summary: "the same N/10 books in a block each, of which those that wait, 64, share a transaction",
      start: .nothing, variants: [.c, .strata]),
    Operation(
      name: "tag", summary: "create N volumes, 1,000 tags, 3 tags a volume (many to many), save",
      start: .noVolumes, variants: [.c, .statement, .strata]),
    Operation(
      name: "shelve", summary: "create N volumes on N/100 shelves (ordered), save", start: .noVolumes,
      variants: [.c, .statement, .strata]),
    Operation(
      name: "retag", summary: "swap a tag of a tenth of the volumes, asked of the volume, save",
      start: .copyOfVolumes, variants: [.c, .statement, .strata]),
    Operation(
      name: "retagback", summary: "the same, asked of the tag, which has many volumes", start: .copyOfVolumes,
      variants: [.c, .strata]),
    Operation(
      name: "move", summary: "move a tenth of the volumes to the end of another shelf, save",
      start: .copyOfVolumes, variants: [.c, .statement, .strata]),
    Operation(
      name: "reorder", summary: "give every other shelf of 100 volumes a new order, save",
      start: .copyOfVolumes, variants: [.c, .statement, .strata]),
    Operation(
      name: "open", summary: "read a compiled model of 50 entities and open an existing store of it",
      start: .otherStore, variants: [.strata]),
    Operation(
      name: "migratedefault", summary: "migrate N books: a new attribute with a default value",
      start: .copyOfBooksToMigrate, variants: [.c, .strata]),
    Operation(
      name: "migratedrop", summary: "migrate N books: an attribute is gone, another has a new name",
      start: .copyOfBooksToMigrate, variants: [.c, .strata]),
    Operation(
      name: "migrateentity", summary: "migrate N books: a new entity before all others, so that their numbers change",
      start: .copyOfBooksToMigrate, variants: [.c, .strata]),
    Operation(
      name: "migratemany", summary: "migrate N books: one writer becomes many writers", start: .copyOfBooksToMigrate,
      variants: [.c, .strata]),
    Operation(
      name: "migratecustom", summary: "migrate N books object by object, by a policy", start: .copyOfBooksToMigrate,
      variants: [.strata]),
    Operation(
      name: "modelinsert", summary: "make N models with 3 properties and save them, with a history", start: .otherStore,
      variants: [.models, .objects]),
    Operation(
      name: "modelfetch", summary: "fetch N models, and read no property", start: .otherStore,
      variants: [.models, .objects]),
    Operation(
      name: "modelread", summary: "read 3 properties of N fetched models again", start: .otherStore,
      variants: [.models, .objects, .observed]),
    Operation(
      name: "memory", summary: "memory of N fetched and read books", start: .books,
      variants: [.index, .hand, .codable, .strata], isTimed: false),
    Operation(
      name: "batchmemory", summary: "memory of N books fetched a hundred at a time", start: .books,
      variants: [.strata], isTimed: false),
  ]
}
