import Glibc
import Platform
import Testing

@testable import Configuration

@Suite("Settings changed while the camera runs")
struct SettingsTests {
    static func refusal(_ path: String, _ text: String) -> String? {
        var settings = Settings(base: CameraConfiguration())
        do {
            try settings.set(path, to: text)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("a change holds over the file until it is taken back")
    func changes() throws {
        var base = CameraConfiguration()
        base.photo.quality = 70
        var settings = Settings(base: base)
        try settings.set("photo.quality", to: "80")
        try settings.set("camera.exposure_bias", to: "-1")
        #expect(settings.configuration.photo.quality == 80)
        #expect(try settings.text(of: "photo.quality") == "80")
        #expect(try settings.text(of: "camera.exposure_bias") == "-1.0")
        base.photo.quality = 75
        base.photo.orientation = 3
        settings.rebase(onto: base)
        #expect(settings.configuration.photo.quality == 80)
        #expect(settings.configuration.photo.orientation == 3)
        try settings.reset("photo.quality")
        #expect(settings.configuration.photo.quality == 75)
        #expect(settings.configuration.camera.exposureBias == -1)
        settings.resetAll()
        #expect(settings.configuration == base)
    }

    @Test("a setting without a value is shown as nothing")
    func unset() throws {
        #expect(try Settings(base: CameraConfiguration()).text(of: "position.latitude") == "")
    }

    @Test("words for yes and no are taken", arguments: [("on", "true"), ("no", "false"), ("true", "true")])
    func flags(typed: String, shown: String) throws {
        var settings = Settings(base: CameraConfiguration())
        try settings.set("photo.thumbnail", to: typed)
        #expect(try settings.text(of: "photo.thumbnail") == shown)
    }

    @Test(
        "what cannot be set is refused with a sentence",
        arguments: [
            ("photo.quality", "193", "photo.quality cannot be \"193\", expected a whole number from 1 to 100"),
            ("photo.quality", "", "photo.quality cannot be \"\", expected a whole number from 1 to 100"),
            (
                "photo.quality", "99999999999999999999",
                "photo.quality cannot be \"99999999999999999999\", expected a whole number from 1 to 100"
            ),
            ("camera.exposure_bias", "nan", "camera.exposure_bias cannot be \"nan\", expected a number from -8 to 8"),
            ("photo.qality", "93", "there is no setting photo.qality; did you mean photo.quality?"),
            ("library.reserve_mb", "64", "library.reserve_mb can only be changed in the configuration file"),
        ])
    func refusals(path: String, text: String, sentence: String) {
        #expect(Self.refusal(path, text) == sentence)
    }

    @Test("changes survive a restart, each settable key of them")
    func roundTrip() throws {
        let files = MemoryFiles()
        let file = SettingsFile(state: "/state", files: files)
        let base = CameraConfiguration(schema: .withDoor)
        var settings = Settings(base: base)
        for key in base.schema.keys where key.isSettable {
            let text =
                switch key.kind {
                case .integer(let range, _): String(range.upperBound)
                case .number(let range): String(range.upperBound)
                case .flag: "false"
                case .text: "Zoë \"Z\" \\n # //"
                case .choice(let words): words[0]
                case .zone: "Asia/Kolkata"
                case .listenAddress: "[::1]:15740"
                case .clientName, .purpose: "only clients have these"
                }
            try settings.set(key.path, to: text)
        }
        try file.save(settings)
        let loaded = file.load(over: base)
        #expect(loaded.rejection == nil)
        #expect(loaded.settings == settings)
        #expect(loaded.settings.configuration.text(.doorAddress) == "[::1]:15740")
        #expect(loaded.settings.configuration.camera.artist == "Zoë \"Z\" \\n # //")
        settings.resetAll()
        try file.save(settings)
        #expect(file.load(over: base).settings == settings)
    }

    @Test("what the command line gives holds over file and changes until it is set again, and is not stored")
    func overrides() throws {
        let files = MemoryFiles()
        let file = SettingsFile(state: "/state", files: files)
        var stored = Settings(base: CameraConfiguration())
        try stored.set("photo.quality", to: "80")
        try file.save(stored)
        let overrides = try ConfigurationSchema.core.values(of: [
            ("photo.quality", "70"), ("photo.orientation", "3"), ("library.trash_days", "1"), ("photo.quality", "60"),
        ])
        var settings = file.load(over: CameraConfiguration(), overrides: overrides).settings
        #expect(settings.configuration.photo.quality == 60)
        #expect(settings.configuration.library.trashDays == 1)
        try file.save(settings)
        #expect(file.load(over: CameraConfiguration()).settings == stored)
        try settings.set("photo.quality", to: "90")
        #expect(settings.configuration.photo.quality == 90 && settings.configuration.photo.orientation == 3)
    }

    @Test(
        "a wrong setting of the command line is refused with a sentence",
        arguments: [
            ("photo.qality", "93", "there is no setting photo.qality; did you mean photo.quality?"),
            ("photo.quality", "193", "photo.quality cannot be \"193\", expected a whole number from 1 to 100"),
        ])
    func wrongOverrides(key: String, value: String, sentence: String) {
        do {
            _ = try ConfigurationSchema.core.values(of: [(key, value)])
            Issue.record("it was taken")
        } catch {
            #expect(error.description == sentence)
        }
    }

    @Test("saving writes beside, renames over, and syncs the directory")
    func order() throws {
        let files = MemoryFiles()
        files.put("/state/settings.conf.new", "left by a power cut")
        try SettingsFile(state: "/state", files: files).save(Settings(base: CameraConfiguration()))
        #expect(
            files.operations == [
                "remove /state/settings.conf.new", "write /state/settings.conf.new", "rename /state/settings.conf.new",
                "sync /state",
            ])
        #expect(files.text("/state/settings.conf.new") == nil)
    }

    @Test("a failed save throws and leaves the former file", arguments: ["write", "rename"])
    func failedSave(operation: String) throws {
        let files = MemoryFiles()
        let file = SettingsFile(state: "/state", files: files)
        var settings = Settings(base: CameraConfiguration())
        try settings.set("photo.quality", to: "80")
        try file.save(settings)
        files.fail(operation)
        #expect(throws: SystemError.self) { try file.save(Settings(base: CameraConfiguration())) }
        #expect(file.load(over: CameraConfiguration()).settings.configuration.photo.quality == 80)
        #expect(files.text("/state/settings.conf.new") == nil)
    }

    @Test("without a file nothing is changed and nothing is said")
    func noFile() {
        let loaded = SettingsFile(state: "/state", files: MemoryFiles()).load(over: CameraConfiguration())
        #expect(loaded.settings == Settings(base: CameraConfiguration()))
        #expect(loaded.rejection == nil)
    }

    @Test(
        "a file that is not taken is kept aside, and the camera starts without it",
        arguments: [
            "photo: { quality = 80; orientation = 9; }", "photo: { quality = 80; }\nlibrary: { reserve_mb = 64; }",
            "photo: { qual", "\u{0}", "clients = ( );",
        ])
    func rejected(text: String) {
        let files = MemoryFiles()
        files.put("/state/settings.conf", text)
        let file = SettingsFile(state: "/state", files: files)
        let loaded = file.load(over: CameraConfiguration())
        #expect(loaded.settings == Settings(base: CameraConfiguration()))
        #expect(loaded.rejection?.hasPrefix("changed settings are ignored: /state/settings.conf") == true)
        #expect(loaded.rejection?.hasSuffix("it was renamed to /state/settings.conf.rejected") == true)
        #expect(files.text("/state/settings.conf.rejected") == text)
        #expect(file.load(over: CameraConfiguration()).rejection == nil)
    }

    @Test("on a read-only file system the camera starts all the same")
    func readOnly() {
        let files = MemoryFiles()
        files.put("/state/settings.conf", "?")
        files.fail("rename")
        let loaded = SettingsFile(state: "/state", files: files).load(over: CameraConfiguration())
        #expect(loaded.settings == Settings(base: CameraConfiguration()))
        #expect(loaded.rejection?.hasSuffix("it could not be renamed") == true)
    }
}
