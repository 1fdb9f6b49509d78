// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.member;

import io.spillway.conf.MemoryBounds;
import io.spillway.conf.Setting;
import io.spillway.node.NodeKeys;
import io.spillway.placement.conf.PlacementKeys;
import io.spillway.placement.secret.ClusterSecret;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.protocol.ServerSettings;
import io.spillway.transport.NodeAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * What a node process is to others. Immutable.
 *
 * @param service where the placement service is
 * @param serves whether it is this process
 * @param takesFormer whether, as the service, it takes reports of nodes of the former release
 * @param secret by which nodes know each other
 * @param capacity the bytes of memory that it gives to outputs
 * @param memoryOnly whether its host runs no tasks
 * @param overflow where outputs go that this memory has no room for
 * @param putMemory the bytes of puts that it may hold unanswered, over all transports
 */
record MemberSettings(
        NodeAddress service,
        boolean serves,
        boolean takesFormer,
        ClusterSecret secret,
        long capacity,
        boolean memoryOnly,
        Optional<Overflow> overflow,
        long putMemory) {
    /**
     * Files behind the memory.
     *
     * @param directory exists
     * @param limit the most bytes; without one, by what is free
     */
    record Overflow(Path directory, OptionalLong limit) {}

    /**
     * Reads the settings.
     *
     * @return nothing for a process that is alone
     * @throws io.spillway.conf.InvalidSettingException for a wrong value
     * @throws IllegalArgumentException for settings that do not fit each other
     * @throws IOException where the file of the secret cannot be read
     */
    static Optional<MemberSettings> of(final Function<String, String> settings) throws IOException {
        final Optional<NodeAddress> service = service(settings);
        final boolean serves = PlacementKeys.PLACEMENT_SERVE.get(settings);
        final boolean memoryOnly = NodeKeys.NODE_MEMORY_ONLY.get(settings);
        final long capacity =
                MemoryBounds.requireInHost(
                        ProtocolKeys.NODE_MEMORY_BYTES,
                        ProtocolKeys.NODE_MEMORY_BYTES.get(settings));
        if (service.isEmpty()) {
            requireUnset(serves, PlacementKeys.PLACEMENT_SERVE, "true");
            requireUnset(memoryOnly, NodeKeys.NODE_MEMORY_ONLY, "true");
            requireUnset(capacity > 0, ProtocolKeys.NODE_MEMORY_BYTES, String.valueOf(capacity));
        }
        final Optional<Overflow> overflow = overflow(settings);
        if (overflow.isPresent() && capacity == 0) {
            throw new IllegalArgumentException(
                    NodeKeys.NODE_OVERFLOW_DIR
                            + "="
                            + overflow.get().directory()
                            + " needs "
                            + ProtocolKeys.NODE_MEMORY_BYTES
                            + ", which is 0: pieces arrive in memory before they go to a file");
        }
        if (service.isEmpty()) {
            return Optional.empty();
        }
        if (memoryOnly && capacity == 0) {
            throw new IllegalArgumentException(
                    NodeKeys.NODE_MEMORY_ONLY
                            + "=true needs "
                            + ProtocolKeys.NODE_MEMORY_BYTES
                            + ", which is 0: say how much of this host's "
                            + MemoryBounds.megabytes(MemoryBounds.hostBytes())
                            + " map outputs may take");
        }
        return Optional.of(
                new MemberSettings(
                        service.get(),
                        serves,
                        PlacementKeys.PLACEMENT_FORMER_NODES.get(settings),
                        secret(settings),
                        capacity,
                        memoryOnly,
                        overflow,
                        ServerSettings.from(settings).putMemory()));
    }

    private static Optional<Overflow> overflow(final Function<String, String> settings) {
        final Optional<Long> bytes = NodeKeys.NODE_OVERFLOW_BYTES.get(settings);
        final OptionalLong limit =
                bytes.isPresent() ? OptionalLong.of(bytes.get()) : OptionalLong.empty();
        return NodeKeys.NODE_OVERFLOW_DIR
                .get(settings)
                .path()
                .map(directory -> new Overflow(directory, limit));
    }

    /** Where the placement service is. */
    static Optional<NodeAddress> service(final Function<String, String> settings) {
        return PlacementKeys.PLACEMENT_SERVICE.get(settings).map(NodeAddress::parse);
    }

    private static void requireUnset(
            final boolean isSet, final Setting<?> setting, final String value) {
        if (isSet) {
            throw new IllegalArgumentException(
                    setting
                            + "="
                            + value
                            + " needs "
                            + PlacementKeys.PLACEMENT_SERVICE
                            + ", which is none: name the node process that knows all, HOST:PORT");
        }
    }

    /** By what nodes know each other. */
    static ClusterSecret secret(final Function<String, String> settings) throws IOException {
        final Path file =
                PlacementKeys.PLACEMENT_SECRET_FILE
                        .get(settings)
                        .path()
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                PlacementKeys.PLACEMENT_SERVICE
                                                        + " needs "
                                                        + PlacementKeys.PLACEMENT_SECRET_FILE
                                                        + ", which is none: make a file and name it"
                                                        + " on all hosts (head -c 32 /dev/urandom |"
                                                        + " base64 > FILE; chmod 600 FILE)"));
        return ClusterSecret.read(file);
    }
}
