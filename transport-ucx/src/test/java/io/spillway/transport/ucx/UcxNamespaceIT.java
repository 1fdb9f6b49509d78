package io.spillway.transport.ucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.transport.NodeAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two hosts: a node and a reducer in network namespaces of their own, with one link between. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
final class UcxNamespaceIT {
    private static final long DETECTION_MILLIS = 15_000;
    private static final String NODE_SIDE = "spwucxn" + ProcessHandle.current().pid() % 10_000;
    private static final String REDUCER_SIDE = "spwucxr" + ProcessHandle.current().pid() % 10_000;
    private static final String NODE_ADDRESS = "10.211.77.1";
    private static final String REDUCER_ADDRESS = "10.211.77.2";

    private final List<UcxChild> children = new ArrayList<>();

    @BeforeAll
    static void needsUcx() {
        Ucx.require();
    }

    /** An interface has the name of its namespace. */
    @BeforeEach
    void makeNamespaces() throws Exception {
        final String refusal = tryRun("ip", "netns", "add", NODE_SIDE);
        assumeTrue(refusal == null, "no network namespaces here: " + refusal);
        run("ip", "netns", "add", REDUCER_SIDE);
        run("ip", "link", "add", NODE_SIDE, "type", "veth", "peer", "name", REDUCER_SIDE);
        setUp(NODE_SIDE, NODE_ADDRESS);
        setUp(REDUCER_SIDE, REDUCER_ADDRESS);
    }

    private static void setUp(final String side, final String address) throws Exception {
        run("ip", "link", "set", side, "netns", side);
        run("ip", "-n", side, "addr", "add", address + "/24", "dev", side);
        run("ip", "-n", side, "link", "set", "lo", "up");
        run("ip", "-n", side, "link", "set", side, "up");
    }

    @AfterEach
    void removeNamespaces() throws Exception {
        for (final UcxChild child : children) {
            child.close();
        }
        tryRun("ip", "netns", "del", NODE_SIDE);
        tryRun("ip", "netns", "del", REDUCER_SIDE);
    }

    private static void run(final String... command) throws Exception {
        final String refusal = tryRun(command);
        assertThat(refusal).as(String.join(" ", command)).isNull();
    }

    /** What went wrong, or null. */
    private static String tryRun(final String... command) throws InterruptedException {
        try {
            final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            final String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? null : output.trim() + " ";
        } catch (final IOException e) {
            return e.getMessage();
        }
    }

    private static List<String> in(final String namespace) {
        return List.of("ip", "netns", "exec", namespace);
    }

    /** UCX takes two namespaces of a host for one, and would try shared memory and loopback. */
    private static Map<String, String> settings(final String device) {
        return Map.of(
                "spillway.ucx.tls", "tcp",
                "spillway.ucx.net-devices", device,
                "spillway.shuffle.read.timeout.ms", "4000",
                "spillway.shuffle.connect.timeout.ms", "4000");
    }

    @Test
    void noticesALinkThatIsDownAndGoesOnWhenItIsUp() throws Exception {
        final UcxChild node = UcxChild.node(in(NODE_SIDE), NODE_ADDRESS, settings(NODE_SIDE));
        children.add(node);
        final NodeAddress address = new NodeAddress(NODE_ADDRESS, node.awaitPort());
        final UcxChild reducer =
                UcxChild.reducer(in(REDUCER_SIDE), address, settings(REDUCER_SIDE));
        children.add(reducer);
        reducer.await("FETCHED");

        run("ip", "-n", NODE_SIDE, "link", "set", NODE_SIDE, "down");
        final long down = System.nanoTime();
        assertThat(reducer.await("LOST")).isNotEmpty();
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - down))
                .isLessThan(DETECTION_MILLIS);

        assertThat(reducer.await("LOST")).as("an attempt to reconnect").isNotEmpty();
        run("ip", "-n", NODE_SIDE, "link", "set", NODE_SIDE, "up");
        assertThat(reducer.await("FETCHED")).isNotEmpty();
    }
}
