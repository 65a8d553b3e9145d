import PTP
import PinholeTesting
import Testing

@Suite struct OperationRequestTests {
    @Test("a parameter that was not sent counts as 0")
    func parameters() {
        let request = OperationRequest(.getObject, transaction: 1, parameters: [7])
        #expect(request.parameter(0) == 7)
        #expect(request.parameter(1) == 0)
    }
}
