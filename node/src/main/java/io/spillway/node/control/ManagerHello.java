// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.NodeAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A handler's first frame: which NodeManager it serves, and where map outputs lie. Immutable.
 *
 * @param manager a name of the NodeManager that it keeps when it is started again
 * @param shuffle where its shuffle port is
 * @param localDirs its local directories
 * @param stores folders in which map outputs may lie beside them
 */
public record ManagerHello(
        String manager, NodeAddress shuffle, List<Path> localDirs, List<Store> stores) {
    /** The most local directories. */
    public static final int MAX_LOCAL_DIRS = 256;

    /** The most store folders. */
    public static final int MAX_STORES = 16;

    private static final int MAX_TIER_LENGTH = 16;
    private static final int MAX_PORT = 65_535;

    static final int MIN_BODY_LENGTH = 2 * (Integer.BYTES + 1) + 3 * Integer.BYTES;
    static final int MAX_BODY_LENGTH =
            2 * (Integer.BYTES + ControlTexts.MAX_NAME_LENGTH)
                    + 3 * Integer.BYTES
                    + MAX_LOCAL_DIRS * (Integer.BYTES + ControlTexts.MAX_PATH_LENGTH)
                    + MAX_STORES
                            * (2 * Integer.BYTES
                                    + MAX_TIER_LENGTH
                                    + ControlTexts.MAX_PATH_LENGTH
                                    + Long.BYTES);

    /**
     * A folder of a tier.
     *
     * @param tier such as {@code memory}
     * @param root the folder
     * @param limit the most bytes in it
     */
    public record Store(String tier, Path root, long limit) {
        /** Checks the fields. */
        public Store {
            Objects.requireNonNull(tier, "tier");
            Objects.requireNonNull(root, "root");
        }
    }

    /** Copies the lists. */
    public ManagerHello {
        localDirs = List.copyOf(localDirs);
        stores = List.copyOf(stores);
    }

    /** The whole frame. */
    public ByteBuffer encode() {
        final byte[] name = ControlTexts.bytes("manager", manager, ControlTexts.MAX_NAME_LENGTH);
        final byte[] host =
                ControlTexts.bytes("host", shuffle.host(), ControlTexts.MAX_NAME_LENGTH);
        final List<byte[]> dirs = localDirs.stream().map(dir -> path("local dir", dir)).toList();
        final List<byte[]> tiers = new ArrayList<>();
        final List<byte[]> roots = new ArrayList<>();
        int length = ControlTexts.lengthOf(name) + ControlTexts.lengthOf(host);
        length += 3 * Integer.BYTES;
        length += dirs.stream().mapToInt(ControlTexts::lengthOf).sum();
        for (final Store store : stores) {
            tiers.add(ControlTexts.bytes("tier", store.tier(), MAX_TIER_LENGTH));
            roots.add(path("store", store.root()));
            length += Long.BYTES;
        }
        length += tiers.stream().mapToInt(ControlTexts::lengthOf).sum();
        length += roots.stream().mapToInt(ControlTexts::lengthOf).sum();
        final ByteBuffer out = ControlFrameType.HELLO.allocate(length);
        ControlTexts.put(out, name);
        ControlTexts.put(out, host);
        out.putInt(shuffle.port());
        out.putInt(dirs.size());
        dirs.forEach(dir -> ControlTexts.put(out, dir));
        out.putInt(stores.size());
        for (int i = 0; i < stores.size(); i++) {
            ControlTexts.put(out, tiers.get(i));
            ControlTexts.put(out, roots.get(i));
            out.putLong(stores.get(i).limit());
        }
        return out.flip();
    }

    private static byte[] path(final String field, final Path path) {
        return ControlTexts.bytes(
                field, path.toAbsolutePath().normalize().toString(), ControlTexts.MAX_PATH_LENGTH);
    }

    /** Reads a body. */
    public static ManagerHello decode(final ByteBuffer body) throws MalformedFrameException {
        final ControlReader in = new ControlReader(ControlFrameType.HELLO, body);
        final String manager = in.text("manager", 1, ControlTexts.MAX_NAME_LENGTH);
        final String host = in.text("host", 1, ControlTexts.MAX_NAME_LENGTH);
        final int port = in.int32("port", 0, MAX_PORT);
        final List<Path> dirs = new ArrayList<>();
        for (int left = in.int32("local dirs", 0, MAX_LOCAL_DIRS); left > 0; left--) {
            dirs.add(in.path("local dir"));
        }
        final List<Store> stores = new ArrayList<>();
        for (int left = in.int32("stores", 0, MAX_STORES); left > 0; left--) {
            stores.add(
                    new Store(
                            in.text("tier", 1, MAX_TIER_LENGTH),
                            in.path("store"),
                            in.int64("limit", 0)));
        }
        in.end();
        return new ManagerHello(manager, new NodeAddress(host, port), dirs, stores);
    }
}
