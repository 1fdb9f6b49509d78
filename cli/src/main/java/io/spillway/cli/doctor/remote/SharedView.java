// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.remote;

import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.doctor.check.HostFindings;
import io.spillway.cli.doctor.check.HostNames;
import io.spillway.cli.doctor.check.Severity;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Checks that all hosts see the files that some of them write into the shared directory. It copies
 * a small file there and deletes the copies. Some ways to a host use a shell and some do not, so
 * the commands contain no special characters of shells.
 */
final class SharedView {
    private static final String CHECK = "shared-directory";
    private static final String SMALL_FILE = "/etc/hosts";

    /** A host with another file system at that path sees the file of none of them. */
    private static final int MOST_WRITERS = 4;

    private static final SecureRandom RANDOM = new SecureRandom();

    /** Runs the same command on hosts at the same time. */
    @FunctionalInterface
    interface Shell {
        /** Returns the output of each host, in the hosts' order. */
        List<String> run(List<String> hosts, List<String> command) throws InterruptedException;
    }

    private final Shell shell;

    SharedView(final Shell shell) {
        this.shell = shell;
    }

    /** Checks each directory that at least two hosts have and can write to. */
    List<Finding> among(final List<HostFindings> reports) throws InterruptedException {
        final Map<String, List<String>> hosts = new TreeMap<>();
        for (final HostFindings report : reports) {
            directory(report)
                    .ifPresent(
                            directory ->
                                    hosts.computeIfAbsent(directory, key -> new ArrayList<>())
                                            .add(report.host()));
        }
        final List<Finding> findings = new ArrayList<>();
        for (final Map.Entry<String, List<String>> each : hosts.entrySet()) {
            if (each.getValue().size() > 1) {
                findings.addAll(look(each.getKey(), each.getValue()));
            }
        }
        return findings.stream().map(finding -> finding.by(CHECK)).toList();
    }

    private static Optional<String> directory(final HostFindings report) {
        final boolean isFit = report.findings().stream().noneMatch(SharedView::saysThatItIsOfNoUse);
        return Optional.ofNullable(report.facts().get(HostFindings.SHARED_DIRECTORY))
                .filter(directory -> isFit && directory.startsWith("/"));
    }

    private static boolean saysThatItIsOfNoUse(final Finding finding) {
        return finding.check().equals(CHECK) && finding.severity() == Severity.ERROR;
    }

    private List<Finding> look(final String directory, final List<String> hosts)
            throws InterruptedException {
        final List<String> writers = hosts.subList(0, Math.min(MOST_WRITERS, hosts.size()));
        final String start =
                directory + "/.spillway-doctor-" + Long.toHexString(RANDOM.nextLong()) + "-";
        final List<String> files = writers.stream().map(start::concat).toList();
        try {
            for (int i = 0; i < writers.size(); i++) {
                shell.run(writers.subList(i, i + 1), List.of("cp", SMALL_FILE, files.get(i)));
            }
            return unseen(directory, hosts, writers, files);
        } finally {
            for (int i = 0; i < writers.size(); i++) {
                shell.run(writers.subList(i, i + 1), List.of("rm", "-f", files.get(i)));
            }
        }
    }

    private List<Finding> unseen(
            final String directory,
            final List<String> hosts,
            final List<String> writers,
            final List<String> files)
            throws InterruptedException {
        final List<String> command = new ArrayList<>(List.of("cksum"));
        command.addAll(files);
        final List<String> said = shell.run(hosts, command);
        final List<Finding> findings = new ArrayList<>();
        final Map<List<String>, List<String>> writersByBlind = new LinkedHashMap<>();
        for (int i = 0; i < writers.size(); i++) {
            final String name = files.get(i).substring(directory.length());
            final String writer = writers.get(i);
            final Optional<String> own = sum(said.get(i), name);
            if (own.isEmpty()) {
                findings.add(notTold(directory, writer, said.get(i)));
                continue;
            }
            final List<String> blind = hosts(hosts, said, text -> !sum(text, name).equals(own));
            writersByBlind.computeIfAbsent(blind, key -> new ArrayList<>()).add(writer);
        }
        writersByBlind.remove(List.<String>of());
        writersByBlind.forEach((blind, of) -> findings.add(notSeen(directory, of, blind)));
        return findings;
    }

    /** Returns checksum and length of a file, from its line in the output of cksum. */
    private static Optional<String> sum(final String said, final String name) {
        return said.lines()
                .filter(line -> line.endsWith(name))
                .map(line -> line.split(" ", -1))
                .filter(fields -> fields.length > 2 && fields[0].matches("\\d+"))
                .map(fields -> fields[0] + " " + fields[1])
                .findFirst();
    }

    private static List<String> hosts(
            final List<String> hosts, final List<String> said, final Predicate<String> which) {
        final List<String> found = new ArrayList<>();
        for (int i = 0; i < hosts.size(); i++) {
            if (which.test(said.get(i))) {
                found.add(hosts.get(i));
            }
        }
        return found;
    }

    private static Finding notSeen(
            final String directory, final List<String> writers, final List<String> blind) {
        return Finding.error(
                directory
                        + ": "
                        + HostNames.of(blind)
                        + " cannot see files just written there by "
                        + HostNames.of(writers),
                "its reducers cannot read map outputs there, and maps of a lost host run again",
                "mount the same file system at that path on all hosts (df " + directory + ")");
    }

    private static Finding notTold(final String directory, final String writer, final String said) {
        return Finding.warning(
                directory + ": " + writer + " could not write there: " + said.strip(),
                "it is unknown whether other hosts see its files",
                "run spillway doctor as the NodeManagers' user");
    }
}
