// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Properties;

/**
 * How fast the tiers of a host take writes: an exponentially weighted moving average of what its
 * tasks measured, in bytes a second. Tasks pass it on in a file; when two write it at a time, one's
 * measurements are lost, which an average bears. Thread-safe.
 */
public final class WriteSpeeds {
    /** The file's name in a local directory. */
    public static final String FILE = "spillway.speeds";

    /** The weight of the newest measurement. */
    static final double WEIGHT = 0.3;

    /** Shorter writes measure the clock. */
    static final long LEAST_BYTES = 1 << 20;

    private static final long MOST_FILE_BYTES = 4 << 10;

    private final Map<String, Double> speeds = new HashMap<>();
    private boolean changed;

    /** Takes a measurement; one of less than a mebibyte is ignored. */
    public synchronized void wrote(final String tier, final long bytes, final long nanos) {
        if (bytes < LEAST_BYTES || nanos <= 0) {
            return;
        }
        final double speed = bytes * 1e9 / nanos;
        final Double old = speeds.get(tier);
        speeds.put(tier, old == null ? speed : (1 - WEIGHT) * old + WEIGHT * speed);
        changed = true;
    }

    /** A tier's speed in bytes a second, where it was measured. */
    public synchronized OptionalDouble of(final String tier) {
        final Double speed = speeds.get(tier);
        return speed == null ? OptionalDouble.empty() : OptionalDouble.of(speed);
    }

    /**
     * Reads what former tasks have left in a local directory; nothing where there is no file.
     *
     * @throws IOException when the file cannot be read or is damaged; the message names it
     */
    public static WriteSpeeds readFrom(final Path localDirectory) throws IOException {
        final WriteSpeeds speeds = new WriteSpeeds();
        final Path file = localDirectory.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            return speeds;
        }
        final long size = Files.size(file);
        if (size > MOST_FILE_BYTES) {
            throw new IOException(
                    file + ": length=" + size + ", expected at most " + MOST_FILE_BYTES);
        }
        final Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            properties.load(in);
        }
        for (final String tier : properties.stringPropertyNames()) {
            speeds.speeds.put(tier, speed(file, tier, properties.getProperty(tier)));
        }
        return speeds;
    }

    private static double speed(final Path file, final String tier, final String text)
            throws IOException {
        try {
            final double speed = Double.parseDouble(text);
            if (speed > 0 && speed < Double.POSITIVE_INFINITY) {
                return speed;
            }
        } catch (final NumberFormatException e) {
            throw damaged(file, tier, text, e);
        }
        throw damaged(file, tier, text, null);
    }

    private static IOException damaged(
            final Path file, final String tier, final String text, final Exception cause) {
        return new IOException(
                file + ": " + tier + "=" + text + ", expected bytes a second", cause);
    }

    /**
     * Leaves the averages for later tasks, in one step, if anything was measured. Without the JDK's
     * writer of properties and its temporary files, whose classes a short task would load for this.
     * Tasks in namespaces of their own all have the same number, but not the same moment.
     */
    public void writeTo(final Path localDirectory) throws IOException {
        final StringBuilder text = new StringBuilder();
        synchronized (this) {
            if (!changed) {
                return;
            }
            for (final Map.Entry<String, Double> each : speeds.entrySet()) {
                text.append(each.getKey()).append('=').append(each.getValue()).append('\n');
            }
        }
        final String partialName =
                FILE + "." + ProcessHandle.current().pid() + "." + System.nanoTime();
        final Path partial = localDirectory.resolve(partialName);
        Files.writeString(partial, text);
        Files.move(partial, localDirectory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    }
}
