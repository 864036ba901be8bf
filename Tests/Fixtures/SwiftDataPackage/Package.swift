// swift-tools-version: 6.1
// A package elsewhere whose models are plain Swift classes. It imports SwiftData and nothing else of Strata.
import PackageDescription

let package = Package(
  name: "SwiftDataPackage",
  dependencies: [.package(name: "Strata", path: "../../..")],
  targets: [
    .target(
      name: "Trips", dependencies: [.product(name: "SwiftData", package: "Strata")],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "TripsProgram", dependencies: ["Trips", .product(name: "SwiftData", package: "Strata")],
      path: "Sources/Program"),
  ]
)
