// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes the last sign of life of a folder's owner older than it is. */
public final class OwnerSigns {
    private static final Pattern UPTIME = Pattern.compile("uptime\\.seconds=(-?\\d+)");

    private OwnerSigns() {}

    /**
     * Moves the sign into the past.
     *
     * @param file the owner's, which has gone
     * @return how many signs the file had
     */
    public static int age(final Path file, final Duration by) throws IOException {
        final Matcher sign = UPTIME.matcher(Files.readString(file));
        final StringBuilder aged = new StringBuilder();
        int count = 0;
        while (sign.find()) {
            final long then = Long.parseLong(sign.group(1)) - by.toSeconds();
            sign.appendReplacement(aged, "uptime.seconds=" + then);
            count++;
        }
        Files.writeString(file, sign.appendTail(aged));
        return count;
    }
}
