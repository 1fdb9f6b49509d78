// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import io.spillway.conf.Setting;
import io.spillway.store.tier.StoreKeys;
import io.spillway.transport.Transport;
import io.spillway.transport.choice.ChoosingTransport;
import io.spillway.transport.choice.OwnHost;
import io.spillway.transport.choice.TransportKeys;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.sharedfs.OutputDirectory;
import io.spillway.transport.sharedfs.SharedFileSystem;
import io.spillway.transport.sharedfs.SharedTransport;
import io.spillway.transport.tcp.ClientTls;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one attempt of a reduce task fetches with. */
public final class ReducerTransport {
    private static final Logger LOG = LoggerFactory.getLogger(ReducerTransport.class);

    /** The numbers of attempts begin at the next multiple with each start of the MRAppMaster. */
    private static final int ATTEMPTS_A_MASTER = 1000;

    private static final int DEFAULT_MAX_ATTEMPTS = 4;

    private ReducerTransport() {}

    /**
     * Makes the transport. An attempt uses tcp alone where native code has ended a JVM of the job
     * on this host ({@link NativeSign}), and where its task might fail for good with it: native
     * code that ends a JVM leaves nothing to fall back to. The number of an attempt alone is no
     * sign: preempted, speculative and restarted attempts have not failed.
     *
     * <p>Where maps may leave outputs on a shared file system, they are read there: as the setting
     * demands, where that takes less, or at least where a node is gone.
     *
     * @param attempt of the reduce task
     * @param tls of the shuffle ports, where they have it; belongs to the transport from here on
     * @param providers of all transports
     * @param ownHost what needs no transport; belongs to the transport from here on
     * @param settings returns the text of a property, or null where it is not set
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    public static Transport of(
            final TaskAttemptID attempt,
            final Optional<ShuffleTls> tls,
            final List<TransportProvider> providers,
            final Optional<OwnHost> ownHost,
            final Function<String, String> settings) {
        final Function<String, String> own = own(attempt, settings);
        final ChoosingTransport nodes =
                new ChoosingTransport(
                        new TcpTransport(own, tls.map(ClientTls.class::cast)),
                        providers,
                        ownHost,
                        own);
        final String wanted = TransportKeys.TRANSPORT.get(settings);
        final Optional<OutputDirectory> directory = SharedMapOutputs.of(settings);
        if (directory.isPresent()) {
            return new SharedTransport(
                    nodes,
                    directory.get(),
                    use(wanted),
                    nodes.bytesOver(SharedFileSystem.NAME),
                    settings);
        }
        if (wanted.equals(SharedFileSystem.NAME)) {
            LOG.warn(
                    "{}={}: nothing is read through it, as no outputs go to the lustre tier"
                            + " (spillway.output.tiers), or {} is no directory on this host",
                    TransportKeys.TRANSPORT,
                    wanted,
                    StoreKeys.STORE_LUSTRE_DIR);
        }
        return nodes;
    }

    private static SharedTransport.Use use(final String wanted) {
        return switch (wanted) {
            case SharedFileSystem.NAME -> SharedTransport.Use.ALWAYS;
            case Setting.AUTO -> SharedTransport.Use.WHERE_FASTER;
            default -> SharedTransport.Use.WITHOUT_NODE;
        };
    }

    private static Function<String, String> own(
            final TaskAttemptID attempt, final Function<String, String> settings) {
        final String wanted = TransportKeys.TRANSPORT.get(settings);
        if (wanted.equals(TcpTransport.NAME)) {
            return settings;
        }
        final Optional<String> danger = danger(attempt, settings);
        if (danger.isEmpty()) {
            return wanted.equals(SharedFileSystem.NAME) ? with(Setting.AUTO, settings) : settings;
        }
        LOG.info(
                "{}: {}=tcp instead of {}: {}",
                attempt,
                TransportKeys.TRANSPORT,
                wanted,
                danger.get());
        return with(TcpTransport.NAME, settings);
    }

    /** The settings, but for what nodes are fetched from with. */
    private static Function<String, String> with(
            final String transport, final Function<String, String> settings) {
        return name ->
                name.equals(TransportKeys.TRANSPORT.name()) ? transport : settings.apply(name);
    }

    /** Why native code is not to be used; nothing where it may be. */
    private static Optional<String> danger(
            final TaskAttemptID attempt, final Function<String, String> settings) {
        final int number = attempt.getId() % ATTEMPTS_A_MASTER;
        if (number > 0 && number >= maxAttempts(settings) - 1) {
            return Optional.of(
                    "it may be the last attempt before "
                            + MRJobConfig.REDUCE_MAX_ATTEMPTS
                            + " is reached");
        }
        final String folder = settings.apply(MRJobConfig.JOB_LOCAL_DIR);
        try {
            return folder == null
                    ? withoutSigns(number, "is not set")
                    : dangerHere(attempt, Path.of(folder));
        } catch (final IOException e) {
            return withoutSigns(number, e.toString());
        }
    }

    private static Optional<String> withoutSigns(final int number, final String why) {
        return number == 0
                ? Optional.empty()
                : Optional.of(
                        "how the attempt before it has ended is not known, "
                                + MRJobConfig.JOB_LOCAL_DIR
                                + ": "
                                + why);
    }

    private static Optional<String> dangerHere(final TaskAttemptID attempt, final Path folder)
            throws IOException {
        final Optional<Path> abandoned = NativeSign.abandoned(folder);
        if (abandoned.isEmpty()) {
            NativeSign.leave(folder, attempt);
        }
        return abandoned.map(
                file ->
                        "a JVM of this job that may run native code ended without notice on this"
                                + " host, it left "
                                + file);
    }

    private static int maxAttempts(final Function<String, String> settings) {
        final String text = settings.apply(MRJobConfig.REDUCE_MAX_ATTEMPTS);
        try {
            return text == null ? DEFAULT_MAX_ATTEMPTS : Integer.parseInt(text.trim());
        } catch (final NumberFormatException e) {
            LOG.debug("{}={} is no number", MRJobConfig.REDUCE_MAX_ATTEMPTS, text, e);
            return DEFAULT_MAX_ATTEMPTS;
        }
    }
}
