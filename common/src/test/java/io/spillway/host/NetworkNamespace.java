// SPDX-License-Identifier: Apache-2.0
package io.spillway.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A network namespace of this host: what runs in it has no network but one link, whose interface
 * there is called as the namespace is. Needs to be root, with iproute2; a test is skipped else.
 */
public final class NetworkNamespace implements AutoCloseable {
    /** Of a subnet of two hosts. */
    private static final int PREFIX_BITS = 30;

    /** The first subnet that tests take, 10.128.0.0, and how many follow. */
    private static final int FIRST_SUBNET = 10 << 24 | 128 << 16;

    private static final int SUBNETS = 1 << 21;

    /** The kernel takes no more for an interface. */
    private static final int MAX_NAME = 15;

    private final String name;

    private NetworkNamespace(final String name) {
        this.name = name;
    }

    /**
     * Makes a namespace without a link.
     *
     * @param prefix of its name, which ends with this process's id
     */
    public static NetworkNamespace make(final String prefix) throws InterruptedException {
        final String name = prefix + ProcessHandle.current().pid();
        assertThat(name).hasSizeLessThan(MAX_NAME);
        final String refusal = tryRun("ip", "netns", "add", name);
        assumeTrue(refusal == null, "no network namespaces here: " + refusal);
        run("ip", "-n", name, "link", "set", "lo", "up");
        return new NetworkNamespace(name);
    }

    /**
     * One of the two addresses of this process's own subnet, so that no other test run on this host
     * has it.
     *
     * @param number 1 or 2
     */
    public static String address(final int number) {
        final int subnet = (int) (ProcessHandle.current().pid() % SUBNETS);
        final int address = FIRST_SUBNET + (subnet << (Integer.SIZE - PREFIX_BITS)) + number;
        return String.format(
                "%d.%d.%d.%d",
                address >>> 24, address >>> 16 & 0xFF, address >>> 8 & 0xFF, address & 0xFF);
    }

    /** Links two namespaces; each has one of the addresses of one subnet. */
    public static void link(
            final NetworkNamespace one,
            final String oneAddress,
            final NetworkNamespace other,
            final String otherAddress)
            throws InterruptedException {
        addPair(one.name, other.name);
        one.takeOver(oneAddress);
        other.takeOver(otherAddress);
    }

    /**
     * Links the namespace with this host.
     *
     * @return the name of the link's interface on the host
     */
    public String linkWithHost(final String address, final String hostAddress)
            throws InterruptedException {
        final String hostSide = name + "h";
        addPair(name, hostSide);
        takeOver(address);
        run("ip", "addr", "add", hostAddress + "/" + PREFIX_BITS, "dev", hostSide);
        run("ip", "link", "set", hostSide, "up");
        return hostSide;
    }

    private static void addPair(final String one, final String other) throws InterruptedException {
        run("ip", "link", "add", one, "type", "veth", "peer", "name", other);
    }

    private void takeOver(final String address) throws InterruptedException {
        run("ip", "link", "set", name, "netns", name);
        run("ip", "-n", name, "addr", "add", address + "/" + PREFIX_BITS, "dev", name);
        run("ip", "-n", name, "link", "set", name, "up");
    }

    /** The namespace's and its interface's name. */
    public String name() {
        return name;
    }

    /** What goes before a command that is to run in the namespace. */
    public List<String> command() {
        return List.of("ip", "netns", "exec", name);
    }

    /** Takes the link down, or up again; connections do not learn of it. */
    public void setLink(final boolean up) throws InterruptedException {
        run("ip", "-n", name, "link", "set", name, up ? "up" : "down");
    }

    /** Deletes the namespace, and its link with it. */
    @Override
    public void close() {
        try {
            tryRun("ip", "netns", "del", name);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void run(final String... command) throws InterruptedException {
        assertThat(tryRun(command)).as(String.join(" ", command)).isNull();
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
}
