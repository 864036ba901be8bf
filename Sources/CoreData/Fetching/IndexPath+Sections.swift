// Foundation on Linux has `IndexPath` without the names that lists of sections use.

extension IndexPath {
  /// An index path of two indexes: a row in a section.
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

  /// An index path of two indexes: an item in a section.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

  /// The first index.
  public var section: Int {
    get { self[0] }
    set { self[0] = newValue }
  }

  /// The second index.
  public var row: Int {
    get { self[1] }
    set { self[1] = newValue }
  }

  /// The second index.
  public var item: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
}
