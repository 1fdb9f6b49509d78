// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.placement.message.NodeIdentity;
import io.spillway.placement.message.NodeSpace;
import io.spillway.transport.NodeAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class NodeTreeTest {
    private static NodeShare node(final int number, final long capacity) {
        final NodeAddress address = new NodeAddress("n" + number, 1);
        final BookNode node =
                new BookNode(new NodeIdentity("n" + number, address, 1), 1.0, Set.of());
        node.reported(new NodeSpace(true, capacity, 0), 0, 0);
        return node.memory();
    }

    /** The tree finds what a look at every node finds, whatever happens to them. */
    @Property(tries = 40)
    void findsTheLowestPassOfThoseThatFit(@ForAll final long seed) {
        final Random random = new Random(seed);
        final NodeTree tree = new NodeTree();
        final List<NodeShare> nodes = new ArrayList<>();
        for (int step = 0; step < 2000; step++) {
            switch (random.nextInt(6)) {
                case 0 -> addOrRemove(tree, nodes, random, step);
                case 1 -> report(tree, nodes, random);
                default -> choose(tree, nodes, random);
            }
            final long room = nodes.stream().mapToLong(n -> Math.max(0, n.room())).sum();
            assertThat(tree.totalRoom()).isEqualTo(room);
        }
    }

    private static void addOrRemove(
            final NodeTree tree, final List<NodeShare> nodes, final Random random, final int step) {
        if (nodes.isEmpty() || random.nextInt(3) > 0) {
            final NodeShare node = node(step, random.nextInt(3) * 100_000L);
            nodes.add(node);
            tree.add(node);
        } else {
            tree.remove(nodes.remove(random.nextInt(nodes.size())));
        }
    }

    private static void report(
            final NodeTree tree, final List<NodeShare> nodes, final Random random) {
        if (!nodes.isEmpty()) {
            final NodeShare node = nodes.get(random.nextInt(nodes.size()));
            final long used = random.nextInt(4) == 0 ? 300_000 : random.nextInt(50_000);
            node.node()
                    .reported(
                            new NodeSpace(true, node.node().space().capacity(), used),
                            random.nextInt(3),
                            0);
            tree.update(node);
        }
    }

    private static void choose(
            final NodeTree tree, final List<NodeShare> nodes, final Random random) {
        final long bytes = random.nextInt(30_000);
        final int version = random.nextInt(3);
        final Set<NodeShare> refused = new HashSet<>(nodes);
        refused.removeIf(node -> random.nextInt(3) > 0);
        final NodeShare expected =
                nodes.stream()
                        .filter(
                                n ->
                                        n.room() > 0
                                                && n.room() >= bytes
                                                && n.node().applied() >= version)
                        .filter(n -> !refused.contains(n))
                        .min(Comparator.comparingDouble(NodeShare::pass))
                        .orElse(null);
        final NodeShare found = tree.next(bytes, version, n -> !refused.contains(n.memory()));
        if (expected == null) {
            assertThat(found).isNull();
            return;
        }
        // Several may have the same pass.
        assertThat(found.pass()).isEqualTo(expected.pass());
        assertThat(found.room()).isGreaterThanOrEqualTo(bytes);
        assertThat(found.node().applied()).isGreaterThanOrEqualTo(version);
        assertThat(refused).doesNotContain(found);
        tree.charge(found, bytes);
        found.lease(bytes);
        tree.update(found);
    }

    @Example
    void looksAtFewNodesOnly() {
        final NodeTree tree = new NodeTree();
        for (int i = 0; i < 2064; i++) {
            tree.add(node(i, 1L << 40));
        }
        final AtomicInteger looks = new AtomicInteger();
        for (int i = 0; i < 10_000; i++) {
            final NodeShare found =
                    tree.next(
                            1 << 20,
                            0,
                            node -> {
                                looks.incrementAndGet();
                                return true;
                            });
            tree.charge(found, 1 << 20);
        }
        assertThat(looks).hasValue(10_000);
    }
}
