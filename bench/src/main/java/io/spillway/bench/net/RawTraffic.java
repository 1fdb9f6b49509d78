package io.spillway.bench.net;

import io.spillway.bench.net.data.BenchData;
import io.spillway.bench.net.data.Offsets;
import io.spillway.bench.net.data.Pieces;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Requests and answers on a plain socket, by one thread that blocks. */
final class RawTraffic implements Traffic {
    private final SocketChannel socket;
    private final Pieces pieces;
    private final ByteBuffer request = ByteBuffer.allocateDirect(RawServer.REQUEST_BYTES);

    RawTraffic(final SocketAddress address, final byte[] secret, final Pieces pieces)
            throws IOException {
        this.pieces = pieces;
        this.socket = SocketChannel.open(address);
        RawServer.noDelay(socket);
        write(ByteBuffer.wrap(secret));
    }

    private void write(final ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            socket.write(bytes);
        }
    }

    @Override
    public Sample run(final int bytes, final int window, final long nanos) throws IOException {
        final ByteBuffer answer = pieces.places(bytes).get();
        final Offsets toAsk = pieces.offsets(bytes);
        final Offsets toCome = pieces.offsets(bytes);
        final Latencies latencies = new Latencies();
        final long start = System.nanoTime();
        for (int i = 0; i < window; i++) {
            ask(toAsk.next(), bytes);
        }
        long inFlight = window;
        long messages = 0;
        long sent = start;
        while (inFlight > 0) {
            RawServer.read(socket, answer.clear());
            BenchData.check(answer, bytes, toCome.next());
            final long now = System.nanoTime();
            if (window == 1) {
                latencies.add(now - sent);
            }
            messages++;
            inFlight--;
            if (now - start < nanos) {
                sent = now;
                ask(toAsk.next(), bytes);
                inFlight++;
            }
        }
        return new Sample(messages, System.nanoTime() - start, latencies.medianMicros(), 0, 0, 0);
    }

    private void ask(final long offset, final int bytes) throws IOException {
        request.clear();
        request.putLong(offset).putLong(bytes).flip();
        write(request);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
