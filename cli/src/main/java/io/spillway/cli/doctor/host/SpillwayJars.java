// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Finds Spillway's jar on a class path. */
public final class SpillwayJars {
    private static final String NAME = "spillway-hadoop-";
    private static final String JAR = ".jar";
    private static final int SHORT_SUM = 8;

    private SpillwayJars() {}

    /** All that are there, in the order of the entries; one found twice is there once. */
    static List<Path> on(final List<String> classPath) {
        final List<Path> jars = new ArrayList<>();
        for (final String entry : classPath) {
            if (entry.endsWith("*")) {
                jars.addAll(in(Path.of(entry.substring(0, entry.length() - 1))));
            } else if (is(entry) && Files.exists(Path.of(entry))) {
                jars.add(Path.of(entry));
            }
        }
        return jars.stream().map(jar -> jar.toAbsolutePath().normalize()).distinct().toList();
    }

    private static List<Path> in(final Path folder) {
        return HostFiles.list(folder).stream().filter(jar -> is(jar.toString())).toList();
    }

    /** Whether an entry of a class path is Spillway's jar. */
    public static boolean is(final String entry) {
        final String file = entry.substring(entry.lastIndexOf('/') + 1);
        return file.startsWith(NAME) && file.endsWith(JAR);
    }

    /** The version that a jar's name has, such as {@code 0.1.0}. */
    public static String version(final String entry) {
        final String file = entry.substring(entry.lastIndexOf('/') + 1);
        return is(entry) ? file.substring(NAME.length(), file.length() - JAR.length()) : "?";
    }

    /** The beginning of a file's SHA-256: enough to tell two jars apart. */
    static String sum(final Path jar) throws IOException {
        try {
            final MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (InputStream in = new DigestInputStream(Files.newInputStream(jar), digest)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(digest.digest(), 0, SHORT_SUM);
        } catch (final NoSuchAlgorithmException e) {
            throw new IOException(e);
        }
    }
}
