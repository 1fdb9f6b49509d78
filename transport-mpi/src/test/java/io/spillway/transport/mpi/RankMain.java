// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.TestSegments;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A rank that serves the same segments as every other one, until a file says that the test is over.
 */
public final class RankMain {
    static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);

    /** The map whose output every rank has: one large and one small partition. */
    static final int MAP = 3;

    static final int LARGE = 8 << 20;
    static final int SMALL = 1000;

    private static final String ADDRESS = "address";
    private static final String DONE = "done";

    private RankMain() {}

    /** Serves. */
    public static void main(final String[] arguments) throws Exception {
        final Path folder = Path.of(System.getProperty(TestWorld.FOLDER));
        final TestWorld world = TestWorld.get();
        final Path own = Ranks.folderOf(folder, world.world().rank());
        final TestSegments segments = new TestSegments(own);
        segments.add(MAP, LARGE, SMALL);
        final MpiNode node =
                new MpiNode(
                        segments,
                        Map.of(TestSegments.JOB, SECRET)::get,
                        ServerSettings.from(System::getProperty),
                        DirectMemory.SYSTEM);
        final Path written = own.resolve(ADDRESS + ".new");
        Files.writeString(written, ProcessHandle.current().pid() + " " + node.address());
        Files.move(written, addressIn(own), StandardCopyOption.ATOMIC_MOVE);
        while (Files.isDirectory(folder) && !Files.exists(doneIn(folder))) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        node.close();
        world.close();
        System.exit(0);
    }

    static Path addressIn(final Path folderOfRank) {
        return folderOfRank.resolve(ADDRESS);
    }

    static Path doneIn(final Path folder) {
        return folder.resolve(DONE);
    }
}
