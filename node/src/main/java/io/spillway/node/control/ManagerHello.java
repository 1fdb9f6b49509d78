// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.NodeAddress;
import java.nio.ByteBuffer;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
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

    static final int MAX_PATH_LENGTH = 4096;

    private static final BodyBounds PATH = BodyBounds.EMPTY.plusLong(1, MAX_PATH_LENGTH);
    static final BodyBounds BODY =
            BodyBounds.of(Integer.BYTES)
                    .plusLong(1, ControlFrameType.MAX_NAME_LENGTH)
                    .plusLong(1, ControlFrameType.MAX_NAME_LENGTH)
                    .plusList(MAX_LOCAL_DIRS, PATH)
                    .plusList(
                            MAX_STORES,
                            BodyBounds.of(Long.BYTES)
                                    .plusLong(1, MAX_TIER_LENGTH)
                                    .plusLong(1, MAX_PATH_LENGTH));

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
        return ControlFrameType.HELLO
                .writer()
                .text("manager", manager, 1, ControlFrameType.MAX_NAME_LENGTH)
                .text("host", shuffle.host(), 1, ControlFrameType.MAX_NAME_LENGTH)
                .int32(shuffle.port())
                .list(localDirs, (out, dir) -> write(out, "local dir", dir))
                .list(stores, ManagerHello::write)
                .finish();
    }

    private static void write(final FrameWriter out, final Store store) {
        out.text("tier", store.tier(), 1, MAX_TIER_LENGTH);
        write(out, "store", store.root());
        out.int64(store.limit());
    }

    private static void write(final FrameWriter out, final String field, final Path path) {
        out.text(field, path.toAbsolutePath().normalize().toString(), 1, MAX_PATH_LENGTH);
    }

    /** Reads a body. */
    public static ManagerHello decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = ControlFrameType.HELLO.reader(body);
        final String manager = in.text("manager", 1, ControlFrameType.MAX_NAME_LENGTH);
        final String host = in.text("host", 1, ControlFrameType.MAX_NAME_LENGTH);
        final int port = in.int32("port", 0, MAX_PORT);
        final List<Path> dirs =
                in.list("local dirs", 0, MAX_LOCAL_DIRS, each -> path(each, "local dir"));
        final List<Store> stores = in.list("stores", 0, MAX_STORES, ManagerHello::store);
        in.end();
        return new ManagerHello(manager, new NodeAddress(host, port), dirs, stores);
    }

    private static Store store(final FrameReader in) throws MalformedFrameException {
        final String tier = in.text("tier", 1, MAX_TIER_LENGTH);
        final Path root = path(in, "store");
        return new Store(tier, root, in.int64("limit", 0));
    }

    /** An absolute path without any step back. */
    private static Path path(final FrameReader in, final String field)
            throws MalformedFrameException {
        final String text = in.text(field, 1, MAX_PATH_LENGTH);
        final Path path;
        try {
            path = Path.of(text);
        } catch (final InvalidPathException e) {
            throw in.malformed(field, text, "a path in this host's encoding");
        }
        if (!path.isAbsolute() || !path.normalize().equals(path)) {
            throw in.malformed(field, text, "an absolute path without . and ..");
        }
        return path;
    }
}
