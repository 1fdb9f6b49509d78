// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.engine.TestSegment;
import io.spillway.protocol.ServerSettings;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentFile;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.tcp.server.TcpListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A node that serves segments in files over TCP. */
final class FileNode implements AutoCloseable {
    private final Map<String, Path> files = new ConcurrentHashMap<>();
    private final Map<String, TestSegment> segments = new ConcurrentHashMap<>();
    final StreamServer server;
    final TcpListener listener;

    FileNode() {
        this(List.of());
    }

    FileNode(final List<TransportOffer> offers) {
        this(offers, Map.of());
    }

    FileNode(final List<TransportOffer> offers, final Map<String, String> settings) {
        server =
                new StreamServer(
                        (jobId, segment) -> open(segment),
                        jobId ->
                                jobId.equals(ReduceFixture.JOB.toString())
                                        ? ReduceFixture.SECRET.getEncoded()
                                        : null,
                        ServerSettings.from(settings::get),
                        1,
                        () -> offers);
        listener =
                TcpListener.bind(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), server, 1);
    }

    void put(final Path directory, final String attempt, final TestSegment segment)
            throws IOException {
        segments.put(attempt, segment);
        files.put(attempt, Files.write(directory.resolve(attempt), segment.bytes()));
    }

    NodeAddress address() {
        return new NodeAddress("127.0.0.1", listener.address().getPort());
    }

    private ServedSegment open(final SegmentId id) throws FetchException {
        if (!files.containsKey(id.output())) {
            throw new FetchException(FetchException.Reason.NOT_FOUND, id + " is not here");
        }
        try {
            final FileChannel file = FileChannel.open(files.get(id.output()));
            final TestSegment segment = segments.get(id.output());
            return new ServedSegment() {
                @Override
                public long partLength() {
                    return segment.bytes().length;
                }

                @Override
                public long rawLength() {
                    return segment.rawLength();
                }

                @Override
                public void read(final long offset, final ByteBuffer destination)
                        throws IOException {
                    file(offset, destination.remaining()).read(offset, destination);
                }

                @Override
                public SegmentFile file(final long offset, final int length) {
                    return new SegmentFile(file, 0);
                }

                @Override
                public void close() {
                    try {
                        file.close();
                    } catch (final IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            };
        } catch (final IOException e) {
            throw new FetchException(FetchException.Reason.NOT_FOUND, "cannot open " + id, e);
        }
    }

    @Override
    public void close() {
        listener.close();
        server.close();
    }
}
