// swift-tools-version: 6.1
// What the store on a server costs beside C with libpq. A package of its own, so that only it needs libpq's headers.
import PackageDescription

let package = Package(
  name: "StrataPostgreSQLBenchmarks",
  dependencies: [.package(name: "Strata", path: "../..")],
  targets: [
    .executableTarget(
      name: "LibpqBenchmark",
      cSettings: [.unsafeFlags(["-O2", "-I/usr/include/postgresql", "-I/opt/homebrew/opt/libpq/include"])],
      linkerSettings: [.linkedLibrary("pq")]),
    .executableTarget(
      name: "PostgreSQLBenchmark",
      dependencies: [
        .product(name: "CoreData", package: "Strata"), .product(name: "PostgreSQLStore", package: "Strata"),
      ],
      exclude: ["Shop.xcdatamodeld"], swiftSettings: [.swiftLanguageMode(.v5)],
      plugins: [.plugin(name: "CompileDataModel", package: "Strata")]),
  ]
)
