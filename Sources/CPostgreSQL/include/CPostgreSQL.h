// The functions of PostgreSQL's client library, libpq, that the store calls. The library is loaded when the first
// connection is made. So you can build and start a program without it, and a program without such a store never loads
// it.
//
// Names, parameters and numbers are those of libpq's documentation; its interface has been stable since version 8. Call
// `cpq_load` first. Each function here has a name of its own, so that a program that links libpq itself still calls the
// library's functions by theirs.

#ifndef CPOSTGRESQL_H
#define CPOSTGRESQL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef unsigned int Oid;
typedef void (*PQnoticeProcessor)(void *argument, const char *message);

typedef struct pgNotify {
  char *relname;
  int be_pid;
  char *extra;
  struct pgNotify *next;
} PGnotify;

typedef enum { CONNECTION_OK, CONNECTION_BAD } ConnStatusType;

typedef enum { PQERRORS_TERSE, PQERRORS_DEFAULT, PQERRORS_VERBOSE } PGVerbosity;

typedef enum {
  PGRES_EMPTY_QUERY = 0,
  PGRES_COMMAND_OK = 1,
  PGRES_TUPLES_OK = 2,
  PGRES_COPY_OUT = 3,
  PGRES_COPY_IN = 4,
  PGRES_BAD_RESPONSE = 5,
  PGRES_NONFATAL_ERROR = 6,
  PGRES_FATAL_ERROR = 7
} ExecStatusType;

typedef enum { PQTRANS_IDLE, PQTRANS_ACTIVE, PQTRANS_INTRANS, PQTRANS_INERROR, PQTRANS_UNKNOWN } PGTransactionStatusType;

// Loads the library once. Returns null if it is complete; otherwise the message of the system's loader, or the name of
// the missing function. Any thread may call it.
const char *cpq_load(void);

// X(result, name, Swift's name, parameters, arguments)
#define CPQ_FUNCTIONS(X)                                                                                               \
  X(PGconn *, PQconnectdbParams, "PQconnectdbParams(_:_:_:)",                                                          \
    (const char *const *keywords, const char *const *values, int expandDatabase), (keywords, values, expandDatabase))  \
  X(void, PQreset, "PQreset(_:)", (PGconn * connection), (connection))                                                 \
  X(PGVerbosity, PQsetErrorVerbosity, "PQsetErrorVerbosity(_:_:)", (PGconn * connection, PGVerbosity verbosity),       \
    (connection, verbosity))                                                                                           \
  X(void, PQfinish, "PQfinish(_:)", (PGconn * connection), (connection))                                               \
  X(ConnStatusType, PQstatus, "PQstatus(_:)", (const PGconn *connection), (connection))                                \
  X(PGTransactionStatusType, PQtransactionStatus, "PQtransactionStatus(_:)", (const PGconn *connection), (connection)) \
  X(int, PQserverVersion, "PQserverVersion(_:)", (const PGconn *connection), (connection))                             \
  X(int, PQconnectionNeedsPassword, "PQconnectionNeedsPassword(_:)", (const PGconn *connection), (connection))         \
  X(int, PQsocket, "PQsocket(_:)", (const PGconn *connection), (connection))                                           \
  X(char *, PQerrorMessage, "PQerrorMessage(_:)", (const PGconn *connection), (connection))                            \
  X(PQnoticeProcessor, PQsetNoticeProcessor, "PQsetNoticeProcessor(_:_:_:)",                                           \
    (PGconn * connection, PQnoticeProcessor processor, void *argument), (connection, processor, argument))             \
  X(PGresult *, PQexec, "PQexec(_:_:)", (PGconn * connection, const char *query), (connection, query))                 \
  X(PGresult *, PQexecParams, "PQexecParams(_:_:_:_:_:_:_:_:)",                                                        \
    (PGconn * connection, const char *command, int count, const Oid *types, const char *const *values,                 \
     const int *lengths, const int *formats, int resultFormat),                                                        \
    (connection, command, count, types, values, lengths, formats, resultFormat))                                       \
  X(PGresult *, PQprepare, "PQprepare(_:_:_:_:_:)",                                                                    \
    (PGconn * connection, const char *name, const char *query, int count, const Oid *types),                           \
    (connection, name, query, count, types))                                                                           \
  X(PGresult *, PQexecPrepared, "PQexecPrepared(_:_:_:_:_:_:_:)",                                                      \
    (PGconn * connection, const char *name, int count, const char *const *values, const int *lengths,                  \
     const int *formats, int resultFormat),                                                                            \
    (connection, name, count, values, lengths, formats, resultFormat))                                                 \
  X(PGresult *, PQgetResult, "PQgetResult(_:)", (PGconn * connection), (connection))                                   \
  X(int, PQputCopyData, "PQputCopyData(_:_:_:)", (PGconn * connection, const char *bytes, int count),                  \
    (connection, bytes, count))                                                                                        \
  X(int, PQputCopyEnd, "PQputCopyEnd(_:_:)", (PGconn * connection, const char *error), (connection, error))            \
  X(int, PQconsumeInput, "PQconsumeInput(_:)", (PGconn * connection), (connection))                                    \
  X(PGnotify *, PQnotifies, "PQnotifies(_:)", (PGconn * connection), (connection))                                     \
  X(void, PQfreemem, "PQfreemem(_:)", (void *memory), (memory))                                                        \
  X(ExecStatusType, PQresultStatus, "PQresultStatus(_:)", (const PGresult *result), (result))                          \
  X(char *, PQresultErrorField, "PQresultErrorField(_:_:)", (const PGresult *result, int field), (result, field))      \
  X(char *, PQcmdTuples, "PQcmdTuples(_:)", (PGresult * result), (result))                                             \
  X(int, PQntuples, "PQntuples(_:)", (const PGresult *result), (result))                                               \
  X(int, PQnfields, "PQnfields(_:)", (const PGresult *result), (result))                                               \
  X(char *, PQfname, "PQfname(_:_:)", (const PGresult *result, int column), (result, column))                          \
  X(Oid, PQftype, "PQftype(_:_:)", (const PGresult *result, int column), (result, column))                             \
  X(char *, PQgetvalue, "PQgetvalue(_:_:_:)", (const PGresult *result, int row, int column), (result, row, column))    \
  X(int, PQgetlength, "PQgetlength(_:_:_:)", (const PGresult *result, int row, int column), (result, row, column))     \
  X(int, PQgetisnull, "PQgetisnull(_:_:_:)", (const PGresult *result, int row, int column), (result, row, column))     \
  X(void, PQclear, "PQclear(_:)", (PGresult * result), (result))

// In Swift each function has libpq's own name.
#if defined(__has_attribute) && __has_attribute(swift_name)
#define CPQ_SWIFT_NAME(name) __attribute__((swift_name(name)))
#else
#define CPQ_SWIFT_NAME(name)
#endif

#define CPQ_DECLARE(Result, name, swift, parameters, arguments) Result cpq_##name parameters CPQ_SWIFT_NAME(swift);
CPQ_FUNCTIONS(CPQ_DECLARE)
#undef CPQ_DECLARE

#ifdef __cplusplus
}
#endif

#endif
