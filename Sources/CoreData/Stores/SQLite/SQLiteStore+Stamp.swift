/// A stamp that tells one state of a store's file from another, without reading the file.
extension SQLiteStore {
  /// A text that changes with every write to the file; nil if no text that outlives this process can promise that.
  ///
  /// It is made of the file's identity, its length and its time of change, which programs can't set. So it is nil while
  /// a log or a journal beside the file has commits, and while the time is so recent that another write could get the
  /// same one.
  ///
  /// - Parameter age: how old, in seconds, the last write has to be.
  func fileStamp(settledFor age: Int) -> String? {
    guard !isReadOnly, let place = url.map({ DatabasePlace($0) }), !place.hasMoreBesideIt,
      let file = FileStatus(place.path)
    else { return nil }
    var now = timespec()
    guard clock_gettime(CLOCK_REALTIME, &now) == 0, now.tv_sec - file.seconds >= age else { return nil }
    return file.text
  }

  private struct FileStatus {
    let length: Int
    let seconds: Int
    let text: String

    /// Asks for the status only, without opening the file: closing it would give up SQLite's locks.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      length = Int(status.st_size)
      seconds = status.st_ctim.tv_sec
      text = "\(status.st_dev).\(status.st_ino).\(length).\(seconds).\(status.st_ctim.tv_nsec)"
    }
  }
}
