import Foundation

/// Reads and limits the sizes of files.
enum FileSize {
  /// The size of a file in bytes; 0 if there is no such file.
  static func bytes(_ path: String) -> Int {
    var info = stat()
    return stat(path, &info) == 0 ? Int(info.st_size) : 0
  }

  /// Forbids this process to write beyond `bytes` in any file; nil removes the limit. A write then fails with `EFBIG`,
  /// much as it fails with `ENOSPC` on a full disk.
  static func limit(to bytes: Int?) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    #if os(Linux)
    let resource = __rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue))
    #else
    let resource = RLIMIT_FSIZE
    #endif
    getrlimit(resource, &limit)
    limit.rlim_cur = bytes.map { rlim_t($0) } ?? limit.rlim_max
    setrlimit(resource, &limit)
  }

  /// Keeps the system from writing a core file when this process traps.
  static func forbidCoreFiles() {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    #if os(Linux)
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)), &limit)
    #else
    setrlimit(RLIMIT_CORE, &limit)
    #endif
  }
}
