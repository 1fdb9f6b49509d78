// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import java.util.ArrayList;
import java.util.List;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/** What a logger writes while this is open. Thread-safe. */
final class LoggedLines extends AppenderSkeleton implements AutoCloseable {
    private final Logger logger;
    private final List<LoggingEvent> events = new ArrayList<>();

    LoggedLines(final String logger) {
        this.logger = Logger.getLogger(logger);
        this.logger.addAppender(this);
    }

    @Override
    protected synchronized void append(final LoggingEvent event) {
        events.add(event);
    }

    /** The messages of warnings and errors. */
    synchronized List<String> warnings() {
        return events.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .map(LoggingEvent::getRenderedMessage)
                .toList();
    }

    /** All messages. */
    synchronized List<String> messages() {
        return events.stream().map(LoggingEvent::getRenderedMessage).toList();
    }

    /** How many messages came with a stack trace. */
    synchronized long traces() {
        return events.stream().filter(event -> event.getThrowableInformation() != null).count();
    }

    @Override
    public void close() {
        logger.removeAppender(this);
    }

    @Override
    public boolean requiresLayout() {
        return false;
    }
}
