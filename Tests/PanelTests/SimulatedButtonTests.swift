import Panel
import Platform
import Testing

@Suite("The simulated button")
struct SimulatedButtonTests {
    @Test("a press without bounce is two edges")
    func clean() {
        var button = SimulatedButton(seed: 1)
        #expect(
            button.press(.focus, hold: .milliseconds(80), bounce: .zero, at: ButtonScript.at(5))
                == ButtonScript.edges(5, 85, line: .focus))
    }

    @Test("bounce stays within its time, alternates, and ends with the button let go")
    func bounce() {
        for seed in 0..<500 {
            var button = SimulatedButton(seed: UInt64(seed))
            let edges = button.press(
                .shutter, hold: .milliseconds(80), bounce: .milliseconds(10), at: ButtonScript.at(0))
            #expect(edges.count >= 6 && edges.first?.time == ButtonScript.at(0))
            for (index, edge) in edges.enumerated() { #expect(edge.isActive == index.isMultiple(of: 2)) }
            #expect(edges.last?.isActive == false)
            #expect(edges.map(\.time) == edges.map(\.time).sorted())
            #expect(
                edges.allSatisfy {
                    $0.time <= ButtonScript.at(10)
                        || ($0.time >= ButtonScript.at(80) && $0.time <= ButtonScript.at(90))
                })
        }
    }

    @Test("equal seeds give equal edges, different ones do not")
    func seeds() {
        func edges(_ seed: UInt64) -> [ButtonEdge] {
            var button = SimulatedButton(seed: seed)
            return button.press(.shutter, hold: .milliseconds(80), bounce: .milliseconds(10), at: ButtonScript.at(0))
        }
        #expect(edges(1) == edges(1))
        #expect(edges(1) != edges(2))
    }
}
