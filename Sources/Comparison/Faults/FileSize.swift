import Foundation

/// Sizes of files, and how far files may grow.
enum FileSize {
  /// 0 if there is no such file.
  static func bytes(_ path: String) -> Int {
    var info = stat()
    return stat(path, &info) == 0 ? Int(info.st_size) : 0
  }

  /// From now on this process may not write past `bytes` in any file; nil for no limit. A write fails with `EFBIG`, as
  /// it would with `ENOSPC`.
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

  /// A process that ends by a trap leaves no core file.
  static func forbidCoreFiles() {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    #if os(Linux)
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)), &limit)
    #else
    setrlimit(RLIMIT_CORE, &limit)
    #endif
  }
}
