// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * What this host has that carries bytes faster than a socket, as the kernel tells it. Loads nothing
 * native. Thread-safe.
 */
public final class HostMedia {
    private static final String RDMA_DEVICES = "sys/class/infiniband";
    private static final String SHARED_MEMORY = "dev/shm";
    private static final String ACTIVE = "ACTIVE";

    private final Path rdmaDevices;
    private final Path sharedMemory;
    private final Predicate<String> ownAddress;

    /** What this host has. */
    public static HostMedia ofThisHost() {
        return below(Path.of("/"));
    }

    /** What the host has whose files are below a folder that stands for {@code /}. */
    public static HostMedia below(final Path root) {
        return new HostMedia(root.resolve(RDMA_DEVICES), root.resolve(SHARED_MEMORY));
    }

    /**
     * What is found in these folders.
     *
     * @param rdmaDevices holds a folder for each RDMA device, as {@code /sys/class/infiniband}
     * @param sharedMemory where processes make segments that they share
     */
    HostMedia(final Path rdmaDevices, final Path sharedMemory) {
        this(rdmaDevices, sharedMemory, HostMedia::isOwnAddress);
    }

    /** As the other one; {@code ownAddress} says whether a host's name or address is this one's. */
    HostMedia(final Path rdmaDevices, final Path sharedMemory, final Predicate<String> ownAddress) {
        this.rdmaDevices = rdmaDevices;
        this.sharedMemory = sharedMemory;
        this.ownAddress = ownAddress;
    }

    /** The ports of RDMA devices whose link is up, such as {@code mlx5_0:1}, sorted. */
    public List<String> activeRdmaPorts() {
        final Set<String> ports = new TreeSet<>();
        if (Files.isDirectory(rdmaDevices)) {
            try (DirectoryStream<Path> devices = Files.newDirectoryStream(rdmaDevices)) {
                devices.forEach(device -> addActivePorts(device, ports));
            } catch (final IOException e) {
                return List.of(); // a device that cannot be looked at cannot be used
            }
        }
        return List.copyOf(ports);
    }

    private static void addActivePorts(final Path device, final Set<String> ports) {
        final Path folder = device.resolve("ports");
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder)) {
            for (final Path port : found) {
                // such as "4: ACTIVE"; a port that only trains its link is "3: ARMED"
                if (Files.readString(port.resolve("state")).trim().endsWith(ACTIVE)) {
                    ports.add(device.getFileName() + ":" + port.getFileName());
                }
            }
        } catch (final IOException e) {
            ports.removeIf(port -> port.startsWith(device.getFileName() + ":"));
        }
    }

    /** Whether processes of this host can share memory. */
    public boolean hasSharedMemory() {
        return Files.isDirectory(sharedMemory) && Files.isWritable(sharedMemory);
    }

    /** Whether an address is one of this host's. May ask the name service. */
    public boolean isThisHost(final String host) {
        return ownAddress.test(host);
    }

    private static boolean isOwnAddress(final String host) {
        try {
            for (final InetAddress address : InetAddress.getAllByName(host)) {
                if (address.isLoopbackAddress()
                        || NetworkInterface.getByInetAddress(address) != null) {
                    return true;
                }
            }
            return false;
        } catch (final UnknownHostException | SocketException e) {
            return false; // the transport will tell why it cannot be reached
        }
    }
}
