package io.spillway.bench.net;

import io.spillway.bench.net.data.Pieces;
import io.spillway.bench.net.mpi.MpiBench;
import java.io.IOException;

/**
 * What the MPI library carries between two ranks by itself, in processes of its own. With one
 * message in flight the time is that of a small one and of a large one, one way each, as a fetch
 * is. SEMem's way has one request in flight, whatever the window is.
 */
final class MpiLibraryTraffic implements Traffic {
    private static final int SMALL_BYTES = 16;
    private static final double NANOS_PER_MICRO = 1e3;

    private final MpiBench bench;
    private final TransportVariant way;
    private final Pieces pieces;
    private double smallMicros = Double.NaN;

    MpiLibraryTraffic(final MpiBench bench, final TransportVariant way, final Pieces pieces) {
        this.bench = bench;
        this.way = way;
        this.pieces = pieces;
    }

    @Override
    public Sample run(final int bytes, final int window, final long nanos)
            throws IOException, InterruptedException {
        if (way.kind() == TransportVariant.Kind.SEMEM) {
            final MpiBench.Figures found = test(MpiBench.Mode.REQUEST, bytes, 1, nanos);
            return sample(found, found.nanos(), window == 1 ? found.medianMicros() : Double.NaN);
        }
        if (window > 1) {
            final MpiBench.Figures found = test(MpiBench.Mode.BANDWIDTH, bytes, window, nanos);
            return sample(found, found.nanos(), Double.NaN);
        }
        if (Double.isNaN(smallMicros)) {
            smallMicros = test(MpiBench.Mode.LATENCY, SMALL_BYTES, 1, nanos).medianMicros();
        }
        final MpiBench.Figures found = test(MpiBench.Mode.LATENCY, bytes, 1, nanos);
        final double micros = smallMicros + found.medianMicros();
        return sample(found, (long) (found.messages() * micros * NANOS_PER_MICRO), micros);
    }

    private MpiBench.Figures test(
            final MpiBench.Mode mode, final int bytes, final int window, final long nanos)
            throws IOException, InterruptedException {
        final int data = pieces.onePlace() ? bytes : pieces.dataLength();
        return bench.run(mode, bytes, window, data, nanos);
    }

    private static Sample sample(
            final MpiBench.Figures found, final long nanos, final double medianMicros) {
        return new Sample(
                found.messages(),
                nanos,
                medianMicros,
                found.clientCpuNanos(),
                found.serverCpuNanos(),
                0);
    }

    @Override
    public void close() {}
}
