// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The functions of {@code spillway_mpi.c}, which check nothing: buffers are direct and ranges lie
 * in them. Those of MPI belong to one thread.
 */
final class MpiCalls {
    static final int INFO_RANK = 0;
    static final int INFO_SIZE = 1;
    static final int INFO_THREAD_LEVEL = 2;
    static final int INFO_MAX_TAG = 3;
    static final int INFO_LENGTH = 4;

    private MpiCalls() {}

    static native void init(boolean self, ByteBuffer info) throws MpiException;

    /** May be called before {@link #init}, by any thread. */
    static native String libraryVersion() throws MpiException;

    static native String processorName() throws MpiException;

    static native void finish() throws MpiException;

    static native void abort(int code) throws MpiException;

    static native void barrier() throws MpiException;

    static native void broadcast(ByteBuffer bytes, int length, int root) throws MpiException;

    static native int send(ByteBuffer bytes, int offset, int length, int rank, int tag)
            throws MpiException;

    static native int sendMatched(ByteBuffer bytes, int offset, int length, int rank, int tag)
            throws MpiException;

    static native int receive(ByteBuffer bytes, int offset, int length, int rank, int tag)
            throws MpiException;

    static native void cancel(int handle) throws MpiException;

    static native int poll(ByteBuffer done, int most) throws MpiException;

    /** Throws what an error code stands for. */
    static native void fail(int code) throws MpiException;

    /** The memory; its file descriptor goes to {@code descriptor}, an int in native order. */
    static native ByteBuffer shareMemory(String name, int bytes, ByteBuffer descriptor)
            throws IOException;

    static native void unshareMemory(ByteBuffer memory, int bytes, int descriptor);
}
