// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * An MPI library whose messages come, leave and fail when a test says so. A receive gets the oldest
 * message that fits it, as the standard demands.
 */
public final class FakeMessages implements MpiMessages {
    /** A request under way. */
    public record Request(
            int handle,
            boolean isSend,
            ByteBuffer bytes,
            int offset,
            int length,
            int rank,
            int tag) {
        private boolean takes(final int fromRank, final int itsTag) {
            return !isSend && tag == itsTag && (rank == ANY_RANK || rank == fromRank);
        }
    }

    private record Message(int rank, int tag, ByteBuffer bytes) {}

    private record End(int handle, int rank, int tag, int count, int error, boolean cancelled) {}

    private static final int ERROR = 15;

    private final int maxTag;
    private final List<Request> underWay = new ArrayList<>();
    private final Queue<Message> unexpected = new ArrayDeque<>();
    private final Queue<End> ended = new ArrayDeque<>();
    private int handles;
    private int failingReceives;

    /** A library whose messages have tags up to {@code maxTag}. */
    public FakeMessages(final int maxTag) {
        this.maxTag = maxTag;
    }

    /** The requests under way that send something else than parcels, the oldest first. */
    public List<Request> bulkSends() {
        return underWay.stream().filter(request -> request.isSend && request.tag > 1).toList();
    }

    /** The receives under way of messages with a tag, the oldest first. */
    public List<Request> receives(final int tag) {
        return underWay.stream().filter(request -> !request.isSend && request.tag == tag).toList();
    }

    /** How many messages have come that no receive was for. */
    public int unreceived() {
        return unexpected.size();
    }

    /** So many of the next receives cannot be posted. */
    public void failReceives(final int count) {
        failingReceives = count;
    }

    /** A request has ended well. */
    public void end(final Request request) {
        end(request, request.rank, request.length, 0);
    }

    /** A request has failed. */
    public void fail(final Request request) {
        end(request, request.rank, 0, ERROR);
    }

    private void end(final Request request, final int rank, final int count, final int error) {
        underWay.remove(request);
        ended.add(new End(request.handle, rank, request.tag, count, error, false));
    }

    /** A message comes from another rank. */
    public void arrive(final int rank, final int tag, final byte[] bytes) {
        unexpected.add(new Message(rank, tag, ByteBuffer.wrap(bytes)));
        match();
    }

    private void match() {
        for (final Message message : List.copyOf(unexpected)) {
            underWay.stream()
                    .filter(request -> request.takes(message.rank, message.tag))
                    .findFirst()
                    .ifPresent(receive -> take(receive, message));
        }
    }

    private void take(final Request receive, final Message message) {
        unexpected.remove(message);
        final int length = message.bytes.remaining();
        receive.bytes.put(receive.offset, message.bytes, 0, length);
        end(receive, message.rank, length, 0);
    }

    @Override
    public int maxTag() {
        return maxTag;
    }

    @Override
    public int send(
            final ByteBuffer bytes,
            final int offset,
            final int length,
            final int toRank,
            final int tag) {
        return begin(new Request(handles++, true, bytes, offset, length, toRank, tag));
    }

    @Override
    public int sendMatched(
            final ByteBuffer bytes,
            final int offset,
            final int length,
            final int toRank,
            final int tag) {
        return send(bytes, offset, length, toRank, tag);
    }

    @Override
    public int receive(
            final ByteBuffer bytes,
            final int offset,
            final int length,
            final int fromRank,
            final int tag)
            throws MpiException {
        if (failingReceives > 0) {
            failingReceives--;
            throw new MpiException("MPI_Irecv: no memory");
        }
        final int handle =
                begin(new Request(handles++, false, bytes, offset, length, fromRank, tag));
        match();
        return handle;
    }

    private int begin(final Request request) {
        underWay.add(request);
        return request.handle;
    }

    @Override
    public int poll(final Completions out) throws MpiException {
        return out.poll(this::write);
    }

    private int write(final ByteBuffer done, final int most) {
        final ByteBuffer ints = done.duplicate().order(ByteOrder.nativeOrder()).clear();
        int count = 0;
        while (count < most && !ended.isEmpty()) {
            final End end = ended.remove();
            ints.putInt(end.handle).putInt(end.rank).putInt(end.tag).putInt(end.count);
            ints.putInt(end.error).putInt(end.cancelled ? 1 : 0);
            count++;
        }
        return count;
    }

    @Override
    public void cancel(final int handle) {
        final Request receive =
                underWay.stream()
                        .filter(request -> request.handle == handle)
                        .findFirst()
                        .orElseThrow();
        underWay.remove(receive);
        ended.add(new End(handle, receive.rank, receive.tag, 0, 0, true));
    }

    @Override
    public MpiException failure(final int error) {
        return new MpiException("MPI: error=" + error);
    }
}
