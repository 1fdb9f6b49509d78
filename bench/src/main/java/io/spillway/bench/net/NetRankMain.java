package io.spillway.bench.net;

import io.spillway.bench.net.data.BenchData;
import io.spillway.bench.net.mpi.RankWorld;
import io.spillway.conf.MpiStart;
import io.spillway.conf.SpillwayKeys;
import io.spillway.host.UserSocket;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.mpi.library.MpiLauncher;
import io.spillway.transport.serve.SegmentServer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A rank of the benchmark's world, as a node process is one: it serves the benchmark's segment, and
 * carries what tasks that come to its socket ask of other ranks.
 */
public final class NetRankMain {
    private static final long EPOCH = 1;
    private static final long LOOK_MILLIS = 500;

    private NetRankMain() {}

    /** Serves until the world ends. Arguments: the folder of the world, then {@link NetOptions}. */
    public static void main(final String[] arguments) throws Exception {
        final List<String> all = List.of(arguments);
        final Path world = Path.of(all.get(0));
        final NetOptions options = NetOptions.parse(all.subList(1, all.size()));
        final int rank =
                MpiLauncher.of(System.getenv())
                        .orElseThrow(() -> new IOException("started outside mpirun"))
                        .rank();
        final Path own = RankWorld.folderOf(world, rank);
        UserSocket.preparePrivateFolder(own);
        try (BenchData data =
                        new BenchData(
                                options.dataLength(), own.resolve("data"), options.fromMemory());
                SegmentServer server = join(options, data, RankWorld.socketOf(world, rank))) {
            RankWorld.ready(world, rank, server.address().toString());
            awaitEnd(world, rank);
        }
        System.exit(0); // native code may have threads of its own
    }

    private static SegmentServer join(
            final NetOptions options, final BenchData data, final Path socket) throws IOException {
        final TransportProvider mpi =
                NetServerMain.provider("mpi")
                        .orElseThrow(() -> new IOException("this build has no transport mpi"));
        final Map<String, String> settings = new HashMap<>(options.properties());
        settings.put(SpillwayKeys.MPI_SOCKET.name(), socket.toString());
        settings.put(SpillwayKeys.MPI_WORLD.name(), MpiStart.LAUNCHED.text());
        final byte[] secret = NetProcess.secret();
        return mpi.newServer(
                options.host(),
                0,
                data,
                job -> job.equals(BenchData.JOB) ? secret : null,
                settings::get,
                EPOCH);
    }

    /** A launcher hands its standard input to rank 0; the others look now and then. */
    private static void awaitEnd(final Path world, final int rank)
            throws IOException, InterruptedException {
        if (rank == 0) {
            System.in.transferTo(OutputStream.nullOutputStream());
            RankWorld.end(world);
        }
        while (!RankWorld.isEnded(world)) {
            Thread.sleep(LOOK_MILLIS);
        }
    }
}
