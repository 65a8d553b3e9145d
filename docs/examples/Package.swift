// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "examples",
    dependencies: [.package(name: "pinhole", path: "../..")],
    targets: [
        .executableTarget(
            name: "examples",
            dependencies: [
                .product(name: "Capture", package: "pinhole"),
                .product(name: "Imaging", package: "pinhole"),
                .product(name: "Photos", package: "pinhole"),
                .product(name: "Picker", package: "pinhole"),
                .product(name: "SimulatedSensor", package: "pinhole"),
            ],
            path: "Sources")
    ],
    swiftLanguageModes: [.v6]
)
