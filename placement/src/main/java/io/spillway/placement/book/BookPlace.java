// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

/**
 * An output on a node: leased first, held when the node has reported its commit. In two linked
 * lists, that of the output and that of the node, as there are millions of places. Guarded by the
 * book.
 */
final class BookPlace {
    private enum State {
        LEASED,
        HELD,
        GONE
    }

    private final BookOutput output;
    private final NodeShare share;
    private State state = State.LEASED;
    private long bytes;
    private long deadlineNanos;
    private int listing;
    private BookPlace nextOfOutput;
    private BookPlace nextOfNode;
    private BookPlace previousOfNode;

    BookPlace(final BookOutput output, final NodeShare share, final long bytes) {
        this.output = output;
        this.share = share;
        this.bytes = bytes;
    }

    BookOutput output() {
        return output;
    }

    BookNode node() {
        return share.node();
    }

    /** What its lease takes; not always where the node keeps the output. */
    NodeShare share() {
        return share;
    }

    boolean isLeased() {
        return state == State.LEASED;
    }

    boolean isHeld() {
        return state == State.HELD;
    }

    void held() {
        state = State.HELD;
    }

    void gone() {
        state = State.GONE;
    }

    /** Of the lease, or what the node has reported. */
    long bytes() {
        return bytes;
    }

    void bytes(final long length) {
        bytes = length;
    }

    /** When the lease ends. */
    long deadlineNanos() {
        return deadlineNanos;
    }

    void deadlineNanos(final long nanos) {
        deadlineNanos = nanos;
    }

    /** The number of the node's list that the place was in last. */
    int listing() {
        return listing;
    }

    void listing(final int number) {
        listing = number;
    }

    BookPlace nextOfOutput() {
        return nextOfOutput;
    }

    void nextOfOutput(final BookPlace place) {
        nextOfOutput = place;
    }

    BookPlace nextOfNode() {
        return nextOfNode;
    }

    void nextOfNode(final BookPlace place) {
        nextOfNode = place;
    }

    BookPlace previousOfNode() {
        return previousOfNode;
    }

    void previousOfNode(final BookPlace place) {
        previousOfNode = place;
    }
}
