// swift-tools-version: 6.2
// The fuzzers are a package of their own, since all that they feed is built for them: with coverage, with the address
// sanitizer, and with assertions kept. `Scripts/fuzz` knows the options.
import PackageDescription

let package = Package(
  name: "StrataFuzzing",
  dependencies: [.package(name: "Strata", path: "../..")],
  targets: [
    // What libFuzzer offers, and the SQLite and zlib that mutators need.
    .target(name: "FuzzerEngine", linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("z")]),

    // All targets in one program. libFuzzer has a `main` of its own, which stands back.
    .executableTarget(
      name: "Fuzzer",
      dependencies: [
        "FuzzerEngine",
        .product(name: "CoreData", package: "Strata"),
        .product(name: "FuzzedModules", package: "Strata"),
        .product(name: "LibraryCatalogChapter", package: "Strata"),
      ],
      swiftSettings: [.swiftLanguageMode(.v5)],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-Xlinker", "--allow-multiple-definition"])]),
  ]
)
