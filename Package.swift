// swift-tools-version: 6.0
import PackageDescription

// The arrows of docs/architecture.md. `.ci/check-structure` refuses an import that is not declared here
// and a dependency that is not declared there.
let package = Package(
    name: "pinhole",
    products: [
        .library(name: "Capture", targets: ["Capture"]),
        .library(name: "Photos", targets: ["Photos"]),
        .library(name: "Picker", targets: ["Picker"]),
        .library(name: "Imaging", targets: ["Imaging"]),
        .library(name: "SimulatedSensor", targets: ["SimulatedSensor"]),
        .executable(name: "pinhole", targets: ["pinhole"]),
    ],
    targets: [
        // C libraries, each behind one Swift target.
        .target(name: "CLinuxShim"),
        .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg"),
        .systemLibrary(name: "CExif", pkgConfig: "libexif"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CConfig", pkgConfig: "libconfig"),
        .systemLibrary(name: "CGPIO", pkgConfig: "libgpiod"),
        .target(name: "CGPIOShim", dependencies: ["CGPIO"]),
        .systemLibrary(name: "CLibcamera", pkgConfig: "libcamera"),
        .target(name: "CCameraShim", dependencies: ["CLibcamera"]),

        .target(name: "Platform", dependencies: ["CLinuxShim"]),
        .target(name: "Imaging", dependencies: ["CTurboJPEG", "CExif", "Platform"]),
        .target(name: "Capture", dependencies: ["Imaging", "Platform"]),
        .target(name: "Photos", dependencies: ["CSQLite", "Imaging", "Platform"]),
        .target(name: "Picker", dependencies: ["Imaging", "Photos", "Platform"]),
        .target(name: "Configuration", dependencies: ["CConfig", "Platform"]),
        .target(name: "Panel", dependencies: ["Platform"]),
        .target(name: "Console", dependencies: ["Platform"]),
        .target(name: "PTP", dependencies: ["Imaging", "Photos", "Platform", "USBGadget"]),
        .target(name: "USBGadget", dependencies: ["Platform"]),
        .target(name: "MassStorage", dependencies: ["Platform", "USBGadget"]),
        .target(name: "SimulatedSensor", dependencies: ["Capture", "Imaging", "Platform"]),
        .target(name: "GPIOPanel", dependencies: ["CGPIOShim", "Panel", "Platform"]),
        .target(name: "LibcameraSensor", dependencies: ["CCameraShim", "Capture", "Imaging", "Platform"]),
        .executableTarget(
            name: "pinhole",
            dependencies: [
                "Capture", "Configuration", "Console", "GPIOPanel", "Imaging", "LibcameraSensor", "MassStorage",
                "Panel", "Photos", "Picker", "Platform", "PTP", "SimulatedSensor", "USBGadget",
            ]),

        // Fakes and scripted clocks; only tests import it.
        .target(
            name: "PinholeTesting",
            dependencies: ["Capture", "Imaging", "MassStorage", "Panel", "Photos", "Platform", "PTP", "USBGadget"]),
        .testTarget(name: "PlatformTests", dependencies: ["Platform", "PinholeTesting"]),
        .testTarget(name: "ImagingTests", dependencies: ["Imaging", "PinholeTesting"]),
        .testTarget(name: "CaptureTests", dependencies: ["Capture", "PinholeTesting"]),
        .testTarget(name: "PhotosTests", dependencies: ["Photos", "PinholeTesting"]),
        .testTarget(name: "PickerTests", dependencies: ["Picker", "PinholeTesting"]),
        .testTarget(name: "PTPTests", dependencies: ["PTP", "PinholeTesting"]),
        .testTarget(name: "USBGadgetTests", dependencies: ["USBGadget", "PinholeTesting"]),
        .testTarget(name: "MassStorageTests", dependencies: ["MassStorage", "PinholeTesting"]),
        .testTarget(name: "ConfigurationTests", dependencies: ["Configuration", "PinholeTesting"]),
        .testTarget(name: "PanelTests", dependencies: ["Panel", "PinholeTesting"]),
        .testTarget(name: "GPIOPanelTests", dependencies: ["GPIOPanel", "PinholeTesting"]),
        .testTarget(name: "ConsoleTests", dependencies: ["Console", "PinholeTesting"]),
        .testTarget(name: "SimulatedSensorTests", dependencies: ["SimulatedSensor", "PinholeTesting"]),
        .testTarget(name: "LibcameraSensorTests", dependencies: ["LibcameraSensor", "PinholeTesting"]),
        .testTarget(
            name: "pinholeTests",
            dependencies: [
                "pinhole", "PinholeTesting", "Capture", "Configuration", "Console", "GPIOPanel", "Imaging",
                "MassStorage", "Panel", "Photos", "Platform", "PTP", "SimulatedSensor", "USBGadget",
            ]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// Only on request: the fuzz targets need libFuzzer's runtime, which not every toolchain has. `make fuzz` asks.
if Context.environment["PINHOLE_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/CFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: ["CFuzzer", "Configuration", "Console", "Imaging", "Platform", "PTP", "PinholeTesting"],
            path: "Tests/Fuzz",
            exclude: [
                "ConfigurationFile/corpus", "ConsoleLine/corpus", "PTPPacket/corpus", "PhotoFile/corpus",
                "SCSICommand/corpus", "SocketRequest/corpus",
            ]),
    ]
}

// Only on request: the benchmarks. `make bench` asks.
if Context.environment["PINHOLE_BENCH"] != nil {
    package.targets += [
        .executableTarget(name: "LibraryBench", dependencies: ["Photos", "Platform"], path: "bench/LibraryBench")
    ]
}
