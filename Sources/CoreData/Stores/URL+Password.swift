extension URL {
  /// The URL as anyone may read it: without a password, which is a parameter in some of libpq's URLs. A URL that has none
  /// stays as it is written.
  package var withoutPassword: URL {
    guard !isFileURL, var parts = URLComponents(url: self, resolvingAgainstBaseURL: false) else { return self }
    let items = parts.percentEncodedQueryItems ?? []
    let open = items.filter { !URL.namesPassword($0) }
    if parts.password == nil, open.count == items.count { return self }
    parts.password = nil
    if open.count < items.count { parts.percentEncodedQueryItems = open.isEmpty ? nil : open }
    return parts.url ?? self
  }

  /// All passwords in the URL, as they are written and decoded.
  package var passwords: [String] {
    guard let parts = URLComponents(url: self, resolvingAgainstBaseURL: false) else { return [] }
    let found = (parts.percentEncodedQueryItems ?? []).filter(URL.namesPassword).map(\.value)
    return ([parts.percentEncodedPassword] + found).compactMap { $0 }
      .flatMap { [$0, $0.removingPercentEncoding ?? $0] }.filter { !$0.isEmpty }
  }

  private static func namesPassword(_ item: URLQueryItem) -> Bool {
    ["password", "sslpassword"].contains(item.name.removingPercentEncoding ?? item.name)
  }
}
