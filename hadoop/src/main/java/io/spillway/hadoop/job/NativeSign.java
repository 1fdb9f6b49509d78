// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files by which the attempts of a job see that native code has ended a JVM of the job on this
 * host. Each attempt that may run native code has a file in the job's local folder and holds a lock
 * on it. Java deletes the file when the JVM ends in order, which the SIGTERM of a preempted or
 * killed attempt is, too. A JVM that native code ends leaves the file, and its lock is gone.
 */
final class NativeSign {
    private static final Logger LOG = LoggerFactory.getLogger(NativeSign.class);
    private static final String PREFIX = "spillway-native-";

    /** Of a file that has its lock not yet; it does not match {@link #PREFIX}. */
    private static final String NEW_PREFIX = ".new-";

    /**
     * This JVM's files. An unused channel would be closed, and closing any channel of a file gives
     * up all locks that the process has on it: so these are kept, and not opened a second time.
     */
    private static final Map<Path, FileChannel> OWN = new HashMap<>();

    private NativeSign() {}

    /**
     * Leaves the file of an attempt while this JVM runs. It gets its name once it is locked:
     * another attempt that finds it without a lock takes it for left.
     *
     * @throws IOException where the folder takes no file
     */
    static synchronized void leave(final Path folder, final TaskAttemptID attempt)
            throws IOException {
        final Path file = folder.resolve(PREFIX + attempt);
        if (OWN.containsKey(file)) {
            return;
        }
        final Path unlocked = folder.resolve(NEW_PREFIX + PREFIX + attempt);
        final FileChannel channel =
                FileChannel.open(unlocked, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        OWN.put(file, channel);
        final FileLock unused = channel.lock();
        file.toFile().deleteOnExit();
        Files.move(unlocked, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * The file of a JVM that has ended without deleting it; nothing where there is none.
     *
     * @throws IOException where the folder cannot be read
     */
    static synchronized Optional<Path> abandoned(final Path folder) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, PREFIX + "*")) {
            for (final Path file : files) {
                if (!OWN.containsKey(file) && !isHeld(file)) {
                    return Optional.of(file);
                }
            }
            return Optional.empty();
        } catch (final DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private static boolean isHeld(final Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            return lock == null;
        } catch (final NoSuchFileException e) {
            LOG.debug("{} went in order meanwhile", file, e);
            return true;
        }
    }
}
