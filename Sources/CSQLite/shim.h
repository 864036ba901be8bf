#include <sqlite3.h>

// `sqlite3_config`, `sqlite3_db_config` and `sqlite3_vtab_config` take variable arguments, which Swift cannot call.

/// Lets SQLite allocate memory without counting it, in the whole process. Does nothing once SQLite is in use.
static inline int csqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// Restricts what a file's triggers, indexes and defaults may call, to functions without side effects. Takes no view for
/// a table: a view may have rows without end.
static inline int csqlite_distrust_schema(sqlite3 *db) {
  int now = 0;
  int code = sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &now);
  return code != SQLITE_OK ? code : sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, &now);
}

/// Lets statements name views, or not.
static inline int csqlite_allow_views(sqlite3 *db, int allows) {
  int now = 0;
  return sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, allows, &now);
}

/// Lets the last connection close without moving the write-ahead log into the database.
static inline int csqlite_keep_wal_on_close(sqlite3 *db, int keep) {
  int now = 0;
  return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep, &now);
}

/// For a virtual table that is being connected: triggers and views of a file can't select from it.
static inline int csqlite_keep_out_of_schema(sqlite3 *db) { return sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY); }
