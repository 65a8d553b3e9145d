import Testing
import USBGadget

@Suite struct GadgetLayoutTests {
    @Test("the gadget lies among the system's gadgets under its own name")
    func gadget() {
        #expect(GadgetLayout().gadget == "/sys/kernel/config/usb_gadget/pinhole")
    }
}
