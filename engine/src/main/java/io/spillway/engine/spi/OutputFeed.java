// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Where the engine learns from which outputs there are. */
@FunctionalInterface
public interface OutputFeed {
    /**
     * Makes the body of a thread that passes events on, in their order, until no event can matter
     * any more or the thread is interrupted.
     *
     * @param events takes batches of events; thread-safe
     * @param need what events may still be needed for; thread-safe
     * @param onFailure takes the failure after which no more events come
     */
    Runnable body(
            Consumer<List<OutputEvent>> events,
            Supplier<EventNeed> need,
            Consumer<Throwable> onFailure);
}
