// swift-tools-version: 6.2
// A package elsewhere whose models are plain Swift classes. It imports SwiftData and nothing else of Strata.
import PackageDescription

let package = Package(
  name: "SwiftDataPackage",
  dependencies: [.package(name: "Strata", path: "../../..")],
  targets: [
    .target(
      name: "Trips", dependencies: [.product(name: "SwiftData", package: "Strata")],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .target(
      name: "Diary", dependencies: [.product(name: "SwiftData", package: "Strata")],
      swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)]),
    .executableTarget(
      name: "TripsProgram", dependencies: ["Diary", "Trips", .product(name: "SwiftData", package: "Strata")],
      path: "Sources/Program"),
  ]
)
