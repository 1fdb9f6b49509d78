// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import java.nio.ByteBuffer;

/**
 * What a rank does with messages, without waiting. Belongs to the thread that has started the
 * world.
 */
public interface MpiMessages {
    /** A receive takes a message from any rank. */
    int ANY_RANK = -1;

    /** A receive takes a message of any tag. */
    int ANY_TAG = -1;

    /** The highest tag that a message may have; at least 32767. */
    int maxTag();

    /**
     * Starts to send bytes, which must not change until the request has ended. Its end does not
     * mean that the message has been received: MPI may have copied it.
     *
     * @param bytes a direct buffer; its position and limit do not matter
     * @return the handle by which {@link #poll} names the request
     */
    int send(ByteBuffer bytes, int offset, int length, int toRank, int tag) throws MpiException;

    /**
     * As {@link #send}, but a request that ends without an error has found its receive: no later
     * one can get the message.
     */
    int sendMatched(ByteBuffer bytes, int offset, int length, int toRank, int tag)
            throws MpiException;

    /**
     * Starts to receive a message of at most so many bytes; a longer one fails. Messages that a
     * rank sends with one tag come in their order.
     *
     * @param bytes a direct buffer that can be written; its position and limit do not matter
     * @param fromRank or {@link #ANY_RANK}
     * @param tag or {@link #ANY_TAG}
     * @return the handle by which {@link #poll} names the request
     */
    int receive(ByteBuffer bytes, int offset, int length, int fromRank, int tag)
            throws MpiException;

    /**
     * Looks which requests have ended, and lets MPI do its work. Does not wait.
     *
     * <p>What has ended since the last call comes in any order, also receives of one rank and tag:
     * of these the one that was posted first has the message that was sent first. The handles are
     * free: the next send or receive may get one of them.
     *
     * @return how many there are in {@code out}; more may be left for the next call
     */
    int poll(Completions out) throws MpiException;

    /**
     * Gives a receive up. {@link #poll} still finds its end: cancelled, or with a message that was
     * there already. Sends go on: most libraries cannot cancel them.
     */
    void cancel(int handle) throws MpiException;

    /** What an error code of {@link Completions} stands for. */
    MpiException failure(int error);
}
