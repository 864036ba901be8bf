#include <sqlite3.h>

// `sqlite3_db_config` takes variable arguments, which Swift cannot call.

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
