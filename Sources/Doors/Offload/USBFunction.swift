import Photos
import Platform
import USBGadget

/// What the USB port can show a computer: a camera, or a disk. The console is beside either.
package struct USBFunction: Sendable {
    /// The word of `usb` and of `usb.mode` that switches to it.
    package let word: String
    /// The word of `usb_mode` in `status`.
    package let mode: String
    /// What it is, in a sentence: `a camera`.
    package let noun: String
    /// The product number (`idProduct`) of the device while it shows this function.
    package let product: GadgetProduct
    /// What FunctionFS is given.
    package let descriptors: FunctionFSDescriptors
    /// Serves a computer that has configured the device.
    package let serve: @Sendable (USBService) -> any FunctionFSHost

    /// A function; `serve` creates the object that serves each host.
    package init(
        word: String, mode: String, noun: String, product: GadgetProduct, descriptors: FunctionFSDescriptors,
        serve: @escaping @Sendable (USBService) -> any FunctionFSHost
    ) {
        self.word = word
        self.mode = mode
        self.noun = noun
        self.product = product
        self.descriptors = descriptors
        self.serve = serve
    }
}

/// What a function serves a computer with.
package struct USBService: Sendable {
    /// The pipes of the device, which work until the computer has gone.
    package let pipes: any USBPipes
    /// The client that the computer is.
    package let client: Client
    /// What the camera offers.
    package let context: DoorContext
    /// The thread that may block for as long as the computer is there.
    package let host: WorkerThread
    /// A thread for what takes seconds to put together.
    package let builder: WorkerThread

    /// The parts with which a function serves one computer.
    package init(
        pipes: any USBPipes, client: Client, context: DoorContext, host: WorkerThread, builder: WorkerThread
    ) {
        self.pipes = pipes
        self.client = client
        self.context = context
        self.host = host
        self.builder = builder
    }
}
