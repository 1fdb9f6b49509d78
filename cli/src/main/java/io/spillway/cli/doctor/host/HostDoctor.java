// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Examination;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.doctor.check.HostFindings;
import io.spillway.cli.doctor.check.SettingsCheck;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.WorkFolder;
import io.spillway.conf.Setting;
import io.spillway.node.control.ControlSocket;
import io.spillway.node.control.StatusClient;
import io.spillway.store.tier.StoreKeys;
import io.spillway.transport.choice.HostMedia;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Examines this host. */
public final class HostDoctor {
    /** A client of Hadoop starts two JVMs and a shell. */
    private static final Duration SITE_LIMIT = Duration.ofSeconds(25);

    private static final Duration LIMIT = Duration.ofSeconds(8);

    private final WorkFolder work;
    private final PlugIn plugIn;
    private final String name;
    private final HostFiles files;
    private final Map<String, String> environment;

    /**
     * Creates it.
     *
     * @param name of this host
     * @param files the system's
     * @param environment of the user
     */
    public HostDoctor(
            final WorkFolder work,
            final PlugIn plugIn,
            final String name,
            final HostFiles files,
            final Map<String, String> environment) {
        this.work = work;
        this.plugIn = plugIn;
        this.name = name;
        this.files = files;
        this.environment = Map.copyOf(environment);
    }

    /** Examines it. */
    public HostFindings examine() {
        final List<HadoopHome> homes = HadoopHome.all(files, environment);
        final SiteCheck check = new SiteCheck(work, plugIn, files, environment, homes);
        final List<Finding> findings =
                new ArrayList<>(new Examination(SITE_LIMIT).of(List.of(check)));
        final Optional<HadoopClient> site = check.client();
        findings.addAll(new Examination(LIMIT).of(checks(homes, site)));
        return new HostFindings(name, facts(site), findings);
    }

    /**
     * Its client of Hadoop.
     *
     * @throws CommandException when no client of Hadoop can run here
     */
    public HadoopClient client() {
        final List<HadoopHome> homes = HadoopHome.all(files, environment);
        final SiteCheck check = new SiteCheck(work, plugIn, files, environment, homes);
        final List<Finding> findings = new Examination(SITE_LIMIT).of(List.of(check));
        return check.client()
                .orElseThrow(
                        () ->
                                new CommandException(
                                        findings.get(0).what() + ": " + findings.get(0).mend()));
    }

    /** Examines a client's configuration and class path alone, and nothing of its host. */
    public static List<Finding> ofConfiguration(final HadoopClient client) {
        return new Examination(LIMIT).of(configurationChecks(client));
    }

    private static List<Check> configurationChecks(final HadoopClient client) {
        final SiteFacts facts = client.facts();
        return List.of(
                new JarCheck(facts, client.hadoop().clientClassPath()),
                new HandlerCheck(facts),
                new PropertiesCheck(facts),
                new ConflictsCheck(facts),
                new SettingsCheck(facts.properties()));
    }

    private List<Check> checks(final List<HadoopHome> homes, final Optional<HadoopClient> site) {
        final String version = site.map(found -> found.facts().hadoop()).orElse("");
        final List<Check> checks = new ArrayList<>();
        checks.add(
                new JavaCheck(
                        JavaHomes.all(files, environment, site.map(HadoopClient::facts)), version));
        checks.add(new HadoopCheck(homes, version));
        checks.add(new LogindCheck(files));
        checks.add(new TemporaryFolderCheck(files, Path.of(System.getProperty("java.io.tmpdir"))));
        site.ifPresent(found -> checks.addAll(ofSite(found)));
        return checks;
    }

    private List<Check> ofSite(final HadoopClient site) {
        final SiteFacts facts = site.facts();
        final HostMedia media = HostMedia.ofThisHost();
        final List<Check> checks = new ArrayList<>(configurationChecks(site));
        checks.addAll(
                List.of(
                        new MemoryTierCheck(facts),
                        new UcxCheck(files, facts, site.probe()::ucxObstacle),
                        new MpiCheck(facts),
                        new NodeProcessCheck(
                                files,
                                facts,
                                () ->
                                        StatusClient.ask(
                                                ControlSocket.path(facts.properties()::get))),
                        new LimitsCheck(files, facts),
                        new ListenQueueCheck(files, facts),
                        new LocalDirsCheck(files, facts),
                        new SharedDirectoryCheck(
                                files, facts, environment.getOrDefault("PATH", "")),
                        new NamesCheck(
                                facts,
                                name,
                                InetAddress::getAllByName,
                                address -> media.isThisHost(address.getHostAddress())),
                        new NetworksCheck(files, facts),
                        new PortsCheck(files, facts)));
        ResourceManagerAddress.of(facts.properties())
                .ifPresent(manager -> checks.add(new ClockCheck(manager, Clock.systemUTC())));
        return checks;
    }

    private static Map<String, String> facts(final Optional<HadoopClient> site) {
        if (site.isEmpty()) {
            return Map.of();
        }
        final Map<String, String> facts = new TreeMap<>(builds(site.get()));
        facts.put(
                HostFindings.SHARED_DIRECTORY,
                site.get()
                        .facts()
                        .properties()
                        .getOrDefault(StoreKeys.STORE_LUSTRE_DIR.name(), Setting.NONE));
        return facts;
    }

    private static Map<String, String> builds(final HadoopClient site) {
        try {
            return site.builds();
        } catch (final IOException e) {
            return site.versions(); // the check of the jar reports that it cannot be read
        }
    }
}
