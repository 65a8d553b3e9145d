import Platform

/// What a disk may hold after a power cut, step by step.
///
/// Whatever is not synced may be there or not, each name by itself, whatever came before or after it: names that were
/// given, taken away or changed, whole directories, and contents, which may be empty, half there, or zeros. A subset of
/// steps stands for every order of writing, since only the last step that reached the disk shows for each name. A rename
/// leaves the old name, the new one or both, never neither, as every journal sees to. A sync of the new name's directory
/// leaves the old name in doubt; one of the old name's settles both.
package struct CrashStates {
    private struct Pending {
        let id: Int
        let node: Int?
        let requires: Int?
    }

    private var durable: DiskImage
    private var pending: [DiskStep.Place: [Pending]] = [:]
    /// Places with something pending, in the order of their first step.
    private var places: [DiskStep.Place] = []
    /// Contents that are not synced: the whole, and what else may be there.
    private var unsynced: [(node: Int, variants: [DiskImage.Content])] = []

    /// Nothing has happened to the disk yet.
    package init(_ durable: DiskImage) {
        self.durable = durable
    }

    /// Takes one more step.
    package mutating func take(_ step: DiskStep) {
        switch step {
        case .entry(let id, let place, let node, let requires):
            if pending[place] == nil { places.append(place) }
            pending[place, default: []].append(Pending(id: id, node: node, requires: requires))
        case .madeDirectory(let node):
            durable.directories[node] = [:]
        case .wrote(let node, let content):
            let half = DiskImage.Content(Array(content.bytes.prefix(content.bytes.count / 2)))
            let zeros = DiskImage.Content(content.bytes.map { _ in 0 })
            unsynced.append((node, [DiskImage.nothing, half, zeros, content]))
        case .syncedFile(let node):
            for written in unsynced where written.node == node { durable.contents[node] = written.variants.last }
            unsynced.removeAll { $0.node == node }
        case .syncedDirectory(let directory):
            for place in places where place.directory == directory {
                for step in pending[place] ?? [] { settleRename(step.requires) }
                if let last = pending[place]?.last { durable.directories[directory]?[place.name] = last.node }
                pending[place] = nil
            }
            places.removeAll { pending[$0] == nil }
        case .databases(let changes):
            for (place, node, content) in changes {
                if let node, let content { durable.contents[node] = content }
                guard durable.directories[place.directory]?[place.name] != node || pending[place] != nil else {
                    continue
                }
                // Content of a database whose new name is pending says nothing about the name.
                if let node, pending[place]?.last?.node == node { continue }
                durable.directories[place.directory]?[place.name] = node
                pending[place] = nil
                places.removeAll { $0 == place }
            }
        case .mark:
            break
        }
    }

    /// Makes the new name of a rename durable, whose old name is gone for good.
    private mutating func settleRename(_ id: Int?) {
        guard let id else { return }
        for place in places {
            guard let steps = pending[place], let index = steps.firstIndex(where: { $0.id == id }) else { continue }
            durable.directories[place.directory]?[place.name] = steps[index].node
            pending[place] = index + 1 < steps.count ? Array(steps[(index + 1)...]) : nil
        }
    }

    /// Every state a power cut may leave now when there are at most `limit` combinations, else `limit` of them: the
    /// first and the last, those with one difference from these, and random ones.
    package func images(limit: Int, using generator: inout SeededGenerator) -> [DiskImage] {
        // For each name, which of its steps was the last to reach the disk (0: none); for each content, how it is.
        let sizes = places.map { (pending[$0]?.count ?? 0) + 1 } + unsynced.map(\.variants.count)
        var total = 1
        for size in sizes where total <= limit { total *= size }
        var chosen: [[Int]] = []
        if total <= limit {
            for index in 0..<total {
                var rest = index
                chosen.append(
                    sizes.map { size in
                        defer { rest /= size }
                        return rest % size
                    })
            }
        } else {
            let none = sizes.map { _ in 0 }
            let all = sizes.map { $0 - 1 }
            chosen = [none, all]
            while chosen.count < limit {
                let one = Int.random(in: 0..<sizes.count, using: &generator)
                var choice = chosen.count % 4 == 0 ? all : none
                switch chosen.count % 4 {
                case 0, 1: choice[one] = Int.random(in: 0..<sizes[one], using: &generator)
                default: choice = sizes.map { Int.random(in: 0..<$0, using: &generator) }
                }
                chosen.append(choice)
            }
        }
        return chosen.filter(isPossible).map(image)
    }

    private func isPossible(_ choice: [Int]) -> Bool {
        var steps: [Int: (place: Int, position: Int)] = [:]
        for (index, place) in places.enumerated() {
            for (position, step) in (pending[place] ?? []).enumerated() { steps[step.id] = (index, position + 1) }
        }
        for (index, place) in places.enumerated() where choice[index] > 0 {
            guard let step = pending[place]?[choice[index] - 1], let needed = step.requires.flatMap({ steps[$0] })
            else { continue }
            if choice[needed.place] < needed.position { return false }
        }
        return true
    }

    private func image(_ choice: [Int]) -> DiskImage {
        var image = durable
        for (index, place) in places.enumerated() where choice[index] > 0 {
            guard let step = pending[place]?[choice[index] - 1] else { continue }
            image.directories[place.directory]?[place.name] = step.node
        }
        for (index, written) in unsynced.enumerated() {
            image.contents[written.node] = written.variants[choice[places.count + index]]
        }
        return image
    }
}
