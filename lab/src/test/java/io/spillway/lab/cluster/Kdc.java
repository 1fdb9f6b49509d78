// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.lab.hosts.SystemCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A Kerberos realm: MIT's krb5kdc on loopback, with all its files in one folder. It reads and
 * writes none of the system's own files. For one thread.
 */
final class Kdc implements AutoCloseable {
    private static final String REALM = "SPILLWAY.TEST";
    private static final String DATABASE = "/usr/sbin/kdb5_util";
    private static final String ADMIN = "/usr/sbin/kadmin.local";
    private static final String DAEMON = "/usr/sbin/krb5kdc";
    private static final String LOGIN = "/usr/bin/kinit";

    private final Path folder;

    private Kdc(final Path folder) {
        this.folder = folder;
    }

    /** The program that this machine lacks, with the packages to install. */
    static Optional<String> obstacle() {
        return Stream.of(DATABASE, ADMIN, DAEMON, LOGIN)
                .filter(program -> !Files.isExecutable(Path.of(program)))
                .map(program -> program + " (packages krb5-kdc, krb5-admin-server, krb5-user)")
                .findFirst();
    }

    /**
     * Makes a realm and starts its KDC, which answers when this returns.
     *
     * @param folder a new one, which every user may enter
     * @param names of the principals, whose keys are in the {@link #keytab}
     */
    static Kdc start(final Path folder, final Stream<String> names) throws IOException {
        final Kdc kdc = new Kdc(folder);
        Files.writeString(
                kdc.configuration(),
                """
                [libdefaults]
                  default_realm = %1$s
                  dns_canonicalize_hostname = false
                  udp_preference_limit = 1
                [realms]
                  %1$s = {
                    kdc = 127.0.0.1:%2$d
                    kdc_listen = 127.0.0.1:%2$d
                    kdc_tcp_listen = 127.0.0.1:%2$d
                    database_name = %3$s/principal
                    key_stash_file = %3$s/stash
                  }
                [domain_realm]
                  localhost = %1$s
                [logging]
                  kdc = FILE:%3$s/kdc.log
                """
                        .formatted(REALM, Clusters.freePort(), folder));
        kdc.run(DATABASE, "create", "-s", "-P", "master");
        names.forEach(kdc::addPrincipal);
        // Clients can connect to its port before its first process ends.
        kdc.run(DAEMON, "-P", kdc.pidFile().toString());
        Runtime.getRuntime().addShutdownHook(new Thread(kdc::close));
        return kdc;
    }

    private void addPrincipal(final String name) {
        run(ADMIN, "addprinc", "-randkey", name);
        run(ADMIN, "ktadd", "-k", keytab().toString(), name);
    }

    private void run(final String... command) {
        final Stream<String> environment =
                Stream.of(
                        "/usr/bin/env",
                        "KRB5_CONFIG=" + configuration(),
                        "KRB5_KDC_PROFILE=" + configuration());
        SystemCommand.run(Stream.concat(environment, Stream.of(command)).toList(), "");
    }

    /** The realm's configuration, for the KDC, MIT's programs and Java. */
    Path configuration() {
        return folder.resolve("krb5.conf");
    }

    /** The keys of all principals, for root alone. */
    Path keytab() {
        return folder.resolve("keytab");
    }

    /** What the KDC has answered to whom, a line each. */
    List<String> log() throws IOException {
        return Files.readAllLines(folder.resolve("kdc.log"));
    }

    private Path pidFile() {
        return folder.resolve("kdc.pid");
    }

    /** The full name of a principal. */
    static String principal(final String name) {
        return name + "@" + REALM;
    }

    /** Fetches a ticket for a principal into a new file, which is root's alone. */
    Path ticket(final String name) {
        final Path file = folder.resolve(name.replace('/', '-') + ".ticket");
        run(LOGIN, "-k", "-t", keytab().toString(), "-c", file.toString(), name);
        return file;
    }

    @Override
    public void close() {
        try {
            ProcessHandle.of(Long.parseLong(Files.readString(pidFile()).strip()))
                    .ifPresent(ProcessHandle::destroyForcibly);
            Files.delete(pidFile());
        } catch (final IOException e) {
            // It is closed already.
        }
    }
}
