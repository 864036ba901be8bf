#include <sqlite3.h>

// `sqlite3_db_config` takes variable arguments, which Swift cannot call.

/// Restricts what a file's triggers, views, indexes and defaults may call: only functions without side effects.
static inline int csqlite_distrust_schema(sqlite3 *db) {
  int now = 0;
  return sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &now);
}

/// Lets the last connection close without moving the write-ahead log into the database.
static inline int csqlite_keep_wal_on_close(sqlite3 *db, int keep) {
  int now = 0;
  return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep, &now);
}
