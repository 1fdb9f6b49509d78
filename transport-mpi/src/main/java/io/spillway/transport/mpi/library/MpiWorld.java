// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * The ranks that were started together, seen from one of them. There is one a process, and only the
 * thread that started it may call it: another one gets an {@link IllegalStateException}, since MPI
 * may grant no more than MPI_THREAD_FUNNELED.
 *
 * <p>Messages go by a communicator of their own. A failed call throws an {@link MpiException} and
 * leaves the process alive, as far as the MPI library does: many end all ranks when one has died.
 * Nothing is allocated by a send, a receive or a poll, but when there are more requests under way
 * than ever before.
 *
 * <p>Source: MPI: A Message-Passing Interface Standard, version 3.1, chapters 3, 8 and 12.
 */
public final class MpiWorld implements MpiMessages {
    /** What may call MPI, from less to more. */
    public enum ThreadLevel {
        SINGLE,
        FUNNELED,
        SERIALIZED,
        MULTIPLE
    }

    private static final ThreadLevel[] LEVELS = ThreadLevel.values();
    private static final int FIRST_REQUESTS = 64;

    /** MPI_Init can be called once a process. */
    private static boolean started;

    private final Thread owner = Thread.currentThread();
    private final int rank;
    private final int size;
    private final int maxTag;
    private final ThreadLevel threadLevel;
    private final String libraryVersion;
    private final String processorName;

    /** By handle: native code uses the memory until the request has ended. */
    private ByteBuffer[] buffers = new ByteBuffer[FIRST_REQUESTS];

    private boolean finished;

    private MpiWorld(final ByteBuffer info) throws MpiException {
        rank = info.getInt(MpiCalls.INFO_RANK * Integer.BYTES);
        size = info.getInt(MpiCalls.INFO_SIZE * Integer.BYTES);
        maxTag = info.getInt(MpiCalls.INFO_MAX_TAG * Integer.BYTES);
        threadLevel = LEVELS[info.getInt(MpiCalls.INFO_THREAD_LEVEL * Integer.BYTES)];
        libraryVersion = MpiCalls.libraryVersion();
        processorName = MpiCalls.processorName();
    }

    /**
     * Loads the native library, compiles it if need be, and joins the world of this process. Blocks
     * until the other ranks do the same.
     *
     * @throws IOException that says what to change: the library is missing, this process was not
     *     started by an MPI launcher, or by that of another library
     * @throws IllegalStateException if the process has had a world before
     */
    public static MpiWorld start(final MpiSettings settings) throws IOException {
        final Optional<MpiLauncher> launcher = MpiLibrary.prepare(settings);
        final MpiWorld world = init(settings.self());
        final Optional<String> mismatch =
                launcher.flatMap(by -> by.mismatch(world.size, world.libraryVersion));
        if (mismatch.isPresent()) {
            world.finish();
            throw new MpiException(mismatch.get());
        }
        return world;
    }

    private static MpiWorld init(final boolean self) throws MpiException {
        synchronized (MpiWorld.class) {
            if (started) {
                throw new IllegalStateException("MPI can be initialised once a process");
            }
            started = true;
        }
        final ByteBuffer info =
                ByteBuffer.allocateDirect(MpiCalls.INFO_LENGTH * Integer.BYTES)
                        .order(ByteOrder.nativeOrder());
        MpiCalls.init(self, info);
        return new MpiWorld(info);
    }

    /** The number of this process, from 0. */
    public int rank() {
        return rank;
    }

    /** How many ranks there are. */
    public int size() {
        return size;
    }

    @Override
    public int maxTag() {
        return maxTag;
    }

    /** What the library grants; this class needs no more than one thread. */
    public ThreadLevel threadLevel() {
        return threadLevel;
    }

    /** The name and version of the MPI library, in one line. */
    public String libraryVersion() {
        return libraryVersion;
    }

    /** The name that MPI has for this host. */
    public String processorName() {
        return processorName;
    }

    @Override
    public int send(
            final ByteBuffer bytes,
            final int offset,
            final int length,
            final int toRank,
            final int tag)
            throws MpiException {
        check();
        checkRange(bytes, offset, length);
        return hold(MpiCalls.send(bytes, offset, length, toRank, tag), bytes);
    }

    @Override
    public int sendMatched(
            final ByteBuffer bytes,
            final int offset,
            final int length,
            final int toRank,
            final int tag)
            throws MpiException {
        check();
        checkRange(bytes, offset, length);
        return hold(MpiCalls.sendMatched(bytes, offset, length, toRank, tag), bytes);
    }

    @Override
    public int receive(
            final ByteBuffer bytes,
            final int offset,
            final int length,
            final int fromRank,
            final int tag)
            throws MpiException {
        check();
        checkRange(bytes, offset, length);
        if (bytes.isReadOnly()) {
            throw new IllegalArgumentException("the buffer can only be read");
        }
        return hold(MpiCalls.receive(bytes, offset, length, fromRank, tag), bytes);
    }

    @Override
    public int poll(final Completions out) throws MpiException {
        check();
        final int found = out.poll(MpiCalls::poll);
        for (int i = 0; i < found; i++) {
            buffers[out.handle(i)] = null;
        }
        return found;
    }

    @Override
    public void cancel(final int handle) throws MpiException {
        check();
        if (handle < 0 || handle >= buffers.length || buffers[handle] == null) {
            throw new IllegalArgumentException("handle " + handle + " is of no request under way");
        }
        MpiCalls.cancel(handle);
    }

    @Override
    public MpiException failure(final int error) {
        check();
        try {
            MpiCalls.fail(error);
        } catch (final MpiException e) {
            return e;
        }
        throw new IllegalArgumentException("error=" + error + ", expected one that is not 0");
    }

    /**
     * Sends bytes of one rank to all others. Waits for them.
     *
     * @param bytes a direct buffer, of the same {@code length} at all ranks
     */
    public void broadcast(final ByteBuffer bytes, final int length, final int root)
            throws MpiException {
        check();
        checkRange(bytes, 0, length);
        MpiCalls.broadcast(bytes, length, root);
    }

    /** Waits until all ranks have called it. */
    public void barrier() throws MpiException {
        check();
        MpiCalls.barrier();
    }

    /**
     * Leaves the world for good, which may wait for the other ranks to do so. Requests under way
     * have to be ended before.
     */
    public void finish() throws MpiException {
        check();
        finished = true;
        MpiCalls.finish();
    }

    /** Ends all ranks, this process first: it does not return as a rule. */
    public void abort(final int code) throws MpiException {
        check();
        MpiCalls.abort(code);
    }

    private void check() {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException(
                    "MPI belongs to thread " + owner.getName() + ", which started it");
        }
        if (finished) {
            throw new IllegalStateException("MPI is finished");
        }
    }

    private static void checkRange(final ByteBuffer bytes, final int offset, final int length) {
        if (!bytes.isDirect()) {
            throw new IllegalArgumentException("MPI needs a direct buffer");
        }
        Objects.checkFromIndexSize(offset, length, bytes.capacity());
    }

    private int hold(final int handle, final ByteBuffer bytes) {
        if (handle >= buffers.length) {
            buffers = Arrays.copyOf(buffers, Math.max(handle + 1, 2 * buffers.length));
        }
        buffers[handle] = bytes;
        return handle;
    }
}
