// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.cds;

import io.spillway.cli.failure.BadInputException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Hadoop's properties that hold the options of a job's JVMs. */
public enum JvmOptions {
    /** Of map tasks. */
    MAP("mapreduce.map.java.opts", "mapred.child.java.opts", ""),
    /** Of reduce tasks. */
    REDUCE("mapreduce.reduce.java.opts", "mapred.child.java.opts", ""),
    /** Of the MRAppMaster. */
    MASTER("yarn.app.mapreduce.am.command-opts", "", "-Xmx1024m");

    private static final String ARCHIVE = "-XX:SharedArchiveFile=";
    private static final String SILENCE = "-Xlog:cds=off -Xlog:cds+dynamic=off";

    /**
     * An archive at the address that it was made for needs no change: its pages stay shared. JDKs
     * whose default is another (17.0.15) move it, which costs each JVM a pass over all of it.
     */
    static final List<String> AT_ITS_ADDRESS =
            List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0");

    /** The class path that the JVM would have without us; the NodeManager puts it in. */
    private static final String REST = "{{CLASSPATH}}";

    /** What {@link #sharing} gives, from an archive that a site uses already. */
    private static final Pattern EARLIER =
            Pattern.compile(
                    "-Xshare:auto "
                            + ARCHIVE
                            + "\\S+ "
                            + Pattern.quote(String.join(" ", AT_ITS_ADDRESS) + " " + SILENCE)
                            + " -cp \\S+:"
                            + Pattern.quote(REST));

    /** A second class path would win over that of the archive, or lose against it. */
    private static final List<String> IN_THE_WAY = List.of("-cp", "-classpath", "--class-path");

    private final String property;
    private final String instead;
    private final String standard;

    JvmOptions(final String property, final String instead, final String standard) {
        this.property = property;
        this.instead = instead;
        this.standard = standard;
    }

    /** The name of the property. */
    public String property() {
        return property;
    }

    /**
     * All of them, with options added to those that are set, but for those of another archive.
     *
     * @param configured gives what is set for a property
     * @param options to add
     * @throws BadInputException where what is set names a class path or an archive
     */
    public static Map<String, String> add(
            final Function<String, Optional<String>> configured, final String options) {
        final Map<String, String> properties = new TreeMap<>();
        for (final JvmOptions jvm : values()) {
            final String own = jvm.own(configured);
            properties.put(jvm.property, own.isEmpty() ? options : own + " " + options);
        }
        return properties;
    }

    private String own(final Function<String, Optional<String>> configured) {
        final String set =
                Stream.of(property, instead)
                        .filter(name -> !name.isEmpty())
                        .flatMap(name -> configured.apply(name).stream())
                        .findFirst()
                        .orElse(standard);
        final String own = withoutSharing(set);
        Arrays.stream(own.split("\\s+"))
                .filter(word -> IN_THE_WAY.contains(word) || word.startsWith(ARCHIVE))
                .findFirst()
                .ifPresent(
                        word -> {
                            throw new BadInputException(
                                    property
                                            + " = "
                                            + own
                                            + ": expected no "
                                            + word
                                            + ", which class-data sharing sets itself");
                        });
        return own;
    }

    private static String withoutSharing(final String options) {
        return EARLIER.matcher(options).replaceAll("").trim();
    }

    /** These properties, their JVM options without an archive, whose place is one machine's. */
    public static Map<String, String> withoutSharing(final Map<String, String> properties) {
        final Map<String, String> all = new TreeMap<>(properties);
        for (final JvmOptions jvm : values()) {
            all.computeIfPresent(jvm.property, (name, options) -> withoutSharing(options));
            all.remove(jvm.property, "");
        }
        return all;
    }

    /** Whether the jobs of these properties share class data. */
    public static boolean share(final Map<String, String> properties) {
        return properties.getOrDefault(MAP.property, "").contains(ARCHIVE);
    }

    /**
     * What makes a JVM use an archive where it fits, and say nothing where it does not.
     *
     * @param classPath what the archive was made with, which the JVM's class path has to begin with
     */
    static String sharing(final String archive, final String classPath) {
        return "-Xshare:auto "
                + ARCHIVE
                + archive
                + " "
                + String.join(" ", AT_ITS_ADDRESS)
                + " "
                + SILENCE
                + " -cp "
                + classPath
                + ":"
                + REST;
    }
}
