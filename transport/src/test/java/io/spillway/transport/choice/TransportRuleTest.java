// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.choice.TransportProvider.Medium;
import io.spillway.transport.choice.TransportRule.Verdict;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The order of transports, whatever they are called and however they are listed. */
class TransportRuleTest {
    private static final NodeAddress NODE = new NodeAddress("node-1.example", 13562);
    private static final NodeAddress RANK = new NodeAddress("5c1f08e2", 3);

    @TempDir private Path folder;
    private final Map<String, String> settings = new HashMap<>();
    private final List<TransportProvider> providers = new ArrayList<>();
    private final List<TransportOffer> offers = new ArrayList<>();
    private final Set<String> asked = new TreeSet<>();
    private String thisHost = NODE.host();

    private void add(final String name, final NodeAddress address, final Medium... media) {
        providers.add(new OnlyNamed(name, Set.of(media)));
        offers.add(new TransportOffer(name, address));
    }

    private void addAll(final String order) {
        order.chars().forEach(this::addOne);
    }

    private void addOne(final int which) {
        switch (which) {
            case 'S' -> add("shm", NODE, Medium.SHARED_MEMORY);
            case 'R' -> add("rdma", NODE, Medium.RDMA);
            case 'B' -> add("both", NODE, Medium.SHARED_MEMORY, Medium.RDMA);
            default -> add("mpi", RANK, Medium.WORLD);
        }
    }

    private void hostHas(final boolean memory, final boolean rdma) throws IOException {
        if (memory) {
            Files.createDirectories(folder.resolve("shm"));
        }
        if (rdma) {
            final Path port = folder.resolve("infiniband/mlx5_0/ports/1");
            Files.createDirectories(port);
            Files.writeString(port.resolve("state"), "4: ACTIVE\n");
        }
    }

    private List<Verdict> decide() {
        final HostMedia media =
                new HostMedia(
                        folder.resolve("infiniband"), folder.resolve("shm"), this::isThisHost);
        return new TransportRule("tcp", providers, settings::get, media).decide(NODE, offers);
    }

    private boolean isThisHost(final String host) {
        asked.add(host);
        return host.equals(thisHost);
    }

    private static List<String> names(final List<Verdict> verdicts) {
        return verdicts.stream().map(verdict -> verdict.provider().name()).toList();
    }

    @ParameterizedTest
    @CsvSource({"SRM", "SMR", "RSM", "RMS", "MSR", "MRS"})
    void sharedMemoryThenRdmaThenAWorldInWhateverOrderTheyAreListed(final String order)
            throws IOException {
        addAll(order);
        hostHas(true, true);

        final List<Verdict> verdicts = decide();
        assertThat(names(verdicts)).containsExactly("shm", "rdma", "mpi");
        assertThat(verdicts)
                .extracting(Verdict::reason)
                .containsExactly(
                        "same host, shared memory", "RDMA device mlx5_0:1", "MPI world 5c1f08e2");
        assertThat(verdicts.get(2).offer().address()).isEqualTo(RANK);
    }

    @ParameterizedTest
    @CsvSource({
        "MB, true, true, both, 'same host, shared memory'",
        "BM, false, true, both, RDMA device mlx5_0:1",
        "MB, false, true, both, RDMA device mlx5_0:1",
        "BM, false, false, mpi, MPI world 5c1f08e2",
        "MB, false, false, mpi, MPI world 5c1f08e2",
        "RS, true, true, shm, 'same host, shared memory'",
        "RS, false, true, rdma, RDMA device mlx5_0:1",
        "M, true, true, mpi, MPI world 5c1f08e2",
    })
    void theBestOfWhatTheHostHas(
            final String order,
            final boolean memory,
            final boolean rdma,
            final String best,
            final String reason)
            throws IOException {
        addAll(order);
        hostHas(memory, rdma);

        final Verdict first = decide().get(0);
        assertThat(first.provider().name()).isEqualTo(best);
        assertThat(first.reason()).isEqualTo(reason);
    }

    @Test
    void aTransportIsNamedOnceForTheBestThatItHas() throws IOException {
        addAll("B");
        hostHas(true, true);

        assertThat(decide())
                .extracting(Verdict::reason)
                .containsExactly("same host, shared memory");
    }

    @Test
    void memoryIsNotSharedWithAnotherHost() throws IOException {
        addAll("SM");
        hostHas(true, false);
        thisHost = "node-2.example";

        assertThat(names(decide())).containsExactly("mpi");
    }

    @Test
    void socketsWhereNothingIsBetter() {
        addAll("RS");
        assertThat(decide())
                .containsExactly(
                        Verdict.stay("no RDMA device, and no memory shared with the node"));
    }

    @Test
    void socketsWhereNothingIsOffered() throws IOException {
        addAll("MRS");
        hostHas(true, true);
        offers.clear();

        assertThat(decide()).containsExactly(Verdict.stay("the node offers nothing else"));
    }

    /** The id of a world is no name: a name service might take seconds to say so. */
    @Test
    void noNameServiceIsAskedForAWorld() throws IOException {
        addAll("MRS");
        hostHas(true, true);
        decide();
        assertThat(asked).containsExactly(NODE.host());

        asked.clear();
        offers.removeIf(offer -> offer.transport().equals("shm"));
        decide();
        assertThat(asked).as("where only mpi and rdma are offered").isEmpty();
    }

    @Test
    void atFirstATransportHasNoWorld() {
        final TransportProvider plain = new Plain();
        assertThat(plain.canUse(Medium.SHARED_MEMORY, settings::get)).isTrue();
        assertThat(plain.canUse(Medium.RDMA, settings::get)).isTrue();
        assertThat(plain.canUse(Medium.WORLD, settings::get)).isFalse();
    }

    /** What the rule must not use: it makes neither end. */
    private static class Plain implements TransportProvider {
        @Override
        public String name() {
            return "plain";
        }

        @Override
        public Optional<String> obstacle(final Function<String, String> settings) {
            throw new AssertionError("the rule loads nothing");
        }

        @Override
        public Transport newTransport(final Function<String, String> settings) {
            throw new AssertionError("the rule loads nothing");
        }

        @Override
        public SegmentServer newServer(
                final String host,
                final int port,
                final SegmentSource source,
                final JobSecrets secrets,
                final Function<String, String> settings,
                final long epoch) {
            throw new AssertionError("the rule loads nothing");
        }
    }

    private static final class OnlyNamed extends Plain {
        private final String name;
        private final Set<Medium> media;

        OnlyNamed(final String name, final Set<Medium> media) {
            this.name = name;
            this.media = media;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public boolean canUse(final Medium medium, final Function<String, String> settings) {
            return media.contains(medium);
        }
    }
}
