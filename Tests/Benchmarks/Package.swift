// swift-tools-version: 6.1
// The benchmark suite is a package of its own, so that only it depends on GRDB.
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v5)]

/// valgrind gives up on the debug information that this toolchain writes; symbols, which it needs, stay.
let withoutDebugInformation: LinkerSetting = .unsafeFlags(["-Xlinker", "--strip-debug"])

let package = Package(
  name: "StrataBenchmarks",
  dependencies: [
    .package(name: "Strata", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.3.0"),
  ],
  targets: [
    // What all drivers share: the data, the schema, the clock, the checksum of a book.
    .target(name: "BenchmarkWorkload"),
    .target(name: "BenchmarkDriver", dependencies: ["BenchmarkWorkload"], swiftSettings: settings),

    // The drivers: one executable for each way of doing the same work.
    .executableTarget(
      name: "BenchmarkC", dependencies: ["BenchmarkWorkload"],
      linkerSettings: [.linkedLibrary("sqlite3"), withoutDebugInformation]),
    .executableTarget(
      name: "BenchmarkGRDB",
      dependencies: ["BenchmarkDriver", "BenchmarkWorkload", .product(name: "GRDB", package: "GRDB.swift")],
      swiftSettings: settings, linkerSettings: [withoutDebugInformation]),
    .executableTarget(
      name: "BenchmarkCoreData",
      dependencies: [
        "BenchmarkDriver", "BenchmarkWorkload", .product(name: "CoreData", package: "Strata"),
        .product(name: "LibraryCatalogChapter", package: "Strata"),
      ],
      exclude: [
        "BenchmarkLibrary.xcdatamodeld", "BenchmarkShelves.xcdatamodeld", "FiftyEntities.xcdatamodeld",
      ],
      swiftSettings: settings, linkerSettings: [withoutDebugInformation],
      plugins: [.plugin(name: "CompileDataModel", package: "Strata")]),

    .executableTarget(
      name: "BenchmarkSwiftData",
      dependencies: [
        "BenchmarkDriver", "BenchmarkWorkload", .product(name: "CoreData", package: "Strata"),
        .product(name: "SwiftData", package: "Strata"),
      ],
      swiftSettings: settings, linkerSettings: [withoutDebugInformation],
      plugins: [.plugin(name: "CompileDataModel", package: "Strata")]),

    // Runs the drivers in turn and sets their figures beside the goals. The report is a value of its own, which the
    // project's pages read.
    .target(name: "BenchmarkReport"),
    .executableTarget(
      name: "BenchmarkRunner",
      dependencies: ["BenchmarkReport", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: settings),
  ]
)
