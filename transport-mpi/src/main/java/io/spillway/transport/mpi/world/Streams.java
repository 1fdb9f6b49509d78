// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.spillway.frame.MalformedFrameException;
import io.spillway.protocol.LogLimiter;
import io.spillway.transport.mpi.channel.PieceSizes;
import io.spillway.transport.mpi.library.MpiException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams of a rank, by the numbers that other ranks have for them. A message for a stream
 * counts only where it comes from the rank at its other end. Used by the rank's thread.
 */
public final class Streams implements Postman.Receiver {
    /** Makes ends of streams that other ranks ask for. */
    @FunctionalInterface
    public interface Service {
        /** A new end, which the other one joins; throws where there can be none. */
        StreamEnd newEnd(int rank);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Streams.class);

    private final Map<Long, StreamEnd> ends = new HashMap<>();
    private final Map<Long, Service> services = new HashMap<>();
    private final SecureRandom random = new SecureRandom();
    private final LogLimiter warnings = new LogLimiter(LOG);
    private final ByteBufAllocator allocator;
    private Postman postman;

    Streams(final ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    void use(final Postman ofRank) {
        postman = ofRank;
    }

    Postman postman() {
        return postman;
    }

    /** The buffers of messages. */
    public ByteBufAllocator allocator() {
        return allocator;
    }

    /** Takes streams for a server of this rank. */
    public void serve(final int number, final Service service) {
        services.put((long) number, service);
    }

    /** Takes none any more. */
    public void unserve(final int number) {
        services.remove((long) number);
    }

    /** How many streams there are. */
    public int count() {
        return ends.size();
    }

    // ---- ends ----------------------------------------------------------------------------------

    long add(final StreamEnd end) {
        long id = random.nextLong();
        while (ends.containsKey(id)) {
            id = random.nextLong();
        }
        ends.put(id, end);
        return id;
    }

    void remove(final long id) {
        ends.remove(id);
    }

    void open(final StreamEnd end, final int service, final long from) throws MpiException {
        postman.send(end.rank(), parcel(Parcel.Kind.OPEN, service, from), end::onBroken);
    }

    void opened(final StreamEnd end, final long to, final long from) throws MpiException {
        postman.send(end.rank(), parcel(Parcel.Kind.OPENED, to, from), end::onBroken);
    }

    static ByteBuf newParcel(final ByteBufAllocator allocator, final long to, final long from) {
        return begin(allocator, Parcel.Kind.DATA, to, from);
    }

    void send(final StreamEnd end, final ByteBuf parcel, final int bulkLength, final int bulkTag)
            throws MpiException {
        Parcel.end(parcel, bulkLength, bulkTag);
        postman.send(end.rank(), parcel, end::onBroken);
    }

    /** Sends what nothing depends on: the other end has a time-out of its own. */
    void tell(final Parcel.Kind kind, final int rank, final long to, final long from) {
        try {
            postman.send(
                    rank,
                    parcel(kind, to, from),
                    failure -> LOG.debug("{} was not sent to rank {}", kind, rank, failure));
        } catch (final MpiException | RuntimeException | Error e) {
            LOG.debug("{} was not sent to rank {}", kind, rank, e);
        }
    }

    private ByteBuf parcel(final Parcel.Kind kind, final long to, final long from) {
        final ByteBuf parcel = begin(allocator, kind, to, from);
        Parcel.end(parcel, 0, 0);
        return parcel;
    }

    private static ByteBuf begin(
            final ByteBufAllocator allocator,
            final Parcel.Kind kind,
            final long to,
            final long from) {
        final ByteBuf parcel =
                allocator.directBuffer(PieceSizes.MAX_MESSAGE, PieceSizes.MAX_MESSAGE);
        Parcel.begin(parcel, kind, to, from);
        return parcel;
    }

    MpiException shortMessage(final int expected, final int length) {
        return new MpiException("bytes of a stream=" + length + ", expected " + expected);
    }

    /** Ends all of them. */
    void endAll() {
        services.clear();
        final MpiException cause = new MpiException("this rank ends");
        List.copyOf(ends.values()).forEach(end -> end.onBroken(cause));
    }

    // ---- what arrives --------------------------------------------------------------------------

    @Override
    public void arrived(final int rank, final ByteBuffer bytes) {
        try {
            take(rank, Parcel.decode(bytes), bytes);
        } catch (final MalformedFrameException e) {
            warnings.warn("Dropping a message of rank " + rank + ": " + e.getMessage());
        } catch (final RuntimeException | Error e) {
            LOG.error("Taking a message of rank {} failed", rank, e);
        }
    }

    private void take(final int rank, final Parcel parcel, final ByteBuffer bytes) {
        if (parcel.kind() == Parcel.Kind.OPEN) {
            accept(rank, parcel);
            return;
        }
        final StreamEnd end = ends.get(parcel.to());
        if (end == null || end.rank() != rank) {
            LOG.debug("A message of rank {} for a stream that has ended", rank);
            drain(rank, parcel);
            return;
        }
        switch (parcel.kind()) {
            case OPENED -> end.opened(parcel.from());
            case REFUSED -> end.onRefused();
            case CLOSE -> end.ended();
            default -> takeBytes(rank, end, parcel, bytes);
        }
    }

    private void drain(final int rank, final Parcel parcel) {
        if (parcel.bulkLength() > 0) {
            postman.drain(rank, parcel.bulkLength(), parcel.bulkTag());
        }
    }

    private void takeBytes(
            final int rank, final StreamEnd end, final Parcel parcel, final ByteBuffer bytes) {
        final ByteBuf inline;
        try {
            inline = inline(end, parcel, bytes);
        } catch (final RuntimeException | Error e) {
            drain(rank, parcel);
            end.onBroken(new MpiException("no memory for bytes of a stream: " + e));
            return;
        }
        end.arrived(inline, parcel.bulkLength(), parcel.bulkTag());
    }

    private static ByteBuf inline(
            final StreamEnd end, final Parcel parcel, final ByteBuffer bytes) {
        if (parcel.inlineLength() == 0) {
            return null;
        }
        final ByteBuffer source =
                bytes.slice(bytes.position() + Parcel.HEADER_LENGTH, parcel.inlineLength());
        return end.allocator().directBuffer(parcel.inlineLength()).writeBytes(source);
    }

    private void accept(final int rank, final Parcel parcel) {
        final Service service = services.get(parcel.to());
        if (service == null) {
            tell(Parcel.Kind.REFUSED, rank, parcel.from(), 0);
            return;
        }
        final StreamEnd end = service.newEnd(rank);
        try {
            end.accept(parcel.from());
            end.onOpened();
        } catch (final MpiException | RuntimeException | Error e) {
            LOG.debug("A stream of rank {} cannot be opened", rank, e);
            end.leave();
            tell(Parcel.Kind.REFUSED, rank, parcel.from(), 0);
        }
    }

    @Override
    public void broken(final MpiException cause) {
        warnings.warn("Receiving from other ranks failed, all streams end: " + cause.getMessage());
        List.copyOf(ends.values()).forEach(end -> end.onBroken(cause));
    }
}
