// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.secret;

import io.spillway.host.OwnUser;
import io.spillway.transport.JobCredentials;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What all nodes of a cluster know and no job does. Only keys made from it are used, a different
 * one for each purpose. Immutable, never logged.
 */
public final class ClusterSecret {
    /** The setting that names the file. */
    public static final String SETTING = "spillway.placement.secret.file";

    /** In place of a job, what a node that has proved to know the secret calls for. */
    public static final String CALLER_ID = "spillway-cluster";

    /** The fewest bytes. */
    public static final int MIN_LENGTH = 16;

    /** The most bytes of the file. */
    public static final int MAX_LENGTH = 4096;

    private static final String ALGORITHM = "HmacSHA256";
    private static final Set<PosixFilePermission> OWNERS =
            EnumSet.of(
                    PosixFilePermission.OWNER_READ,
                    PosixFilePermission.OWNER_WRITE,
                    PosixFilePermission.OWNER_EXECUTE);

    private final byte[] sealingKey;
    private final byte[] callerKey;

    /**
     * Takes a secret.
     *
     * @param secret {@value #MIN_LENGTH} to {@value #MAX_LENGTH} bytes; copied
     */
    public ClusterSecret(final byte[] secret) {
        if (secret.length < MIN_LENGTH || secret.length > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "length of the cluster's secret="
                            + secret.length
                            + ", expected "
                            + MIN_LENGTH
                            + " to "
                            + MAX_LENGTH);
        }
        sealingKey = derive(secret, "spillway sealed secrets of jobs");
        callerKey = derive(secret, "spillway calls of nodes");
    }

    private static byte[] derive(final byte[] secret, final String purpose) {
        try {
            final Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            return mac.doFinal(purpose.getBytes(StandardCharsets.US_ASCII));
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is missing; every Java has it", e);
        }
    }

    /**
     * Reads the secret from a file: all its bytes but white space at its end, which editors add.
     *
     * @throws IllegalArgumentException where the file is not there, no regular file, not this
     *     user's, open to others, too short or too long; the message says how to make one
     * @throws IOException where it cannot be read
     */
    public static ClusterSecret read(final Path file) throws IOException {
        requirePrivate(file, attributes(file));
        final byte[] content;
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            content = in.readNBytes(MAX_LENGTH + 1);
        }
        final int length = lengthWithoutEnd(content);
        if (length < MIN_LENGTH || content.length > MAX_LENGTH) {
            throw wrong(
                    file,
                    MIN_LENGTH + " to " + MAX_LENGTH + " bytes",
                    content.length > MAX_LENGTH ? "more" : String.valueOf(length));
        }
        return new ClusterSecret(Arrays.copyOf(content, length));
    }

    private static PosixFileAttributes attributes(final Path file) throws IOException {
        try {
            return Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (final NoSuchFileException e) {
            final IllegalArgumentException missing = wrong(file, "a file", "none");
            missing.initCause(e);
            throw missing;
        }
    }

    private static void requirePrivate(final Path file, final PosixFileAttributes found) {
        if (!found.isRegularFile()) {
            throw wrong(file, "a regular file", found.isDirectory() ? "a directory" : "another");
        }
        if (!found.owner().getName().equals(OwnUser.name())) {
            throw wrong(file, "a file of " + OwnUser.name(), "one of " + found.owner().getName());
        }
        if (!OWNERS.containsAll(found.permissions())) {
            throw wrong(
                    file,
                    "no permission for group and others",
                    PosixFilePermissions.toString(found.permissions()));
        }
    }

    private static int lengthWithoutEnd(final byte[] content) {
        int length = content.length;
        while (length > 0 && isWhiteSpace(content[length - 1])) {
            length--;
        }
        return length;
    }

    private static boolean isWhiteSpace(final byte b) {
        return b == ' ' || b == '\t' || b == '\r' || b == '\n';
    }

    private static IllegalArgumentException wrong(
            final Path file, final String expected, final String found) {
        return new IllegalArgumentException(
                String.format(
                        Locale.ROOT,
                        "%s=%s: expected %s, found %s; a new one is made by"
                                + " head -c 32 /dev/urandom | base64 > %s; chmod 600 %s",
                        SETTING,
                        file,
                        expected,
                        found,
                        file,
                        file));
    }

    /** What a node proves itself with to the placement service. */
    public JobCredentials credentials() {
        return new JobCredentials(CALLER_ID, callerKey);
    }

    /** The key of {@link SealedSecret}; the caller does not change it. */
    byte[] sealingKey() {
        return sealingKey;
    }

    @Override
    public String toString() {
        return "ClusterSecret";
    }
}
