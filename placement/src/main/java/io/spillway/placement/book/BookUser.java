// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

/** A user with jobs. Guarded by the book. */
final class BookUser {
    private final String name;
    private int jobs;
    private long bytes;

    BookUser(final String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    /** Bytes leased and held, of all jobs. */
    long bytes() {
        return bytes;
    }

    void charge(final long difference) {
        bytes += difference;
    }

    void jobBegan() {
        jobs++;
    }

    /** Whether that was the last one. */
    boolean jobEnded() {
        jobs--;
        return jobs == 0;
    }
}
