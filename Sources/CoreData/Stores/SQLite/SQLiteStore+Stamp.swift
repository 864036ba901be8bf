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
    let (seconds, nanoseconds) = file.changed.quotientAndRemainder(dividingBy: 1_000_000_000)
    var now = timespec()
    guard clock_gettime(CLOCK_REALTIME, &now) == 0, now.tv_sec - seconds >= age else { return nil }
    return "\(file.device).\(file.inode).\(file.length).\(seconds).\(nanoseconds)"
  }
}
